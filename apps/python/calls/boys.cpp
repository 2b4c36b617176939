// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/python/calls/boys.hpp"

#include "apps/python/calls/parts.hpp"
#include "apps/python/calls/session.hpp"
#include "tessera/boys/instances.hpp"
#include "tessera/core/device/on_backend.hpp"

namespace tessera::python {

namespace {

template <class Real, class ExecSpace>
void evaluate(const ExecSpace& exec, int n_max, const In<Real>& x, const Out<Real>& F,
              std::size_t n, const Between& between) {
  using Arguments = Kokkos::View<const Real*, ExecSpace>;
  using Orders = Kokkos::View<Real**, Kokkos::LayoutStride, ExecSpace>;
  const std::size_t orders = static_cast<std::size_t>(n_max) + 1,
                    most = std::min(n, (std::size_t{1} << 26) / (orders + 1));
  const bool staged = Part<ExecSpace, Real>::stages(F.on_device);
  const Part<ExecSpace, Real> arguments(exec, x, most);
  const Room<ExecSpace, Real> room(exec, staged ? most * orders : 0);
  in_parts(n, most, between, [&](std::size_t begin, std::size_t count) {
    Real* const to = staged ? room.data() : F.data + begin;
    const std::size_t stride = staged ? most : n;
    boys::boys_batch(exec, n_max, Arguments(arguments.read(exec, begin, count), count),
                     Orders(to, Kokkos::LayoutStride(count, 1, orders, stride)));
    if (!staged) return exec.fence();
    if (count == n) return room.write(exec, F.data, 0, orders * n);
    for (std::size_t k = 0; k < orders; ++k)
      room.write(exec, F.data + k * n + begin, k * stride, count);
  });
}

}  // namespace

void require_boys_order(int n_max) { boys::detail::require_order(n_max); }

template <class Real>
void boys(Backend backend, int n_max, const In<Real>& x, const Out<Real>& F, std::size_t n,
          const Between& between) {
  if (n == 0) return;
  on_backend(backend_for(backend, n), [&](auto space) {
    evaluate<Real>(typename decltype(space)::type(), n_max, x, F, n, between);
  });
}
template void boys(Backend, int, const In<double>&, const Out<double>&, std::size_t,
                   const Between&);
template void boys(Backend, int, const In<float>&, const Out<float>&, std::size_t, const Between&);

}  // namespace tessera::python
