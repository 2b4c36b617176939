// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tessera/gbees/particles/comparison_filter.hpp"
#include "tessera/gbees/particles/filter_log.hpp"

namespace tessera::gbees {

/// The filters that run beside a density, one after the other, and what they have said. Several
/// ranks make all calls but save together.
template <int D>
class FilterBank {
 public:
  /// `comparison`: how its Bhattacharyya coefficient comes about, for the results.
  void add(const std::string& name, const std::string& comparison,
           std::unique_ptr<ComparisonFilter<D>> filter) {
    m_filters.push_back(std::move(filter));
    m_log.filters.push_back({name, comparison});
  }

  bool empty() const { return m_filters.empty(); }
  const FilterLog& log() const { return m_log; }

  // The next three do a part of their work, true while some is left. Between the parts all can be
  // saved.

  bool propagate(double from, double to) {
    if (m_filters[m_next]->propagate(from, to)) return true;
    return go_on();
  }

  bool observe(const std::vector<Observation>& observations, double time) {
    const std::vector<double> found = m_filters[m_next]->observe(observations, time);
    std::vector<double>& log_evidence = m_log.filters[m_next].log_evidence;
    log_evidence.insert(log_evidence.end(), found.begin(), found.end());
    return go_on();
  }

  bool displace(const Displacement<D>& displacement) {
    m_filters[m_next]->displace(displacement);
    return go_on();
  }

  void resample() {
    for (const auto& filter : m_filters) filter->resample();
  }

  /// Notes a record of all. `turn` takes a record from the coordinates of the grid to the
  /// variables.
  void take_record(const CellList& density, const ComparisonGrid<D>& place, double time,
                   const std::function<void(FilterRecord&)>& turn) {
    std::vector<FilterRecord> records;
    for (const auto& filter : m_filters) {
      records.push_back(filter->compare_with(density, place, time));
      turn(records.back());
    }
    for (std::size_t f = 0; f < records.size(); ++f)
      m_log.filters[f].records.push_back(std::move(records[f]));
  }

  /// Returns the particles of each filter, which the first rank needs for `save`.
  std::vector<GatheredParticles> gather() const {
    std::vector<GatheredParticles> all;
    for (const auto& filter : m_filters) all.push_back(filter->gather());
    return all;
  }

  void save(const io::Group& group, const std::vector<GatheredParticles>& all) const {
    group.set_attribute("next", static_cast<std::uint64_t>(m_next));
    save_filters(group.group("log"), m_log);
    for (std::size_t f = 0; f < m_filters.size(); ++f)
      m_filters[f]->save(group.group("state").group(m_log.filters[f].name), all[f]);
  }

  /// Loads the filters of a run that has made so many records and taken so many measurements.
  void load(const io::Group& group, std::size_t records, std::size_t measurements) {
    const auto next = group.attribute<std::uint64_t>("next");
    if (next >= m_filters.size()) throw group.misfit("", "is at a filter that the run lacks");
    m_next = static_cast<std::size_t>(next);
    load_filters(group.group("log"), m_log, D, records, measurements);
    for (std::size_t f = 0; f < m_filters.size(); ++f)
      m_filters[f]->load(group.group("state").group(m_log.filters[f].name));
  }

 private:
  bool go_on() {
    m_next = (m_next + 1) % m_filters.size();
    return m_next > 0;
  }

  std::vector<std::unique_ptr<ComparisonFilter<D>>> m_filters;
  FilterLog m_log;
  std::size_t m_next = 0;  // whose turn it is
};

}  // namespace tessera::gbees
