// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "tessera/core/io/netcdf.hpp"
#include "tessera/mpr/chains/temperature.hpp"
#include "tessera/mpr/data/coordinates.hpp"
#include "tessera/mpr/data/parameters.hpp"
#include "tessera/mpr/lattice/gather_blocks.hpp"
#include "tessera/mpr/program/run_support.hpp"

namespace tessera::mpr {

namespace detail {

struct MeanOfBlocks {
  double mean = std::numeric_limits<double>::quiet_NaN(),
         standard_error = std::numeric_limits<double>::quiet_NaN();
};

/// Mean of a series from `begin` on, and its standard error from the means of twenty blocks, which
/// are independent when they are longer than the correlations of the series.
inline MeanOfBlocks average_in_blocks(const std::vector<double>& series, std::size_t begin) {
  const std::size_t blocks = 20,
                    length = std::max<std::size_t>(1, (series.size() - begin) / blocks);
  double sum = 0, squares = 0, count = 0;
  for (std::size_t b = begin; b + length <= series.size(); b += length) {
    double mean = 0;
    for (std::size_t i = b; i < b + length; ++i) mean += series[i] / static_cast<double>(length);
    sum += mean;
    squares += mean * mean;
    count += 1;
  }
  MeanOfBlocks result;
  if (count > 0) result.mean = sum / count;
  if (count > 1)
    result.standard_error =
        std::sqrt(std::max(0.0, squares / count - result.mean * result.mean) / (count - 1));
  return result;
}

}  // namespace detail

/// Task simulate: the unconditional model at several temperatures, which ranks share.
template <class ExecSpace, class Real>
class SimulateModel final : public Model {
 public:
  SimulateModel(const Parameters& parameters, const RunSettings& settings)
      : m_parameters(parameters),
        m_settings(settings),
        m_share(settings.ranks, static_cast<int>(parameters.simulate.temperatures.size())) {}

  void initialize() override;
  bool advance() override;
  std::string indivisible() const override {
    return m_parameters.simulate.temperatures.size() > 1
               ? ""
               : "one temperature of task simulate works on one device";
  }
  void gather_results() override;
  Progress progress() const override {
    const SimulateParameters& s = m_parameters.simulate;
    return {static_cast<double>(m_done),
            static_cast<double>(s.burn_in + s.sweeps),
            "sweeps",
            static_cast<double>(m_done) * static_cast<double>(m_grid.sites()) *
                static_cast<double>(s.temperatures.size()),
            "updates",
            m_done < s.burn_in ? "burn-in" : "sampling"};
  }
  std::string precision() const override { return precision_name<Real>(); }
  std::string summary() const override {
    return std::to_string(m_parameters.simulate.temperatures.size()) + " temperatures, " +
           std::to_string(m_done) + " sweeps";
  }
  void write(io::ResultsFile& file) const override;

 private:
  /// The results that are written.
  struct Record {
    std::vector<double> energy;                // [temperature][sweep]
    detail::SharedMap<ExecSpace, Real> angle;  // [temperature][site]
  };
  Record record_here() const;

  Parameters m_parameters;
  RunSettings m_settings;
  ExecSpace m_exec;
  FrameShare m_share;  // of the temperatures
  Record m_record;     // of all of them, at the first rank; only where ranks share them
  Grid m_grid;
  std::unique_ptr<Chains<ExecSpace, Real>> m_chains;
  int m_done = 0;
};

template <class ExecSpace, class Real>
void SimulateModel<ExecSpace, Real>::initialize() {
  const SimulateParameters& s = m_parameters.simulate;
  const std::size_t rank = s.size.size();
  m_grid = {s.size[rank - 1], s.size[rank - 2], rank == 3 ? s.size[0] : 1};
  ChainSettings settings;
  settings.grid = m_grid;
  settings.frames = m_share.own();
  settings.share = m_share;
  settings.sweeps = s.burn_in + s.sweeps;
  settings.beta = m_parameters.fill.curvature.value_or(0);
  settings.axis = m_parameters.fill.axis.value_or(AxisCouplings()).strength;
  if (!m_parameters.grid.periodic.empty()) {
    settings.metrics = {Metric()};
    settings.metrics.front().periodic = true;
  }
  m_settings.ranks.together(
      [&] { detail::check_memory(Chains<ExecSpace, Real>::memory(settings), m_settings); });
  const std::vector<double> temperatures(s.temperatures.begin() + m_share.first,
                                         s.temperatures.begin() + m_share.first + settings.frames);
  const std::size_t sites = static_cast<std::size_t>(m_grid.sites()) * temperatures.size();
  const Array<ExecSpace, std::uint8_t> status(Kokkos::view_alloc(m_exec, "tessera::mpr::status"),
                                              sites);
  Kokkos::deep_copy(m_exec, status, static_cast<std::uint8_t>(kMissing));
  m_chains = std::make_unique<Chains<ExecSpace, Real>>(m_exec, settings, status);
  m_chains->start({}, temperatures, m_settings.seed, true);
  std::vector<double> controls;
  for (const double t : temperatures)
    controls.push_back(std::max(1.0, kPi / (8.3 * std::sqrt(t / (2.0 * m_grid.dimension())))));
  m_chains->set_step_control(controls);
}

template <class ExecSpace, class Real>
bool SimulateModel<ExecSpace, Real>::advance() {
  const SimulateParameters& s = m_parameters.simulate;
  const int total = s.burn_in + s.sweeps, until = m_done < s.burn_in ? s.burn_in : total,
            from = m_done < s.burn_in ? 0 : s.burn_in;
  const int batch = std::min(100 - (m_done - from) % 100, until - m_done);
  const int now = compat::is_gpu_v<ExecSpace> ? batch : m_chains->next_load(batch);
  if (m_done < s.burn_in) {
    m_chains->burn_in(now);
  } else {
    m_chains->sample(now, Moments::none);
  }
  m_exec.fence();
  m_done += now;
  return m_done < total;
}

/// Returns the record of the temperatures here.
template <class ExecSpace, class Real>
auto SimulateModel<ExecSpace, Real>::record_here() const -> Record {
  Record record;
  for (int t = 0; t < m_chains->chains(); ++t) {
    const std::vector<double> history = m_chains->history(t).energy;
    record.energy.insert(record.energy.end(), history.begin(), history.end());
  }
  record.angle.here = Array<ExecSpace, Real>(
      Kokkos::view_alloc(m_exec, "tessera::mpr::angle"),
      static_cast<std::size_t>(m_grid.sites()) * static_cast<std::size_t>(m_chains->chains()));
  m_chains->angles(0, record.angle.here);
  return record;
}

template <class ExecSpace, class Real>
void SimulateModel<ExecSpace, Real>::gather_results() {
  m_record = record_here();
  m_record.energy = detail::gather_blocks(m_settings.ranks, m_record.energy);
  m_record.angle.gather(m_exec, m_settings.ranks);
}

template <class ExecSpace, class Real>
void SimulateModel<ExecSpace, Real>::write(io::ResultsFile& file) const {
  const SimulateParameters& s = m_parameters.simulate;
  const std::size_t temperatures = s.temperatures.size(),
                    sites = static_cast<std::size_t>(m_grid.sites());
  const Record own = m_share.is_divided() ? Record() : record_here();
  const Record& record = m_share.is_divided() ? m_record : own;
  const std::uint64_t sweeps = record.energy.size() / temperatures;
  std::vector<double> energy(temperatures), error(temperatures), law(temperatures);
  const double pairs = static_cast<double>(m_grid.nx - 1) * m_grid.ny * m_grid.nz +
                       static_cast<double>(m_grid.ny - 1) * m_grid.nx * m_grid.nz +
                       static_cast<double>(m_grid.nz - 1) * m_grid.nx * m_grid.ny;
  for (std::size_t t = 0; t < temperatures; ++t) {
    const auto begin = record.energy.begin() + static_cast<std::ptrdiff_t>(t * sweeps);
    const std::vector<double> history(begin, begin + static_cast<std::ptrdiff_t>(sweeps));
    const detail::MeanOfBlocks mean = detail::average_in_blocks(
        history, std::min<std::size_t>(static_cast<std::size_t>(s.burn_in), history.size()));
    energy[t] = mean.mean;
    error[t] = mean.standard_error;
    law[t] = m_grid.nz == 1 ? specific_energy(s.temperatures[t], static_cast<double>(sites), pairs)
                            : std::numeric_limits<double>::quiet_NaN();
  }
  const io::Group coordinates = file.coordinates(), results = file.results();
  coordinates.write("temperature", s.temperatures, {"1", "temperature of each chain"});
  io::make_scale(coordinates, "temperature");
  const auto column = [&](const char* name, const std::vector<double>& values, const char* text) {
    results.write(name, values, {"1", text});
    io::attach_scales(results, name, coordinates, {"temperature"});
  };
  column("specific_energy", energy,
         "mean energy a neighbouring pair (a unit of pair weight), e(T)");
  column("standard_error", error, "of the specific energy, from twenty blocks");
  column("interpolated", law, "what mpr::specific_energy gives (two dimensions, equal couplings)");
  write_numbers(coordinates, "sweep", sweeps, "number of the sweep");
  file.series().write("energy", record.energy, io::Shape{temperatures, sweeps},
                      {"1", "specific energy [temperature, sweep]"});
  io::attach_scales(file.series(), "energy", coordinates, {"temperature", "sweep"});
  io::Shape shape{temperatures, static_cast<std::uint64_t>(m_grid.ny),
                  static_cast<std::uint64_t>(m_grid.nx)};
  if (m_grid.nz > 1) shape.insert(shape.begin() + 1, static_cast<std::uint64_t>(m_grid.nz));
  std::vector<double> values(sites * temperatures);
  record.angle.read(m_exec, 0, values.size(), values.data());
  results.write("angle", std::vector<float>(values.begin(), values.end()), shape,
                {"rad", "the last state of each chain"});
  std::vector<std::string> dimensions{"x", "y", "z"};
  dimensions.resize(shape.size() - 1);
  for (std::size_t d = 0; d < dimensions.size(); ++d)
    write_numbers(coordinates, dimensions[d], shape[shape.size() - 1 - d],
                  "number of the site along the axis");
  dimensions.push_back("temperature");
  io::attach_scales(results, "angle", coordinates, {dimensions.rbegin(), dimensions.rend()});
}

}  // namespace tessera::mpr
