// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/model.hpp"

#include "tessera/gbees/study.hpp"

namespace tessera::gbees::detail {

template <int D, class Word>
std::unique_ptr<Model> make_model(const Instance<D, Word>& instance, const Parameters& parameters, const RunSettings& settings) {
  if (parameters.study.wanted) return std::make_unique<StudyModel<D, Word>>(instance, parameters, settings);
  return std::make_unique<GbeesModel<D, Word>>(instance, parameters, settings);
}

template decltype(make_model<1, std::uint64_t>) make_model<1, std::uint64_t>;
template decltype(make_model<2, std::uint64_t>) make_model<2, std::uint64_t>;
template decltype(make_model<3, std::uint64_t>) make_model<3, std::uint64_t>;
template decltype(make_model<4, std::uint64_t>) make_model<4, std::uint64_t>;
template decltype(make_model<5, std::uint64_t>) make_model<5, std::uint64_t>;
template decltype(make_model<6, std::uint64_t>) make_model<6, std::uint64_t>;
template decltype(make_model<7, std::uint64_t>) make_model<7, std::uint64_t>;
template decltype(make_model<8, std::uint64_t>) make_model<8, std::uint64_t>;
template decltype(make_model<6, WideKey>) make_model<6, WideKey>;
template decltype(make_model<7, WideKey>) make_model<7, WideKey>;
template decltype(make_model<8, WideKey>) make_model<8, WideKey>;

}  // namespace tessera::gbees::detail
