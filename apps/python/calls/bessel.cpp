// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/python/calls/bessel.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

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

/// The results of a batched call of K or of I, in the order of the forms.
template <class View>
std::array<View*, 5> forms_of(bessel::BesselResults<View>& r) {
  return {&r.k, &r.k_scaled, &r.log_k, &r.dlog_k_dx, &r.dlog_k_dnu};
}
template <class View>
std::array<View*, 5> forms_of(bessel::BesselIResults<View>& r) {
  return {&r.i, &r.i_scaled, &r.log_i, &r.dlog_i_dx, &r.dlog_i_dnu};
}
constexpr std::size_t kDlogDx = 3, kDlogDnu = 4;

template <class View, class Form>
using Results = std::conditional_t<std::is_same_v<Form, BesselForm>, bessel::BesselResults<View>,
                                   bessel::BesselIResults<View>>;

template <class ExecSpace, class Order, class View>
void compute(const ExecSpace& exec, const Order& nu, const View& x,
             const bessel::BesselResults<View>& results) {
  bessel::bessel_k(exec, nu, x, results);
}
template <class ExecSpace, class Order, class View>
void compute(const ExecSpace& exec, const Order& nu, const View& x,
             const bessel::BesselIResults<View>& results) {
  bessel::bessel_i(exec, nu, x, results);
}

template <class Order, class View>
struct SphericalBessel {
  bool first_kind;
  Order order;
  View z, values;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const double n = bessel::detail::order_at(order, i);
    values(i) =
        first_kind ? bessel::spherical_bessel_i(n, z(i)) : bessel::spherical_bessel_k(n, z(i));
  }
};

}  // namespace

template <class Real, class Form>
void evaluate_bessel(Backend backend, Form form, const In<Real>& nu, const In<Real>& x,
                     const Out<Real>& out, std::size_t n, const Between& between) {
  if (n == 0) return;
  on_backend(backend_for(backend, n), [&](auto space) {
    using ExecSpace = typename decltype(space)::type;
    using View = Kokkos::View<Real*, ExecSpace>;
    const ExecSpace exec;
    evaluate_parts(exec, nu, x, out, n, between,
                   [&](const auto& order, const View& arguments, const View& values) {
                     Results<View, Form> results;
                     *forms_of(results)[static_cast<std::size_t>(form)] = values;
                     compute(exec, order, arguments, results);
                   });
  });
}

template <class Real, class Form>
void differentiate_bessel(Backend backend, Form form, const In<Real>& nu, const In<Real>& x,
                          const BesselDerivatives<Real>& out, std::size_t n,
                          const Between& between) {
  if (n == 0) return;
  on_backend(backend_for(backend, n), [&](auto space) {
    using ExecSpace = typename decltype(space)::type;
    using View = Kokkos::View<Real*, ExecSpace>;
    const ExecSpace exec;
    const std::size_t most = std::min(n, kPart<ExecSpace>);
    const Orders<Real, ExecSpace> orders(exec, nu, most);
    const Part<ExecSpace, Real> arguments(exec, x, most), values(exec, out.value, most),
        in_order(exec, out.dlog_dnu, most), in_argument(exec, out.dlog_dx, most);
    in_parts(n, most, between, [&](std::size_t begin, std::size_t count) {
      Results<View, Form> results;
      const auto forms = forms_of(results);
      *forms[static_cast<std::size_t>(form)] = View(values.room(begin), count);
      *forms[kDlogDnu] = View(in_order.room(begin), count);
      *forms[kDlogDx] = View(in_argument.room(begin), count);
      const View of(arguments.read(exec, begin, count), count);
      orders.with(exec, begin, count,
                  [&](const auto& order) { compute(exec, order, of, results); });
      values.write(exec, begin, count);
      in_order.write(exec, begin, count);
      in_argument.write(exec, begin, count);
    });
  });
}

#define TESSERA_BESSEL_CALLS(Real, Form)                                                           \
  template void evaluate_bessel(Backend, Form, const In<Real>&, const In<Real>&, const Out<Real>&, \
                                std::size_t, const Between&);                                      \
  template void differentiate_bessel(Backend, Form, const In<Real>&, const In<Real>&,              \
                                     const BesselDerivatives<Real>&, std::size_t, const Between&);
TESSERA_BESSEL_CALLS(double, BesselForm)
TESSERA_BESSEL_CALLS(float, BesselForm)
TESSERA_BESSEL_CALLS(double, BesselIForm)
TESSERA_BESSEL_CALLS(float, BesselIForm)
#undef TESSERA_BESSEL_CALLS

void evaluate_bessel_complex(Backend backend, int form, const In<double>& nu, const In<double>& x,
                             const In<double>& y, const ComplexParts& out, std::size_t n,
                             const Between& between) {
  if (n == 0) return;
  on_backend(backend_for(backend, n), [&](auto space) {
    using ExecSpace = typename decltype(space)::type;
    using View = Kokkos::View<double*, ExecSpace>;
    const ExecSpace exec;
    const std::size_t most = std::min(n, kPart<ExecSpace>);
    const Part<ExecSpace, double> orders(exec, nu, most), real_in(exec, x, most),
        imag_in(exec, y, most), real(exec, out.real, most), imag(exec, out.imag, most);
    in_parts(n, most, between, [&](std::size_t begin, std::size_t count) {
      bessel::bessel_complex(exec, static_cast<bessel::ComplexForm>(form),
                             View(orders.read(exec, begin, count), count),
                             View(real_in.read(exec, begin, count), count),
                             View(imag_in.read(exec, begin, count), count),
                             View(real.room(begin), count), View(imag.room(begin), count));
      real.write(exec, begin, count);
      imag.write(exec, begin, count);
    });
  });
}

void evaluate_spherical_bessel(Backend backend, bool first_kind, const In<double>& order,
                               const In<double>& z, const Out<double>& out, std::size_t n,
                               const Between& between) {
  if (n == 0) return;
  on_backend(backend_for(backend, n), [&](auto space) {
    using ExecSpace = typename decltype(space)::type;
    using View = Kokkos::View<double*, ExecSpace>;
    const ExecSpace exec;
    evaluate_parts(exec, order, z, out, n, between,
                   [&](const auto& orders, const View& arguments, const View& values) {
                     using Order = std::decay_t<decltype(orders)>;
                     Kokkos::parallel_for(
                         "tessera::bessel::spherical",
                         Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(
                             exec, 0, static_cast<std::int64_t>(values.extent(0))),
                         SphericalBessel<Order, View>{first_kind, orders, arguments, values});
                   });
  });
}

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
