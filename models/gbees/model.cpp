// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/model.hpp"

#include "tessera/gbees/study.hpp"

namespace tessera::gbees::detail {

template <int D>
std::unique_ptr<Model> make_model(const Instance<D>& instance, const Parameters& parameters, const RunSettings& settings) {
  if (parameters.study.wanted) return std::make_unique<StudyModel<D>>(instance, parameters, settings);
  return std::make_unique<GbeesModel<D>>(instance, parameters, settings);
}

template decltype(make_model<1>) make_model<1>;
template decltype(make_model<2>) make_model<2>;
template decltype(make_model<3>) make_model<3>;
template decltype(make_model<4>) make_model<4>;
template decltype(make_model<5>) make_model<5>;
template decltype(make_model<6>) make_model<6>;
template decltype(make_model<7>) make_model<7>;
template decltype(make_model<8>) make_model<8>;

}  // namespace tessera::gbees::detail
