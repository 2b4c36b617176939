// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
// Written by models/boys/generate/generate.py; do not edit.
// clang-format off
#pragma once

namespace tessera::boys::detail {

// Each times e^(-sixths x / 6).

/// The rational function p/q of the top order N on [0, end).
template <class Real, int N>
struct PaperHead;

/// The rational function p/q of order 0 from 13 (double) or 8 (float) to end.
template <class Real>
struct PaperMiddle;

/// The polynomial p of the top order N on [0, end).
template <class Real, int N>
struct PaperPolynomialHead;

/// The polynomial p of order 0 from 13 (double) or 8 (float) to end.
template <class Real>
struct PaperPolynomialMiddle;

template <>
struct PaperMiddle<double> {
  static constexpr int end = 28, sixths = 2;
  static constexpr double p[] = {0x1.05bd1c06d1f48p+0, 0x1.d59a74da3f1aep-4, 0x1.2f90675e6ecb4p-5, 0x1.706410d250d08p-11,
      0x1.da78d8c900b3dp-13, -0x1.1d9df99158267p-20, 0x1.d3d8b4a331db8p-22, -0x1.c39cb33bd1f44p-29, 0x1.fa48bcc38cd7bp-33};
  static constexpr double q[] = {0x1.0000000000000p+0, 0x1.1878a1ef4baebp-3, -0x1.27396017312cfp-6, 0x1.655c383ba6760p-11,
      -0x1.a62bc0e7d372ap-18, -0x1.46696db514c30p-22, 0x1.9396455358d55p-27, -0x1.9b8aeeb30ee5bp-33, 0x1.a8515627207aap-40,
      -0x1.6cb63800871efp-48};
};

template <>
struct PaperPolynomialMiddle<double> {
  static constexpr int end = 28, sixths = 2;
  static constexpr double p[] = {0x1.3bdb4e7baeb29p+0, -0x1.0474ef01d517ap-2, 0x1.67918b988d9f4p-3, -0x1.7419f2ebef852p-5,
      0x1.57b184836a69ap-7, -0x1.c98b1194d25b7p-10, 0x1.ea1693a9bb2c1p-13, -0x1.a1fec07744396p-16, 0x1.2303a2786c99dp-19,
      -0x1.4c36b77590fe2p-23, 0x1.39351346e4d06p-27, -0x1.e823d2942cc10p-32, 0x1.3a23f49e539f1p-36, -0x1.4c28bdb019dc3p-41,
      0x1.1dfc7ccaacfc8p-46, -0x1.8b2a305307c7dp-52, 0x1.ac89df77ddc53p-58, -0x1.60249b41a3481p-64, 0x1.9ddd7b0cf172dp-71,
      -0x1.377be42227038p-78, 0x1.c91026de09b41p-87};
};

template <>
struct PaperMiddle<float> {
  static constexpr int end = 13, sixths = 2;
  static constexpr float p[] = {0x1.aea1ac0000000p-1F, -0x1.af6da40000000p-9F, 0x1.5a446a0000000p-7F};
  static constexpr float q[] = {0x1.0000000000000p+0F, -0x1.e941e40000000p-4F, 0x1.4d84380000000p-8F, -0x1.4320d40000000p-14F};
};

template <>
struct PaperPolynomialMiddle<float> {
  static constexpr int end = 13, sixths = 2;
  static constexpr float p[] = {0x1.aa6f800000000p+0F, -0x1.22f0280000000p-1F, 0x1.0785b40000000p-2F, -0x1.8dfb8a0000000p-5F,
      0x1.c264400000000p-8F, -0x1.3406740000000p-11F, 0x1.1d90200000000p-15F, -0x1.2c4f460000000p-20F, 0x1.4511e80000000p-26F};
};

template <>
struct PaperHead<double, 0> {
  static constexpr int end = 13, sixths = 2;
  static constexpr double p[] = {0x1.fffffffffffd9p-1, 0x1.c5d349128c058p-4, 0x1.6e3703d83cc82p-5, 0x1.c6fb5f1a9b0b1p-10,
      0x1.a2d0d15345e97p-12, 0x1.47acf4eb7d1dcp-18, 0x1.32dd1c00d9e1ap-20, 0x1.13ad12a891bc7p-30, 0x1.16fdcde2306a4p-30};
  static constexpr double q[] = {0x1.0000000000000p+0, 0x1.c5d34912878f5p-4, 0x1.1021363ea2804p-12, -0x1.80a6c926f6873p-12,
      -0x1.4b073461ecceap-18, 0x1.994bdb0effbedp-21, 0x1.32c2da56af3a9p-28, -0x1.6265193eb9284p-30, 0x1.2578d9da032b7p-35,
      -0x1.3e057102db50dp-42};
};

template <>
struct PaperPolynomialHead<double, 0> {
  static constexpr int end = 13, sixths = 2;
  static constexpr double p[] = {0x1.fffffffffff85p-1, 0x1.b5ae2b3539d3ap-41, 0x1.6c16c16b1421fp-5, -0x1.71de3a18c6c03p-9,
      0x1.71de387413f29p-11, -0x1.de3674875252bp-15, 0x1.b13fdc735b2bfp-18, -0x1.059207401c0a2p-21, 0x1.44bce00f68bfbp-25,
      -0x1.4f9db8a18d06dp-29, 0x1.479a7adbb3c6ap-33, -0x1.1c0838634a7e3p-37, 0x1.c095ac7842897p-42, -0x1.363077b640f41p-46,
      0x1.6d5ec18ff1c23p-51, -0x1.58d70b75dc9f9p-56, 0x1.e34f3c75048d8p-62, -0x1.b7ea2e3237491p-68, 0x1.84381547530c3p-75};
};

template <>
struct PaperHead<float, 0> {
  static constexpr int end = 13, sixths = 2;
  static constexpr float p[] = {0x1.0000000000000p+0F, 0x1.9b7ad40000000p-4F, 0x1.5731fe0000000p-5F, 0x1.3281de0000000p-10F,
      0x1.4cf61c0000000p-12F, 0x1.35dc300000000p-20F, 0x1.4457c80000000p-21F};
  static constexpr float q[] = {0x1.0000000000000p+0F, 0x1.9b7ad20000000p-4F, -0x1.4e4b780000000p-9F, -0x1.f0cbe00000000p-12F,
      0x1.2c3e460000000p-17F, 0x1.2e5d540000000p-20F, -0x1.b886f40000000p-25F, 0x1.65b90a0000000p-31F};
};

template <>
struct PaperPolynomialHead<float, 0> {
  static constexpr int end = 13, sixths = 2;
  static constexpr float p[] = {0x1.0000000000000p+0F, 0x1.7684000000000p-29F, 0x1.6c16b80000000p-5F, -0x1.71dcf00000000p-9F,
      0x1.71d7cc0000000p-11F, -0x1.dde93e0000000p-15F, 0x1.b00ee80000000p-18F, -0x1.0250480000000p-21F, 0x1.37fb940000000p-25F,
      -0x1.2b09280000000p-29F, 0x1.f374160000000p-34F, -0x1.4022160000000p-38F, 0x1.3199300000000p-43F, -0x1.7080960000000p-49F,
      0x1.bbe8a00000000p-56F};
};

template <>
struct PaperHead<double, 1> {
  static constexpr int end = 13, sixths = 3;
  static constexpr double p[] = {0x1.5555555555613p-2, -0x1.f7d95fe33c28ep-6, 0x1.7153543f48481p-7, -0x1.3da284a06a869p-11,
      0x1.8c604b4c2aae4p-14, -0x1.a2d20c9a8ca02p-19, 0x1.2408a382ee554p-22, -0x1.3ddacd0b632cfp-28, 0x1.044525d7dee3dp-32};
  static constexpr double q[] = {0x1.0000000000000p+0, 0x1.fb691af474d15p-8, -0x1.33ef3abb19200p-8, -0x1.993440b55d23fp-17,
      0x1.74ebe314c6c3bp-17, -0x1.39e88fad765c7p-24, -0x1.0e5d15238d84ap-26, 0x1.c2e7363f848d8p-32, -0x1.b6bed6b8d8434p-43,
      -0x1.1ffc158ac77d5p-44};
};

template <>
struct PaperPolynomialHead<double, 1> {
  static constexpr int end = 13, sixths = 3;
  static constexpr double p[] = {0x1.55555555555cdp-2, -0x1.111111111ddfep-5, 0x1.ad1ad1aeec420p-7, -0x1.c2c6d780e8499p-11,
      0x1.4c90eb337df32p-13, -0x1.06da59cc387abp-17, 0x1.f05bb7f143f5dp-21, -0x1.3c315cf8d543dp-25, 0x1.b332889ec7763p-29,
      -0x1.d6630811a7bbap-34, 0x1.03893fb41023fp-37, -0x1.1a6d07b0c2724p-42, 0x1.34e0bc5d4121dp-46, -0x1.ef43fc8913f4cp-51,
      0x1.fc6b9e82eca83p-55, -0x1.74e818b9d27d1p-59, 0x1.bb19a6916d18bp-64, -0x1.3ce61ec8f0eddp-69, 0x1.fd8cc4859e4fap-76};
};

template <>
struct PaperHead<float, 1> {
  static constexpr int end = 13, sixths = 3;
  static constexpr float p[] = {0x1.5555560000000p-2F, -0x1.fda1900000000p-6F, 0x1.63c8e80000000p-7F, -0x1.272b300000000p-11F,
      0x1.4b335c0000000p-14F, -0x1.12d8060000000p-19F, 0x1.3050a80000000p-23F};
  static constexpr float q[] = {0x1.0000000000000p+0F, 0x1.b6068c0000000p-8F, -0x1.8c1cb20000000p-8F, 0x1.8622d00000000p-16F,
      0x1.333bc60000000p-16F, -0x1.368f0e0000000p-21F, -0x1.402db00000000p-30F, 0x1.89026c0000000p-33F};
};

template <>
struct PaperPolynomialHead<float, 1> {
  static constexpr int end = 13, sixths = 3;
  static constexpr float p[] = {0x1.5555560000000p-2F, -0x1.1111140000000p-5F, 0x1.ad1b040000000p-7F, -0x1.c2cdaa0000000p-11F,
      0x1.4cb0740000000p-13F, -0x1.0838640000000p-17F, 0x1.fa3a200000000p-21F, -0x1.6cc2cc0000000p-25F, 0x1.2d5ca80000000p-28F,
      -0x1.4286920000000p-32F, 0x1.e426560000000p-36F, -0x1.ed5b400000000p-40F, 0x1.9285e60000000p-44F, -0x1.7d47100000000p-49F,
      0x1.8d3d740000000p-55F};
};

template <>
struct PaperHead<double, 2> {
  static constexpr int end = 13, sixths = 3;
  static constexpr double p[] = {0x1.9999999999974p-3, -0x1.0e928ccfbbf5fp-5, 0x1.9f92c80dfed77p-8, -0x1.0ae3e81c6402ep-11,
      0x1.7772399b43b6cp-15, -0x1.0c64415314bf0p-19, 0x1.a8be68eb2510ep-24, -0x1.2836a404800bap-29, 0x1.f5d705f85f714p-35};
  static constexpr double q[] = {0x1.0000000000000p+0, 0x1.9290f6ccb849fp-5, -0x1.bd7fdd32f3bd7p-9, -0x1.9923ecaf959cbp-13,
      0x1.a57fa227600c3p-18, 0x1.966528bf18982p-22, -0x1.550811bf5e57fp-27, -0x1.d81a43b61b04bp-32, 0x1.3e7374c0dda68p-36,
      -0x1.9a54aa691063fp-43};
};

template <>
struct PaperPolynomialHead<double, 2> {
  static constexpr int end = 13, sixths = 3;
  static constexpr double p[] = {0x1.9999999999c44p-3, -0x1.5f15f15f31d70p-5, 0x1.2b12b12e1995cp-7, -0x1.16fa2a1380776p-10,
      0x1.f0d942110c85ap-14, -0x1.3d8e93b7ca6bep-17, 0x1.82790d7a78fc5p-21, -0x1.7764067b3c233p-25, 0x1.5c37decabcecfp-29,
      -0x1.10e24c1c60b31p-33, 0x1.9a5bb1603bd8ep-38, -0x1.0d6f9829cb2a9p-42, 0x1.4f6c1b50c5541p-47, -0x1.61ba6a95a1296p-52,
      0x1.3c2100001885dp-57, -0x1.83261d60b6f8bp-63, 0x1.16394e25b6441p-69};
};

template <>
struct PaperHead<float, 2> {
  static constexpr int end = 13, sixths = 3;
  static constexpr float p[] = {0x1.99999a0000000p-3F, -0x1.00dd7c0000000p-5F, 0x1.7c3d960000000p-8F, -0x1.b008da0000000p-12F,
      0x1.10a6720000000p-15F, -0x1.145d820000000p-20F, 0x1.44babe0000000p-25F};
  static constexpr float q[] = {0x1.0000000000000p+0F, 0x1.d71a480000000p-5F, -0x1.19ec7e0000000p-8F, -0x1.2b06c20000000p-12F,
      0x1.7e35900000000p-17F, 0x1.784f660000000p-21F, -0x1.53acba0000000p-25F, 0x1.2194420000000p-31F};
};

template <>
struct PaperPolynomialHead<float, 2> {
  static constexpr int end = 13, sixths = 3;
  static constexpr float p[] = {0x1.99999a0000000p-3F, -0x1.5f15f20000000p-5F, 0x1.2b12b20000000p-7F, -0x1.16fa3c0000000p-10F,
      0x1.f0da6a0000000p-14F, -0x1.3d94860000000p-17F, 0x1.82a01a0000000p-21F, -0x1.780c500000000p-25F, 0x1.5e10a20000000p-29F,
      -0x1.13fa940000000p-33F, 0x1.9dbe940000000p-38F, -0x1.030e540000000p-42F, 0x1.1363c80000000p-47F, -0x1.8b3bae0000000p-53F,
      0x1.4b90e00000000p-59F};
};

template <>
struct PaperHead<double, 3> {
  static constexpr int end = 13, sixths = 3;
  static constexpr double p[] = {0x1.2492492492430p-3, -0x1.d20b5542e5dfbp-6, 0x1.259c51d45b9ccp-8, -0x1.95909a30b6992p-12,
      0x1.d9bedb10e2ed5p-16, -0x1.60a0046ddce41p-20, 0x1.c1e4fb85299c3p-25, -0x1.45357c6c2b1b6p-30, 0x1.86447cbb8f21bp-36};
  static constexpr double q[] = {0x1.0000000000000p+0, 0x1.4233473ca47bep-4, -0x1.1b76774d51afbp-10, -0x1.f119e657761f2p-13,
      -0x1.79db97fa4b71bp-20, 0x1.7f17bda3ad79ep-22, 0x1.7b2f61f2fbc00p-29, -0x1.a462ecf201375p-32, 0x1.4d554b061b199p-38};
};

template <>
struct PaperPolynomialHead<double, 3> {
  static constexpr int end = 13, sixths = 3;
  static constexpr double p[] = {0x1.24924924922bap-3, -0x1.45145144ff37ep-5, 0x1.fc4e5082f2293p-8, -0x1.07b363b46deeep-10,
      0x1.bee59ad778601p-14, -0x1.2fb3e304e264bp-17, 0x1.6571ed38e6e0bp-21, -0x1.69aa2480f5541p-25, 0x1.470951fae5dedp-29,
      -0x1.06f899fcd2cf1p-33, 0x1.7ed7cb46c3d82p-38, -0x1.f038f6088e185p-43, 0x1.19e750eb5c5fbp-47, -0x1.09747ec3befe5p-52,
      0x1.815e35a89e5fap-58, -0x1.76034c2f56388p-64, 0x1.70e263c1b01f8p-71};
};

template <>
struct PaperHead<float, 3> {
  static constexpr int end = 13, sixths = 3;
  static constexpr float p[] = {0x1.24924a0000000p-3F, -0x1.a4985a0000000p-6F, 0x1.f342d60000000p-9F, -0x1.24baac0000000p-12F,
      0x1.29712e0000000p-16F, -0x1.303d520000000p-21F, 0x1.0dbd100000000p-26F};
  static constexpr float q[] = {0x1.0000000000000p+0F, 0x1.91bc800000000p-4F, -0x1.93bbcc0000000p-12F, -0x1.69585a0000000p-12F,
      -0x1.8e41c40000000p-18F, 0x1.4195b00000000p-21F, 0x1.1652160000000p-27F, -0x1.069a540000000p-31F};
};

template <>
struct PaperPolynomialHead<float, 3> {
  static constexpr int end = 8, sixths = 4;
  static constexpr float p[] = {0x1.24924a0000000p-3F, -0x1.0410520000000p-6F, 0x1.99ce7c0000000p-9F, -0x1.43998c0000000p-13F,
      0x1.5baa3e0000000p-16F, -0x1.ff9be20000000p-22F, 0x1.a320e00000000p-24F, -0x1.6d042c0000000p-28F, 0x1.011c280000000p-30F,
      -0x1.ee44960000000p-35F, 0x1.77faac0000000p-39F};
};

template <>
struct PaperHead<double, 4> {
  static constexpr int end = 13, sixths = 6;
  static constexpr double p[] = {0x1.c71c71c71c71cp-4, -0x1.e8f32d3031318p-7, 0x1.c7681fd05fc0cp-10, -0x1.4aadb6e3f8243p-14,
      0x1.1992260b11fdfp-18, -0x1.6fc555be77a3dp-25, 0x1.87017e0f25b32p-29, 0x1.b9cf5117f68c7p-35, 0x1.9ff6850c65067p-40,
      0x1.bdec66c9d6cd0p-46};
  static constexpr double q[] = {0x1.0000000000000p+0, -0x1.43b2f05876961p-2, 0x1.71c56b76ddc67p-5, -0x1.f291db72d6b2cp-9,
      0x1.b20272217cb24p-13, -0x1.f39c6bf8602a8p-18, 0x1.735be904a93a2p-23, -0x1.45de23b1bfe47p-29, 0x1.02636dc3b221cp-36};
};

template <>
struct PaperPolynomialHead<double, 4> {
  static constexpr int end = 13, sixths = 6;
  static constexpr double p[] = {0x1.c71c71c71d378p-4, 0x1.4afd6a0434093p-6, 0x1.975f47cfedee1p-9, 0x1.b287b29aa6660p-12,
      0x1.98f9bda0b4978p-15, 0x1.5850bc8425cb8p-18, 0x1.072282b858bc8p-21, 0x1.6370d48e13716p-25, 0x1.17fca0ececcacp-28,
      -0x1.ea0134bfad132p-35, 0x1.14ff08d6ee1bfp-33, -0x1.fe22143f3ce48p-36, 0x1.d71556c18863cp-38, -0x1.465d3867b57fep-40,
      0x1.70302d64603b7p-43, -0x1.495542461a8bbp-46, 0x1.d479cb6910b11p-50, -0x1.04aa7b0f46121p-53, 0x1.bde26c8930902p-58,
      -0x1.1b26fd62e7e82p-62, 0x1.f9cb072d3b236p-68, -0x1.1cc2ea41eaa72p-73, 0x1.365b78b9c8cf4p-80};
};

template <>
struct PaperHead<float, 4> {
  static constexpr int end = 13, sixths = 3;
  static constexpr float p[] = {0x1.c71c720000000p-4F, -0x1.5c6a260000000p-6F, 0x1.6924a80000000p-9F, -0x1.9b872a0000000p-13F,
      0x1.61a8a20000000p-17F, -0x1.52a9ce0000000p-22F, 0x1.c76d520000000p-28F};
  static constexpr float q[] = {0x1.0000000000000p+0F, 0x1.03ab7e0000000p-3F, 0x1.9366180000000p-9F, -0x1.33b0f20000000p-12F,
      -0x1.0c26220000000p-16F, 0x1.1ef8940000000p-22F, 0x1.03ea320000000p-25F, -0x1.75ace40000000p-31F};
};

template <>
struct PaperPolynomialHead<float, 4> {
  static constexpr int end = 8, sixths = 4;
  static constexpr float p[] = {0x1.c71c720000000p-4F, -0x1.13d32e0000000p-6F, 0x1.4dd1a20000000p-9F, -0x1.8442f80000000p-13F,
      0x1.080e220000000p-16F, -0x1.7844e60000000p-21F, 0x1.8f05d80000000p-25F, -0x1.6ee0260000000p-30F, 0x1.bb3a5c0000000p-34F,
      -0x1.0906520000000p-38F, 0x1.c114580000000p-42F, -0x1.43a5960000000p-46F, 0x1.96edca0000000p-51F};
};

template <>
struct PaperHead<double, 5> {
  static constexpr int end = 13, sixths = 6;
  static constexpr double p[] = {0x1.745d1745d1746p-4, -0x1.c37dda1894623p-7, 0x1.74a8535e754c2p-10, -0x1.3047194576309p-14,
      0x1.9a9d8e67e7902p-19, -0x1.d570bdb6e67f0p-25, 0x1.6c8edbfdb5fa3p-30, 0x1.0f300479d64f2p-37, 0x1.5a47397a2b588p-42,
      0x1.4a3fea816bebep-48};
  static constexpr double q[] = {0x1.0000000000000p+0, -0x1.38bd1b95fcdb3p-2, 0x1.58f81b7df40b2p-5, -0x1.c0ec5d6935d6fp-9,
      0x1.7906111363339p-13, -0x1.a296d85c06524p-18, 0x1.2c049b20cebb2p-23, -0x1.fbad3c172f96bp-30, 0x1.84287c040f0e3p-37};
};

template <>
struct PaperPolynomialHead<double, 5> {
  static constexpr int end = 13, sixths = 6;
  static constexpr double p[] = {0x1.745d1745d0985p-4, 0x1.ca4b3057e54dbp-7, 0x1.e8d8bb5827632p-10, 0x1.cc17647bba79cp-13,
      0x1.836f9c9035172p-16, 0x1.274f298a870afp-19, 0x1.98d086df63839p-23, 0x1.120f7e0008607p-26, 0x1.abf8374861e2fp-31,
      0x1.eca946da8cb23p-33, -0x1.6a2311bf265e5p-35, 0x1.9d22f5047da88p-37, -0x1.37605286ffe26p-39, 0x1.84602417511d4p-42,
      -0x1.79a775d986a3cp-45, 0x1.22a5cbdf55a47p-48, -0x1.5b50a8f007dacp-52, 0x1.3d73897c06cb1p-56, -0x1.acb1f2afdfdfbp-61,
      0x1.95bc6397bc2e6p-66, -0x1.e281c91d4b687p-72, 0x1.15c56764c208cp-78};
};

template <>
struct PaperHead<float, 5> {
  static constexpr int end = 8, sixths = 4;
  static constexpr float p[] = {0x1.745d180000000p-4F, -0x1.a583620000000p-7F, 0x1.51b2940000000p-10F, -0x1.de861a0000000p-15F,
      0x1.11eb320000000p-19F};
  static constexpr float q[] = {0x1.0000000000000p+0F, 0x1.3732900000000p-5F, -0x1.f1c0cc0000000p-9F, -0x1.a4b78e0000000p-13F,
      0x1.3384ca0000000p-18F, 0x1.563cce0000000p-22F};
};

template <>
struct PaperPolynomialHead<float, 5> {
  static constexpr int end = 8, sixths = 4;
  static constexpr float p[] = {0x1.745d180000000p-4F, -0x1.0b56880000000p-6F, 0x1.2758520000000p-9F, -0x1.86de7e0000000p-13F,
      0x1.d5a7ee0000000p-17F, -0x1.90549a0000000p-21F, 0x1.5845cc0000000p-25F, -0x1.b6f3d80000000p-30F, 0x1.4dc5880000000p-34F,
      -0x1.640b3c0000000p-39F, 0x1.7346220000000p-44F};
};

template <>
struct PaperHead<double, 6> {
  static constexpr int end = 13, sixths = 6;
  static constexpr double p[] = {0x1.3b13b13b13b14p-4, -0x1.9856bd76be435p-7, 0x1.3bdd763a3e02bp-10, -0x1.0a856a26da858p-14,
      0x1.440717a67202dp-19, -0x1.a73dc67050dc7p-25, 0x1.c5212796154e8p-31, -0x1.769090085bfbap-41, 0x1.4e9f98336e018p-44,
      0x1.1f0222eb5c722p-50};
  static constexpr double q[] = {0x1.0000000000000p+0, -0x1.2e6bc580c5d40p-2, 0x1.42668e76eaae2p-5, -0x1.9545cc5939207p-9,
      0x1.48a069697850bp-13, -0x1.60231eec32ff5p-18, 0x1.e708f4701c87ep-24, -0x1.8d81a03647d01p-30, 0x1.25296f1cdd112p-37};
};

template <>
struct PaperPolynomialHead<double, 6> {
  static constexpr int end = 13, sixths = 6;
  static constexpr double p[] = {0x1.3b13b13b14dafp-4, 0x1.5015014da7943p-7, 0x1.3c500212f21f7p-10, 0x1.0a5e347146b90p-13,
      0x1.95e955684b7fdp-17, 0x1.1a2bf7b218d67p-20, 0x1.6c4cbdd81213cp-24, 0x1.8d9c9767aa1ddp-28, 0x1.64a64d104acc6p-31,
      -0x1.d0b173840d826p-35, 0x1.ad7e9b9eaeaddp-36, -0x1.5781d082ef601p-38, 0x1.e24ec0497f89ep-41, -0x1.0033577f6a382p-43,
      0x1.adc3fc141f5a9p-47, -0x1.151a10662809cp-50, 0x1.0ff2ea5dde3b2p-54, -0x1.87f807d29e78cp-59, 0x1.8a810cbd400fap-64,
      -0x1.f0f4c19a35604p-70, 0x1.2f35fda3a1c53p-76};
};

template <>
struct PaperHead<float, 6> {
  static constexpr int end = 8, sixths = 4;
  static constexpr float p[] = {0x1.3b13b20000000p-4F, -0x1.67582a0000000p-7F, 0x1.010ce40000000p-10F, -0x1.5a5ef20000000p-15F,
      0x1.4238940000000p-20F};
  static constexpr float q[] = {0x1.0000000000000p+0F, 0x1.d687e20000000p-5F, -0x1.4fdce80000000p-9F, -0x1.0156fe0000000p-12F,
      0x1.07ba6e0000000p-24F, 0x1.ad9e9c0000000p-22F};
};

template <>
struct PaperPolynomialHead<float, 6> {
  static constexpr int end = 8, sixths = 4;
  static constexpr float p[] = {0x1.3b13b20000000p-4F, -0x1.f81f820000000p-7F, 0x1.0e2f000000000p-9F, -0x1.79f8ba0000000p-13F,
      0x1.b5f3be0000000p-17F, -0x1.8a343e0000000p-21F, 0x1.3dbd880000000p-25F, -0x1.a0b0e60000000p-30F, 0x1.f583160000000p-35F,
      -0x1.b5640c0000000p-40F, 0x1.17527c0000000p-45F};
};

template <>
struct PaperHead<double, 7> {
  static constexpr int end = 13, sixths = 6;
  static constexpr double p[] = {0x1.1111111111111p-4, -0x1.6f7222b2016d1p-7, 0x1.10aa4951da477p-10, -0x1.cd057869bf2b3p-15,
      0x1.08398c2f3f8dap-19, -0x1.63bf6fa6b7cd1p-25, 0x1.43b310065fbacp-31, -0x1.2ba9dac83d817p-39, 0x1.6c018613f4511p-46,
      0x1.1b44e1b34614bp-52};
  static constexpr double q[] = {0x1.0000000000000p+0, -0x1.24b5f8bbe923ap-2, 0x1.2ddafd7642781p-5, -0x1.6eda0a9cb939ap-9,
      0x1.1f7464d48ec2dp-13, -0x1.29840ceb87a1bp-18, 0x1.8d4f47fe55b78p-24, -0x1.390312af89858p-30, 0x1.bd940f95a75cep-38};
};

template <>
struct PaperPolynomialHead<double, 7> {
  static constexpr int end = 13, sixths = 6;
  static constexpr double p[] = {0x1.111111111149ap-4, 0x1.010101008ae80p-7, 0x1.b0d94560c91c3p-11, 0x1.49ca1108be8d8p-14,
      0x1.cad80aac714e9p-18, 0x1.25956f61cd2e5p-21, 0x1.5d221e7c5746ep-25, 0x1.74511c085144ap-29, 0x1.e842b3ee1088cp-33,
      -0x1.39b2a49c96095p-38, 0x1.5da274e478b19p-38, -0x1.0279ce9b76975p-40, 0x1.7302b5bf99e0dp-43, -0x1.8839d15bf6480p-46,
      0x1.4a190e682af48p-49, -0x1.a9e7ee4f909c5p-53, 0x1.a2f2425405498p-57, -0x1.2e7ae4d2014dep-61, 0x1.316ab5e82a6c7p-66,
      -0x1.821b60758f4c0p-72, 0x1.dae2740f71b91p-79};
};

template <>
struct PaperHead<float, 7> {
  static constexpr int end = 8, sixths = 4;
  static constexpr float p[] = {0x1.1111120000000p-4F, -0x1.3824700000000p-7F, 0x1.a199360000000p-11F, -0x1.1269680000000p-15F,
      0x1.c3606e0000000p-21F};
  static constexpr float q[] = {0x1.0000000000000p+0F, 0x1.2a2f240000000p-4F, -0x1.19ac1a0000000p-10F, -0x1.de2c160000000p-13F,
      -0x1.a40c380000000p-19F, 0x1.31bd380000000p-22F};
};

template <>
struct PaperPolynomialHead<float, 7> {
  static constexpr int end = 8, sixths = 4;
  static constexpr float p[] = {0x1.1111120000000p-4F, -0x1.d72c820000000p-7F, 0x1.f5fbf40000000p-10F, -0x1.6978360000000p-13F,
      0x1.9f295c0000000p-17F, -0x1.7dfbd80000000p-21F, 0x1.2f15aa0000000p-25F, -0x1.93ac120000000p-30F, 0x1.cac7f60000000p-35F,
      -0x1.7d1eac0000000p-40F, 0x1.77650a0000000p-46F};
};

template <>
struct PaperHead<double, 8> {
  static constexpr int end = 13, sixths = 6;
  static constexpr double p[] = {0x1.e1e1e1e1e1e1ep-5, -0x1.4add42aaab806p-7, 0x1.dc0d48cdb1946p-11, -0x1.8e037c9e669d3p-15,
      0x1.b5e678df3958fp-20, -0x1.25995a8a95683p-25, 0x1.eb3fd15590c19p-32, -0x1.255b9abba867cp-39, 0x1.b481446298384p-48,
      0x1.3683784027086p-54};
  static constexpr double q[] = {0x1.0000000000000p+0, -0x1.1b8fa65d31d8dp-2, 0x1.1b1d424584a57p-5, -0x1.4cf0986bd807dp-9,
      0x1.f89d1ed64318fp-14, -0x1.f8dda47688f20p-19, 0x1.45badc4f9ee99p-24, -0x1.efbf06464e0d8p-31, 0x1.54bc306880c89p-38};
};

template <>
struct PaperPolynomialHead<double, 8> {
  static constexpr int end = 13, sixths = 6;
  static constexpr double p[] = {0x1.e1e1e1e1e10fbp-5, 0x1.95cbb0bfc389cp-8, 0x1.352d79fc83fccp-11, 0x1.ae2922434e5b1p-15,
      0x1.134b6c8884bffp-18, 0x1.46726421613bbp-22, 0x1.65d2686cea27ap-26, 0x1.88e8f7cce0dd6p-30, 0x1.a73fb7f2ece1ep-35,
      0x1.15350e4c30c39p-36, -0x1.610d28f89d1e1p-39, 0x1.31b4f2efc737dp-41, -0x1.5f760e6af036ap-44, 0x1.45fe7d9f5c0f7p-47,
      -0x1.c7f2e523db0ddp-51, 0x1.e456a5d7f7a13p-55, -0x1.76b508d2d9380p-59, 0x1.93fd12f19bad2p-64, -0x1.0f557d90ba315p-69,
      0x1.63261e73af322p-76};
};

template <>
struct PaperHead<float, 8> {
  static constexpr int end = 8, sixths = 4;
  static constexpr float p[] = {0x1.e1e1e20000000p-5F, -0x1.099ce20000000p-7F, 0x1.4dc8a60000000p-11F, -0x1.a4774e0000000p-16F,
      0x1.4235720000000p-21F};
  static constexpr float q[] = {0x1.0000000000000p+0F, 0x1.71bf8a0000000p-4F, 0x1.e14e280000000p-11F, -0x1.6dcae20000000p-13F,
      -0x1.95e92e0000000p-18F, 0x1.57d1780000000p-24F};
};

template <>
struct PaperPolynomialHead<float, 8> {
  static constexpr int end = 8, sixths = 4;
  static constexpr float p[] = {0x1.e1e1e20000000p-5F, -0x1.b79caa0000000p-7F, 0x1.d635260000000p-10F, -0x1.58c62e0000000p-13F,
      0x1.8c31000000000p-17F, -0x1.70a4140000000p-21F, 0x1.23ca040000000p-25F, -0x1.87a4720000000p-30F, 0x1.b747140000000p-35F,
      -0x1.69c7c80000000p-40F, 0x1.48aab40000000p-46F};
};

template <>
struct PaperHead<double, 9> {
  static constexpr int end = 13, sixths = 6;
  static constexpr double p[] = {0x1.af286bca1af28p-5, -0x1.2ac869a2b4d2ep-7, 0x1.a2e059ec85fb5p-11, -0x1.5847f8c022e89p-15,
      0x1.6e61acb496c2dp-20, -0x1.e2f055db258d5p-26, 0x1.7f2d6d162bf50p-32, -0x1.eb12d0c9e6febp-40, 0x1.1c29c23e166c9p-49,
      0x1.73f4b75fe99c9p-56};
  static constexpr double q[] = {0x1.0000000000000p+0, -0x1.12ed171a21759p-2, 0x1.09fa92db53eb4p-5, -0x1.2eea3da606235p-9,
      0x1.bc5fbafe456e1p-14, -0x1.ae1c217b48d06p-19, 0x1.0c554086633a1p-24, -0x1.8abdc56e1107ep-31, 0x1.0628216b210d7p-38};
};

template <>
struct PaperHead<double, 10> {
  static constexpr int end = 13, sixths = 6;
  static constexpr double p[] = {0x1.8618618618618p-5, -0x1.0ed106f3cd9ffp-7, 0x1.72de58b1fabf8p-11, -0x1.2aca70243b317p-15,
      0x1.34afe857ad12ap-20, -0x1.8dd517c696cf9p-26, 0x1.2f4e6d271a194p-32, -0x1.89635bb844b9cp-40, 0x1.8d0c2f9bc40a8p-51,
      0x1.e0da774caa7b7p-58};
  static constexpr double q[] = {0x1.0000000000000p+0, -0x1.0ac44df42b768p-2, 0x1.f48f8731403b1p-6, -0x1.14426f22fefe7p-9,
      0x1.88931d18226a1p-14, -0x1.6fe05637d984bp-19, 0x1.bc2ecd4276352p-25, -0x1.3c048f033de2bp-31, 0x1.95d8cc12a15ddp-39};
};

template <>
struct PaperHead<double, 11> {
  static constexpr int end = 13, sixths = 6;
  static constexpr double p[] = {0x1.642c8590b2164p-5, -0x1.ecde9e40cda5ap-8, 0x1.4a140192c6c29p-11, -0x1.04489a999068fp-15,
      0x1.058d6a8cf3bbep-20, -0x1.48d7e0818cd99p-26, 0x1.e4b227e77522ep-33, -0x1.370aeb7fe87f5p-40, 0x1.2706f56f4377bp-52,
      0x1.4c3b74eaad2efp-59};
  static constexpr double q[] = {0x1.0000000000000p+0, -0x1.030b85fe02397p-2, 0x1.d7bb1d540aff8p-6, -0x1.f90c38a1b2d58p-10,
      0x1.5bddfe43342d2p-14, -0x1.3bd6afc939195p-19, 0x1.714bd8d6680d1p-25, -0x1.fc9fd961869d9p-32, 0x1.3bfd50d13abf5p-39};
};

template <>
struct PaperHead<double, 12> {
  static constexpr int end = 13, sixths = 6;
  static constexpr double p[] = {0x1.47ae147ae147bp-5, -0x1.c23dc9f8ff9edp-8, 0x1.271d95281d490p-11, -0x1.c7375601a3d9cp-16,
      0x1.bd6d584452edcp-21, -0x1.10ec7dbc25f17p-26, 0x1.8606c9d7cc81bp-33, -0x1.eab88fe3d9c75p-41, 0x1.cef3c28c17ef6p-54,
      0x1.e6e809a38b40dp-61};
  static constexpr double q[] = {0x1.0000000000000p+0, -0x1.f7746bb7912f5p-3, 0x1.bd343960aaa04p-6, -0x1.cea8ec16a65a5p-10,
      0x1.3525b938b6676p-14, -0x1.10259ade4d6d3p-19, 0x1.345e6f19e678ep-25, -0x1.9b5ed914e2b59p-32, 0x1.eedaa003f49e9p-40};
};

template <>
struct PaperHead<double, 13> {
  static constexpr int end = 13, sixths = 6;
  static constexpr double p[] = {0x1.2f684bda12f68p-5, -0x1.9cd81354a8112p-8, 0x1.08f3e21a07a8ep-11, -0x1.8f9a33766b067p-16,
      0x1.7d0a7cf493af3p-21, -0x1.c7069d0aea6fap-27, 0x1.3bc6a56f5a16ap-33, -0x1.83e731bc1ae87p-41, 0x1.7d176aa92fafbp-55,
      0x1.77c87b9ebfeaep-62};
  static constexpr double q[] = {0x1.0000000000000p+0, -0x1.e9941b5841ab2p-3, 0x1.a4c470334f5fep-6, -0x1.a8bdc98a28c0bp-10,
      0x1.138788d40ad40p-14, -0x1.d6b1acfb1ff95p-20, 0x1.029c7cab3d750p-25, -0x1.4e64eaff9257cp-32, 0x1.85b5725ec2706p-40};
};

template <>
struct PaperHead<double, 14> {
  static constexpr int end = 13, sixths = 6;
  static constexpr double p[] = {0x1.1a7b9611a7b96p-5, -0x1.7be38eb20b975p-8, 0x1.dd8aa0ee9de46p-12, -0x1.6013e7ed68180p-16,
      0x1.475b33d2f6cf7p-21, -0x1.7cf812741a9adp-27, 0x1.010eefaf68d6dp-33, -0x1.33c5b82b89ecfp-41, 0x1.47896a7867116p-56,
      0x1.2fdbbc33806a2p-63};
  static constexpr double q[] = {0x1.0000000000000p+0, -0x1.dc6741936b054p-3, 0x1.8e358368c1e2cp-6, -0x1.86ba084d36ab4p-10,
      0x1.ec7ae016e5ccap-15, -0x1.98725f720909ep-20, 0x1.b38f595c3beccp-26, -0x1.1122660793afdp-32, 0x1.3497f52f012a1p-40};
};

template <>
struct PaperHead<double, 15> {
  static constexpr int end = 13, sixths = 6;
  static constexpr double p[] = {0x1.0842108421084p-5, -0x1.5eb6b929570e6p-8, 0x1.afd6f0cfe6d8cp-12, -0x1.374a445c8e747p-16,
      0x1.1a5a97e2a6191p-21, -0x1.404e74863092dp-27, 0x1.a49c80b598dcep-34, -0x1.ea82cfa1da175p-42, 0x1.24c480914b678p-57,
      0x1.005889cc667bdp-64};
  static constexpr double q[] = {0x1.0000000000000p+0, -0x1.cfe00b21fcd21p-3, 0x1.795721d1c6005p-6, -0x1.68210d5bbe45cp-10,
      0x1.b944ab143668fp-15, -0x1.6395fb97de9d3p-20, 0x1.703afbf11f2f8p-26, -0x1.c03dd736610f8p-33, 0x1.eb492865c5b19p-41};
};

template <>
struct PaperHead<double, 16> {
  static constexpr int end = 13, sixths = 6;
  static constexpr double p[] = {0x1.f07c1f07c1f08p-6, -0x1.44c542d55f6dcp-8, 0x1.87c30f3614aa2p-12, -0x1.14249c8e22fcep-16,
      0x1.e8e79bcaa2768p-22, -0x1.0e65b34843df7p-27, 0x1.59baff2ef4f25p-34, -0x1.88a9f02b5088dp-42, 0x1.0f34a4d9ef7c4p-58,
      0x1.c18fddc46ef3dp-66};
  static constexpr double q[] = {0x1.0000000000000p+0, -0x1.c3f2bd6111b9bp-3, 0x1.66000d02e047ep-6, -0x1.4c89ff0440f15p-10,
      0x1.8c5c81e7e919dp-15, -0x1.36882574e300cp-20, 0x1.387b12c0bdae5p-26, -0x1.716d547ce6652p-33, 0x1.890aa97f2dd00p-41};
};

}  // namespace tessera::boys::detail
