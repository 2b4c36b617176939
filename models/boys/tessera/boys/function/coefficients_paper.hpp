// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
// Written by models/boys/generate/generate.py; do not edit.
// clang-format off
#pragma once

namespace tessera::boys::detail {

/// The rational function p/q of the top order N on [0, 13).
template <class Real, int N>
struct PaperHead;

/// The rational function p/q of order 0 on [13, 28).
template <class Real>
struct PaperMiddle;

template <>
struct PaperMiddle<double> {
  static constexpr double p[] = {0x1.03b21959dc775p+0, 0x1.c014324217e68p-4, 0x1.395a96e16a119p-5, 0x1.9908cfca10696p-11,
      0x1.01be712154190p-12, -0x1.bd77e9537c459p-21, 0x1.0797b828afabdp-21, -0x1.d417dacf6c844p-29, 0x1.29501edfbb5efp-32};
  static constexpr double q[] = {0x1.0000000000000p+0, 0x1.fb14a742f67dep-4, -0x1.ab8bb50573a0ep-7, 0x1.6e698631eb2cbp-13,
      0x1.4a1d21eb5561bp-16, -0x1.26988c2e86230p-20, 0x1.d080699a7c6bep-26, -0x1.987cb4bc9c653p-32, 0x1.88a0eb1b264cbp-39,
      -0x1.44f75294b5057p-47};
};

template <>
struct PaperHead<double, 0> {
  static constexpr double p[] = {0x1.ffffffffffff8p-1, 0x1.c37b86790618ep-4, 0x1.6defe5198a92ap-5, 0x1.c15cce16f84e2p-10,
      0x1.a32bce5b34197p-12, 0x1.3dc25ff2d6aadp-18, 0x1.34c58ce7a63cdp-20, 0x1.876003b3379bfp-31, 0x1.1b1ff60c1b3a8p-30};
  static constexpr double q[] = {0x1.0000000000000p+0, 0x1.c37b867904eedp-4, 0x1.d923ad8eb3ab8p-13, -0x1.7c791cb81f899p-12,
      -0x1.3b731f93ae6dep-18, 0x1.90257cb545b92p-21, 0x1.059ae0211ee5ep-28, -0x1.4dd08dad7bfcep-30, 0x1.1267f69b81991p-35,
      -0x1.25353708a315bp-42};
};

template <>
struct PaperHead<double, 1> {
  static constexpr double p[] = {0x1.555555555555cp-2, -0x1.e5ca805e20bd9p-6, 0x1.6e5906c5eab44p-7, -0x1.2bab314ea0d10p-11,
      0x1.863f7df107c0ep-14, -0x1.84011ecc1be15p-19, 0x1.1f62072070bf7p-22, -0x1.2435abc42bfebp-28, 0x1.05c30cbd81d62p-32};
  static constexpr double q[] = {0x1.0000000000000p+0, 0x1.6a0dca98130ecp-7, -0x1.302198e735ca7p-8, -0x1.18ec65c8512b1p-15,
      0x1.6c13cfccfe563p-17, 0x1.51f9d68fa2939p-29, -0x1.0c323218bbcf1p-26, 0x1.b97a1edd8ccc3p-33, 0x1.063c2a428f0a2p-37,
      -0x1.57889f7b0adb2p-43};
};

template <>
struct PaperHead<double, 2> {
  static constexpr double p[] = {0x1.9999999999998p-3, -0x1.0d68c12b55f53p-5, 0x1.9f44a2288d558p-8, -0x1.0a28a81e2ed90p-11,
      0x1.793396e19c2a0p-15, -0x1.0df94e7fe90ffp-19, 0x1.b14e2ac2db94fp-24, -0x1.2ffa72c119bafp-29, 0x1.0856c842d59eep-34};
  static constexpr double q[] = {0x1.0000000000000p+0, 0x1.9861f102bf3b4p-5, -0x1.ac9c4774e0a70p-9, -0x1.948e3d286f5a2p-13,
      0x1.7e120574d6c22p-18, 0x1.81798553b08c8p-22, -0x1.214bf8455b4efp-27, -0x1.9c2e026b8884ap-32, 0x1.e6d6569563274p-37,
      -0x1.0730e3e71f438p-43};
};

template <>
struct PaperHead<double, 3> {
  static constexpr double p[] = {0x1.249249249248ep-3, -0x1.cf550134d2b93p-6, 0x1.248c727d33335p-8, -0x1.93932e7076634p-12,
      0x1.da91fd93bd0e5p-16, -0x1.629bb51005871p-20, 0x1.cb333283e7e98p-25, -0x1.4f9f0dc67102ep-30, 0x1.9fae036a979edp-36};
  static constexpr double q[] = {0x1.0000000000000p+0, 0x1.46f25a5555469p-4, -0x1.c9a322eb7e4cbp-11, -0x1.dfc02cde2f440p-13,
      -0x1.021e760f62bbcp-19, 0x1.539867755ac76p-22, 0x1.c01d690522c0fp-29, -0x1.42c7967bf6484p-32, 0x1.743e120b8d837p-39};
};

template <>
struct PaperHead<double, 4> {
  static constexpr double p[] = {0x1.c71c71c71c71cp-4, -0x1.e8f32d3031318p-7, 0x1.c7681fd05fc0cp-10, -0x1.4aadb6e3f8243p-14,
      0x1.1992260b11fdfp-18, -0x1.6fc555be77a3dp-25, 0x1.87017e0f25b32p-29, 0x1.b9cf5117f68c7p-35, 0x1.9ff6850c65067p-40,
      0x1.bdec66c9d6cd0p-46};
  static constexpr double q[] = {0x1.0000000000000p+0, -0x1.43b2f05876961p-2, 0x1.71c56b76ddc67p-5, -0x1.f291db72d6b2cp-9,
      0x1.b20272217cb24p-13, -0x1.f39c6bf8602a8p-18, 0x1.735be904a93a2p-23, -0x1.45de23b1bfe47p-29, 0x1.02636dc3b221cp-36};
};

template <>
struct PaperHead<double, 5> {
  static constexpr double p[] = {0x1.745d1745d1746p-4, -0x1.c37dda1894623p-7, 0x1.74a8535e754c2p-10, -0x1.3047194576309p-14,
      0x1.9a9d8e67e7902p-19, -0x1.d570bdb6e67f0p-25, 0x1.6c8edbfdb5fa3p-30, 0x1.0f300479d64f2p-37, 0x1.5a47397a2b588p-42,
      0x1.4a3fea816bebep-48};
  static constexpr double q[] = {0x1.0000000000000p+0, -0x1.38bd1b95fcdb3p-2, 0x1.58f81b7df40b2p-5, -0x1.c0ec5d6935d6fp-9,
      0x1.7906111363339p-13, -0x1.a296d85c06524p-18, 0x1.2c049b20cebb2p-23, -0x1.fbad3c172f96bp-30, 0x1.84287c040f0e3p-37};
};

template <>
struct PaperHead<double, 6> {
  static constexpr double p[] = {0x1.3b13b13b13b14p-4, -0x1.9856bd76be435p-7, 0x1.3bdd763a3e02bp-10, -0x1.0a856a26da858p-14,
      0x1.440717a67202dp-19, -0x1.a73dc67050dc7p-25, 0x1.c5212796154e8p-31, -0x1.769090085bfbap-41, 0x1.4e9f98336e018p-44,
      0x1.1f0222eb5c722p-50};
  static constexpr double q[] = {0x1.0000000000000p+0, -0x1.2e6bc580c5d40p-2, 0x1.42668e76eaae2p-5, -0x1.9545cc5939207p-9,
      0x1.48a069697850bp-13, -0x1.60231eec32ff5p-18, 0x1.e708f4701c87ep-24, -0x1.8d81a03647d01p-30, 0x1.25296f1cdd112p-37};
};

template <>
struct PaperHead<double, 7> {
  static constexpr double p[] = {0x1.1111111111111p-4, -0x1.6f7222b2016d1p-7, 0x1.10aa4951da477p-10, -0x1.cd057869bf2b3p-15,
      0x1.08398c2f3f8dap-19, -0x1.63bf6fa6b7cd1p-25, 0x1.43b310065fbacp-31, -0x1.2ba9dac83d817p-39, 0x1.6c018613f4511p-46,
      0x1.1b44e1b34614bp-52};
  static constexpr double q[] = {0x1.0000000000000p+0, -0x1.24b5f8bbe923ap-2, 0x1.2ddafd7642781p-5, -0x1.6eda0a9cb939ap-9,
      0x1.1f7464d48ec2dp-13, -0x1.29840ceb87a1bp-18, 0x1.8d4f47fe55b78p-24, -0x1.390312af89858p-30, 0x1.bd940f95a75cep-38};
};

template <>
struct PaperHead<double, 8> {
  static constexpr double p[] = {0x1.e1e1e1e1e1e1ep-5, -0x1.4add42aaab806p-7, 0x1.dc0d48cdb1946p-11, -0x1.8e037c9e669d3p-15,
      0x1.b5e678df3958fp-20, -0x1.25995a8a95683p-25, 0x1.eb3fd15590c19p-32, -0x1.255b9abba867cp-39, 0x1.b481446298384p-48,
      0x1.3683784027086p-54};
  static constexpr double q[] = {0x1.0000000000000p+0, -0x1.1b8fa65d31d8dp-2, 0x1.1b1d424584a57p-5, -0x1.4cf0986bd807dp-9,
      0x1.f89d1ed64318fp-14, -0x1.f8dda47688f20p-19, 0x1.45badc4f9ee99p-24, -0x1.efbf06464e0d8p-31, 0x1.54bc306880c89p-38};
};

template <>
struct PaperHead<double, 9> {
  static constexpr double p[] = {0x1.af286bca1af28p-5, -0x1.2ac869a2b4d2ep-7, 0x1.a2e059ec85fb5p-11, -0x1.5847f8c022e89p-15,
      0x1.6e61acb496c2dp-20, -0x1.e2f055db258d5p-26, 0x1.7f2d6d162bf50p-32, -0x1.eb12d0c9e6febp-40, 0x1.1c29c23e166c9p-49,
      0x1.73f4b75fe99c9p-56};
  static constexpr double q[] = {0x1.0000000000000p+0, -0x1.12ed171a21759p-2, 0x1.09fa92db53eb4p-5, -0x1.2eea3da606235p-9,
      0x1.bc5fbafe456e1p-14, -0x1.ae1c217b48d06p-19, 0x1.0c554086633a1p-24, -0x1.8abdc56e1107ep-31, 0x1.0628216b210d7p-38};
};

template <>
struct PaperHead<double, 10> {
  static constexpr double p[] = {0x1.8618618618618p-5, -0x1.0ed106f3cd9ffp-7, 0x1.72de58b1fabf8p-11, -0x1.2aca70243b317p-15,
      0x1.34afe857ad12ap-20, -0x1.8dd517c696cf9p-26, 0x1.2f4e6d271a194p-32, -0x1.89635bb844b9cp-40, 0x1.8d0c2f9bc40a8p-51,
      0x1.e0da774caa7b7p-58};
  static constexpr double q[] = {0x1.0000000000000p+0, -0x1.0ac44df42b768p-2, 0x1.f48f8731403b1p-6, -0x1.14426f22fefe7p-9,
      0x1.88931d18226a1p-14, -0x1.6fe05637d984bp-19, 0x1.bc2ecd4276352p-25, -0x1.3c048f033de2bp-31, 0x1.95d8cc12a15ddp-39};
};

template <>
struct PaperHead<double, 11> {
  static constexpr double p[] = {0x1.642c8590b2164p-5, -0x1.ecde9e40cda5ap-8, 0x1.4a140192c6c29p-11, -0x1.04489a999068fp-15,
      0x1.058d6a8cf3bbep-20, -0x1.48d7e0818cd99p-26, 0x1.e4b227e77522ep-33, -0x1.370aeb7fe87f5p-40, 0x1.2706f56f4377bp-52,
      0x1.4c3b74eaad2efp-59};
  static constexpr double q[] = {0x1.0000000000000p+0, -0x1.030b85fe02397p-2, 0x1.d7bb1d540aff8p-6, -0x1.f90c38a1b2d58p-10,
      0x1.5bddfe43342d2p-14, -0x1.3bd6afc939195p-19, 0x1.714bd8d6680d1p-25, -0x1.fc9fd961869d9p-32, 0x1.3bfd50d13abf5p-39};
};

template <>
struct PaperHead<double, 12> {
  static constexpr double p[] = {0x1.47ae147ae147bp-5, -0x1.c23dc9f8ff9edp-8, 0x1.271d95281d490p-11, -0x1.c7375601a3d9cp-16,
      0x1.bd6d584452edcp-21, -0x1.10ec7dbc25f17p-26, 0x1.8606c9d7cc81bp-33, -0x1.eab88fe3d9c75p-41, 0x1.cef3c28c17ef6p-54,
      0x1.e6e809a38b40dp-61};
  static constexpr double q[] = {0x1.0000000000000p+0, -0x1.f7746bb7912f5p-3, 0x1.bd343960aaa04p-6, -0x1.cea8ec16a65a5p-10,
      0x1.3525b938b6676p-14, -0x1.10259ade4d6d3p-19, 0x1.345e6f19e678ep-25, -0x1.9b5ed914e2b59p-32, 0x1.eedaa003f49e9p-40};
};

template <>
struct PaperHead<double, 13> {
  static constexpr double p[] = {0x1.2f684bda12f68p-5, -0x1.9cd81354a8112p-8, 0x1.08f3e21a07a8ep-11, -0x1.8f9a33766b067p-16,
      0x1.7d0a7cf493af3p-21, -0x1.c7069d0aea6fap-27, 0x1.3bc6a56f5a16ap-33, -0x1.83e731bc1ae87p-41, 0x1.7d176aa92fafbp-55,
      0x1.77c87b9ebfeaep-62};
  static constexpr double q[] = {0x1.0000000000000p+0, -0x1.e9941b5841ab2p-3, 0x1.a4c470334f5fep-6, -0x1.a8bdc98a28c0bp-10,
      0x1.138788d40ad40p-14, -0x1.d6b1acfb1ff95p-20, 0x1.029c7cab3d750p-25, -0x1.4e64eaff9257cp-32, 0x1.85b5725ec2706p-40};
};

template <>
struct PaperHead<double, 14> {
  static constexpr double p[] = {0x1.1a7b9611a7b96p-5, -0x1.7be38eb20b975p-8, 0x1.dd8aa0ee9de46p-12, -0x1.6013e7ed68180p-16,
      0x1.475b33d2f6cf7p-21, -0x1.7cf812741a9adp-27, 0x1.010eefaf68d6dp-33, -0x1.33c5b82b89ecfp-41, 0x1.47896a7867116p-56,
      0x1.2fdbbc33806a2p-63};
  static constexpr double q[] = {0x1.0000000000000p+0, -0x1.dc6741936b054p-3, 0x1.8e358368c1e2cp-6, -0x1.86ba084d36ab4p-10,
      0x1.ec7ae016e5ccap-15, -0x1.98725f720909ep-20, 0x1.b38f595c3beccp-26, -0x1.1122660793afdp-32, 0x1.3497f52f012a1p-40};
};

template <>
struct PaperHead<double, 15> {
  static constexpr double p[] = {0x1.0842108421084p-5, -0x1.5eb6b929570e6p-8, 0x1.afd6f0cfe6d8cp-12, -0x1.374a445c8e747p-16,
      0x1.1a5a97e2a6191p-21, -0x1.404e74863092dp-27, 0x1.a49c80b598dcep-34, -0x1.ea82cfa1da175p-42, 0x1.24c480914b678p-57,
      0x1.005889cc667bdp-64};
  static constexpr double q[] = {0x1.0000000000000p+0, -0x1.cfe00b21fcd21p-3, 0x1.795721d1c6005p-6, -0x1.68210d5bbe45cp-10,
      0x1.b944ab143668fp-15, -0x1.6395fb97de9d3p-20, 0x1.703afbf11f2f8p-26, -0x1.c03dd736610f8p-33, 0x1.eb492865c5b19p-41};
};

template <>
struct PaperHead<double, 16> {
  static constexpr double p[] = {0x1.f07c1f07c1f08p-6, -0x1.44c542d55f6dcp-8, 0x1.87c30f3614aa2p-12, -0x1.14249c8e22fcep-16,
      0x1.e8e79bcaa2768p-22, -0x1.0e65b34843df7p-27, 0x1.59baff2ef4f25p-34, -0x1.88a9f02b5088dp-42, 0x1.0f34a4d9ef7c4p-58,
      0x1.c18fddc46ef3dp-66};
  static constexpr double q[] = {0x1.0000000000000p+0, -0x1.c3f2bd6111b9bp-3, 0x1.66000d02e047ep-6, -0x1.4c89ff0440f15p-10,
      0x1.8c5c81e7e919dp-15, -0x1.36882574e300cp-20, 0x1.387b12c0bdae5p-26, -0x1.716d547ce6652p-33, 0x1.890aa97f2dd00p-41};
};

}  // namespace tessera::boys::detail
