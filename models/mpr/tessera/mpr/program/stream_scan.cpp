// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/program/stream_scan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "tessera/core/app/signals.hpp"
#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/core/random.hpp"
#include "tessera/mpr/data/column_sums.hpp"
#include "tessera/mpr/data/end_values.hpp"
#include "tessera/mpr/data/stored_image.hpp"
#include "tessera/mpr/data/transform_choice.hpp"

namespace tessera::mpr {

namespace {

/// Sites at most, from which normal scores are made.
constexpr std::int64_t kMostSome = std::int64_t{1} << 20;

/// The extreme values of a rank's rows, and of all.
struct Extremes {
  double low = std::numeric_limits<double>::infinity(),
         high = -std::numeric_limits<double>::infinity();
  EndValues ends;
  bool single = true;
  std::int64_t without_logarithm = 0;
  std::size_t first_without = 0;
  double value_without = 0;

  void add_raw(double raw) {
    single = single && static_cast<double>(static_cast<float>(raw)) == raw;
  }
  void add_sample(std::size_t site, double raw, double value) {
    low = std::min(low, value);
    high = std::max(high, value);
    ends.add(raw);
    if (raw > 0) return;
    if (without_logarithm++ > 0) return;
    first_without = site;
    value_without = raw;
  }
  /// other: of rows below these.
  void join(const Extremes& other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
    ends.join(other.ends);
    single = single && other.single;
    if (without_logarithm == 0) {
      first_without = other.first_without;
      value_without = other.value_without;
    }
    without_logarithm += other.without_logarithm;
  }
};

/// Sums of the columns of a trend over a rank's rows: in each row of blocks over the active sites
/// and over the samples, and in each block over its samples.
class TrendSums {
 public:
  TrendSums(std::size_t columns, std::int64_t block_rows, std::size_t blocks)
      : m_columns(columns),
        m_active(columns > 0 ? static_cast<std::size_t>(block_rows) : 0, ColumnSums(columns)),
        m_samples(m_active),
        m_blocks(columns * blocks, 0) {}

  /// A site that is not inactive. x: its columns, `stride` apart.
  void add(std::size_t block_row, std::size_t block, bool is_sample, const double* x,
           std::size_t stride) {
    m_active[block_row].add(x, stride);
    if (!is_sample) return;
    m_samples[block_row].add(x, stride);
    for (std::size_t j = 0; j < m_columns; ++j) m_blocks[block * m_columns + j] += x[j * stride];
  }

  /// Finds the columns of the whole image, from the sums of all ranks; scan.blocks are known.
  void finish(const StoredImage& image, const parallel::Communicator& ranks,
              StreamScan& scan) const {
    const ColumnSums active = join(m_active, ranks), samples = join(m_samples, ranks);
    const std::vector<std::string> names = image.names_of_columns(),
                                   &files = image.files_of_columns();
    linalg::Matrix products(m_columns, std::vector<double>(m_columns, 0));
    for (std::size_t j = 0; j < m_columns; ++j) {
      Trend::Column column{names[j]};
      if (j < files.size()) standardize(active, j, files[j], column);
      scan.columns.push_back(column);
      scan.column_means.push_back((samples.mean(j) - column.centre) / column.scale);
      for (std::size_t k = 0; k <= j; ++k)
        products[j][k] = samples.product(j, k) / (column.scale * scan.columns[k].scale);
    }
    if (scan.samples > 0 && scan.missing > 0) check_independence(products, scan);
    const std::vector<double> sums = ranks.all_gather(m_blocks);
    const std::size_t blocks = scan.blocks.size();
    scan.column_blocks.assign(sums.size(), 0);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const std::size_t block = i / m_columns, j = i % m_columns;
      const double count = scan.blocks[block].samples;
      if (count > 0)
        scan.column_blocks[j * blocks + block] =
            (sums[i] / count - scan.columns[j].centre) / scan.columns[j].scale;
    }
  }

 private:
  ColumnSums join(const std::vector<ColumnSums>& rows, const parallel::Communicator& ranks) const {
    std::vector<double> numbers;
    for (const ColumnSums& sums : rows) sums.append_to(numbers);
    numbers = ranks.all_gather(numbers);
    ColumnSums all(m_columns);
    for (std::size_t at = 0; at < numbers.size(); at += ColumnSums::size(m_columns))
      all.join(ColumnSums::from(numbers.data() + at, m_columns));
    return all;
  }

  /// Standardizes a column as Trend::make does.
  static void standardize(const ColumnSums& active, std::size_t j, const std::string& file,
                          Trend::Column& column) {
    column.centre = active.mean(j);
    column.scale = std::sqrt(std::max(0.0, active.product(j, j)) / std::max(active.count(), 1.0));
    if (column.scale > 1e-12 * std::fabs(column.centre)) return;
    throw_constant_field(file);
  }

  static void check_independence(const linalg::Matrix& products, const StreamScan& scan) {
    const std::size_t dependent =
        Trend::find_dependent(products, static_cast<double>(scan.samples));
    if (dependent < products.size()) throw_dependent_column("", scan.columns[dependent].name);
  }

  std::size_t m_columns;
  std::vector<ColumnSums> m_active, m_samples;  // of each row of blocks
  std::vector<double> m_blocks;                 // [block][column]
};

/// One site of each run of `stride`.
class SomeSites {
 public:
  explicit SomeSites(std::int64_t sites) : m_stride((sites + kMostSome - 1) / kMostSome) {}
  bool are_all() const { return m_stride == 1; }
  /// Calls take(site) for those of first ... first + count - 1.
  template <class Take>
  void for_each(std::int64_t first, std::int64_t count, const Take& take) const {
    for (std::int64_t run = first / m_stride; run * m_stride < first + count; ++run) {
      const std::int64_t site =
          run * m_stride +
          static_cast<std::int64_t>(m_random.bits(static_cast<std::uint64_t>(run), 0).word[0] %
                                    m_stride);
      if (site >= first && site < first + count) take(site);
    }
  }

 private:
  std::int64_t m_stride;
  Philox m_random{0, 0x5a3eu};
};

}  // namespace

BlockSums StreamScan::in(const io::Box& box) const {
  BlockSums sums;
  for (int y = box.y0 / block; y <= (box.y0 + box.ny - 1) / block; ++y) {
    for (int x = box.x0 / block; x <= (box.x0 + box.nx - 1) / block; ++x) {
      const BlockSums& here = blocks[static_cast<std::size_t>(coarse.site(x, y, 0))];
      sums.values += here.values;
      sums.variances += here.variances;
      sums.samples += here.samples;
      sums.missing += here.missing;
      sums.inactive += here.inactive;
    }
  }
  return sums;
}

int choose_block(const Grid& grid, double most) {
  int block = 4;
  while (std::ceil(grid.nx / static_cast<double>(block)) *
                 std::ceil(grid.ny / static_cast<double>(block)) >
             most &&
         block < 4096)
    block *= 2;
  return block;
}

StreamScan scan_image(const Field& field, int block, const parallel::Communicator& ranks,
                      bool takes_some) {
  const Grid& grid = field.grid;
  const StoredImage& image = *field.stored;
  StreamScan scan;
  scan.block = block;
  scan.fills_samples = image.has_noise();
  scan.coarse = {(grid.nx + block - 1) / block, (grid.ny + block - 1) / block, 1};
  const parallel::Range mine = ranks.share(scan.coarse.ny);
  std::vector<BlockSums> own(static_cast<std::size_t>(mine.size()) *
                             static_cast<std::size_t>(scan.coarse.nx));
  const SomeSites some(grid.sites());
  std::vector<double> own_some;
  Extremes extremes;
  const std::size_t columns = image.columns();
  TrendSums trend(columns, mine.size(), own.size());
  StoredBox read;
  const int first_row = static_cast<int>(mine.begin) * block,
            end_row = std::min(grid.ny, static_cast<int>(mine.end) * block);
  image.for_each_strip({0, first_row, grid.nx, end_row - first_row}, [&](const io::Box& strip) {
    stop_at_signal();
    image.read(strip, read);
    for (std::size_t i = 0; i < strip.size(); ++i) {
      const int x = static_cast<int>(i % static_cast<std::size_t>(grid.nx)),
                y = strip.y0 + static_cast<int>(i / static_cast<std::size_t>(grid.nx));
      const auto block_row = static_cast<std::size_t>(y / block - mine.begin);
      const std::size_t of_block = block_row * static_cast<std::size_t>(scan.coarse.nx) +
                                   static_cast<std::size_t>(x / block);
      BlockSums& sums = own[of_block];
      const double raw = read.values[i];
      if (read.status[i] == kSample) {
        const double value =
            field.transform.forward(raw) - (read.background.empty() ? 0 : read.background[i]);
        sums.values += value;
        sums.variances += read.noise.empty() ? 0 : read.noise[i] * read.noise[i];
        ++sums.samples;
        extremes.add_sample(static_cast<std::size_t>(grid.site(x, y, 0)), raw, value);
      } else {
        ++(read.status[i] == kMissing ? sums.missing : sums.inactive);
      }
      if (!std::isnan(raw)) extremes.add_raw(raw);
      if (columns > 0 && read.status[i] != kInactive)
        trend.add(block_row, of_block, read.status[i] == kSample, read.columns.data() + i,
                  strip.size());
    }
    const std::int64_t first = grid.site(0, strip.y0, 0);
    if (!takes_some) return;
    some.for_each(first, static_cast<std::int64_t>(strip.size()), [&](std::int64_t site) {
      const auto i = static_cast<std::size_t>(site - first);
      if (read.status[i] == kSample) own_some.push_back(read.values[i]);
    });
  });
  scan.blocks = ranks.all_gather(own);
  Extremes all;
  for (const Extremes& of_rank : ranks.all_gather(std::vector<Extremes>{extremes}))
    all.join(of_rank);
  scan.low = all.low;
  scan.high = all.high;
  scan.single = all.single;
  scan.doubt = all.ends.doubt("'" + image.file() + "'");
  scan.without_logarithm = all.without_logarithm;
  scan.first_without = all.first_without;
  scan.value_without = all.value_without;
  if (takes_some) scan.some = ranks.all_gather(own_some);
  if (takes_some && !some.are_all() && all.low <= all.high)
    scan.some.insert(scan.some.end(), {all.low, all.high});
  double sum = 0, variances = 0;
  for (const BlockSums& sums : scan.blocks) {
    sum += sums.values;
    variances += sums.variances;
    scan.samples += sums.samples;
    scan.missing += sums.missing;
    scan.inactive += sums.inactive;
  }
  const double samples = static_cast<double>(std::max<std::int64_t>(scan.samples, 1));
  scan.mean = sum / samples;
  scan.noise = std::sqrt(variances / samples);
  if (columns > 0) trend.finish(image, ranks, scan);
  return scan;
}

std::vector<io::Box> choose_windows(const StreamScan& scan, const Grid& grid, int edge, int most) {
  const io::Box box{0, 0, std::min(edge, grid.nx), std::min(edge, grid.ny)};
  if (box.nx == grid.nx && box.ny == grid.ny) return {box};
  std::vector<io::Box> found;
  constexpr std::uint32_t kLeastSamples = 200;
  for (int across = 3; across <= 33 && static_cast<int>(found.size()) < most;
       across = 2 * across - 1) {
    found.clear();
    for (int k = 0; k < across * across; ++k) {
      io::Box here = box;
      here.x0 = static_cast<int>(static_cast<std::int64_t>(grid.nx - box.nx) * (k % across) /
                                 (across - 1));
      here.y0 = static_cast<int>(static_cast<std::int64_t>(grid.ny - box.ny) * (k / across) /
                                 (across - 1));
      const BlockSums sums = scan.in(here);
      if (sums.samples >= kLeastSamples && scan.has_work(sums)) found.push_back(here);
    }
  }
  std::vector<io::Box> chosen;
  const std::size_t count = found.size(), wanted = std::min(count, static_cast<std::size_t>(most));
  for (std::size_t k = 0; k < wanted; ++k)
    chosen.push_back(found[(2 * k + 1) * count / (2 * wanted)]);
  return chosen;
}

namespace {

/// The windows of the estimate as frames of a field.
Field read_windows(const Field& field, const StreamScan& scan) {
  const int edge = field.grid.sites() <= kTakenWhole ? std::max(field.grid.nx, field.grid.ny)
                                                     : kWindowOfEstimate;
  Field windows;
  windows.frames = 0;
  StoredBox read;
  for (const io::Box& box : choose_windows(scan, field.grid, edge, kMostWindows)) {
    windows.grid = {box.nx, box.ny, 1};
    ++windows.frames;
    field.stored->read(box, read);
    windows.values.insert(windows.values.end(), read.values.begin(), read.values.end());
    windows.status.insert(windows.status.end(), read.status.begin(), read.status.end());
  }
  return windows;
}

/// The kind that predicts samples of the windows best.
TransformKind choose_kind(Field& field, const StreamScan& scan) {
  Field windows = read_windows(field, scan);
  if (windows.frames == 0) return TransformKind::none;
  set_transform(windows, std::nullopt);
  field.trials = windows.trials;
  return windows.transform.kind();
}

}  // namespace

std::array<double, 2> scan_residuals(const Field& field, const std::vector<double>& coefficients,
                                     const parallel::Communicator& ranks) {
  const parallel::Range mine = ranks.share(field.grid.ny);
  Extremes extremes;
  StoredBox read;
  field.stored->for_each_strip(
      {0, static_cast<int>(mine.begin), field.grid.nx, static_cast<int>(mine.size())},
      [&](const io::Box& strip) {
        stop_at_signal();
        field.stored->read(strip, read);
        for (std::size_t i = 0; i < strip.size(); ++i) {
          if (read.status[i] != kSample) continue;
          double value = field.transform.forward(read.values[i]) -
                         (read.background.empty() ? 0 : read.background[i]) - field.offset(0);
          for (std::size_t j = 0; j < coefficients.size(); ++j) {
            const Trend::Column& column = field.trend->columns()[j];
            value -= coefficients[j] * (read.columns[j * strip.size() + i] - column.centre) /
                     column.scale;
          }
          extremes.add_sample(0, 1, value);
        }
      });
  Extremes all;
  for (const Extremes& of_rank : ranks.all_gather(std::vector<Extremes>{extremes}))
    all.join(of_rank);
  return {all.low, all.high};
}

namespace {

StreamScan survey_transformed(Field& field, const std::optional<TransformKind>& kind, int block,
                              const parallel::Communicator& ranks) {
  field.transform = kind == TransformKind::log ? Transform::logarithm() : Transform();
  field.trials.clear();
  StreamScan scan = scan_image(field, block, ranks, !kind || kind == TransformKind::normal_score);
  const bool takes_logarithm = kind == TransformKind::log;
  if (takes_logarithm && scan.without_logarithm > 0)
    throw_without_logarithm(field, field.stored->file(), scan.without_logarithm, scan.first_without,
                            scan.value_without);
  if (kind == TransformKind::none || takes_logarithm || scan.samples == 0) return scan;
  const TransformKind found = kind ? *kind : choose_kind(field, scan);
  if (found == TransformKind::none) return scan;
  field.transform = found == TransformKind::log ? Transform::logarithm()
                                                : Transform::normal_score(std::move(scan.some));
  return scan_image(field, block, ranks);
}

}  // namespace

StreamScan survey_image(Field& field, const std::optional<TransformKind>& kind, int block,
                        const parallel::Communicator& ranks) {
  StreamScan scan = survey_transformed(field, kind, block, ranks);
  if (!scan.columns.empty()) field.trend = std::make_shared<const Trend>(scan.columns);
  return scan;
}

}  // namespace tessera::mpr
