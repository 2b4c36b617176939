// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "tessera/core/app/run_app.hpp"
#include "tessera/gbees/dynamics/make_instance.hpp"
#include "tessera/gbees/particles/make_particles.hpp"
#include "tessera/gbees/program/parameters.hpp"
#include "tessera/gbees/regions/credible_set.hpp"
#include "tessera/gbees/regions/regions.hpp"

/// The way in which a run, which knows the number of dimensions only, gets hold of code that is
/// compiled once for each execution space, dynamics and stored type.

namespace tessera::gbees::detail {

/// One combination of execution space, dynamics, stored type and keys, which Word holds.
template <int D, class Word = std::uint64_t>
struct Instance {
  std::unique_ptr<Density<D, Word>> (*density)(const DynamicsParameters&, const Grid<D>&,
                                               const PropagatorOptions&);
  decltype(&make_particles<Kokkos::DefaultHostExecutionSpace, Equations<D>>) particles;
  decltype(&make_regions<Kokkos::DefaultHostExecutionSpace, D>) regions;
  decltype(&find_credible_sets<Kokkos::DefaultHostExecutionSpace, D>) credible_sets;
  std::string precision;
};

template <class ExecSpace, class Dynamics, class Real>
Instance<Dynamics::dimension> instance() {
  constexpr int D = Dynamics::dimension;
  return {make_density<ExecSpace, Dynamics, Real>, make_particles<ExecSpace, Dynamics>,
          make_regions<ExecSpace, D>, find_credible_sets<ExecSpace, D>, precision_name<Real>()};
}

/// Equations with wide keys.
template <class ExecSpace, int D>
Instance<D, WideKey> wide_instance() {
  return {make_density<ExecSpace, WithWideKeys<Equations<D>>, double>,
          make_particles<ExecSpace, Equations<D>>, make_regions<ExecSpace, D>,
          find_credible_sets<ExecSpace, D>, precision_name<double>()};
}

/// The run that an input asks for: GbeesModel or StudyModel. Compiled for 1 to 8 dimensions, with
/// wide keys from kWideKeysFrom on.
template <int D, class Word>
std::unique_ptr<Model> make_model(const Instance<D, Word>& instance, const Parameters& parameters,
                                  const RunSettings& settings);

}  // namespace tessera::gbees::detail
