// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
// Written by models/boys/generate/generate.py; do not edit.
// clang-format off
#pragma once

#include "tessera/boys/function/coefficients.hpp"

namespace tessera::boys::detail {

/// e^z for |z| <= log(2)/2.
template <>
struct ExponentialCoefficients<double> {
  static constexpr double c[] = {0x1.0000000000000p+0, 0x1.0000000000000p+0, 0x1.0000000000010p-1, 0x1.55555555554a0p-3,
      0x1.555555554f306p-5, 0x1.111111113129bp-7, 0x1.6c16c18797168p-10, 0x1.a01a010f39fa2p-13, 0x1.a019929623f1cp-16,
      0x1.71df46f044090p-19, 0x1.28b3483001e87p-22, 0x1.ad640da5e5a40p-26};
};

/// 1 / (2n + 1); of the two neighbours in floating point, the one that keeps the product of all closest to its exact value.
template <>
struct InverseOdd<double> {
  static constexpr double c[] = {0x1.0000000000000p+0, 0x1.5555555555555p-2, 0x1.999999999999ap-3, 0x1.2492492492492p-3,
      0x1.c71c71c71c71dp-4, 0x1.745d1745d1746p-4, 0x1.3b13b13b13b13p-4, 0x1.1111111111111p-4, 0x1.e1e1e1e1e1e1fp-5, 0x1.af286bca1af28p-5,
      0x1.8618618618619p-5, 0x1.642c8590b2164p-5, 0x1.47ae147ae147bp-5, 0x1.2f684bda12f68p-5, 0x1.1a7b9611a7b96p-5, 0x1.0842108421084p-5,
      0x1.f07c1f07c1f08p-6, 0x1.d41d41d41d41ep-6, 0x1.bacf914c1bacfp-6, 0x1.a41a41a41a41ap-6, 0x1.8f9c18f9c18fap-6, 0x1.7d05f417d05f4p-6,
      0x1.6c16c16c16c17p-6, 0x1.5c9882b931057p-6, 0x1.4e5e0a72f053ap-6, 0x1.4141414141414p-6, 0x1.3521cfb2b78c1p-6, 0x1.29e4129e4129ep-6,
      0x1.1f7047dc11f70p-6, 0x1.15b1e5f75270dp-6, 0x1.0c9714fbcda3bp-6, 0x1.0410410410410p-6, 0x1.f81f81f81f820p-7, 0x1.e9131abf0b767p-7,
      0x1.dae6076b981dbp-7, 0x1.cd85689039b0bp-7, 0x1.c0e070381c0e1p-7, 0x1.b4e81b4e81b4ep-7, 0x1.a98ef606a63bep-7, 0x1.9ec8e951033d9p-7};
};

template <>
struct Coefficients<double, 0> {
  static constexpr double split = 0x1.8000000000000p+1, last = 0x1.0000000000000p+20, asymptote = 0x1.c5bf891b4ef6bp-1;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x1.8000000000000p+0, tail_center = 0x0.0p+0;
  static constexpr bool tail_in_r = true;
  static constexpr double head[] = {0x1.53a2bc344f4fcp-1, -0x1.2c86288ed7d47p-3, 0x1.2866ac5a8bd5bp-5, -0x1.f8f22a34b872cp-8,
      0x1.6dd0ab1d4ad07p-10, -0x1.c815cbb286c4cp-13, 0x1.f0a57921959dap-16, -0x1.dee4887a3b676p-19, 0x1.9dc62eda9897dp-22,
      -0x1.4395469e7a657p-25, 0x1.cdff7b50d85b6p-29, -0x1.2f42a2b62dcefp-32, 0x1.702d60790ccf6p-36, -0x1.a04904b3cb608p-40,
      0x1.c640911af526ep-44, -0x1.bc04aa67f793ep-48};
  static constexpr double tail[] = {-0x1.ca45254642392p-17, 0x1.00350d7be1302p-1, -0x1.658709794a516p-8, -0x1.a5d4997306fc0p-3,
      -0x1.e0fc42d706291p-3, 0x1.3b20110b56d90p+0, -0x1.0bd0ed3049ea7p+1, 0x1.0f3ed6dc0b608p+1, -0x1.5c33c684cf674p+0, 0x1.08451ddb81a3ep-1,
      -0x1.6c4dc7c080164p-4};
};

template <>
struct Coefficients<double, 1> {
  static constexpr double split = 0x1.8000000000000p+1, last = 0x1.0000000000000p+20, asymptote = 0x1.c5bf891b4ef6bp-2;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x0.0p+0, tail_center = 0x0.0p+0;
  static constexpr bool tail_in_r = true;
  static constexpr double head[] = {0x1.5555555555555p-2, 0x1.1111111111159p-3, 0x1.3813813811566p-5, 0x1.1566abc0791e5p-7,
      0x1.937e11033718cp-10, 0x1.f09b2b1330af9p-13, 0x1.08db321f17e3dp-15, 0x1.f2901667d98fep-19, 0x1.a3bf3470e2b46p-22,
      0x1.40790c079a354p-25, 0x1.b715bdb15f591p-29, 0x1.32565faa723dfp-32, 0x1.c5351ba36ab76p-37, 0x1.7f81bbb952866p-39,
      -0x1.00d1adf6f0220p-43, 0x1.707142d09af04p-46};
  static constexpr double tail[] = {0x1.fffff0d093040p-2, -0x1.3a48d4de4ba20p-20, 0x1.0024486069c68p-2, -0x1.2cee8ebda2178p-9,
      -0x1.adbfe7514935cp-4, -0x1.c8487a20dfac6p-4, 0x1.34470b17953c1p-1, -0x1.066ac5f661613p+0, 0x1.094fed4069390p+0,
      -0x1.538bb7f118e21p-1, 0x1.00b94e3641a19p-2, -0x1.606456dd99cecp-5};
};

template <>
struct Coefficients<double, 2> {
  static constexpr double split = 0x1.8000000000000p+1, last = 0x1.0000000000000p+20, asymptote = 0x1.544fa6d47b390p-1;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x0.0p+0, tail_center = 0x0.0p+0;
  static constexpr bool tail_in_r = true;
  static constexpr double head[] = {0x1.999999999999ap-3, 0x1.d41d41d41d438p-5, 0x1.a01a01a0193a5p-7, 0x1.2e9e8cd1abdf8p-9,
      0x1.74745e84bcfccp-12, 0x1.8d48ee2f098cdp-15, 0x1.75ea3979589e7p-18, 0x1.3ae1077bf5e8fp-21, 0x1.dfc0d8c8295e8p-25,
      0x1.4e2bcc27d75a2p-28, 0x1.a766ed6f77dfdp-32, 0x1.0aec09102006ep-35, 0x1.a1fe3e2422495p-40, 0x1.0c89564e65341p-42,
      -0x1.1c436aed70d05p-47, 0x1.d9a544a8a48a5p-50};
  static constexpr double tail[] = {0x1.ffffab8b45e87p-2, 0x1.477f5e46a8893p-15, 0x1.7fb72acdc2d30p-1, 0x1.3a3d7eec19873p-8,
      0x1.6376e4a678efbp-2, 0x1.d392d865f3fa8p-4, -0x1.0a4ef0964a313p-1, 0x1.55b46b14b6099p-1, -0x1.0eadddcb0da2bp-1, 0x1.1704fc275f6edp-2,
      -0x1.59c9d3561abd3p-4, 0x1.88e7cca50e3a2p-7};
};

template <>
struct Coefficients<double, 3> {
  static constexpr double split = 0x1.a000000000000p+1, last = 0x1.0000000000000p+20, asymptote = 0x1.a96390899a074p+0;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x0.0p+0, tail_center = 0x0.0p+0;
  static constexpr bool tail_in_r = true;
  static constexpr double head[] = {0x1.2492492492492p-3, 0x1.041041041041dp-5, 0x1.7a463005e869bp-8, 0x1.d191762ee3953p-11,
      0x1.f09b28b0015dfp-14, 0x1.d364dc1eea771p-17, 0x1.899839a1223b7p-20, 0x1.2be2a68004c08p-23, 0x1.a12aac8228d37p-27,
      0x1.0b6625cd402cbp-30, 0x1.3917486476ec7p-34, 0x1.7378bc786a13ep-38, 0x1.ff88652908dc2p-43, 0x1.58afaea87e3a7p-45,
      -0x1.835c3d222303dp-50, 0x1.0b67237c45098p-52};
  static constexpr double tail[] = {0x1.00000dbb6a413p-1, -0x1.b123653c41494p-17, 0x1.400c0d098c8f8p+0, -0x1.968d0077a1527p-10,
      0x1.e22b5d8c4be10p+0, -0x1.f0dfb1187c047p-6, 0x1.00734fd6e7f52p+0, -0x1.00746f1b77519p-5, -0x1.7b45c5a0ceca0p-1, 0x1.e09ef9d09d7acp-1,
      -0x1.470edd48a5ce6p-1, 0x1.f9c296c8444f7p-3, -0x1.5f03896ea4081p-5};
};

template <>
struct Coefficients<double, 4> {
  static constexpr double split = 0x1.1000000000000p+2, last = 0x1.0000000000000p+20, asymptote = 0x1.74371e7866c65p+2;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x0.0p+0, tail_center = 0x0.0p+0;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.c71c71c71c71cp-4, 0x1.4afd6a052bf48p-6, 0x1.975f4768d4839p-9, 0x1.b287c3a2c30c1p-12,
      0x1.98f83fb253182p-15, 0x1.5865422e0dfaep-18, 0x1.06659649e6716p-21, 0x1.6d11ad8a545a9p-25, 0x1.d35cd369caed5p-29,
      0x1.14889d08eab3dp-32, 0x1.34b4cc2029e2fp-36, 0x1.282ee4748c05ep-40, 0x1.88808f53334eep-44, -0x1.0f69e6d54267ep-55,
      0x1.b6d375a9d711cp-51, -0x1.68a560646e9fbp-55, 0x1.aeada39dee469p-59};
  static constexpr double tail[] = {0x1.ffffffe773c3dp-2, 0x1.c000023a4efa3p+0, 0x1.17ffe871ed87fp+2, 0x1.a4025af0e04d0p+2,
      0x1.a3ae0a1cb9d00p+1, -0x1.9bea8ffe438e5p+0, 0x1.143405f00868ep+1, -0x1.eb4f61a42d7bbp+1, 0x1.a94a26507c7fep+2, -0x1.25b0ed3e78c5dp+3,
      0x1.0d5ed1a4b671dp+3, -0x1.dcf1f372397b2p+1};
};

template <>
struct Coefficients<double, 5> {
  static constexpr double split = 0x1.5000000000000p+2, last = 0x1.0000000000000p+20, asymptote = 0x1.a2be0247739f2p+4;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x0.0p+0, tail_center = 0x0.0p+0;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.745d1745d1746p-4, 0x1.ca4b3055ee1a4p-7, 0x1.e8d8bc176391bp-10, 0x1.cc17479dc1dc3p-13,
      0x1.8371eb6fb3ff2p-16, 0x1.27323a1fcd8c4p-19, 0x1.9ab51cedf5511p-23, 0x1.06db08aa10d89p-26, 0x1.377df414af429p-30,
      0x1.5825b2f50d4e9p-34, 0x1.5fcaf365c6ce1p-38, 0x1.6a1066bd5938ap-42, 0x1.d606f26832774p-47, 0x1.0b3bb7e500ac3p-49,
      -0x1.9650dade77bfap-54, 0x1.32e50dd6a737ep-56, -0x1.f41c26cf78d8dp-61, 0x1.6b9cb4beb1b73p-65};
  static constexpr double tail[] = {0x1.00000003a4834p-1, 0x1.1fffff9c6c941p+1, 0x1.f80009ac144dfp+2, 0x1.3affb76138a77p+4,
      0x1.d885c38f70d4ap+4, 0x1.d7d7871168632p+3, -0x1.ca19f12cde82dp+2, 0x1.256c19873dd01p+3, -0x1.d6905c4364df5p+3, 0x1.541aa16afaba6p+4,
      -0x1.5b3625c96fcd0p+4, 0x1.6187887bed4aap+3};
};

template <>
struct Coefficients<double, 6> {
  static constexpr double split = 0x1.9000000000000p+2, last = 0x1.0000000000000p+20, asymptote = 0x1.1fe2a1911f7d6p+7;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x0.0p+0, tail_center = 0x0.0p+0;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.3b13b13b13b14p-4, 0x1.5015015015084p-7, 0x1.3c50013c4c15dp-10, 0x1.0a5e51e2d0f3dp-13,
      0x1.95e50edb86a77p-17, 0x1.1a5c93aae12aap-20, 0x1.696be7979f20ap-24, 0x1.ac5fe2d963971p-28, 0x1.d868b4ac19722p-32,
      0x1.ea2865ad3dc68p-36, 0x1.ca69acf5dc7a1p-40, 0x1.f92d7cd625d65p-44, 0x1.a36fdebd39f06p-50, 0x1.065f01dea703cp-50,
      -0x1.37fc0dbf8513ap-54, 0x1.193f6034b17c5p-57, -0x1.ac08617435928p-62, 0x1.d003e43f17d5ap-67};
  static constexpr double tail[] = {0x1.ffffffef22ecfp-2, 0x1.600000ed82935p+1, 0x1.8bfff437bd2ffp+3, 0x1.5a80595936af9p+5,
      0x1.b11c786ff6f07p+6, 0x1.44f12f7fffd32p+7, 0x1.42cb7e14afd26p+6, -0x1.24eff7a512e20p+5, 0x1.28131d81b4ca0p+5, -0x1.1f6afee5d35cfp+5,
      0x1.3cc6821e82f64p+4};
};

template <>
struct Coefficients<double, 7> {
  static constexpr double split = 0x1.d000000000000p+2, last = 0x1.0000000000000p+20, asymptote = 0x1.d3d0468bd32bdp+9;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x0.0p+0, tail_center = 0x0.0p+0;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.1111111111111p-4, 0x1.0101010100fecp-7, 0x1.b0d9450f2c94cp-11, 0x1.49ca1c3bca1fcp-14,
      0x1.cad66a2f426ebp-18, 0x1.25a7efeb5d261p-21, 0x1.5c09998a24a9fp-25, 0x1.8007738270a2ap-29, 0x1.8c8fff0f58f7cp-33,
      0x1.7f4337ef6a570p-37, 0x1.66fe4d35493afp-41, 0x1.0a887f8e83d0ep-45, 0x1.87a6b71bf78ffp-49, -0x1.b091ca649c1b4p-54,
      0x1.02f910b4de531p-55, -0x1.4799787ee3bddp-59, 0x1.99003466fca1ap-63, -0x1.093776c10eb81p-67, 0x1.ac5c1c0495427p-73};
  static constexpr double tail[] = {0x1.0000000772e65p-1, 0x1.9fffff140b05fp+1, 0x1.1e0006942b065p+4, 0x1.41bfc7ff3656ap+6,
      0x1.19893cfeb7dbap+8, 0x1.5fe028defe1d6p+9, 0x1.082807762cfb5p+10, 0x1.0434a80b8793dp+9, -0x1.b1f8989ab6766p+7, 0x1.537961169246ap+7,
      -0x1.6db3f675b9e03p+6};
};

template <>
struct Coefficients<double, 8> {
  static constexpr double split = 0x1.0800000000000p+3, last = 0x1.0000000000000p+20, asymptote = 0x1.b693422315f91p+12;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x0.0p+0, tail_center = 0x0.0p+0;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.e1e1e1e1e1e1ep-5, 0x1.95cbb0be376a4p-8, 0x1.352d7a7893b7ep-11, 0x1.ae29036d189a6p-15,
      0x1.134d7321b82d1p-18, 0x1.4648cb100a016p-22, 0x1.680a712a9fe3fp-26, 0x1.739d16010cc54p-30, 0x1.68c8a19c4cceap-34,
      0x1.468344e73ad24p-38, 0x1.2e1455e5492cfp-42, 0x1.3e5a1a5c37edcp-47, 0x1.af3557194f472p-50, -0x1.ede7fe0a6696ap-54,
      0x1.430180aaee3fbp-56, -0x1.8e0fb43737ae0p-60, 0x1.9b511fbd82cb0p-64, -0x1.de4cb5800ab1fp-69, 0x1.412a86528cc93p-74};
  static constexpr double tail[] = {0x1.ffffffeb62ce5p-2, 0x1.e0000169f0507p+1, 0x1.85fff4d114e30p+4, 0x1.0c2034b29f444p+7,
      0x1.2da2b671e3d04p+9, 0x1.07f5214f00990p+11, 0x1.49c803f8ad50dp+12, 0x1.f02387824fce2p+12, 0x1.de28b2f3ef5c8p+11,
      -0x1.4cd6e647b5107p+10, 0x1.2d2c23cabec40p+9};
};

template <>
struct Coefficients<double, 9> {
  static constexpr double split = 0x1.2800000000000p+3, last = 0x1.0000000000000p+20, asymptote = 0x1.d1fc76454758ap+15;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x0.0p+0, tail_center = 0x0.0p+0;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.af286bca1af28p-5, 0x1.48805220148c9p-8, 0x1.c90b93a70d25cp-12, 0x1.24824a05512f9p-15,
      0x1.5aad610d417d3p-19, 0x1.7e8a5e47cde8ap-23, 0x1.8ae106eb52b0cp-27, 0x1.7eef3d247e5eep-31, 0x1.5de2efcbd14a6p-35,
      0x1.305e077c02e83p-39, 0x1.de65f32980cfbp-44, 0x1.d6b4f4596f361p-48, 0x1.eadbc53472d53p-61, 0x1.e845008b67d7ap-55,
      -0x1.69e3d91ff4e4ep-58, 0x1.3ffe0836e7d63p-61, -0x1.59a7c2b6d7b2ap-65, 0x1.1e992e0d432bbp-69, -0x1.1a421e6080d6dp-74,
      0x1.30c3ae0ed93fep-80};
  static constexpr double tail[] = {0x1.000000179582bp-1, 0x1.0ffffe39fb55fp+2, 0x1.fe001ec16c74cp+4, 0x1.9e5f6140ed61dp+7,
      0x1.1ce41edc69fb2p+10, 0x1.407422d8fc39ap+12, 0x1.1890edaad905fp+14, 0x1.5de12b0a927edp+15, 0x1.093785480c8c9p+16,
      0x1.e0326dacdfb22p+14, -0x1.aa3e1ca0761f5p+12};
};

template <>
struct Coefficients<double, 10> {
  static constexpr double split = 0x1.4800000000000p+3, last = 0x1.0000000000000p+20, asymptote = 0x1.14ade639225cap+19;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x0.0p+0, tail_center = 0x0.0p+0;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.8618618618618p-5, 0x1.0f5edfab3266ep-8, 0x1.5b5ab7e55448ep-12, 0x1.9bade3724c2d9p-16,
      0x1.c64449c52ecd3p-20, 0x1.d4ebb911dc32ep-24, 0x1.c6b4bc56eecaep-28, 0x1.9fcbf79165443p-32, 0x1.66fd5c9ae4806p-36,
      0x1.2aed7fdb29e17p-40, 0x1.a36aeced5f620p-45, 0x1.fcf000ae5d862p-49, -0x1.14023ed606fe1p-53, 0x1.634f97a221522p-55,
      -0x1.152ad890c1ed4p-58, 0x1.9f3f219aa1d4cp-62, -0x1.9cc2b7c116092p-66, 0x1.2ee597c338423p-70, -0x1.0d88b7457b813p-75,
      0x1.fcba45dbaf482p-82};
  static constexpr double tail[] = {0x1.ffffff2fd5eb4p-2, 0x1.3000088167aadp+2, 0x1.42ffafded8152p+5, 0x1.2ed1c11adadadp+8,
      0x1.ec04fcc0a6b65p+10, 0x1.526df496f0cfap+13, 0x1.7c1a986c9667ap+15, 0x1.4e46b14fbbbf7p+17, 0x1.9b9703531cc1ap+18,
      0x1.4406193fc0f85p+19, 0x1.d5544b93af988p+17};
};

template <>
struct Coefficients<double, 11> {
  static constexpr double split = 0x1.6800000000000p+3, last = 0x1.0000000000000p+20, asymptote = 0x1.6b243e2afd199p+22;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x0.0p+0, tail_center = 0x0.0p+0;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.642c8590b2164p-5, 0x1.c7e7115d0ce2fp-9, 0x1.0e2a1d40a211ap-12, 0x1.2a1cd0d3a38b8p-16,
      0x1.33baa62dd7dd3p-20, 0x1.2a6766415b03ep-24, 0x1.10d3e5dfada66p-28, 0x1.d7e259e75c66ap-33, 0x1.83838673ea608p-37,
      0x1.2c167bf2a2518p-41, 0x1.d8dcee4ebec52p-46, 0x1.be09192f87583p-51, 0x1.0bbbeb897be5fp-53, -0x1.50b712fff34c2p-57,
      0x1.aee71add894c1p-60, -0x1.35e751e4b63b7p-63, 0x1.79179a7619c34p-67, -0x1.4283c8c080345p-71, 0x1.8eab047399cf2p-76,
      -0x1.3090f5b0c0624p-81, 0x1.e1bcc07e1dd04p-88};
  static constexpr double tail[] = {0x1.000000186aaf6p-1, 0x1.4ffffd9be5198p+2, 0x1.8f001b3be32eap+5, 0x1.a7ef458623fdap+8,
      0x1.8d745788372acp+11, 0x1.42e0faa49c1edp+14, 0x1.bc373306318adp+16, 0x1.f2d5302c2b1eep+18, 0x1.b6cdad482e596p+20,
      0x1.0e10bd03f397fp+22, 0x1.a94863117f9a6p+22, 0x1.344c3897834a2p+21};
};

template <>
struct Coefficients<double, 12> {
  static constexpr double split = 0x1.8800000000000p+3, last = 0x1.0000000000000p+20, asymptote = 0x1.05020caee5ea6p+26;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x0.0p+0, tail_center = 0x0.0p+0;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.47ae147ae147bp-5, 0x1.845c8a0ce5036p-9, 0x1.ac896c3195e70p-13, 0x1.ba5c4ea316f37p-17,
      0x1.acf4a9f3d0c9cp-21, 0x1.883016cc8138fp-25, 0x1.53318bea79b85p-29, 0x1.16438fbf3b9edp-33, 0x1.b338fc2dc8b77p-38,
      0x1.3e2ddf2444195p-42, 0x1.febb78b50f791p-47, 0x1.d3087b8d0a533p-53, 0x1.8d960e3380538p-54, -0x1.3badbbb5e4f1fp-57,
      0x1.491bb0415e2c6p-60, -0x1.c01215eee6d34p-64, 0x1.ece315b985aefp-68, -0x1.84372deba5eabp-72, 0x1.b4a0e36d51e0cp-77,
      -0x1.3141bec4aa948p-82, 0x1.b240d57cfc742p-89};
  static constexpr double tail[] = {0x1.fffffcdaa2915p-2, 0x1.70002a47097d3p+2, 0x1.e2fdfbbe87be8p+5, 0x1.1ecf6659f1d91p+9,
      0x1.30902285a287ep+12, 0x1.1e275a4279268p+15, 0x1.cdb9598dbcaaap+17, 0x1.43ad390a0b33cp+20, 0x1.5af1cff362e62p+22,
      0x1.50f7eb0c3a06fp+24, 0x1.4e5bc1aff9dfbp+25, 0x1.829d1d239ce0ep+26};
};

template <>
struct Coefficients<double, 13> {
  static constexpr double split = 0x1.a800000000000p+3, last = 0x1.0000000000000p+20, asymptote = 0x1.97d333d1473e3p+29;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x0.0p+0, tail_center = 0x0.0p+0;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.2f684bda12f68p-5, 0x1.4ecb5c86b3d5dp-9, 0x1.59981d7243296p-13, 0x1.4f1f2450abc58p-17,
      0x1.32659d652c590p-21, 0x1.08fdf3d20ff64p-25, 0x1.b2db49a61aed3p-30, 0x1.536d01baa01b8p-34, 0x1.f8bae3c3fc21ap-39,
      0x1.6a13c36ace623p-43, 0x1.cbb7048b7b30cp-48, 0x1.b5ddb778e70f4p-52, -0x1.5d09b519578f7p-57, 0x1.08ec4d87c8f2cp-58,
      -0x1.bee7d2241ed68p-62, 0x1.6ebfee05704cfp-65, -0x1.b445d1938dcb4p-69, 0x1.988dfe9ceb86cp-73, -0x1.1737eb99d7880p-77,
      0x1.0f39d7c54a2ebp-82, -0x1.4a5c9636bac66p-88, 0x1.9454892505abfp-95};
  static constexpr double tail[] = {0x1.00000067921afp-1, 0x1.8ffff33b84550p+2, 0x1.1f805c3960b9cp+6, 0x1.7954d82c00a33p+9,
      0x1.c02b346b3928bp+12, 0x1.dbcac5b60dddbp+15, 0x1.bf4f836f0c965p+18, 0x1.68699262c9d86p+21, 0x1.fa6db95702a1fp+23,
      0x1.0e8bf37c0e24dp+26, 0x1.07b4ee3a2444ap+28, 0x1.04d46bf4c7c1ep+29, 0x1.2e18499d516efp+30};
};

template <>
struct Coefficients<double, 14> {
  static constexpr double split = 0x1.c800000000000p+3, last = 0x1.0000000000000p+20, asymptote = 0x1.581a33b8941c8p+33;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x0.0p+0, tail_center = 0x0.0p+0;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.1a7b9611a7b96p-5, 0x1.239858d86b199p-9, 0x1.1ac246a34ae91p-13, 0x1.0285bceeba5fep-17,
      0x1.bf2c848efcda6p-22, 0x1.6ee97fc96b966p-26, 0x1.1e5e0a9301553p-30, 0x1.aa4aa0a9c54c3p-35, 0x1.2e8c92be408d0p-39,
      0x1.a3814f21e7faep-44, 0x1.da15923121c24p-49, 0x1.228fb4e73e010p-52, -0x1.fe454068fbc73p-57, 0x1.bd11d820cdf9ep-59,
      -0x1.756efd664a08ep-62, 0x1.1656c94f988dbp-65, -0x1.35a9ff1342749p-69, 0x1.0c0e0e3ee1c74p-73, -0x1.544c9ed8a1968p-78,
      0x1.3193337068692p-83, -0x1.58816ab5ab3f5p-89, 0x1.8252cba2e738cp-96};
  static constexpr double tail[] = {0x1.000007fe090e2p-1, 0x1.affef42e41f3dp+2, 0x1.51880638d5a21p+6, 0x1.e4dd5f7cbc40cp+9,
      0x1.3f4d01bac3635p+13, 0x1.75f5749b405dcp+16, 0x1.9f546d72fb01ap+19, 0x1.571e08e1f61c5p+22, 0x1.6f3f56d68d3bbp+25,
      0x1.002d11dcf672cp+27, 0x1.8a2979dafa937p+30, 0x1.22eef08de7d33p+26, 0x1.1c02097f05bf0p+34};
};

template <>
struct Coefficients<double, 15> {
  static constexpr double split = 0x1.e800000000000p+3, last = 0x1.0000000000000p+20, asymptote = 0x1.37d7bedf4639dp+37;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x0.0p+0, tail_center = 0x0.0p+0;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.0842108421084p-5, 0x1.0040100400fe8p-9, 0x1.d492666dbb588p-14, 0x1.9540589574d8fp-18,
      0x1.4c839103f406cp-22, 0x1.0385e4b064207p-26, 0x1.8244b629f2bccp-31, 0x1.12a941722d8b8p-35, 0x1.7654387b60976p-40,
      0x1.e4ae4c6049b89p-45, 0x1.45b631e7ea5b8p-49, 0x1.b8472e07c70dcp-55, 0x1.540d436c5d65dp-57, -0x1.00b807ec73969p-60,
      0x1.23487b75c4118p-63, -0x1.b932b9fad4f81p-67, 0x1.16f905dec9d59p-70, -0x1.0f0dc59f52c8ap-74, 0x1.985988a0c75eap-79,
      -0x1.c71fbe84da3cep-84, 0x1.66e0f56a684f2p-89, -0x1.64fb27daf3689p-95, 0x1.5ed115289aaacp-102};
  static constexpr double tail[] = {0x1.fffffb9630fe9p-2, 0x1.d000557208b64p+2, 0x1.877d05bcfb306p+6, 0x1.31ec39bc2a059p+10,
      0x1.b7338f9d8bb29p+13, 0x1.21cd2441684e2p+17, 0x1.51927616afb11p+20, 0x1.7b5f037e884dcp+23, 0x1.320fcfc799a1dp+26,
      0x1.529511fab6c32p+29, 0x1.bd82dc607b780p+30, 0x1.6a262b76f7ac9p+34, 0x1.3a284cb4709a2p+28, 0x1.02086e9676ed1p+38};
};

template <>
struct Coefficients<double, 16> {
  static constexpr double split = 0x1.0400000000000p+4, last = 0x1.0000000000000p+20, asymptote = 0x1.2e1900e84c080p+41;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x0.0p+0, tail_center = 0x0.0p+0;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.f07c1f07c1f08p-6, 0x1.c5edd33a4ae39p-10, 0x1.889655d191ccfp-14, 0x1.421f745bce0bfp-18,
      0x1.f6d3715c09319p-23, 0x1.7632271cc823ep-27, 0x1.0a18dd98dc55ap-31, 0x1.6a4b8dcfb55f2p-36, 0x1.da036a5119333p-41,
      0x1.24695f3fa0981p-45, 0x1.9102a2c20b043p-50, 0x1.a84135535c801p-57, 0x1.1c9afadf49394p-57, -0x1.ebb852d5131ffp-61,
      0x1.ec8819fc24175p-64, -0x1.6306ecf0844adp-67, 0x1.a2953f479b7b2p-71, -0x1.7dd44fbb50c3dp-75, 0x1.0d0da774b097ap-79,
      -0x1.18d896af9ceddp-84, 0x1.9ddf0346a03d6p-90, -0x1.809d3f9e936c5p-96, 0x1.5ed9d7fc6e109p-103};
  static constexpr double tail[] = {0x1.ffffde1f9967cp-2, 0x1.f002b36a9236ep+2, 0x1.c166996589ad7p+6, 0x1.7bd5e98ff53a3p+10,
      0x1.2611295c61370p+14, 0x1.b6939d966b187p+17, 0x1.f9c8dc2c9fd67p+20, 0x1.a0b1243daec53p+24, 0x1.27b317539e3e0p+26,
      0x1.6006dd25243c2p+31, -0x1.d7a8542b9b59cp+32, 0x1.4ffeda09e601cp+37, -0x1.a4e7d7118452ap+38, 0x1.43baadb5a8630p+41};
};

template <>
struct Coefficients<double, 17> {
  static constexpr double split = 0x1.1400000000000p+4, last = 0x1.0000000000000p+20, asymptote = 0x1.3789c8ef8e684p+45;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x0.0p+0, tail_center = 0x0.0p+0;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.d41d41d41d41dp-6, 0x1.94db08801940cp-10, 0x1.4c3070001d5c1p-14, 0x1.0345063c3f60dp-18,
      0x1.81e3c279d8b22p-23, 0x1.126904dc29846p-27, 0x1.75abd6a0c0f49p-32, 0x1.e7ee3976cdd7ep-37, 0x1.3325afa989df0p-41,
      0x1.6753c988d68e3p-46, 0x1.0530203397d2fp-50, -0x1.31639196836e0p-57, 0x1.f44e7afdc0cd1p-58, -0x1.c8bab19e06edep-61,
      0x1.a0ed629933e91p-64, -0x1.1d4730f30d078p-67, 0x1.3b78da17a7c58p-71, -0x1.0f0144e0a575ap-75, 0x1.66d1e63d19cf3p-80,
      -0x1.6019140bf1c3dp-85, 0x1.e6ebe8ad9943ep-91, -0x1.a872568e43a72p-97, 0x1.693f99672f707p-104};
  static constexpr double tail[] = {0x1.ffff57426bcb3p-2, 0x1.080711b77b1bap+3, 0x1.fef440212f92ap+6, 0x1.d2d7b11aa4280p+10,
      0x1.798ad518ed23bp+14, 0x1.59e9e9e635395p+18, 0x1.04c66c56d0ce7p+21, 0x1.2529b254a2803p+26, -0x1.9c91f88ab8db8p+28,
      0x1.c2d4bf5f832f9p+33, -0x1.a5c14e269ecf1p+36, 0x1.20809fb813b40p+40, -0x1.1fe097eb0ddcfp+42, 0x1.2baf08b338cdcp+44};
};

template <>
struct Coefficients<double, 18> {
  static constexpr double split = 0x1.2400000000000p+4, last = 0x1.0000000000000p+20, asymptote = 0x1.54beb3c603c20p+49;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x0.0p+0, tail_center = 0x0.0p+0;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.bacf914c1bad0p-6, 0x1.6b54fa80169e5p-10, 0x1.1b937ed46b196p-14, 0x1.a6111bff54de6p-19,
      0x1.2c22ed0b24315p-23, 0x1.98b2209af5159p-28, 0x1.0ae9696289e6cp-32, 0x1.4ec8977f00250p-37, 0x1.96a666fc70009p-42,
      0x1.befeff80f19b6p-47, 0x1.6a89462e8bb5ap-51, -0x1.62c429c374ce7p-56, 0x1.c3e18b7849fb3p-58, -0x1.a0f64ec891434p-61,
      0x1.60ff2f66b4e13p-64, -0x1.ca7cb02d4c936p-68, 0x1.ddc0e81b3d7a7p-72, -0x1.83a710b7cc778p-76, 0x1.e4046934fe2c5p-81,
      -0x1.bffee5ec4341ap-86, 0x1.23c88c9c5b249p-91, -0x1.dedfbc2bc5cdbp-98, 0x1.7df7ba9151f60p-105};
  static constexpr double tail[] = {0x1.fffd7ac01ae97p-2, 0x1.181c55c19ad85p+3, 0x1.1f9a69a472b1bp+7, 0x1.1efbea55a4678p+11,
      0x1.bc56b6321d003p+14, 0x1.377cee12a1224p+19, -0x1.d79fdaad5381fp+20, 0x1.01a8d18318a1ap+28, -0x1.bc80c2ebb6e6ap+31,
      0x1.1be5d2181d616p+36, -0x1.653c98e95b10cp+39, 0x1.a3d99ffb53494p+42, -0x1.f3c9670e7ee82p+44, 0x1.bdb18c127df01p+46};
};

template <>
struct Coefficients<double, 19> {
  static constexpr double split = 0x1.3400000000000p+4, last = 0x1.0000000000000p+20, asymptote = 0x1.89fc7fdcf4586p+53;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x0.0p+0, tail_center = 0x0.0p+0;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.a41a41a41a41ap-6, 0x1.47e28aa58b25bp-10, 0x1.e803c8677af73p-15, 0x1.5b0861015d277p-19,
      0x1.d88e2193d337cp-24, 0x1.349b8dc10fdf3p-28, 0x1.834494cec5848p-33, 0x1.d3bc034f25b7fp-38, 0x1.0f751390831ddp-42,
      0x1.38946ea48e558p-47, 0x1.0da45349f4fcfp-52, 0x1.82105f4fc935cp-56, -0x1.ecc4829c44c4ep-60, 0x1.4a0bf59ef673ep-62,
      -0x1.17dae8307ff2cp-65, 0x1.940e3cb88e507p-69, -0x1.cd08af8bd02f6p-73, 0x1.a5f50d881b411p-77, -0x1.2f344ae26bf0cp-81,
      0x1.507314593e95fp-86, -0x1.1613c56ec263dp-91, 0x1.444609cc2ad42p-97, -0x1.ddc98015e1fa3p-104, 0x1.557af52684fc8p-111};
  static constexpr double tail[] = {0x1.000068f4a272bp-1, 0x1.27f589fb47274p+3, 0x1.443bb409320a0p+7, 0x1.4a5abc419ae87p+11,
      0x1.54fcf407929e7p+15, 0x1.ca7e53d119d5ep+18, 0x1.a6017a09bfbafp+23, -0x1.58d905cd9c5e0p+26, 0x1.6c61ebddf4a03p+32,
      -0x1.40afdf7ec36f3p+36, 0x1.75625268868d7p+40, -0x1.cac5a009ed3ddp+43, 0x1.025596eca97acp+47, -0x1.2dbe918edad13p+49,
      0x1.06657e9223cd5p+51};
};

template <>
struct Coefficients<double, 20> {
  static constexpr double split = 0x1.4400000000000p+4, last = 0x1.0000000000000p+20, asymptote = 0x1.e02bbbd549cbbp+57;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x0.0p+0, tail_center = 0x0.0p+0;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.8f9c18f9c18fap-6, 0x1.29624e1f130e8p-10, 0x1.a6f2363787a9dp-15, 0x1.1ff69cc0fbb34p-19,
      0x1.781d88218ffc8p-24, 0x1.d7fd0327e0e88p-29, 0x1.1cf7dea9ceebep-33, 0x1.4bb66be40e416p-38, 0x1.72d42c283516ap-43,
      0x1.a3eaba5f34187p-48, 0x1.22d5e6fa12c85p-53, 0x1.44a2fed11f8cep-56, -0x1.ff991c2224042p-60, 0x1.2cf575f015cc4p-62,
      -0x1.ec6f04a90be13p-66, 0x1.50363a518b14dp-69, -0x1.6cd7bbf5ddce2p-73, 0x1.3ce50a5cfb4dep-77, -0x1.b074add102ad6p-82,
      0x1.c755a90e7e4e9p-87, -0x1.650a78b062488p-92, 0x1.8aa5558e89de3p-98, -0x1.1360d93bbd33ep-104, 0x1.73a9f2536c416p-112};
  static constexpr double tail[] = {0x1.00015eef32a36p-1, 0x1.37db8180e3058p+3, 0x1.6a82480df7287p+7, 0x1.7d3a8dd64930dp+11,
      0x1.dc769fb10698ep+15, 0x1.0454c9e21ae02p+18, 0x1.159ccbbee0cc4p+25, -0x1.4f8f04c79920cp+29, 0x1.76d0a36715d54p+34,
      -0x1.a9528ad42acffp+38, 0x1.c4c60c7c9907ep+42, -0x1.3824930c5076bp+46, 0x1.55306317a6251p+49, -0x1.b1abf4b3488c2p+51,
      0x1.5e0ec8f13a5dap+53};
};

template <>
struct Coefficients<double, 21> {
  static constexpr double split = 0x1.5400000000000p+4, last = 0x1.0000000000000p+20, asymptote = 0x1.339c0454a3468p+62;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x1.5400000000000p+3, tail_center = 0x1.8000000000000p-5;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.5ee1fd8838d54p-5, 0x1.a5df67a98a738p-9, 0x1.c7114065160c4p-13, 0x1.bf3b6a2bc16a1p-17,
      0x1.94fb594c20d20p-21, 0x1.54d05c4a9571ap-25, 0x1.0c5ed5bf2ed86p-29, 0x1.8dab6cb995ae7p-34, 0x1.167ef6e0eda68p-38,
      0x1.722597c9adb17p-43, 0x1.d463efabe0fd2p-48, 0x1.1af9dbdf176ccp-52, 0x1.47500804e0355p-57, 0x1.6b3f9db89b532p-62,
      0x1.83977222443b9p-67, 0x1.8e3a54557230fp-72, 0x1.8a447f4af9f6ap-77, 0x1.7a22faea46ce5p-82, 0x1.632b1b0807d36p-87,
      0x1.3b440ef2e0f2dp-92, 0x1.e9a8dc48cf680p-98, 0x1.b79fc02022d49p-103, 0x1.1cbca1a14c6bbp-107, 0x1.9d2e11f9d1f7ep-113};
  static constexpr double tail[] = {0x1.681468f656381p+1, 0x1.6316c6663d622p+7, 0x1.e4d1de5ec308bp+12, 0x1.f914873348c7bp+17,
      0x1.a5580470ef0ccp+22, 0x1.216e4fc9e344dp+27, 0x1.4d2c645ce2280p+31, 0x1.44ec2cf183918p+35, 0x1.0e459fec60331p+39,
      0x1.80d0054a9b48cp+42, 0x1.d4f0bb2bc5efap+45, 0x1.e60f69313d2f6p+48, 0x1.a1afb59c8e993p+51, 0x1.10c2b2158685fp+54,
      0x1.96f5e3df4a7cdp+55};
};

template <>
struct Coefficients<double, 22> {
  static constexpr double split = 0x1.6400000000000p+4, last = 0x1.0000000000000p+20, asymptote = 0x1.9d59a5d1bb66bp+66;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x1.6400000000000p+3, tail_center = 0x1.0000000000000p-5;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.504b85ad6e880p-5, 0x1.853dbfe21ae7cp-9, 0x1.9578f4b2f42b3p-13, 0x1.81c1c71622fc3p-17,
      0x1.52ce49d25a8b3p-21, 0x1.14fd578ce94fap-25, 0x1.a85c1c87421b8p-30, 0x1.323793ec74a06p-34, 0x1.a229e6f9a8d8dp-39,
      0x1.0f2f66b39d255p-43, 0x1.4f2a2d1f26d6fp-48, 0x1.8bd71367ca939p-53, 0x1.bfd8292c6c6fdp-58, 0x1.e671b1a054346p-63,
      0x1.fc47004c2e9b8p-68, 0x1.ffd6f13bcce0ep-73, 0x1.f15967fa89d75p-78, 0x1.d27a0246b676fp-83, 0x1.a8da072d53030p-88,
      0x1.7c628ee11b24bp-93, 0x1.411a74f5b10e1p-98, 0x1.d4d3e90624f3cp-104, 0x1.945e705e7b2d9p-109, 0x1.016be8bab3b2dp-113,
      0x1.651d59d997e2bp-119};
  static constexpr double tail[] = {0x1.56d2f3f562a60p+0, 0x1.f058fe6f743abp+5, 0x1.2397c42aa6e93p+11, 0x1.1e7d312ea0982p+16,
      0x1.df7ee2df83581p+20, 0x1.59e28aedd8409p+25, 0x1.b182cb31769efp+29, 0x1.da584c0c4a846p+33, 0x1.c658efd4b2399p+37,
      0x1.7d4991cfe0638p+41, 0x1.181de74b0f97cp+45, 0x1.67acc71c3a720p+48, 0x1.904514cb4eca9p+51, 0x1.7827d43fb9c59p+54,
      0x1.a617f51913e42p+57};
};

template <>
struct Coefficients<double, 23> {
  static constexpr double split = 0x1.7400000000000p+4, last = 0x1.0000000000000p+20, asymptote = 0x1.22a3089777c43p+71;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x1.7400000000000p+3, tail_center = 0x1.0000000000000p-5;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.42e1d226e549bp-5, 0x1.684ad752bcd78p-9, 0x1.6ae84bcc71bbep-13, 0x1.4e9b3a7a8f0c4p-17,
      0x1.1d553c2ecfd5ap-21, 0x1.c5aa6af20a708p-26, 0x1.525c9c3f99a3dp-30, 0x1.dbfe24456d141p-35, 0x1.3d1ca9e2068ffp-39,
      0x1.91ac5ec617b5cp-44, 0x1.e53405b2fd039p-49, 0x1.183d572a16c2dp-53, 0x1.365037dd850cdp-58, 0x1.4a17b063b62d9p-63,
      0x1.51f94b03a7b95p-68, 0x1.4db0045fac7b1p-73, 0x1.3e07bcf951309p-78, 0x1.249ad37b861d2p-83, 0x1.05bef895b37f6p-88,
      0x1.cdd388759c419p-94, 0x1.7e373293a8273p-99, 0x1.0d0c092e74cf3p-104, 0x1.cc5ee42e35e4bp-110, 0x1.2a348e916cb69p-114,
      0x1.95baad1750715p-120};
  static constexpr double tail[] = {0x1.710c5388895d0p+0, 0x1.270573377384bp+6, 0x1.7b85ff612bde9p+11, 0x1.9676bc82d11d1p+16,
      0x1.7202a25769495p+21, 0x1.222c4095f12a4p+26, 0x1.8b9b4530d51c7p+30, 0x1.d79303f66b9d8p+34, 0x1.ed414852e93dfp+38,
      0x1.c581e6a36d832p+42, 0x1.6e97a3d910a88p+46, 0x1.043497de679f8p+50, 0x1.41e987b203d34p+53, 0x1.5f14a8dc86118p+56,
      0x1.8d89a631ab12ap+59};
};

template <>
struct Coefficients<double, 24> {
  static constexpr double split = 0x1.8400000000000p+4, last = 0x1.0000000000000p+20, asymptote = 0x1.aadf749e77e83p+75;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x1.8400000000000p+3, tail_center = 0x1.0000000000000p-5;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.3681ba334969ep-5, 0x1.4e7cdd6366467p-9, 0x1.46289fc2b7e09p-13, 0x1.23bfb8970368fp-17,
      0x1.e3900406603c2p-22, 0x1.76230d737c533p-26, 0x1.0feab6b17e386p-30, 0x1.7526123502503p-35, 0x1.e5787b3d51938p-40,
      0x1.2c7825f278500p-44, 0x1.62f7f40e6bdd2p-49, 0x1.914c583f0e3c8p-54, 0x1.b32ae463e93d8p-59, 0x1.c5973f6f56e44p-64,
      0x1.c75414237ade2p-69, 0x1.b8fea14dac44ap-74, 0x1.9c7371bfd2495p-79, 0x1.74648f7c58944p-84, 0x1.475b40d29cb76p-89,
      0x1.1ccf1fad76fb7p-94, 0x1.ce4646b100263p-100, 0x1.39417d6270739p-105, 0x1.0a2f615eb2ed9p-110, 0x1.5f5e215f8097fp-115,
      0x1.d513b47a27e1cp-121};
  static constexpr double tail[] = {0x1.8f050d5844e02p+0, 0x1.602a8748db476p+6, 0x1.ef5e68281567dp+11, 0x1.209accfdb4a36p+17,
      0x1.1d1c90d40c9e3p+22, 0x1.e4d26ea88c719p+26, 0x1.665b82d9f26dcp+31, 0x1.cfae017f07768p+35, 0x1.07b6f851a6579p+40,
      0x1.0860ede3901b0p+44, 0x1.d3a63b78fb525p+47, 0x1.6cbc3d8db4f5ep+51, 0x1.f4a844ce6947bp+54, 0x1.2d3cf84d8c101p+58,
      0x1.439fd546dfd21p+61, 0x1.31afd3d3d97e2p+64};
};

template <>
struct Coefficients<double, 25> {
  static constexpr double split = 0x1.9400000000000p+4, last = 0x1.0000000000000p+20, asymptote = 0x1.46d3154953cdcp+80;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x1.9400000000000p+3, tail_center = 0x1.0000000000000p-5;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.2b0d6229dd223p-5, 0x1.376274c6f98abp-9, 0x1.2641efbc3a236p-13, 0x1.ff3755a634fddp-18,
      0x1.9c1932a4fc3d3p-22, 0x1.3692080cd2871p-26, 0x1.b83d312d9d88ep-31, 0x1.26e0dc6dbeb35p-35, 0x1.76d9558c82acfp-40,
      0x1.c5bdba3ea2d20p-45, 0x1.06488918f4158p-49, 0x1.225cd2761ebe2p-54, 0x1.3485f17b1f597p-59, 0x1.3b47c585344f0p-64,
      0x1.367312c750e0ep-69, 0x1.27193014abf81p-74, 0x1.0ef71228dc6d6p-79, 0x1.e05588a69c23ep-85, 0x1.9f26c63b848b5p-90,
      0x1.64863ed30d9d2p-95, 0x1.1bc329e6ca9bbp-100, 0x1.718db9af28a47p-106, 0x1.384de16e2f32bp-111, 0x1.a4a3014b6ffe4p-116,
      0x1.139f47f24d53bp-121};
  static constexpr double tail[] = {0x1.b17fde3794bb9p+0, 0x1.a6607eaf92408p+6, 0x1.44726ba93c2c2p+12, 0x1.9a98a8d19641fp+17,
      0x1.b74063d490007p+22, 0x1.93e26d3f1191cp+27, 0x1.42c796766f532p+32, 0x1.c3deaca45a1cep+36, 0x1.1674a6e6ef6b4p+41,
      0x1.2f1d38e8f9b9bp+45, 0x1.23ed438f63875p+49, 0x1.f1a73d3713738p+52, 0x1.76fdd23115313p+56, 0x1.f3b25cef8b228p+59,
      0x1.29615874b322ap+63, 0x1.167956ca5b67cp+66};
};

template <>
struct Coefficients<double, 26> {
  static constexpr double split = 0x1.a400000000000p+4, last = 0x1.0000000000000p+20, asymptote = 0x1.047034f66ec80p+85;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x1.a400000000000p+3, tail_center = 0x1.0000000000000p-5;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.206b44077b0a6p-5, 0x1.229da5ec6e1f2p-9, 0x1.0a6c881ddedd4p-13, 0x1.c1e5bef8610c6p-18,
      0x1.6110bd22562a5p-22, 0x1.036054311f482p-26, 0x1.66cf25d682852p-31, 0x1.d58c075298ecep-36, 0x1.23ca4eeca23e4p-40,
      0x1.59988c76a24f9p-45, 0x1.873642d00bdbdp-50, 0x1.a8563f9caa623p-55, 0x1.ba05840cc6e58p-60, 0x1.bb136fe51e59bp-65,
      0x1.ac24526174d41p-70, 0x1.8f7e5dd433527p-75, 0x1.688ff32692c73p-80, 0x1.3ade6a5bf5e36p-85, 0x1.09b652832b0ffp-90,
      0x1.b679e8a3f12d8p-96, 0x1.69356fdd68b2bp-101, 0x1.1265f61ede1e5p-106, 0x1.4f14c5f660214p-112, 0x1.12056f6ddd400p-117,
      0x1.6d4b0207f400cp-122, 0x1.cb3190bc81dc7p-128};
  static constexpr double tail[] = {0x1.d971e5144a858p+0, 0x1.fd4dd77e0dcefp+6, 0x1.aad5a044d02eep+12, 0x1.24de6a28ef750p+18,
      0x1.529c7b0a399f8p+23, 0x1.4fefdf4e0a251p+28, 0x1.2187bd778bca6p+33, 0x1.b541c4927e1a4p+37, 0x1.22fd345ddf81ap+42,
      0x1.56aaa28d2f671p+46, 0x1.65db68f6a9069p+50, 0x1.4bc2260e3e53ap+54, 0x1.110f6296f0a34p+58, 0x1.8fae598890e3ep+61,
      0x1.00fe402c25794p+65, 0x1.d739a2166d7fbp+67};
};

template <>
struct Coefficients<double, 27> {
  static constexpr double split = 0x1.b400000000000p+4, last = 0x1.0000000000000p+20, asymptote = 0x1.af59d7b8277b3p+89;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x1.b400000000000p+3, tail_center = 0x1.0000000000000p-5;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.16856c6237c58p-5, 0x1.0fe000351c622p-9, 0x1.e40ca34a86046p-14, 0x1.8d96dc2433f72p-18,
      0x1.2ffdc8272f5a1p-22, 0x1.b3b5816bf5441p-27, 0x1.264e1c95e9414p-31, 0x1.7875f97db58cep-36, 0x1.c9baf77cf2130p-41,
      0x1.09618188e3401p-45, 0x1.264e346010f43p-50, 0x1.38ee7c5cc5ad0p-55, 0x1.3fba32cf58b35p-60, 0x1.3a833a1bbbc62p-65,
      0x1.2a62d7f0ce1cap-70, 0x1.117c7db8735ddp-75, 0x1.e5298a38269e5p-81, 0x1.a0764af5d4362p-86, 0x1.5959128ede908p-91,
      0x1.1887da4a71cd5p-96, 0x1.c92d43a9cb06bp-102, 0x1.54cced45cefc5p-107, 0x1.8e756f47688e6p-113, 0x1.450a85879d1ecp-118,
      0x1.bb8441b000d90p-123, 0x1.11f1ace6e7b9cp-128};
  static constexpr double tail[] = {0x1.040928da66db4p+1, 0x1.34e6cfa76524ap+7, 0x1.1a2d91f9970cep+13, 0x1.a344a446657b9p+18,
      0x1.0578e2e73018fp+24, 0x1.174e1d682a042p+29, 0x1.02fb86e9237d2p+34, 0x1.a4d1a48c9fd56p+38, 0x1.2d8a13ac73f47p+43,
      0x1.7edc42052c6e1p+47, 0x1.aff19a566cd1dp+51, 0x1.b1bdccaa22f3ap+55, 0x1.8409899a46630p+59, 0x1.34b692a472236p+63,
      0x1.a33cb11fec94dp+66, 0x1.756cea8fda0c6p+69};
};

template <>
struct Coefficients<double, 28> {
  static constexpr double split = 0x1.c400000000000p+4, last = 0x1.0000000000000p+20, asymptote = 0x1.72b1356241edep+94;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x1.c400000000000p+3, tail_center = 0x1.0000000000000p-5;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.0d48df3a62b7bp-5, 0x1.fdcf36971f91dp-10, 0x1.b91585a5d815fp-14, 0x1.60bc68935c65cp-18,
      0x1.06f451f198f52p-22, 0x1.6fe8f641729b3p-27, 0x1.e5ad292694db2p-32, 0x1.2fcfe1352ad04p-36, 0x1.699547aa1b693p-41,
      0x1.9ab2b9cfac668p-46, 0x1.be6f456bcb31ap-51, 0x1.d18e7a9544897p-56, 0x1.d2c50775c055dp-61, 0x1.c2cb39611efbap-66,
      0x1.a4152359f10cep-71, 0x1.7a5c70da07cdap-76, 0x1.49f55476a7db9p-81, 0x1.1683196f1b7b8p-86, 0x1.c600ac188de06p-92,
      0x1.6b3f3f2501f4ap-97, 0x1.250bfb00a6d5ap-102, 0x1.acbdafdec835bp-108, 0x1.debbf6e0d8d74p-114, 0x1.8631ee45679b9p-119,
      0x1.10e788b838186p-123, 0x1.4b6c6aeccf1e1p-129};
  static constexpr double tail[] = {0x1.1f77df1bb0647p+1, 0x1.79324a01b31e4p+7, 0x1.773a56ac6b54cp+13, 0x1.2d67134f7dfc8p+19,
      0x1.94db6194df571p+24, 0x1.d0bb0444a4be6p+29, 0x1.ce97493f32c70p+34, 0x1.93623c88b24a8p+39, 0x1.366366104f62fp+44,
      0x1.a7a5478a4079bp+48, 0x1.0150784045bd0p+53, 0x1.16d11e59bb5bcp+57, 0x1.0da09d54eeb78p+61, 0x1.cca63e2e4f658p+64,
      0x1.43f71f9abc63dp+68, 0x1.172e67e7f094fp+71};
};

template <>
struct Coefficients<double, 29> {
  static constexpr double split = 0x1.d400000000000p+4, last = 0x1.0000000000000p+20, asymptote = 0x1.4a25d38b82b7ep+99;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x1.d400000000000p+3, tail_center = 0x1.0000000000000p-5;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.04a51b71d6dd2p-5, 0x1.def98091cfa52p-10, 0x1.93197b2e01c07p-14, 0x1.3a169fe482188p-18,
      0x1.c8e55a24f5f27p-23, 0x1.3836e97b8ed60p-27, 0x1.92fd2d281db6dp-32, 0x1.ed646083a37afp-37, 0x1.1f8c4b5523e2ep-41,
      0x1.40168ff8046d7p-46, 0x1.5535879a9f647p-51, 0x1.5d23a715291bap-56, 0x1.57a72d3eeae52p-61, 0x1.45fbe1ede444ap-66,
      0x1.2a8009c9ace17p-71, 0x1.084d9f1726e7dp-76, 0x1.c5686659f2f0ep-82, 0x1.7875b5d21f1d8p-87, 0x1.2da4e25152430p-92,
      0x1.dba64835b3917p-98, 0x1.7c44a3beeccb4p-103, 0x1.10fc155fef8c2p-108, 0x1.2249228e73c7ap-114, 0x1.d9a620693a830p-120,
      0x1.5426ff901eb6cp-124, 0x1.963fee323d9d9p-130};
  static constexpr double tail[] = {0x1.4006c2b4a9197p+1, 0x1.cff42b43d8139p+7, 0x1.f6285a265139bp+13, 0x1.b387c7cb941ebp+19,
      0x1.3a81980dc47e7p+25, 0x1.833cf95b0641ap+30, 0x1.9cf2a675467efp+35, 0x1.81a11d33d3312p+40, 0x1.3dda06debe77ap+45,
      0x1.d1188a4c3908ap+49, 0x1.2f3dd84b7d318p+54, 0x1.6137569e287e4p+58, 0x1.6ec175265a66fp+62, 0x1.4bf0ca42a005cp+66,
      0x1.dc21823784b6bp+69, 0x1.8c2e9decd8b82p+72};
};

template <>
struct Coefficients<double, 30> {
  static constexpr double split = 0x1.e400000000000p+4, last = 0x1.0000000000000p+20, asymptote = 0x1.305adf049c818p+104;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x1.e400000000000p+3, tail_center = 0x1.0000000000000p-5;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.f9176c1e1f49fp-6, 0x1.c2e023a3d48edp-10, 0x1.7163b0ceef114p-14, 0x1.18a2f1f6c3a8bp-18,
      0x1.8e905c7b0d969p-23, 0x1.0a3231b9da759p-27, 0x1.50245856d1be1p-32, 0x1.92f66e4dd5453p-37, 0x1.cc3b8b4d69e41p-42,
      0x1.f6549dd109f55p-47, 0x1.06adcb642d2bcp-51, 0x1.07d97a0ab8036p-56, 0x1.fe20dec1b782fp-62, 0x1.db7bd225ee28ep-67,
      0x1.ac05b2e8e0142p-72, 0x1.74a6a080bf254p-77, 0x1.3a49c2a832c4cp-82, 0x1.013956b071ed9p-87, 0x1.980ef2a810643p-93,
      0x1.387ac441e5ed7p-98, 0x1.d8712a0ad4db9p-104, 0x1.6c7e6936b01c9p-109, 0x1.f5176348b55dfp-115, 0x1.f04001cedbdc1p-121,
      0x1.8a2139cafe0fbp-126, 0x1.1ac89df050866p-130, 0x1.457fb5fe91973p-136};
  static constexpr double tail[] = {0x1.67063b7e8be37p+1, 0x1.1f9c1ad0e891ep+8, 0x1.5263df864c5c7p+14, 0x1.3c7be2deab1b3p+20,
      0x1.eab00e44513cap+25, 0x1.4375d705712a4p+31, 0x1.70d5f3c70244dp+36, 0x1.70181e0ae2f7ap+41, 0x1.4442c29031201p+46,
      0x1.fb6488335ff71p+50, 0x1.6213d44db436ap+55, 0x1.b974f52c3825ap+59, 0x1.e83f2e1d1b191p+63, 0x1.ce0c3d8b62e6ep+67,
      0x1.4dea49bce9020p+71, 0x1.0c1ef553218e9p+74};
};

template <>
struct Coefficients<double, 31> {
  static constexpr double split = 0x1.f400000000000p+4, last = 0x1.0000000000000p+20, asymptote = 0x1.22169c90652b7p+109;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x1.f400000000000p+3, tail_center = 0x1.0000000000000p-5;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.e9e01049a781fp-6, 0x1.a9322a6d4c9d2p-10, 0x1.535d6ce0474d6p-14, 0x1.f71dd0abe6b30p-19,
      0x1.5d04d34ad29edp-23, 0x1.c7ee71961eac6p-28, 0x1.19c6cf3addb16p-32, 0x1.4ae8ed9f94d1ap-37, 0x1.7281739f26f6fp-42,
      0x1.8cb23022e4598p-47, 0x1.9737b6d8829d7p-52, 0x1.91b0b73333a56p-57, 0x1.7d8808e82f31ep-62, 0x1.5d90ca290f94dp-67,
      0x1.3571ba6255e91p-72, 0x1.090939cebb077p-77, 0x1.b7f8d67839c18p-83, 0x1.628f503ed50e4p-88, 0x1.14e7354011ea1p-93,
      0x1.a12d08c97d342p-99, 0x1.37213a10f507fp-104, 0x1.dcca4eebb768fp-110, 0x1.41b95d998c5fcp-115, 0x1.2d993495fccb1p-121,
      0x1.e172c18954a01p-127, 0x1.6406dcb1ae465p-131, 0x1.935e1bdb7da1fp-137};
  static constexpr double tail[] = {0x1.9631f0b49d54dp+1, 0x1.67ad45bc45002p+8, 0x1.cb9795d38f870p+14, 0x1.cee9acc23ba01p+20,
      0x1.80aaf0eac8e3ap+26, 0x1.0f121bdf56ab7p+32, 0x1.49ec1e8bb1109p+37, 0x1.5f3171bc5b7a0p+42, 0x1.49f32e5997403p+47,
      0x1.136de5e22ef71p+52, 0x1.9a841372cd751p+56, 0x1.11dc7ede6e7c1p+61, 0x1.46933d4ffe407p+65, 0x1.57184f5ec06edp+69,
      0x1.2e95c550cd295p+73, 0x1.8bde31860119ap+76, 0x1.17db5bce9b473p+79};
};

template <>
struct Coefficients<double, 32> {
  static constexpr double split = 0x1.0200000000000p+5, last = 0x1.0000000000000p+20, asymptote = 0x1.1d8e421e2396cp+114;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x1.0200000000000p+4, tail_center = 0x1.0000000000000p-5;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.db8dd6e926efap-6, 0x1.91aa0cbca91a5p-10, 0x1.388857f255bcap-14, 0x1.c45c44a526dcdp-19,
      0x1.32be5665ed9c3p-23, 0x1.88157f6393331p-28, 0x1.da9fd8e8196cfp-33, 0x1.11259ca4a76b8p-37, 0x1.2bf3b0d6942aap-42,
      0x1.3b2d1ec15f30bp-47, 0x1.3db0dbbb90fbcp-52, 0x1.33e00e4f64ea7p-57, 0x1.1f6cb61cf9cc9p-62, 0x1.02f448609569dp-67,
      0x1.c301635a30d52p-73, 0x1.7c222dfd6cf26p-78, 0x1.369fa4294020dp-83, 0x1.ed21082b231b5p-89, 0x1.7b4b06be89573p-94,
      0x1.191609389554bp-99, 0x1.9dd0dbcda7366p-105, 0x1.3b3767da19ab4p-110, 0x1.a1929bb80e365p-116, 0x1.710e6f87091edp-122,
      0x1.28c4447baff92p-127, 0x1.c53bca016bf03p-132, 0x1.f996a73a1d4aep-138};
  static constexpr double tail[] = {0x1.cfd928f1cadf5p+1, 0x1.c604dae1c698dp+8, 0x1.3ab83fe7744a7p+15, 0x1.54f150e67e85dp+21,
      0x1.2f3fa41413847p+27, 0x1.c829f5b08e3abp+32, 0x1.27cd1df67fb13p+38, 0x1.4f3c6af53cec1p+43, 0x1.4f3ed8e34723dp+48,
      0x1.29ee0fe0abceap+53, 0x1.d8e1e64f157f9p+57, 0x1.4fc576153d816p+62, 0x1.a888d15d6130dp+66, 0x1.d383a5d790226p+70,
      0x1.a6d47da57bd2cp+74, 0x1.1398128d7cc7cp+78, 0x1.79ecb9ffd114dp+80};
};

template <>
struct Coefficients<double, 33> {
  static constexpr double split = 0x1.0a00000000000p+5, last = 0x1.0000000000000p+20, asymptote = 0x1.22047b269c252p+119;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x1.0a00000000000p+4, tail_center = 0x1.0000000000000p-5;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.ce0d0596ce8ddp-6, 0x1.7c0bcbb9dfab0p-10, 0x1.2079fc108fc86p-14, 0x1.97e53a51b982dp-19,
      0x1.0e83c13273b4cp-23, 0x1.52829acd132bcp-28, 0x1.9180b26093031p-33, 0x1.c52468cdf86b6p-38, 0x1.e841b083c6a53p-43,
      0x1.f7b1f5586fbc8p-48, 0x1.f2bce85291d57p-53, 0x1.db04ef782062dp-58, 0x1.b40aa127c3bfbp-63, 0x1.826fd28aaa6e9p-68,
      0x1.4b26e4b837ca6p-73, 0x1.12c24b236c32ap-78, 0x1.ba35206e3545cp-84, 0x1.59dc2a5c37495p-89, 0x1.060f81056d0f2p-94,
      0x1.7e249d471e566p-100, 0x1.15c28598a9974p-105, 0x1.a51a403bec510p-111, 0x1.11c59ec9a07b3p-116, 0x1.c628f71879a0bp-123,
      0x1.70facc42a12bfp-128, 0x1.238b01edebe15p-132, 0x1.404dec6e3d8abp-138};
  static constexpr double tail[] = {0x1.0b8c46cac8e13p+2, 0x1.217188d9544aep+9, 0x1.b2ea5c79d3bb7p+15, 0x1.fa16a693701a7p+21,
      0x1.e11f2d40ad88dp+27, 0x1.81a39c27a275dp+33, 0x1.0a08b8b3ba41cp+39, 0x1.4071fe83832f5p+44, 0x1.5474c25f72aa1p+49,
      0x1.416a17c14b7b1p+54, 0x1.0ee063f68cc97p+59, 0x1.97a9de46b975dp+63, 0x1.0f5aed0485c47p+68, 0x1.3644817c20accp+72,
      0x1.1d1a7008f5c46p+76, 0x1.706581ca8a525p+79, 0x1.ea30cc889b5a5p+81};
};

template <>
struct Coefficients<double, 34> {
  static constexpr double split = 0x1.1200000000000p+5, last = 0x1.0000000000000p+20, asymptote = 0x1.2f9cb0ec6b76dp+124;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x1.1200000000000p+4, tail_center = 0x1.0000000000000p-5;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.c14c178f5b282p-6, 0x1.6823693ec6373p-10, 0x1.0ad83205b5656p-14, 0x1.70cd6af90321ep-19,
      0x1.deae2f400540bp-24, 0x1.2559b9f4ec35fp-28, 0x1.5513194ba93a1p-33, 0x1.799e83a850a1ap-38, 0x1.8f65b1871d4cdp-43,
      0x1.94ae67d674607p-48, 0x1.89c3232ae4572p-53, 0x1.70b890fbf8797p-58, 0x1.4ce9e6877292dp-63, 0x1.225223c727aedp-68,
      0x1.e9cbe31745e4fp-74, 0x1.902af97b11596p-79, 0x1.3d391b78f3cadp-84, 0x1.e917580938f33p-90, 0x1.6d28b3a38c93fp-95,
      0x1.05f33029bb413p-100, 0x1.782c938dddc2dp-106, 0x1.1c0ff21127eb3p-111, 0x1.6a82057972339p-117, 0x1.18b6a54322643p-123,
      0x1.ce60f07c2aab1p-129, 0x1.7ad890ed4b04ep-133, 0x1.9a0b80afd12c6p-139};
  static constexpr double tail[] = {0x1.3816da1c43d7dp+2, 0x1.750891c9f51b3p+9, 0x1.2f67633172195p+16, 0x1.7abb3101d7af3p+22,
      0x1.804a3babb03fcp+28, 0x1.47c6b4664df2dp+34, 0x1.e05bd436e0d24p+39, 0x1.32f8ab706a1d6p+45, 0x1.59dbfa1066a8cp+50,
      0x1.5a146ad5906ebp+55, 0x1.34bb9f4e57195p+60, 0x1.e9ec8c2ce995cp+64, 0x1.54ceb6f788e91p+69, 0x1.90fe4fb4b59fcp+73,
      0x1.7388864d99c58p+77, 0x1.da24a66c9c77bp+80, 0x1.3253a4d896ac5p+83};
};

template <>
struct Coefficients<double, 35> {
  static constexpr double split = 0x1.1a00000000000p+5, last = 0x1.0000000000000p+20, asymptote = 0x1.4754eebee3dc2p+129;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x1.1a00000000000p+4, tail_center = 0x1.0000000000000p-5;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.b53b70703cb35p-6, 0x1.55c3a72efd420p-10, 0x1.eeac8d1864c04p-15, 0x1.4e50edb971baap-19,
      0x1.a8d25a56c1887p-24, 0x1.fe3c5e0df208fp-29, 0x1.22e5bb83cac1cp-33, 0x1.3c11e69261ae7p-38, 0x1.48474c6e41c69p-43,
      0x1.46d09621cff23p-48, 0x1.389aa849192b0p-53, 0x1.1fe4e3eb84985p-58, 0x1.ff8313758921ep-64, 0x1.b7113ddb7518bp-69,
      0x1.6cb5a953ae7ddp-74, 0x1.258b5eb466b17p-79, 0x1.ca61369666306p-85, 0x1.5bca00cc08125p-90, 0x1.010922fee1512p-95,
      0x1.702f05e5833ddp-101, 0x1.fa56153d92309p-107, 0x1.5e2ce788a64dap-112, 0x1.01129dde2fb85p-117, 0x1.3ae72ddb41be3p-123,
      0x1.bdd52a2db0577p-130, 0x1.6a3d0c6b89171p-135, 0x1.2c6ee1ad094bcp-139, 0x1.3a6e866a84ff3p-145};
  static constexpr double tail[] = {0x1.7078a325f8402p+2, 0x1.e64b65ececd49p+9, 0x1.aba6c5d977d92p+16, 0x1.1defc3e6928bap+23,
      0x1.353c667bca006p+29, 0x1.1844b8441bd6dp+35, 0x1.b39f21a67d73cp+40, 0x1.26e73a0204c47p+46, 0x1.5faee06aa5c33p+51,
      0x1.740e4e55eaa3bp+56, 0x1.5e01d7b4fa4c3p+61, 0x1.23273cc0a2818p+66, 0x1.a41c045db0eb8p+70, 0x1.f898cbf5cacddp+74,
      0x1.d49883963675fp+78, 0x1.2697140e5af9ap+82, 0x1.72039916a42b2p+84};
};

template <>
struct Coefficients<double, 36> {
  static constexpr double split = 0x1.2200000000000p+5, last = 0x1.0000000000000p+20, asymptote = 0x1.6b2238dbc4c83p+134;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x1.2200000000000p+4, tail_center = 0x1.0000000000000p-6;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.a9cd1b50d287ep-6, 0x1.44c50010ac93bp-10, 0x1.cb655d62f4619p-15, 0x1.2fcbd44123abap-19,
      0x1.7a203747e6dedp-24, 0x1.bd3b918f94671p-29, 0x1.f215eb8d86c7dp-34, 0x1.09a9394c940dep-38, 0x1.0f0e456eca0e2p-43,
      0x1.093b31fa55f27p-48, 0x1.f2f68d5b25780p-54, 0x1.c416957f56badp-59, 0x1.8b49b203b6113p-64, 0x1.4e151e7f1f971p-69,
      0x1.11553b5f462bfp-74, 0x1.b185dd4435cfap-80, 0x1.4d97ed97e89cep-85, 0x1.f31bbc0dfbf3ap-91, 0x1.6be9076815a4ep-96,
      0x1.00ff96a708aaap-101, 0x1.5bcc162349ee5p-107, 0x1.dbbf85539e187p-113, 0x1.5cc3ad9c9672dp-118, 0x1.a35c2a1b42c72p-124,
      0x1.11be042b25bd6p-130, 0x1.c676480fd261cp-136, 0x1.88fffc5ddcea6p-140, 0x1.9585b4ee0909ap-146};
  static constexpr double tail[] = {0x1.14d11b326bdc4p+0, 0x1.2eb878e2f5462p+6, 0x1.29026f39d379fp+12, 0x1.07af0ea31138ep+18,
      0x1.aa5d092b0d304p+23, 0x1.3b6fcae7c9c2ap+29, 0x1.acb6bac131d71p+34, 0x1.0c5ed62812d6ep+40, 0x1.36774e4f3415cp+45,
      0x1.493df2c00ba57p+50, 0x1.57d1fd6eaf97cp+55, 0x1.cf0ae7cca2b5dp+59, 0x1.dc8e394480e11p+65, -0x1.233fa5d930481p+70,
      0x1.c2a002a616604p+76, -0x1.3b3945742fb9dp+81, 0x1.b1265d75e27b2p+85};
};

template <>
struct Coefficients<double, 37> {
  static constexpr double split = 0x1.2a00000000000p+5, last = 0x1.0000000000000p+20, asymptote = 0x1.9e3308daac746p+139;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x1.2a00000000000p+4, tail_center = 0x1.0000000000000p-6;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.9ef493f6b5fb7p-6, 0x1.3504cd7969bd6p-10, 0x1.ab6a5903af642p-15, 0x1.14b44f51faf81p-19,
      0x1.517fb1705f8e1p-24, 0x1.85c1c81a62f1ap-29, 0x1.abf596caf2acap-34, 0x1.c05d44130179dp-39, 0x1.c18fce08b1525p-44,
      0x1.b08658f7ace6fp-49, 0x1.9035c21e31c2ep-54, 0x1.64dbc32134e2dp-59, 0x1.333208f7029e4p-64, 0x1.ff6b23bddd7eap-70,
      0x1.9c3fa621ce8e0p-75, 0x1.423412649b678p-80, 0x1.e8d5218290772p-86, 0x1.68a4e27047a4cp-91, 0x1.037f43e9bed86p-96,
      0x1.6978b9df300ecp-102, 0x1.e156c512a9d2dp-108, 0x1.45b7d5c066098p-113, 0x1.dd697990a9bdcp-119, 0x1.19b60214a892bp-124,
      0x1.5056a4f617a73p-131, 0x1.1ed1dbb69c393p-136, 0x1.03579320e92cdp-140, 0x1.07e7765cd9ee4p-146};
  static constexpr double tail[] = {0x1.1ddf4182c15ecp+0, 0x1.4a847674329efp+6, 0x1.56089860fdb88p+12, 0x1.3fc539bc2d8d4p+18,
      0x1.0ff65e25c98f2p+24, 0x1.a70ed6c4ff402p+29, 0x1.2e258fabec3c5p+35, 0x1.8d9105fd0a79dp+40, 0x1.e32b8f0dcdccep+45,
      0x1.0e7eec5e3b7d1p+51, 0x1.23073f1b54301p+56, 0x1.ca2937b84b61ap+60, 0x1.9520d30706c67p+66, -0x1.936e82bb083cep+70,
      0x1.a8c3b3cc0ff34p+77, -0x1.3bde7bf78bb39p+82, 0x1.ec5f7a89aff36p+86};
};

template <>
struct Coefficients<double, 38> {
  static constexpr double split = 0x1.3200000000000p+5, last = 0x1.0000000000000p+20, asymptote = 0x1.e563ce6042186p+144;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x1.3200000000000p+4, tail_center = 0x1.0000000000000p-6;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.94a6985a1835bp-6, 0x1.26649364bddb0p-10, 0x1.8e5a98ab6bff3p-15, 0x1.f92c052cf29f9p-20,
      0x1.2e08cfd11857cp-24, 0x1.563c5a0c8d47fp-29, 0x1.70f8718e5645fp-34, 0x1.7bcc217d96fc1p-39, 0x1.765ba8882269ep-44,
      0x1.623f66f53b18cp-49, 0x1.428a3985e8b19p-54, 0x1.1b1f96c043ca8p-59, 0x1.e00aa9ea0a240p-65, 0x1.89a97452de55ap-70,
      0x1.38baa2a2decf6p-75, 0x1.e1e7fb62e127ap-81, 0x1.6876ef17f3edbp-86, 0x1.0656e3d1b3629p-91, 0x1.74ad469ca39c5p-97,
      0x1.0008215437cd6p-102, 0x1.4f6cc2be1f994p-108, 0x1.c159d28ec15f1p-114, 0x1.49950439b32edp-119, 0x1.7db70bb5f1174p-125,
      0x1.9ca6492265600p-132, 0x1.6bff929d26228p-137, 0x1.5935312d5253ap-141, 0x1.5a81047505117p-147};
  static constexpr double tail[] = {0x1.2780d0629d348p+0, 0x1.692a6dcab869ep+6, 0x1.8a12a6b0e47e1p+12, 0x1.83c699149cc0ap+18,
      0x1.5ab7eb6eab2eap+24, 0x1.1b4bb342c4be4p+30, 0x1.a8ec850466f7dp+35, 0x1.25852fb611862p+41, 0x1.7675ffe815fecp+46,
      0x1.b97e4ae4efc02p+51, 0x1.eb8557e49da3cp+56, 0x1.b86f98f9c8b2bp+61, 0x1.54f7c7253b951p+67, -0x1.c4ef12852879ap+70,
      0x1.835a3f2377469p+78, -0x1.2f74782fe06a3p+83, 0x1.1054f41a56059p+88};
};

template <>
struct Coefficients<double, 39> {
  static constexpr double split = 0x1.3a00000000000p+5, last = 0x1.0000000000000p+20, asymptote = 0x1.23fe0a25e7c2ap+150;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x1.3a00000000000p+4, tail_center = 0x1.0000000000000p-6;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.8ad9010a2212ap-6, 0x1.18c96972a214cp-10, 0x1.73e2510c5cc1fp-15, 0x1.ce1c89ba56c3bp-20,
      0x1.0efa901b1cb89p-24, 0x1.2d624c05e26fep-29, 0x1.3f27ea5974d54p-34, 0x1.42e21ca546ad6p-39, 0x1.38f7f4b2fd9dfp-44,
      0x1.236087e89ee8ap-49, 0x1.052222864fa4ep-54, 0x1.c36f23473403fp-60, 0x1.790050756a1bdp-65, 0x1.30a92da60d473p-70,
      0x1.dd29a26100ff2p-76, 0x1.6a8527ae1a815p-81, 0x1.0b71b8ceec2e3p-86, 0x1.801bbc5c219d0p-92, 0x1.0d680013d832cp-97,
      0x1.6d303ea9afa14p-103, 0x1.d69e665b5fd23p-109, 0x1.382dc43afc3d9p-114, 0x1.cad84b1969f69p-120, 0x1.04bb9f562cb03p-125,
      0x1.f84468ecd3aa6p-133, 0x1.d020cd03d55dep-138, 0x1.cf4350eb8264fp-142, 0x1.cac90870f254cp-148};
  static constexpr double tail[] = {0x1.31c37d5b52917p+0, 0x1.8b07036749fb0p+6, 0x1.c652be51f1bf0p+12, 0x1.d654b05bf5418p+18,
      0x1.b9d81c1717999p+24, 0x1.7afe2a219fa99p+30, 0x1.2a3aae34c0465p+36, 0x1.b031a807728cfp+41, 0x1.212b72a6069a4p+47,
      0x1.662ef0aa695a5p+52, 0x1.9e58456936d2bp+57, 0x1.9c942d8cb9df1p+62, 0x1.1e751e018dc2ep+68, -0x1.066f7771f673ap+70,
      0x1.567e5f763df4fp+79, -0x1.16cc842aae4adp+84, 0x1.25a9ad90cdc9fp+89};
};

template <>
struct Coefficients<double, 40> {
  static constexpr double split = 0x1.4200000000000p+5, last = 0x1.0000000000000p+20, asymptote = 0x1.686d9486ca144p+155;
  static constexpr double scale = 0x1.0000000000000p+0, head_center = 0x1.4200000000000p+4, tail_center = 0x1.0000000000000p-6;
  static constexpr bool tail_in_r = false;
  static constexpr double head[] = {0x1.81829f4862a1dp-6, 0x1.0c1b7c834c9e4p-10, 0x1.5bb8cac81045ap-15, 0x1.a79233816855fp-20,
      0x1.e7674fed55588p-25, 0x1.0a258ec7b00fap-29, 0x1.14ee8036d7b77p-34, 0x1.137306e4bd11fp-39, 0x1.06a2d08d0a08ep-44,
      0x1.e149ab490ea6cp-50, 0x1.a8af96c7a729bp-55, 0x1.69939f2faa536p-60, 0x1.29894dfff9874p-65, 0x1.da01f66fb86fap-71,
      0x1.6e01ab4a4a257p-76, 0x1.12421ef13f0b2p-81, 0x1.8f32a2a35d102p-87, 0x1.1aecf8a52d10ap-92, 0x1.880360ac23ddfp-98,
      0x1.0627fd7936320p-103, 0x1.4c4146183676fp-109, 0x1.b4bc7d23345b1p-115, 0x1.41f78d040bc7bp-120, 0x1.67023a87068f1p-126,
      0x1.31ddd03de0701p-133, 0x1.2914fa8a978b3p-138, 0x1.3948640c34b6ep-142, 0x1.322cafd9bc700p-148};
  static constexpr double tail[] = {0x1.3cb6a75e5d060p+0, 0x1.b084fb781d06fp+6, 0x1.061ab2c7f7d0ap+13, 0x1.1d57ab2a41e33p+19,
      0x1.197dd3237a620p+25, 0x1.fa9c3bf0a20c0p+30, 0x1.a1f9299f49288p+36, 0x1.3d6fae35822c0p+42, 0x1.bd3012c150080p+47,
      0x1.2122fbbf1ce4fp+53, 0x1.5cb1a23a715eap+58, 0x1.79f24020567b1p+63, 0x1.e45ddccb03b2bp+68, 0x1.15106c3b23ceap+71,
      0x1.2683dc2bf7f0dp+80, -0x1.e799044a21ca8p+84, 0x1.352cbc834a763p+90};
};

}  // namespace tessera::boys::detail
