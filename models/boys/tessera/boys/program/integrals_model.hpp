// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tessera/boys/integrals.hpp"
#include "tessera/boys/program/parameters.hpp"
#include "tessera/core/app/run_app.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/io/results_file.hpp"
#include "tessera/core/log/timings.hpp"

namespace tessera::boys {

/// Overlap, nuclear attraction and (ss|ss) integrals of the basis in an input file. Ranks share the
/// rows of the matrix of repulsions; each finds the other integrals.
template <class ExecSpace>
class IntegralsModel final : public Model {
 public:
  IntegralsModel(const Parameters& parameters, const parallel::Communicator& ranks)
      : m_parameters(parameters), m_ranks(ranks) {}

  void initialize() override;
  bool advance() override;
  Progress progress() const override;
  std::string summary() const override;
  std::string indivisible() const override { return {}; }
  void write(io::ResultsFile& file) const override;

 private:
  using Memory = typename ExecSpace::memory_space;
  using Vector = Kokkos::View<double*, Memory>;
  using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, Memory>;

  bool wants_attraction() const { return m_parameters.task != Task::eri_ssss; }
  bool wants_repulsion() const { return m_parameters.task != Task::nuclear_attraction; }
  int pair_count() const { return static_cast<int>(m_overlap.extent(0)); }
  void upload_pairs();
  void upload_nuclei();
  void bring_rows(int begin, int end);

  std::vector<double> square(const Vector& by_pair) const;
  double nuclear_repulsion() const;

  Parameters m_parameters;
  parallel::Communicator m_ranks;
  ExecSpace m_exec;
  PairList<Memory> m_pairs;
  Matrix m_positions;
  Vector m_charges;
  Vector m_overlap, m_attraction;
  Matrix m_repulsion;
  std::vector<double> m_repulsions;  // the same matrix on the root
  int m_rows_done = 0;
  double m_quartets = 0, m_quartets_total = 0;  // of Gaussians
};

template <class ExecSpace>
void IntegralsModel<ExecSpace>::upload_pairs() {
  std::vector<GaussianProduct> products;
  std::vector<std::int32_t> first;
  make_pairs(m_parameters.basis, m_parameters.normalize, products, first);
  m_pairs.products = upload(m_exec, "tessera::boys::products", products);
  m_pairs.first = upload(m_exec, "tessera::boys::first", first);
  for (std::size_t row = 0; row + 1 < first.size(); ++row)
    m_quartets_total += static_cast<double>(first[row + 1] - first[row]) * first[row + 1];
}

template <class ExecSpace>
void IntegralsModel<ExecSpace>::upload_nuclei() {
  const std::vector<Nucleus>& nuclei = m_parameters.nuclei;
  m_positions = Matrix("tessera::boys::positions", nuclei.size(), 3);
  const auto positions = Kokkos::create_mirror_view(m_positions);
  std::vector<double> charges;
  for (std::size_t c = 0; c < nuclei.size(); ++c) {
    charges.push_back(nuclei[c].charge);
    for (int d = 0; d < 3; ++d) positions(c, d) = nuclei[c].position[d];
  }
  Kokkos::deep_copy(m_exec, m_positions, positions);
  m_exec.fence();
  m_charges = upload(m_exec, "tessera::boys::charges", charges);
}

template <class ExecSpace>
void IntegralsModel<ExecSpace>::initialize() {
  upload_pairs();
  upload_nuclei();
  const std::size_t n = m_parameters.basis.size(), pairs = n * (n + 1) / 2;
  m_overlap = Vector("tessera::boys::overlap", pairs);
  m_attraction = Vector("tessera::boys::attraction", wants_attraction() ? pairs : 0);
  m_repulsion = Matrix("tessera::boys::repulsion", wants_repulsion() ? pairs : 0,
                       wants_repulsion() ? pairs : 0);
  if (wants_repulsion() && m_ranks.is_root()) m_repulsions.assign(pairs * pairs, 0.0);
}

template <class ExecSpace>
bool IntegralsModel<ExecSpace>::advance() {
  if (m_rows_done == 0) {
    const logging::Region region("tessera::boys::one_electron");
    overlaps(m_exec, m_pairs, m_overlap);
    if (wants_attraction())
      nuclear_attractions(m_exec, m_pairs, m_positions, m_charges, m_parameters.interaction,
                          m_attraction);
  }
  if (!wants_repulsion()) return false;
  const logging::Region region("tessera::boys::repulsion");
  const int rows = std::max(1, (1 << 20) / pair_count());
  const int end = std::min(pair_count(), m_rows_done + rows);
  const parallel::Range own = m_ranks.share(end - m_rows_done);
  const int begin_of_own = m_rows_done + static_cast<int>(own.begin),
            end_of_own = m_rows_done + static_cast<int>(own.end);
  repulsions(m_exec, m_pairs, m_parameters.interaction, begin_of_own, end_of_own, m_repulsion);
  bring_rows(begin_of_own, end_of_own);
  m_rows_done = end;
  m_quartets = m_quartets_total * (static_cast<double>(end) * (end + 1)) /
               (static_cast<double>(pair_count()) * (pair_count() + 1));
  return m_rows_done < pair_count();
}

/// Brings the next rows, of which this rank has found those of a range, and the columns that mirror
/// them, to the root.
template <class ExecSpace>
void IntegralsModel<ExecSpace>::bring_rows(int begin, int end) {
  const auto count = static_cast<std::size_t>(pair_count());
  std::vector<double> own(count * static_cast<std::size_t>(end - begin));
  copy_to_host(m_exec, own.data(), m_repulsion.data() + count * static_cast<std::size_t>(begin),
               own.size());
  const std::vector<double> rows = m_ranks.gather(std::move(own));
  for (std::size_t k = 0; k < rows.size() / count; ++k) {
    const std::size_t row = static_cast<std::size_t>(m_rows_done) + k;
    for (std::size_t column = 0; column <= row; ++column) {
      m_repulsions[row * count + column] = m_repulsions[column * count + row] =
          rows[k * count + column];
    }
  }
}

template <class ExecSpace>
Progress IntegralsModel<ExecSpace>::progress() const {
  Progress progress;
  progress.done = m_rows_done;
  progress.total = wants_repulsion() ? pair_count() : 0;
  progress.unit = "pairs of functions";
  progress.work = m_quartets;
  progress.work_unit = "quartets of Gaussians";
  return progress;
}

template <class ExecSpace>
std::string IntegralsModel<ExecSpace>::summary() const {
  return std::to_string(m_parameters.basis.size()) + " basis functions, " +
         std::to_string(m_parameters.nuclei.size()) + " nuclei";
}

/// A symmetric matrix of the basis functions from its pairs.
template <class ExecSpace>
std::vector<double> IntegralsModel<ExecSpace>::square(const Vector& by_pair) const {
  const std::vector<double> host = download(m_exec, by_pair);
  const std::size_t n = m_parameters.basis.size();
  std::vector<double> matrix(n * n);
  for (std::size_t i = 0, pair = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j, ++pair) matrix[i * n + j] = matrix[j * n + i] = host[pair];
  }
  return matrix;
}

template <class ExecSpace>
double IntegralsModel<ExecSpace>::nuclear_repulsion() const {
  double energy = 0;
  const std::vector<Nucleus>& nuclei = m_parameters.nuclei;
  for (std::size_t a = 0; a < nuclei.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const double *p = nuclei[a].position, *q = nuclei[b].position;
      energy +=
          nuclei[a].charge * nuclei[b].charge / std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
    }
  }
  return energy;
}

template <class ExecSpace>
void IntegralsModel<ExecSpace>::write(io::ResultsFile& file) const {
  using io::Attributes;
  using io::Shape;
  const std::uint64_t n = m_parameters.basis.size();
  const io::Group results = file.results(), coordinates = file.coordinates();
  std::vector<std::string> symbols;
  std::vector<double> charges, positions, centers;
  for (const Nucleus& nucleus : m_parameters.nuclei) {
    symbols.push_back(nucleus.symbol);
    charges.push_back(nucleus.charge);
    positions.insert(positions.end(), nucleus.position, nucleus.position + 3);
  }
  for (const Contraction& f : m_parameters.basis)
    centers.insert(centers.end(), f.center, f.center + 3);
  std::vector<std::int32_t> pairs;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(n); ++i) {
    for (std::int32_t j = 0; j <= i; ++j) pairs.insert(pairs.end(), {i, j});
  }
  coordinates.write("nucleus_symbol", symbols, Attributes{"1", "elements of the nuclei"});
  coordinates.write("nucleus_charge", charges, Attributes{"e", "charges of the nuclei"});
  coordinates.write("nucleus_position", positions, Shape{charges.size(), 3},
                    Attributes{"bohr", "positions of the nuclei"});
  coordinates.write("function_center", centers, Shape{n, 3},
                    Attributes{"bohr", "centres of the basis functions"});
  coordinates.write("pair", pairs, Shape{pairs.size() / 2, 2},
                    Attributes{"1", "the basis functions i >= j of each pair"});

  results.write("overlap", square(m_overlap), Shape{n, n}, Attributes{"1", "overlap (i|j)"});
  results.write_scalar("nuclear_repulsion", nuclear_repulsion(),
                       Attributes{"hartree", "Coulomb energy of the nuclei among themselves"});
  if (wants_attraction()) {
    results.write("nuclear_attraction", square(m_attraction), Shape{n, n},
                  Attributes{"hartree", "attraction (i|V|j) by all nuclei"});
  }
  if (wants_repulsion()) {
    results.write(
        "eri", m_repulsions, Shape{pairs.size() / 2, pairs.size() / 2},
        Attributes{"hartree", "electron repulsion (ij|kl), pair by pair; chemists' notation"});
  }
}

}  // namespace tessera::boys
