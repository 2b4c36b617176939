// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/device/kokkos_compat.hpp"

// Written by models/bessel/generate/uniform_coefficients.py.

namespace tessera::bessel::detail {

/// Terms of the uniform expansion, enough where sqrt(nu^2 + x^2) >= kUniformFrom.
inline constexpr int kUniformTerms = 19;
inline constexpr double kUniformFrom = 25;

/// From this w = sqrt(nu^2 + x^2) on, the term k is below 2^-56 of the sum.
struct UniformLimit {
  KOKKOS_FORCEINLINE_FUNCTION static constexpr double at(int k) {
    constexpr double c[19] = {0x0.0p+0,
                              0x1.8000000000000p+54,
                              0x1.5e8add236a58fp+26,
                              0x1.7c69379f46057p+17,
                              0x1.3b8197de9b7bep+13,
                              0x1.c725d898a42bap+10,
                              0x1.2e34fd33d3be6p+9,
                              0x1.1a842222fcc14p+8,
                              0x1.45d0515a6d0ecp+7,
                              0x1.af23ea1e6580cp+6,
                              0x1.398f582d8b36cp+6,
                              0x1.e7ff61e458604p+5,
                              0x1.8f25339c45c1dp+5,
                              0x1.5301ea862233bp+5,
                              0x1.286e561f6e5f5p+5,
                              0x1.0932ce1843e75p+5,
                              0x1.e3418c71641dep+4,
                              0x1.bedb1ce3c3ebfp+4,
                              0x1.a238ca829950bp+4};
    return c[k];
  }
};

/// U_k of nu^2 / w^2: coefficient j of U_k at k (k + 1) / 2 + j.
struct UniformValue {
  KOKKOS_FORCEINLINE_FUNCTION static constexpr double at(int k) {
    constexpr double c[190] = {
        0x1.0000000000000p+0,   0x1.0000000000000p-3,   -0x1.aaaaaaaaaaaabp-3,
        0x1.2000000000000p-4,   -0x1.9aaaaaaaaaaabp-2,  0x1.5638e38e38e39p-2,
        0x1.2c00000000000p-4,   -0x1.c84cccccccccdp-1,  0x1.d8b1c71c71c72p+0,
        -0x1.069ba781948b1p+0,  0x1.cb60000000000p-4,   -0x1.2e9a666666666p+1,
        0x1.1940800000000p+3,   -0x1.669fc3f35ba78p+3,  0x1.2ada78a021b64p+2,
        0x1.d11e000000000p-3,   -0x1.d79a53a83a83bp+2,  0x1.5447ad6c16c17p+5,
        -0x1.6f45e11c71c72p+6,  0x1.528b7ca566307p+6,   -0x1.c364a631dd95fp+4,
        0x1.251ee80000000p-1,   -0x1.a7dce636db6dbp+4,  0x1.b4618ac15dc91p+7,
        -0x1.5dca313ad82d8p+9,  0x1.08ff639300000p+10,  -0x1.7ea050e044d42p+9,
        0x1.a923e815a1cf4p+7,   0x1.ba4c598000000p+0,   -0x1.b05d1a13b6db7p+6,
        0x1.2c39c95483d71p+10,  -0x1.4b9a5a063f1c7p+12, 0x1.6c3b258dcc4bep+13,
        -0x1.a8946669c5f9bp+13, 0x1.f7db8e0e6ff83p+12,  -0x1.dfdd4a56e48aep+10,
        0x1.84bd1aa980000p+2,   -0x1.edea5169e2492p+8,  0x1.bc583a953f412p+12,
        -0x1.41d14f581555cp+15, 0x1.dd58770920853p+16,  -0x1.8d4416b11fe98p+17,
        0x1.7811802863395p+17,  -0x1.7ad4992fff6c7p+16, 0x1.3bb12a52aa2fbp+14,
        0x1.8616a64f6c000p+4,   -0x1.387a934e97623p+11, 0x1.614589b7ecd85p+15,
        -0x1.43df4b09fcb1fp+18, 0x1.35a8d45f867f0p+20,  -0x1.5773d9d00c99dp+21,
        0x1.cb623a6199ae4p+21,  -0x1.6df7ff592a81cp+21, 0x1.404139d5a8d89p+20,
        -0x1.da73980d20117p+17, 0x1.b8118d37ff700p+6,   -0x1.b1f0b7d0cbfb1p+13,
        0x1.2cf699e52c822p+18,  -0x1.540a91065230fp+21, 0x1.958a7e55353d9p+23,
        -0x1.1e9d645493e4cp+25, 0x1.fa2b20232a522p+25,  -0x1.1ab04f0d89c04p+26,
        0x1.84bccd3f0fa29p+25,  -0x1.2cb3c31e51931p+24, 0x1.90efaed3176ecp+21,
        0x1.13aafea4e5774p+9,   -0x1.48256f009b97ep+16, 0x1.11e5c16c629afp+21,
        -0x1.7571ceb9ca037p+24, 0x1.0ef6a77985642p+27,  -0x1.d8ead78466863p+28,
        0x1.07e453034ac45p+30,  -0x1.827ee7a06eeffp+30, 0x1.7268078e48462p+30,
        -0x1.bff876bd73df6p+29, 0x1.367d9d22f8e58p+28,  -0x1.785a32d50ea99p+25,
        0x1.7bc2e57729724p+11,  -0x1.0c7a4a7b78e16p+19, 0x1.096da38dd1835p+24,
        -0x1.ad5adfbc76170p+27, 0x1.73c2e3e3845c1p+30,  -0x1.8733ea609e897p+32,
        0x1.0b89e3d8c9f56p+34,  -0x1.ec227ad1733f1p+34, 0x1.338fb49d78209p+35,
        -0x1.0207616f8514bp+35, 0x1.1679daa552eedp+34,  -0x1.5dab67540d45ep+32,
        0x1.84858f40f24dap+29,  0x1.1d47059b0d98ap+14,  -0x1.d8a2cb8a63829p+21,
        0x1.110d4e9701237p+27,  -0x1.0258a06e72954p+31, 0x1.06c7289bb5702p+34,
        -0x1.475491eb205f5p+36, 0x1.0c20dd26c89a3p+38,  -0x1.2c857cd0fac0cp+39,
        0x1.d575cfc9e2c3ap+39,  -0x1.ff7885a2e2725p+39, 0x1.7d7a79bfd9279p+39,
        -0x1.73aff169e1ddbp+38, 0x1.aa8a07524069bp+36,  -0x1.b579e01fd909fp+33,
        0x1.d0366d1f2a1fcp+16,  -0x1.bd61241f49dd0p+24, 0x1.294f68360d03fp+30,
        -0x1.452fdce361dedp+34, 0x1.7f8bafc20347bp+37,  -0x1.16981c00442e8p+40,
        0x1.0c7ef86c5c487p+42,  -0x1.6692d03f4fc93p+43, 0x1.53c36f1e925d7p+44,
        -0x1.ccd1190f05129p+44, 0x1.bcc7f72fa3f52p+44,  -0x1.2a8f68053f670p+44,
        0x1.091de1749afccp+43,  -0x1.18214409fe408p+41, 0x1.0aca592e16b75p+38,
        0x1.96ab69ba805e8p+19,  -0x1.bf624170b648dp+27, 0x1.55b4c489b95fdp+33,
        -0x1.abb30c9d41f8cp+37, 0x1.214acc7d910afp+41,  -0x1.e4231a32338f6p+43,
        0x1.0e915e49881c9p+46,  -0x1.a71b10ac0f97ep+47, 0x1.dbb73479600cap+48,
        -0x1.85ed9a23ccb78p+49, 0x1.d30151d4d5254p+49,  -0x1.947f1290b1214p+49,
        0x1.ed9e6cefe60bcp+48,  -0x1.92a1f52c0b7a6p+47, 0x1.8a317a4459106p+45,
        -0x1.5e64de75a4806p+42, 0x1.7da65df946f8bp+22,  -0x1.dd3ad540c4610p+30,
        0x1.9d7f5fdd32dd4p+36,  -0x1.258c4c70506d6p+41, 0x1.c337b3c824076p+44,
        -0x1.ae77ec0689828p+47, 0x1.13bb05a2903aep+50,  -0x1.f1df281e71adfp+51,
        0x1.4678cb08b74acp+53,  -0x1.3c7354c38a71ap+54, 0x1.c8b65d444fac0p+54,
        -0x1.e986473674e26p+54, 0x1.80787763a0616p+54,  -0x1.ae03f99bb5229p+53,
        0x1.44560eec11e37p+52,  -0x1.27d0e84f1180ep+50, 0x1.ed06d883c7d6cp+46,
        0x1.7e002ac418369p+25,  -0x1.0d62f0182a1dbp+34, 0x1.06cc4ec342dfcp+40,
        -0x1.a4062c9f3b6c3p+44, 0x1.6bd69bc1a45c4p+48,  -0x1.88436f58b2301p+51,
        0x1.1d2164f816f87p+54,  -0x1.25d7cfff31619p+56, 0x1.bb6299640b50dp+57,
        -0x1.f3b7a856e204cp+58, 0x1.a93af4ed25720p+59,  -0x1.11eab4c8bb84ap+60,
        0x1.099c0c1b7092fp+60,  -0x1.7d964d45c558cp+59, 0x1.89e3930b3b6e8p+58,
        -0x1.1446c7ccdc56fp+57, 0x1.d7b29319145e6p+54,  -0x1.71f57863fbe5ap+51,
        0x1.9635110813867p+28,  -0x1.40e70cc9eacddp+37, 0x1.5e1f58f95e662p+43,
        -0x1.38d5a9cde4a3fp+48, 0x1.2f440644dfd67p+52,  -0x1.6ead1e20cc175p+55,
        0x1.2be8ba9dc1b64p+58,  -0x1.5d6b4678505fbp+60, 0x1.2bebc10ef5bc7p+62,
        -0x1.83c4878e30c56p+63, 0x1.7ea65ea189174p+64,  -0x1.21f77db77fbbap+65,
        0x1.5139ecd0f2bf0p+65,  -0x1.2a7afa9c2e24ap+65, 0x1.8b08bfba4d477p+64,
        -0x1.7a91e93284aa2p+63, 0x1.f04ac0bdb47ffp+61,  -0x1.8e2ceacc35af1p+59,
        0x1.26f1dd54e5654p+56};
    return c[k];
  }
};

/// V_k of nu^2 / w^2, in the same order.
struct UniformSlope {
  KOKKOS_FORCEINLINE_FUNCTION static constexpr double at(int k) {
    constexpr double c[190] = {
        0x1.0000000000000p+0,   -0x1.8000000000000p-2,  0x1.2aaaaaaaaaaabp-2,
        -0x1.e000000000000p-4,  0x1.0800000000000p-1,   -0x1.9471c71c71c72p-2,
        -0x1.a400000000000p-4,  0x1.16d999999999ap+0,   -0x1.10b5555555555p+1,
        0x1.2580ca4587e6bp+0,   -0x1.2750000000000p-3,  0x1.659f333333333p+1,
        -0x1.3ec0911111111p+3,  0x1.8c5fbda12f685p+3,   -0x1.44d735339f140p+2,
        -0x1.1c3d000000000p-2,  0x1.10141c9249249p+3,   -0x1.7c501c2d82d83p+5,
        0x1.92405812f684cp+6,   -0x1.6da0e2c71c71cp+6,  0x1.e28612c28bc3ap+4,
        -0x1.5a6a580000000p-1,  0x1.e060c0a492492p+4,   -0x1.e250dcbac5f93p+7,
        0x1.7c34d15638e39p+9,   -0x1.1ca0876500000p+10, 0x1.974fd1f6fef25p+9,
        -0x1.c16f19eafb835p+7,  -0x1.fe58188000000p+0,  0x1.e33ae0e8db6dbp+6,
        -0x1.48d1935c90657p+10, 0x1.6621946d2570ap+12,  -0x1.8559b5629c97bp+13,
        0x1.c24fd177f1011p+13,  -0x1.098bed764fc49p+13, 0x1.f745be5b21a46p+10,
        -0x1.b8920d2680000p+2,  0x1.10f4049218000p+9,   -0x1.e2fbba1ca8edbp+12,
        0x1.59a7ececd48b8p+15,  -0x1.fc245daee08dcp+16, 0x1.a3f785b3ee892p+17,
        -0x1.8b5a9a6c198b0p+17, 0x1.8c7352eac9d0bp+16,  -0x1.4920319218eaep+14,
        -0x1.b3fb3258c4000p+4,  0x1.563d1b3db1fddp+11,  -0x1.7d888a7ef58d7p+15,
        0x1.5a355036d0544p+18,  -0x1.486d3e55ccb54p+20, 0x1.6a047dcd7510dp+21,
        -0x1.e1caec0ef2592p+21, 0x1.7e3be8905437ep+21,  -0x1.4d538fc97b7e2p+20,
        0x1.ec5af99009209p+17,  -0x1.e6643dc4a1100p+6,  0x1.d7ac9b4720803p+13,
        -0x1.4341c1bd42c4bp+18, 0x1.69fabb69d35d6p+21,  -0x1.acb6fa94975e6p+23,
        0x1.2d50214539043p+25,  -0x1.08db07e2c5c5cp+26, 0x1.26b7cfb184b82p+26,
        -0x1.93fb6be22958ap+25, 0x1.37a306b90569ep+24,  -0x1.9e86fe8377af4p+21,
        -0x1.2dec0ab499cbcp+9,  0x1.6265de48561efp+16,  -0x1.24c9767cb006bp+21,
        0x1.8c13db412b970p+24,  -0x1.1d9c33fca15bbp+27, 0x1.effc8a9d973b9p+28,
        -0x1.139ed3db9dbbfp+30, 0x1.9245640505c04p+30,  -0x1.80624b76ab9aep+30,
        0x1.cfb056f9feacdp+29,  -0x1.40abb31354fddp+28, 0x1.83eeb26d56018p+25,
        -0x1.9cc8b6a2ea449p+11, 0x1.205d6c71a7c2bp+19,  -0x1.1a8d7c8eb5bd6p+24,
        0x1.c5e3b95233b1fp+27,  -0x1.86d372db7e04fp+30, 0x1.9965f5475883ep+32,
        -0x1.16ec5a7a864c1p+34, 0x1.ff6f2043135fap+34,  -0x1.3ebed274a662ep+35,
        0x1.0ac68bca14708p+35,  -0x1.1f5106288a641p+34, 0x1.681b81568f946p+32,
        -0x1.8f774b2d24657p+29, -0x1.341980ef2329fp+14, 0x1.f93b4382470ffp+21,
        -0x1.2199bff57d543p+27, 0x1.104f9458bdf75p+31,  -0x1.1398adb609373p+34,
        0x1.55e0dcab9ef77p+36,  -0x1.171288232461dp+38, 0x1.37dca356734f5p+39,
        -0x1.e5eeb7a40ea69p+39, 0x1.081ec2e9189b9p+40,  -0x1.89375a0ca4c27p+39,
        0x1.7e75f8693dbf0p+38,  -0x1.b639a554814d1p+36, 0x1.c0d6ceac4fb72p+33,
        -0x1.f29945cc23c35p+16, 0x1.da1d15efc23ddp+24,  -0x1.3a4ca15db5fcep+30,
        0x1.55dcfbe87a94ep+34,  -0x1.91628e421b3f2p+37, 0x1.227301f562512p+40,
        -0x1.1706759dc9505p+42, 0x1.739cce82c70d0p+43,  -0x1.5f47e3b3222c9p+44,
        0x1.db72260b6ee26p+44,  -0x1.ca0ee3d18a48ep+44, 0x1.32f8675853377p+44,
        -0x1.102fbe81f4742p+43, 0x1.1f38ca9f4f387p+41,  -0x1.113817793930fp+38,
        -0x1.b2b73c0dfbfb1p+19, 0x1.da7f7bb59a8b5p+27,  -0x1.682d3ddd46daap+33,
        0x1.c090137938b3cp+37,  -0x1.2e264d0bae3eap+41, 0x1.f7e5d758d2663p+43,
        -0x1.18c727e20ad53p+46, 0x1.b5f397fe72f28p+47,  -0x1.eb5018d14a04bp+48,
        0x1.91ed093897f06p+49,  -0x1.e08aa21dc8c5ep+49, 0x1.9f941694a7f49p+49,
        -0x1.fa70ab9c5d0f6p+48, 0x1.9c92fe62dc5aap+47,  -0x1.9377e991400dcp+45,
        0x1.66449e6cc7d6ap+42,  -0x1.9645bee011be7p+22, 0x1.f8800602a3b70p+30,
        -0x1.b2b3daef1b376p+36, 0x1.3333917b7dd7bp+41,  -0x1.d66b1807201d8p+44,
        0x1.bf597ccf93ec0p+47,  -0x1.1dc1d2a3d1fbdp+50, 0x1.015fd5d2fe055p+52,
        -0x1.50d6064e1271bp+53, 0x1.45e5946dad24cp+54,  -0x1.d593d6e147197p+54,
        0x1.f69419533725ep+54,  -0x1.8a343999ff2ccp+54, 0x1.b86099d6fa455p+53,
        -0x1.4bcacb964743ep+52, 0x1.2e51476fc04e4p+50,  -0x1.f768001ac3f64p+46,
        -0x1.9526f70e0a2a6p+25, 0x1.1bf2aa0ba203ap+34,  -0x1.139e142a71d7fp+40,
        0x1.b6b11d89dd5a3p+44,  -0x1.7ab058f890f25p+48, 0x1.9710d8fb70758p+51,
        -0x1.272290eed4687p+54, 0x1.2f7a2ac037327p+56,  -0x1.c9071c242b2bfp+57,
        0x1.0119da51cd541p+59,  -0x1.b4e164d796b0bp+59, 0x1.1908133efc3bap+60,
        -0x1.102af6485d3aep+60, 0x1.8690cd95b7eb7p+59,  -0x1.92bd8ad7b5938p+58,
        0x1.1a37c95825e53p+57,  -0x1.e16c5c11addc5p+54, 0x1.7948e7c3befbep+51,
        -0x1.ad6b4c84e170ep+28, 0x1.515bec9fc2552p+37,  -0x1.6e683f5850edep+43,
        0x1.4625905960c0bp+48,  -0x1.3b2893105c110p+52, 0x1.7c028a4739e9ap+55,
        -0x1.36135477b6ec2p+58, 0x1.6882ff90736efp+60,  -0x1.34dfafe5606a3p+62,
        0x1.8eb0d37c8fe43p+63,  -0x1.88da97c49028fp+64, 0x1.294ec4f33bacfp+65,
        -0x1.595a2a0a6ab74p+65, 0x1.31578d9cd3fc4p+65,  -0x1.93b75bda873dcp+64,
        0x1.828a342b7f5f8p+63,  -0x1.fa516f4d2c829p+61, 0x1.95e83276b2ff9p+59,
        -0x1.2c75306c04004p+56};
    return c[k];
  }
};

inline constexpr int kLogarithms = 64;

/// log(1 + (2i + 1) / 128), each as the sum of two numbers.
struct Logarithms {
  KOKKOS_FORCEINLINE_FUNCTION static double at(int k) {
    static constexpr double c[128] = {
        0x1.fe02a6b106789p-8, -0x1.e44b7e3711ebfp-67, 0x1.7b91b07d5b11bp-6, -0x1.5b602ace3a510p-60,
        0x1.39e87b9febd60p-5, -0x1.5bfa937f551bbp-59, 0x1.b42dd711971bfp-5, -0x1.eb9759c130499p-60,
        0x1.16536eea37ae1p-4, -0x1.79da3e8c22cdap-60, 0x1.51b073f06183fp-4, 0x1.a49e39a1a8be4p-58,
        0x1.8c345d6319b21p-4, -0x1.4a697ab3424a9p-61, 0x1.c5e548f5bc743p-4, 0x1.5d617ef8161b1p-60,
        0x1.fec9131dbeabbp-4, -0x1.5746b9981b36cp-58, 0x1.1b72ad52f67a0p-3, 0x1.483023472cd74p-58,
        0x1.371fc201e8f74p-3, 0x1.de6cb62af18a0p-58,  0x1.526e5e3a1b438p-3, -0x1.746ff8a470d3ap-57,
        0x1.6d60fe719d21dp-3, -0x1.caae268ecd179p-57, 0x1.87fa06520c911p-3, -0x1.bf7fdbfa08d9ap-57,
        0x1.a23bc1fe2b563p-3, 0x1.93711b07a998cp-59,  0x1.bc286742d8cd6p-3, 0x1.4fce744870f55p-58,
        0x1.d5c216b4fbb91p-3, 0x1.6e443597e4d40p-57,  0x1.ef0adcbdc5936p-3, 0x1.48637950dc20dp-57,
        0x1.0402594b4d041p-2, -0x1.28ec217a5022dp-57, 0x1.1058bf9ae4ad5p-2, 0x1.89fa0ab4cb31dp-58,
        0x1.1c898c16999fbp-2, -0x1.0e5c62aff1c44p-60, 0x1.2895a13de86a3p-2, 0x1.7ad24c13f040ep-56,
        0x1.347dd9a987d55p-2, -0x1.4dd4c580919f8p-57, 0x1.404308686a7e4p-2, -0x1.0bcfb6082ce6dp-56,
        0x1.4be5f957778a1p-2, -0x1.259b35b04813dp-57, 0x1.5767717455a6cp-2, 0x1.526adb283660cp-56,
        0x1.62c82f2b9c795p-2, 0x1.7b7af915300e5p-57,  0x1.6e08eaa2ba1e4p-2, -0x1.cfb1b39ca3a0fp-56,
        0x1.792a55fdd47a2p-2, 0x1.f057691fe9ed7p-56,  0x1.842d1da1e8b17p-2, 0x1.24ec519784676p-56,
        0x1.8f11e873662c7p-2, 0x1.f85da755a61a3p-56,  0x1.99d958117e08bp-2, -0x1.a2b6889dc3e72p-57,
        0x1.a484090e5bb0ap-2, 0x1.5fe535b875a75p-57,  0x1.af1293247786bp-2, 0x1.133844a15dc28p-58,
        0x1.b9858969310fbp-2, 0x1.663ec53e23bc4p-56,  0x1.c3dd7a7cdad4dp-2, 0x1.cecf052dea69bp-56,
        0x1.ce1af0b85f3ebp-2, 0x1.edf4af2ab4267p-56,  0x1.d83e7258a2f3ep-2, 0x1.41456e8bb2511p-56,
        0x1.e24881a7c6c26p-2, 0x1.cbd8f45954a46p-58,  0x1.ec399d2468cc0p-2, 0x1.75cee53f35397p-58,
        0x1.f6123fa7028acp-2, 0x1.8515b0f2db341p-56,  0x1.ffd2e0857f498p-2, 0x1.565f40d9321afp-56,
        0x1.04bdf9da926d2p-1, 0x1.97f304022c9dfp-55,  0x1.0986f4f573521p-1, -0x1.1b8095ac02f01p-55,
        0x1.0e44985d1cc8cp-1, -0x1.22a3442d2d384p-58, 0x1.12f719593efbcp-1, 0x1.4c048c671f435p-55,
        0x1.179eabbd899a1p-1, -0x1.00e7c6417e0b4p-55, 0x1.1c3b81f713c25p-1, -0x1.0dac1c4c810e9p-55,
        0x1.20cdcd192ab6ep-1, -0x1.b2bf0bc229014p-55, 0x1.2555bce98f7cbp-1, 0x1.e021d6d6881e7p-56,
        0x1.29d37fec2b08bp-1, -0x1.bd1949a2d1982p-56, 0x1.2e47436e40268p-1, 0x1.0150861a4886bp-55,
        0x1.32b1339121d71p-1, 0x1.902ab5b3d916bp-56,  0x1.37117b54747b6p-1, -0x1.d117edbdd9103p-56,
        0x1.3b68449fffc23p-1, -0x1.41c484f9e9b26p-55, 0x1.3fb5b84d16f42p-1, 0x1.6d3a754172aefp-55,
        0x1.43f9fe2f9ce67p-1, 0x1.e9c9ee6d83b86p-55,  0x1.48353d1ea88dfp-1, 0x1.cf57a2ecc07f4p-55,
        0x1.4c679afccee3ap-1, -0x1.3a5c4c8b39e41p-55, 0x1.50913cc01686bp-1, 0x1.2f2ce96c2d5b1p-55,
        0x1.54b2467999498p-1, -0x1.5baaf5d2f09f4p-55, 0x1.58cadb5cd7989p-1, 0x1.849792ec98458p-56,
        0x1.5cdb1dc6c1765p-1, -0x1.cc2470e8a3df4p-55, 0x1.60e32f44788d9p-1, -0x1.ac1bb52fa589bp-56};
    return c[k];
  }
};

}  // namespace tessera::bessel::detail
