// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <stdexcept>

#include "tests/benchmark/stable_peer.hpp"

extern "C" {
#include <stable.h>  // defines macros min and max, and so comes last
}

namespace tessera::bench {

namespace {

constexpr int kS0 = 0;

/// A distribution of libstable, which owns memory.
class Distribution {
 public:
  Distribution(const LibstableOptions& options, double alpha, double beta) {
    stable_set_relTOL(options.relative);
    stable_set_absTOL(options.absolute);
    stable_set_THREADS(options.threads);
    m_pointer = stable_create(alpha, beta, 1, 0, kS0);
    if (m_pointer == nullptr) throw std::runtime_error("libstable refuses a distribution");
  }
  ~Distribution() { stable_free(m_pointer); }
  Distribution(const Distribution&) = delete;
  Distribution& operator=(const Distribution&) = delete;

  StableDist* get() const { return m_pointer; }

 private:
  StableDist* m_pointer;
};

}  // namespace

void stable_libstable(LibstableFunction function, const LibstableOptions& options, double alpha,
                      double beta, const double* x, double* out, std::int64_t count) {
  constexpr decltype(&stable_pdf) kFunctions[] = {stable_pdf, stable_cdf, stable_q};
  const Distribution distribution(options, alpha, beta);
  kFunctions[static_cast<int>(function)](distribution.get(), x, static_cast<unsigned>(count), out,
                                         nullptr);
}

void stable_libstable(LibstableFunction function, const LibstableOptions& options,
                      const double* alpha, const double* beta, const double* x, double* out,
                      std::int64_t count) {
  constexpr decltype(&stable_pdf_point) kFunctions[] = {stable_pdf_point, stable_cdf_point,
                                                        stable_q_point};
  const Distribution distribution(options, 1.5, 0);
  double error;
  for (std::int64_t i = 0; i < count; ++i) {
    const bool taken = stable_setparams(distribution.get(), alpha[i], beta[i], 1, 0, kS0) >= 0;
    out[i] = taken ? kFunctions[static_cast<int>(function)](distribution.get(), x[i], &error) : NAN;
  }
}

}  // namespace tessera::bench
