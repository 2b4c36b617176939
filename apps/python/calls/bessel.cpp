// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/python/calls/bessel.hpp"

#include <optional>

#include "apps/python/calls/parts.hpp"
#include "apps/python/calls/session.hpp"
#include "tessera/bessel/instances.hpp"
#include "tessera/core/device/on_backend.hpp"

namespace tessera::python {

namespace {

/// The number of elements at a time: a fraction of a second on a CPU.
template <class ExecSpace>
constexpr std::size_t kPart = std::size_t{1} << (compat::is_gpu_v<ExecSpace> ? 24 : 17);

/// The table of the last call.
template <class ExecSpace>
const bessel::MaternTable<ExecSpace>& matern_table(const ExecSpace& exec, double nu) {
  static std::optional<bessel::MaternTable<ExecSpace>> table;
  static const bool registered = (at_finish([] { table.reset(); }), true);
  static_cast<void>(registered);
  if (!table || table->nu() != nu) table.emplace(exec, nu);
  return *table;
}

/// The orders of a call: one number for all of them, which is not copied to every element, or one
/// each.
template <class Real, class ExecSpace>
class Orders {
 public:
  Orders(const ExecSpace& exec, const In<Real>& nu, std::size_t most)
      : m_one(nu.one && most > 1 ? nu.data : nullptr),
        m_each(exec, m_one != nullptr ? In<Real>{nullptr, false, true} : nu, most) {}

  /// Calls work with the orders of elements begin ... begin + count - 1.
  template <class Work>
  void with(const ExecSpace& exec, std::size_t begin, std::size_t count, const Work& work) const {
    using View = Kokkos::View<Real*, ExecSpace>;
    if (m_one != nullptr) return work(*m_one);
    work(View(m_each.read(exec, begin, count), count));
  }

 private:
  const Real* m_one;
  Part<ExecSpace, Real> m_each;
};

/// Calls work with the orders, arguments and places of the values of each part.
template <class Real, class ExecSpace, class Work>
void evaluate_parts(const ExecSpace& exec, const In<Real>& nu, const In<Real>& x,
                    const Out<Real>& out, std::size_t n, const Between& between, const Work& work) {
  using View = Kokkos::View<Real*, ExecSpace>;
  const std::size_t most = std::min(n, kPart<ExecSpace>);
  const Orders<Real, ExecSpace> orders(exec, nu, most);
  const Part<ExecSpace, Real> arguments(exec, x, most), values(exec, out, most);
  in_parts(n, most, between, [&](std::size_t begin, std::size_t count) {
    const View room(values.room(begin), count), of(arguments.read(exec, begin, count), count);
    orders.with(exec, begin, count, [&](const auto& order) { work(order, of, room); });
    values.write(exec, begin, count);
  });
}

template <class Real, class ExecSpace>
void evaluate(const ExecSpace& exec, BesselForm form, const In<Real>& nu, const In<Real>& x,
              const Out<Real>& out, std::size_t n, const Between& between) {
  using View = Kokkos::View<Real*, ExecSpace>;
  evaluate_parts(exec, nu, x, out, n, between,
                 [&](const auto& order, const View& arguments, const View& values) {
                   bessel::BesselResults<View> results;
                   View* const forms[] = {&results.k, &results.k_scaled, &results.log_k,
                                          &results.dlog_k_dx, &results.dlog_k_dnu};
                   *forms[static_cast<int>(form)] = values;
                   bessel::bessel_k(exec, order, arguments, results);
                 });
}

template <class Real, class ExecSpace>
void evaluate(const ExecSpace& exec, BesselIForm form, const In<Real>& nu, const In<Real>& x,
              const Out<Real>& out, std::size_t n, const Between& between) {
  using View = Kokkos::View<Real*, ExecSpace>;
  evaluate_parts(
      exec, nu, x, out, n, between,
      [&](const auto& order, const View& arguments, const View& values) {
        bessel::BesselIResults<View> results;
        View* const forms[] = {&results.i, &results.i_scaled, &results.log_i, &results.dlog_i_dx};
        *forms[static_cast<int>(form)] = values;
        bessel::bessel_i(exec, order, arguments, results);
      });
}

template <class Real, class ExecSpace>
void differentiate(const ExecSpace& exec, BesselForm form, const In<Real>& nu, const In<Real>& x,
                   const BesselDerivatives<Real>& out, std::size_t n, const Between& between) {
  using View = Kokkos::View<Real*, ExecSpace>;
  const std::size_t most = std::min(n, kPart<ExecSpace>);
  const Orders<Real, ExecSpace> orders(exec, nu, most);
  const Part<ExecSpace, Real> arguments(exec, x, most), values(exec, out.value, most),
      in_order(exec, out.dlog_k_dnu, most), in_argument(exec, out.dlog_k_dx, most);
  in_parts(n, most, between, [&](std::size_t begin, std::size_t count) {
    bessel::BesselResults<View> results;
    View* const forms[] = {&results.k, &results.k_scaled, &results.log_k};
    *forms[static_cast<int>(form)] = View(values.room(begin), count);
    results.dlog_k_dnu = View(in_order.room(begin), count);
    results.dlog_k_dx = View(in_argument.room(begin), count);
    const View of(arguments.read(exec, begin, count), count);
    orders.with(exec, begin, count,
                [&](const auto& order) { bessel::bessel_k(exec, order, of, results); });
    values.write(exec, begin, count);
    in_order.write(exec, begin, count);
    in_argument.write(exec, begin, count);
  });
}

}  // namespace

template <class Real>
void bessel_k(Backend backend, BesselForm form, const In<Real>& nu, const In<Real>& x,
              const Out<Real>& out, std::size_t n, const Between& between) {
  if (n == 0) return;
  on_backend(backend_for(backend, n), [&](auto space) {
    evaluate<Real>(typename decltype(space)::type(), form, nu, x, out, n, between);
  });
}
template void bessel_k(Backend, BesselForm, const In<double>&, const In<double>&,
                       const Out<double>&, std::size_t, const Between&);
template void bessel_k(Backend, BesselForm, const In<float>&, const In<float>&, const Out<float>&,
                       std::size_t, const Between&);

template <class Real>
void bessel_i(Backend backend, BesselIForm form, const In<Real>& nu, const In<Real>& x,
              const Out<Real>& out, std::size_t n, const Between& between) {
  if (n == 0) return;
  on_backend(backend_for(backend, n), [&](auto space) {
    evaluate<Real>(typename decltype(space)::type(), form, nu, x, out, n, between);
  });
}
template void bessel_i(Backend, BesselIForm, const In<double>&, const In<double>&,
                       const Out<double>&, std::size_t, const Between&);
template void bessel_i(Backend, BesselIForm, const In<float>&, const In<float>&, const Out<float>&,
                       std::size_t, const Between&);

template <class Real>
void bessel_k(Backend backend, BesselForm form, const In<Real>& nu, const In<Real>& x,
              const BesselDerivatives<Real>& out, std::size_t n, const Between& between) {
  if (n == 0) return;
  on_backend(backend_for(backend, n), [&](auto space) {
    differentiate<Real>(typename decltype(space)::type(), form, nu, x, out, n, between);
  });
}
template void bessel_k(Backend, BesselForm, const In<double>&, const In<double>&,
                       const BesselDerivatives<double>&, std::size_t, const Between&);
template void bessel_k(Backend, BesselForm, const In<float>&, const In<float>&,
                       const BesselDerivatives<float>&, std::size_t, const Between&);

void matern(Backend backend, double nu, const In<double>& h, const Out<double>& out, std::size_t n,
            const Between& between) {
  on_backend(backend_for(backend, n), [&](auto space) {
    using ExecSpace = typename decltype(space)::type;
    using View = Kokkos::View<double*, ExecSpace>;
    const ExecSpace exec;
    const bessel::MaternTable<ExecSpace>& table = matern_table(exec, nu);
    if (n == 0) return;
    const std::size_t most = std::min(n, kPart<ExecSpace>);
    const Part<ExecSpace, double> distances(exec, h, most), values(exec, out, most);
    in_parts(n, most, between, [&](std::size_t begin, std::size_t count) {
      bessel::matern(exec, table, View(distances.read(exec, begin, count), count),
                     View(values.room(begin), count));
      values.write(exec, begin, count);
    });
  });
}

void matern(Backend backend, double nu, const In<double>& h, const MaternDerivatives& out,
            std::size_t n, const Between& between) {
  on_backend(backend_for(backend, n), [&](auto space) {
    using ExecSpace = typename decltype(space)::type;
    using View = Kokkos::View<double*, ExecSpace>;
    const ExecSpace exec;
    const bessel::MaternTable<ExecSpace>& table = matern_table(exec, nu);
    if (n == 0) return;
    const std::size_t most = std::min(n, kPart<ExecSpace>);
    const Part<ExecSpace, double> distances(exec, h, most), values(exec, out.value, most),
        in_order(exec, out.d_nu, most), in_distance(exec, out.d_h, most);
    in_parts(n, most, between, [&](std::size_t begin, std::size_t count) {
      bessel::matern_and_derivatives(
          exec, table, View(distances.read(exec, begin, count), count),
          bessel::MaternResults<View>{View(values.room(begin), count),
                                      View(in_distance.room(begin), count),
                                      View(in_order.room(begin), count)});
      values.write(exec, begin, count);
      in_order.write(exec, begin, count);
      in_distance.write(exec, begin, count);
    });
  });
}

}  // namespace tessera::python
