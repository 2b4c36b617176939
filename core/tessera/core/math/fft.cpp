// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/math/fft.hpp"

#include "tessera/core/error.hpp"

#ifdef TESSERA_HAVE_FFTW
#include <fftw3.h>
#endif

namespace tessera::math {

#ifdef TESSERA_HAVE_FFTW

void fft(std::vector<std::complex<double>>& values, const std::vector<std::size_t>& lengths) {
  const std::vector<int> n(lengths.begin(), lengths.end());
  auto* const data = reinterpret_cast<fftw_complex*>(values.data());
  const fftw_plan plan =
      fftw_plan_dft(static_cast<int>(n.size()), n.data(), data, data, FFTW_FORWARD, FFTW_ESTIMATE);
  if (plan == nullptr) throw Error(ErrorKind::internal, "FFTW has no plan for this transform");
  fftw_execute(plan);
  fftw_destroy_plan(plan);
}

bool fft_available() { return true; }

#else

void fft(std::vector<std::complex<double>>&, const std::vector<std::size_t>&) {
  throw Error(ErrorKind::input, "this build has no FFTW, which Fourier transforms need",
              "install FFTW (Debian: libfftw3-dev) and build again");
}

bool fft_available() { return false; }

#endif

}  // namespace tessera::math
