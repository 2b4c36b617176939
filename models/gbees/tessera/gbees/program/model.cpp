// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/program/model.hpp"

#include "tessera/gbees/dynamics/compiled_dimensions.hpp"
#include "tessera/gbees/program/study.hpp"

namespace tessera::gbees::detail {

template <int D, class Word>
std::unique_ptr<Model> make_model(const Instance<D, Word>& instance, const Parameters& parameters,
                                  const RunSettings& settings) {
  if (parameters.study.wanted)
    return std::make_unique<StudyModel<D, Word>>(instance, parameters, settings);
  return std::make_unique<GbeesModel<D, Word>>(instance, parameters, settings);
}

#if TESSERA_GBEES_HAS(1)
template decltype(make_model<1, std::uint64_t>) make_model<1, std::uint64_t>;
#endif
#if TESSERA_GBEES_HAS(2)
template decltype(make_model<2, std::uint64_t>) make_model<2, std::uint64_t>;
#endif
#if TESSERA_GBEES_HAS(3)
template decltype(make_model<3, std::uint64_t>) make_model<3, std::uint64_t>;
#endif
#if TESSERA_GBEES_HAS(4)
template decltype(make_model<4, std::uint64_t>) make_model<4, std::uint64_t>;
#endif
#if TESSERA_GBEES_HAS(5)
template decltype(make_model<5, std::uint64_t>) make_model<5, std::uint64_t>;
#endif
#if TESSERA_GBEES_HAS(6)
template decltype(make_model<6, std::uint64_t>) make_model<6, std::uint64_t>;
template decltype(make_model<6, WideKey>) make_model<6, WideKey>;
#endif
#if TESSERA_GBEES_HAS(7)
template decltype(make_model<7, std::uint64_t>) make_model<7, std::uint64_t>;
template decltype(make_model<7, WideKey>) make_model<7, WideKey>;
#endif
#if TESSERA_GBEES_HAS(8)
template decltype(make_model<8, std::uint64_t>) make_model<8, std::uint64_t>;
template decltype(make_model<8, WideKey>) make_model<8, WideKey>;
#endif

}  // namespace tessera::gbees::detail
