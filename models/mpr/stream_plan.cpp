// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/stream_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "tessera/core/app/signals.hpp"
#include "tessera/core/error.hpp"

namespace tessera::mpr {

namespace {

/// Windows below this cost more halo than they are worth.
constexpr int kLeastEdge = 256, kLargestEdge = 8192;

int count_spans(int size, int edge, int halo) { return std::max(1, (size - halo + edge - 1) / edge); }

/// Extremes of a rank's rows, and whether float32 holds them.
struct Extremes {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  double single = 1;
};

}  // namespace

StreamPlan::StreamPlan(const Grid& grid, int edge, int halo)
    : m_grid(grid), m_edge(edge), m_halo(halo), m_columns(count_spans(grid.nx, edge, halo)), m_rows(count_spans(grid.ny, edge, halo)) {}

StreamPlan::Span StreamPlan::span(int number, int count, int size) const {
  const bool first = number == 0, last = number + 1 == count;
  Span span{};
  span.begin = number * m_edge;
  span.core_begin = first ? 0 : span.begin + m_halo;
  span.core_end = last ? size : span.begin + m_edge + m_halo;
  span.end = last ? size : std::min(size, span.core_end + m_halo);
  return span;
}

StreamWindow StreamPlan::operator[](int number) const {
  const Span x = span(number % m_columns, m_columns, m_grid.nx), y = span(number / m_columns, m_rows, m_grid.ny);
  return {{x.core_begin, y.core_begin, x.core_end - x.core_begin, y.core_end - y.core_begin},
          {x.begin, y.begin, x.end - x.begin, y.end - y.begin}};
}

Grid StreamPlan::largest_box() const { return {std::min(m_grid.nx, m_edge + 2 * m_halo), std::min(m_grid.ny, m_edge + 2 * m_halo), 1}; }

StreamPlan plan_stream(const Grid& grid, std::optional<int> edge, int halo, double memory,
                       const std::function<double(const Grid&)>& bytes) {
  const auto need = [&](int of_edge) { return bytes(StreamPlan(grid, of_edge, halo).largest_box()); };
  int fitting = kLargestEdge;
  while (fitting >= kLeastEdge && need(fitting) > memory) fitting -= StreamPlan::kStep;
  const int wanted = edge.value_or(std::max(fitting, kLeastEdge));
  if (need(wanted) > memory) {
    const auto mebibytes = [](double bytes_needed) {
      return std::to_string(static_cast<long long>(std::ceil(bytes_needed / 0x1p20))) + " MiB";
    };
    throw Error(
        ErrorKind::resource,
        "windows of " + std::to_string(wanted) + " x " + std::to_string(wanted) + " sites need " + mebibytes(need(wanted)) +
            ", and stream.memory is " + mebibytes(memory),
        "give 'memory: " + mebibytes(need(wanted)) + "'" + (fitting >= kLeastEdge ? ", or 'window: " + std::to_string(fitting) + "'" : ""));
  }
  return StreamPlan(grid, wanted, halo);
}

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
  while (std::ceil(grid.nx / static_cast<double>(block)) * std::ceil(grid.ny / static_cast<double>(block)) > most && block < 4096)
    block *= 2;
  return block;
}

StreamScan scan_image(const Field& field, int block, const parallel::Communicator& ranks) {
  const Grid& grid = field.grid;
  const StoredImage& image = *field.stored;
  StreamScan scan;
  scan.block = block;
  scan.fills_samples = image.has_noise();
  scan.coarse = {(grid.nx + block - 1) / block, (grid.ny + block - 1) / block, 1};
  const parallel::Range mine = ranks.share(scan.coarse.ny);
  std::vector<BlockSums> own(static_cast<std::size_t>(mine.size()) * static_cast<std::size_t>(scan.coarse.nx));
  Extremes extremes;
  StoredBox read;
  const int first_row = static_cast<int>(mine.begin) * block, end_row = std::min(grid.ny, static_cast<int>(mine.end) * block);
  image.for_each_strip({0, first_row, grid.nx, end_row - first_row}, [&](const io::Box& strip) {
    stop_at_signal();
    image.read(strip, read);
    for (std::size_t i = 0; i < strip.size(); ++i) {
      const int x = static_cast<int>(i % static_cast<std::size_t>(grid.nx)),
                y = strip.y0 + static_cast<int>(i / static_cast<std::size_t>(grid.nx));
      BlockSums& sums = own[static_cast<std::size_t>((y / block - mine.begin) * scan.coarse.nx + x / block)];
      const double raw = read.values[i];
      if (read.status[i] == kSample) {
        const double value = read.background.empty() ? raw : raw - read.background[i];
        sums.values += value;
        sums.variances += read.noise.empty() ? 0 : read.noise[i] * read.noise[i];
        ++sums.samples;
        extremes.low = std::min(extremes.low, value);
        extremes.high = std::max(extremes.high, value);
      } else {
        ++(read.status[i] == kMissing ? sums.missing : sums.inactive);
      }
      if (!std::isnan(raw) && static_cast<double>(static_cast<float>(raw)) != raw) extremes.single = 0;
    }
  });
  scan.blocks = ranks.all_gather(own);
  Extremes all;
  for (const Extremes& of_rank : ranks.all_gather(std::vector<Extremes>{extremes})) {
    all.low = std::min(all.low, of_rank.low);
    all.high = std::max(all.high, of_rank.high);
    all.single = std::min(all.single, of_rank.single);
  }
  scan.low = all.low;
  scan.high = all.high;
  scan.single = all.single > 0;
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
  return scan;
}

std::vector<io::Box> choose_windows(const StreamScan& scan, const Grid& grid, int edge, int most) {
  const io::Box box{0, 0, std::min(edge, grid.nx), std::min(edge, grid.ny)};
  if (box.nx == grid.nx && box.ny == grid.ny) return {box};
  std::vector<io::Box> found;
  constexpr std::uint32_t kLeastSamples = 200;
  for (int across = 3; across <= 33 && static_cast<int>(found.size()) < most; across = 2 * across - 1) {
    found.clear();
    for (int k = 0; k < across * across; ++k) {
      io::Box here = box;
      here.x0 = static_cast<int>(static_cast<std::int64_t>(grid.nx - box.nx) * (k % across) / (across - 1));
      here.y0 = static_cast<int>(static_cast<std::int64_t>(grid.ny - box.ny) * (k / across) / (across - 1));
      const BlockSums sums = scan.in(here);
      if (sums.samples >= kLeastSamples && scan.has_work(sums)) found.push_back(here);
    }
  }
  std::vector<io::Box> chosen;
  const std::size_t count = found.size(), wanted = std::min(count, static_cast<std::size_t>(most));
  for (std::size_t k = 0; k < wanted; ++k) chosen.push_back(found[(2 * k + 1) * count / (2 * wanted)]);
  return chosen;
}

}  // namespace tessera::mpr
