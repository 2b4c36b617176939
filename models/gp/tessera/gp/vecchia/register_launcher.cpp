// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Vecchia's approximation on CUDA: the kernels of derivatives in registers, beside the rest of the
// solver, which takes as long to compile.
#include "tessera/gp/vecchia/register_launcher.hpp"

namespace tessera::gp::detail {

template class RegisterLauncher<Covariance<Matern, EuclideanDistance<2>>, 2, SweepMode::gradient>;
template class RegisterLauncher<Covariance<Matern, EuclideanDistance<2>>, 2,
                                SweepMode::information>;

}  // namespace tessera::gp::detail
