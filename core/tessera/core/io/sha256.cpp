// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/io/sha256.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__x86_64__) && defined(__GNUC__)
#define TESSERA_SHA256_X86
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace tessera::io {

namespace {

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRoundConstants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/// The first 32 bits of the fractional parts of the square roots of the first eight primes.
constexpr std::array<std::uint32_t, 8> kInitialState{
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

std::uint32_t big_endian(const unsigned char* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | std::uint32_t{bytes[3]};
}

/// Section 6.2.2 of the standard.
void compress(std::uint32_t* state, const unsigned char* blocks, std::size_t count) {
  for (; count > 0; --count, blocks += 64) {
    std::array<std::uint32_t, 64> w;
    for (std::size_t t = 0; t < 16; ++t) w[t] = big_endian(blocks + 4 * t);
    for (std::size_t t = 16; t < 64; ++t) {
      const std::uint32_t x = w[t - 15], y = w[t - 2];
      w[t] = w[t - 16] + (std::rotr(x, 7) ^ std::rotr(x, 18) ^ x >> 3) + w[t - 7] +
             (std::rotr(y, 17) ^ std::rotr(y, 19) ^ y >> 10);
    }
    std::uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4],
                  f = state[5], g = state[6], h = state[7];
    for (std::size_t t = 0; t < 64; ++t) {
      const std::uint32_t choice = g ^ (e & (f ^ g)), majority = (a & b) | (c & (a | b));
      const std::uint32_t t1 = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                               choice + kRoundConstants[t] + w[t];
      const std::uint32_t t2 = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + majority;
      h = g;
      g = f;
      f = e;
      e = d + t1;
      d = c;
      c = b;
      b = a;
      a = t1 + t2;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
  }
}

#ifdef TESSERA_SHA256_X86

bool have_instructions() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_SSSE3) == 0 || (c & bit_SSE4_1) == 0)
    return false;
  constexpr unsigned kShaBit = 1u << 29;  // CPUID.(EAX=7, ECX=0):EBX
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & kShaBit) != 0;
}

/// Does what `compress` does with the processor's instructions, which make two rounds each, on the
/// words of the state in the order ABEF and CDGH.
__attribute__((target("sha,sse4.1"))) void compress_by_instructions(std::uint32_t* state,
                                                                    const unsigned char* blocks,
                                                                    std::size_t count) {
  const auto load = [](const void* from) {
    return _mm_loadu_si128(static_cast<const __m128i*>(from));
  };
  const auto store = [](void* to, __m128i value) {
    _mm_storeu_si128(static_cast<__m128i*>(to), value);
  };
  const __m128i byte_order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  const __m128i cdab = _mm_shuffle_epi32(load(state), 0xb1),
                efgh = _mm_shuffle_epi32(load(state + 4), 0x1b);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8), cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
  for (; count > 0; --count, blocks += 64) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i w[4];
    for (int i = 0; i < 4; ++i) w[i] = _mm_shuffle_epi8(load(blocks + 16 * i), byte_order);
#pragma GCC unroll 16
    // four rounds, and the words of the four rounds that come sixteen later
    for (int i = 0; i < 16; ++i) {
      __m128i& now = w[i % 4];
      const __m128i with_constants =
          _mm_add_epi32(now, load(&kRoundConstants[static_cast<std::size_t>(4 * i)]));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, with_constants);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(with_constants, 0x0e));
      const __m128i last = w[(i + 3) % 4],
                    ninth_to_twelfth = _mm_alignr_epi8(last, w[(i + 2) % 4], 4);
      now = _mm_sha256msg2_epu32(
          _mm_add_epi32(_mm_sha256msg1_epu32(now, w[(i + 1) % 4]), ninth_to_twelfth), last);
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  store(state, _mm_blend_epi16(feba, dchg, 0xf0));
  store(state + 4, _mm_alignr_epi8(dchg, feba, 8));
}

#endif

}  // namespace

Sha256::Sha256(bool use_instructions) : m_compress(compress), m_state(kInitialState) {
#ifdef TESSERA_SHA256_X86
  static const bool available = have_instructions();
  if (use_instructions && available) m_compress = compress_by_instructions;
#else
  static_cast<void>(use_instructions);
#endif
}

void Sha256::add(const void* data, std::size_t size) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  const std::size_t pending = m_size % kBlockBytes;
  m_size += size;
  if (pending > 0) {
    const std::size_t more = std::min(size, kBlockBytes - pending);
    std::copy(bytes, bytes + more, m_pending.begin() + pending);
    if (pending + more < kBlockBytes) return;
    m_compress(m_state.data(), m_pending.data(), 1);
    bytes += more;
    size -= more;
  }
  m_compress(m_state.data(), bytes, size / kBlockBytes);
  std::copy(bytes + size / kBlockBytes * kBlockBytes, bytes + size, m_pending.begin());
}

std::string Sha256::text() {
  // One bit, zeros, and the length in bits as the last eight bytes of a block.
  const std::uint64_t bits = 8 * m_size;
  std::array<unsigned char, kBlockBytes + 8> end{0x80};
  const std::size_t zeros = (kBlockBytes + 56 - 1 - m_size % kBlockBytes) % kBlockBytes;
  add(end.data(), 1 + zeros);
  for (std::size_t i = 0; i < 8; ++i) end[i] = static_cast<unsigned char>(bits >> (56 - 8 * i));
  add(end.data(), 8);

  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint32_t word : m_state) {
    for (int shift = 28; shift >= 0; shift -= 4) text += kDigits[word >> shift & 15];
  }
  return text;
}

std::string sha256(const void* data, std::size_t size) {
  Sha256 digest;
  digest.add(data, size);
  return digest.text();
}

}  // namespace tessera::io
