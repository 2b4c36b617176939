// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/particles/filter_log.hpp"

#include <cmath>
#include <cstdint>

namespace tessera::gbees {

namespace {

using io::Attributes;
using io::Shape;

void write_filter(const io::Group& group, const FilterLog::Entry& filter) {
  const std::uint64_t count = filter.records.size();
  if (count > 0) {
    const std::uint64_t dimension = filter.records.front().mean.size();
    std::vector<double> mean, covariance, bhattacharyya, effective;
    for (const FilterRecord& record : filter.records) {
      mean.insert(mean.end(), record.mean.begin(), record.mean.end());
      covariance.insert(covariance.end(), record.covariance.begin(), record.covariance.end());
      bhattacharyya.push_back(record.bhattacharyya);
      effective.push_back(record.effective);
    }
    group.write("mean", mean, Shape{count, dimension}, Attributes{"1", "mean of the filter"});
    group.write("covariance", covariance, Shape{count, dimension, dimension},
                Attributes{"1", "covariance of the filter"});
    group.write(
        "bhattacharyya", bhattacharyya,
        Attributes{"1", "Bhattacharyya coefficient of the density and " + filter.comparison});
    if (std::isfinite(effective.front())) {
      group.write("effective", effective,
                  Attributes{"1", "1 / sum of the squared weights of the particles"});
    }
  }
  if (filter.log_evidence.empty()) return;
  group.write("log_evidence", filter.log_evidence,
              Attributes{"1",
                         "logarithm of the probability density of what was measured, given all "
                         "measurements before, by the filter"});
}

}  // namespace

void write_filters(const io::Group& results, const FilterLog& log) {
  for (const FilterLog::Entry& filter : log.filters)
    write_filter(results.group("filters").group(filter.name), filter);
}

void save_filters(const io::Group& group, const FilterLog& log) {
  for (const FilterLog::Entry& filter : log.filters) write_filter(group.group(filter.name), filter);
}

void load_filters(const io::Group& group, FilterLog& log, std::size_t dimension,
                  std::size_t records, std::size_t measurements) {
  for (FilterLog::Entry& filter : log.filters) {
    const io::Group of_filter = group.group(filter.name);
    filter.records.assign(records, {});
    if (records > 0) {
      const auto mean = of_filter.read<double>("mean", {records, dimension});
      const auto covariance = of_filter.read<double>("covariance", {records, dimension, dimension});
      const auto bhattacharyya = of_filter.read<double>("bhattacharyya", {records});
      std::vector<double> effective;
      if (of_filter.has("effective")) effective = of_filter.read<double>("effective", {records});
      for (std::size_t r = 0; r < records; ++r) {
        FilterRecord& record = filter.records[r];
        record.mean.assign(mean.data() + r * dimension, mean.data() + (r + 1) * dimension);
        record.covariance.assign(covariance.data() + r * dimension * dimension,
                                 covariance.data() + (r + 1) * dimension * dimension);
        record.bhattacharyya = bhattacharyya[r];
        if (!effective.empty()) record.effective = effective[r];
      }
    }
    if (!of_filter.has("log_evidence")) continue;
    filter.log_evidence = of_filter.read<double>("log_evidence");
    if (filter.log_evidence.size() > measurements)
      throw of_filter.misfit("log_evidence", "is of more measurements than there were");
  }
}

}  // namespace tessera::gbees
