// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/program/marginals.hpp"

#include <algorithm>

namespace tessera::gbees {

namespace {

using io::Attributes;
using io::Shape;

std::string pair_name(std::size_t i, std::size_t j) {
  return "x" + std::to_string(i + 1) + "_x" + std::to_string(j + 1);
}

}  // namespace

double bin_centre(double origin, double spacing, std::int64_t low, std::size_t k) {
  return origin + spacing * static_cast<double>(low + static_cast<std::int64_t>(k));
}

void write_marginal(const io::Group& results, const io::Group& coordinates,
                    const std::vector<const Marginals*>& records, const Axis& axis, std::size_t i) {
  std::int64_t low = records.front()->low[i], high = low;
  for (const Marginals* const record : records) {
    low = std::min(low, record->low[i]);
    high = std::max(high, record->low[i] + static_cast<std::int64_t>(record->marginal[i].size()));
  }
  const std::size_t length = static_cast<std::size_t>(high - low);
  std::vector<double> centres(length), rows(records.size() * length, 0.0);
  for (std::size_t k = 0; k < length; ++k)
    centres[k] = bin_centre(axis.origin, axis.spacing, low, k);
  for (std::size_t r = 0; r < records.size(); ++r) {
    const auto& bins = records[r]->marginal[i];
    std::copy(bins.begin(), bins.end(),
              rows.begin() + static_cast<std::ptrdiff_t>(r * length) + (records[r]->low[i] - low));
  }
  const std::string number = "x" + std::to_string(i + 1);
  coordinates.write(number, centres, Attributes{"1", "centres of the cells along " + axis.name});
  results.group("marginal_1d")
      .write(number, rows, Shape{records.size(), length},
             Attributes{"1", "probability of " + axis.name + " by cell"});
}

void write_own_marginal(const io::Group& results, const io::Group& coordinates,
                        const std::vector<const Marginals*>& records, const std::string& axis,
                        std::size_t i) {
  std::size_t length = 0;
  for (const Marginals* const record : records)
    length = std::max(length, record->marginal[i].size());
  std::vector<double> centres, rows;
  for (const Marginals* const record : records) {
    for (std::size_t k = 0; k < length; ++k) {
      centres.push_back(bin_centre(record->origin[i], record->spacing[i], record->low[i], k));
      rows.push_back(k < record->marginal[i].size() ? record->marginal[i][k] : 0);
    }
  }
  const std::string number = "x" + std::to_string(i + 1);
  const Shape shape{records.size(), length};
  coordinates.write(number, centres, shape,
                    Attributes{"1", "centres of the bins along " + axis + " at each record"});
  results.group("marginal_1d")
      .write(number, rows, shape, Attributes{"1", "probability of " + axis + " by bin"});
}

void write_pairs(const io::Group& results, const Marginals& record, std::size_t number,
                 const std::vector<Axis>& axes) {
  const io::Group group = results.group("pairs_" + std::to_string(number));
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const double origin = record.origin.empty() ? axes[i].origin : record.origin[i],
                 spacing = record.spacing.empty() ? axes[i].spacing : record.spacing[i];
    std::vector<double> centres;
    for (std::size_t k = 0; k < record.marginal[i].size(); ++k) {
      centres.push_back(bin_centre(origin, spacing, record.low[i], k));
    }
    group.write("x" + std::to_string(i + 1), centres,
                Attributes{"1", "centres of the cells along " + axes[i].name});
  }
  for (const PairMarginal& pair : record.pairs) {
    const auto i = static_cast<std::size_t>(pair.first), j = static_cast<std::size_t>(pair.second);
    group.write(
        pair_name(i, j), pair.probability,
        Shape{record.marginal[i].size(), record.marginal[j].size()},
        Attributes{"1", "probability of " + axes[i].name + " and " + axes[j].name + " by cell"});
  }
}

void save_marginals(const io::Group& group, const Marginals& record) {
  const Attributes plain;
  for (std::size_t i = 0; i < record.marginal.size(); ++i)
    group.write("marginal_" + std::to_string(i + 1), record.marginal[i], plain);
  if (!record.origin.empty()) {
    group.write("origin", record.origin, plain);
    group.write("spacing", record.spacing, plain);
  }
  for (const PairMarginal& pair : record.pairs) {
    const auto i = static_cast<std::size_t>(pair.first), j = static_cast<std::size_t>(pair.second);
    group.write(pair_name(i, j), pair.probability,
                Shape{record.marginal[i].size(), record.marginal[j].size()}, plain);
  }
}

void load_marginals(const io::Group& group, std::size_t dimension, bool pairs, Marginals& record) {
  for (std::size_t i = 0; i < dimension; ++i)
    record.marginal.push_back(group.read<double>("marginal_" + std::to_string(i + 1)));
  if (group.has("origin")) {
    record.origin = group.read<double>("origin", {dimension});
    record.spacing = group.read<double>("spacing", {dimension});
  }
  for (std::size_t i = 0; pairs && i < dimension; ++i) {
    for (std::size_t j = i + 1; j < dimension; ++j) {
      record.pairs.push_back({static_cast<int>(i), static_cast<int>(j),
                              group.read<double>(pair_name(i, j), {record.marginal[i].size(),
                                                                   record.marginal[j].size()})});
    }
  }
}

}  // namespace tessera::gbees
