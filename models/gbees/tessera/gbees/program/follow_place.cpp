// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/program/follow_place.hpp"

#include <string>
#include <utility>
#include <vector>

namespace tessera::gbees {

namespace {

/// Hands the numbers of a place to visit(name, member).
template <class Place, class Visit>
void visit_place(Place& place, const Visit& visit) {
  visit("begin", place.begin);
  visit("stop", place.stop);
  visit("end", place.end);
  visit("leg_end", place.leg_end);
  visit("longest_step", place.longest_step);
  visit("misfit", place.misfit);
  visit("transfers", place.transfers);
  visit("change", place.change);
}

}  // namespace

void save_follow(const io::Group& group, const FollowState& place) {
  const io::Attributes plain;
  visit_place(place,
              [&](const char* name, const auto& member) { group.set_attribute(name, member); });
  group.set_attribute("phase", static_cast<int>(place.phase));
  group.set_attribute("stays", place.stays ? 1 : 0);
  std::vector<double> axes, piece_ends, piece_steps;
  for (const auto& row : place.frame.axes) axes.insert(axes.end(), row.begin(), row.end());
  for (const BoundedPiece& piece : place.pieces) {
    piece_ends.push_back(piece.end);
    piece_steps.push_back(piece.longest_step);
  }
  group.write("centre", place.frame.centre, plain);
  group.write("axes", axes, io::Shape{place.frame.axes.size(), place.frame.axes.size()}, plain);
  group.write("piece_ends", piece_ends, plain);
  group.write("piece_steps", piece_steps, plain);
}

FollowState load_follow(const io::Group& group, std::size_t dimension) {
  FollowState place;
  visit_place(place,
              [&]<class T>(const char* name, T& member) { member = group.attribute<T>(name); });
  const int phase = group.attribute<int>("phase");
  if (phase < 0 || phase > static_cast<int>(FollowState::Phase::end_leg))
    throw group.misfit("", "is at phase " + std::to_string(phase) + ", which there is not");
  place.phase = static_cast<FollowState::Phase>(phase);
  place.stays = group.attribute<int>("stays") != 0;
  const auto axes = group.read<double>("axes", {dimension, dimension});
  linalg::Matrix rows;
  for (auto row = axes.begin(); row != axes.end(); row += static_cast<std::ptrdiff_t>(dimension))
    rows.emplace_back(row, row + static_cast<std::ptrdiff_t>(dimension));
  place.frame = Frame::of_axes(group.read<double>("centre", {dimension}), std::move(rows));
  const auto ends = group.read<double>("piece_ends");
  const auto steps = group.read<double>("piece_steps", {ends.size()});
  for (std::size_t i = 0; i < ends.size(); ++i) place.pieces.push_back({ends[i], steps[i]});
  if (!(place.begin <= place.stop)) throw group.misfit("stop", "lies before the beginning");
  return place;
}

}  // namespace tessera::gbees
