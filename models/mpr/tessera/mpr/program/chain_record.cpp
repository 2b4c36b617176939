// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/program/chain_record.hpp"

#include "tessera/core/io/members.hpp"

namespace tessera::mpr {

namespace {

/// Hands every member of a chain's state to visit(name, member).
template <class Visit>
void visit_members(const Visit& visit) {
  visit("temperature", &ChainState::temperature);
  visit("energy", &ChainState::energy);
  visit("weight", &ChainState::weight);
  visit("step_control", &ChainState::step_control);
  visit("growth", &ChainState::growth);
  visit("key", &ChainState::key);
  visit("sweep", &ChainState::sweep);
  visit("burn_in_sweeps", &ChainState::burn_in_sweeps);
  visit("tuning", &ChainState::tuning);
  visit("settled", &ChainState::settled);
}

}  // namespace

void save_chains(const io::Group& group, const std::vector<ChainState>& chains) {
  visit_members(
      [&](const char* name, auto member) { io::write_member(group, name, chains, member); });
}

std::vector<ChainState> load_chains(const io::Group& group, std::size_t count) {
  std::vector<ChainState> chains(count);
  visit_members(
      [&](const char* name, auto member) { io::read_member(group, name, chains, member); });
  return chains;
}

}  // namespace tessera::mpr
