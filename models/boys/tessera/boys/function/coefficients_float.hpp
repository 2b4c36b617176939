// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
// Written by models/boys/generate/generate.py; do not edit.
// clang-format off
#pragma once

#include "tessera/boys/function/coefficients.hpp"

namespace tessera::boys::detail {

/// e^z for |z| <= log(2)/2.
template <>
struct ExponentialCoefficients<float> {
  static constexpr float c[] = {0x1.0000000000000p+0F, 0x1.0000000000000p+0F, 0x1.fffffa0000000p-2F, 0x1.55540a0000000p-3F,
      0x1.55589c0000000p-5F, 0x1.126d660000000p-7F, 0x1.6ab8f20000000p-10F};
};

/// 1 / (2n + 1); of the two neighbours in floating point, the one that keeps the product of all closest to its exact value.
template <>
struct InverseOdd<float> {
  static constexpr float c[] = {0x1.0000000000000p+0F, 0x1.5555560000000p-2F, 0x1.9999980000000p-3F, 0x1.24924a0000000p-3F,
      0x1.c71c720000000p-4F, 0x1.745d160000000p-4F, 0x1.3b13b20000000p-4F, 0x1.1111100000000p-4F, 0x1.e1e1e20000000p-5F,
      0x1.af286c0000000p-5F, 0x1.8618620000000p-5F, 0x1.642c860000000p-5F, 0x1.47ae140000000p-5F, 0x1.2f684c0000000p-5F,
      0x1.1a7b960000000p-5F, 0x1.0842100000000p-5F, 0x1.f07c200000000p-6F, 0x1.d41d420000000p-6F, 0x1.bacf920000000p-6F,
      0x1.a41a420000000p-6F, 0x1.8f9c180000000p-6F, 0x1.7d05f40000000p-6F, 0x1.6c16c20000000p-6F, 0x1.5c98820000000p-6F,
      0x1.4e5e0c0000000p-6F, 0x1.4141400000000p-6F, 0x1.3521d00000000p-6F, 0x1.29e4120000000p-6F, 0x1.1f70480000000p-6F,
      0x1.15b1e60000000p-6F, 0x1.0c97160000000p-6F, 0x1.0410400000000p-6F, 0x1.f81f820000000p-7F, 0x1.e9131c0000000p-7F,
      0x1.dae6060000000p-7F, 0x1.cd856a0000000p-7F, 0x1.c0e0700000000p-7F, 0x1.b4e81c0000000p-7F, 0x1.a98ef60000000p-7F,
      0x1.9ec8e80000000p-7F};
};

template <>
struct Coefficients<float, 0> {
  static constexpr float split = 0x1.8000000000000p+1F, last = 0x1.0000000000000p+20F, asymptote = 0x1.c5bf8a0000000p-1F;
  static constexpr float scale = 0x1.0000000000000p+0F, head_center = 0x1.8000000000000p+0F, tail_center = 0x0.0p+0F;
  static constexpr bool tail_in_r = true;
  static constexpr float head[] = {0x1.53a2bc0000000p-1F, -0x1.2c86240000000p-3F, 0x1.2866b40000000p-5F, -0x1.f8f5900000000p-8F,
      0x1.6dcf700000000p-10F, -0x1.c766060000000p-13F, 0x1.f098160000000p-16F, -0x1.f8f6060000000p-19F, 0x1.aa1c460000000p-22F};
  static constexpr float tail[] = {-0x1.a3c3b00000000p-8F, 0x1.1d5aa80000000p-1F, -0x1.8c69f60000000p-3F, 0x1.436dd40000000p-6F};
};

template <>
struct Coefficients<float, 1> {
  static constexpr float split = 0x1.8000000000000p+1F, last = 0x1.0000000000000p+20F, asymptote = 0x1.c5bf8a0000000p-2F;
  static constexpr float scale = 0x1.0000000000000p+0F, head_center = 0x0.0p+0F, tail_center = 0x0.0p+0F;
  static constexpr bool tail_in_r = true;
  static constexpr float head[] = {0x1.5555560000000p-2F, 0x1.1111180000000p-3F, 0x1.3812480000000p-5F, 0x1.157d2a0000000p-7F,
      0x1.91e2c60000000p-10F, 0x1.0098380000000p-12F, 0x1.ab89e80000000p-16F, 0x1.b6fca80000000p-18F, -0x1.89f1a80000000p-22F,
      0x1.28ca200000000p-23F};
  static constexpr float tail[] = {0x1.ff628c0000000p-2F, 0x1.b7ca640000000p-10F, 0x1.0e38a20000000p-2F, -0x1.3b69ce0000000p-4F};
};

template <>
struct Coefficients<float, 2> {
  static constexpr float split = 0x1.8000000000000p+1F, last = 0x1.0000000000000p+20F, asymptote = 0x1.544fa60000000p-1F;
  static constexpr float scale = 0x1.0000000000000p+0F, head_center = 0x0.0p+0F, tail_center = 0x0.0p+0F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.99999a0000000p-3F, 0x1.d41d140000000p-5F, 0x1.a020be0000000p-7F, 0x1.2e3e1e0000000p-9F,
      0x1.79c36e0000000p-12F, 0x1.64096c0000000p-15F, 0x1.16c6d20000000p-17F, -0x1.1bd40a0000000p-22F, 0x1.8cf2780000000p-23F};
  static constexpr float tail[] = {0x1.fff3480000000p-2F, 0x1.8099fe0000000p-1F, 0x1.73fb0a0000000p-2F, -0x1.f75c7a0000000p-4F,
      0x1.8f13540000000p-5F};
};

template <>
struct Coefficients<float, 3> {
  static constexpr float split = 0x1.a000000000000p+1F, last = 0x1.0000000000000p+20F, asymptote = 0x1.a963900000000p+0F;
  static constexpr float scale = 0x1.0000000000000p+0F, head_center = 0x0.0p+0F, tail_center = 0x0.0p+0F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.24924a0000000p-3F, 0x1.04102e0000000p-5F, 0x1.7a4b3c0000000p-8F, 0x1.d10dbe0000000p-11F,
      0x1.f73b9a0000000p-14F, 0x1.a448ae0000000p-17F, 0x1.24d61a0000000p-19F, -0x1.13d2420000000p-24F, 0x1.5b840c0000000p-25F};
  static constexpr float tail[] = {0x1.0008500000000p-1F, 0x1.3f95180000000p+0F, 0x1.e455ae0000000p+0F, 0x1.b08f860000000p-1F,
      -0x1.5623000000000p-3F};
};

template <>
struct Coefficients<float, 4> {
  static constexpr float split = 0x1.1000000000000p+2F, last = 0x1.0000000000000p+20F, asymptote = 0x1.74371e0000000p+2F;
  static constexpr float scale = 0x1.0000000000000p+0F, head_center = 0x0.0p+0F, tail_center = 0x0.0p+0F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.c71c720000000p-4F, 0x1.4afd740000000p-6F, 0x1.975cc00000000p-9F, 0x1.b2c6d20000000p-12F,
      0x1.95e44e0000000p-15F, 0x1.6e2aea0000000p-18F, 0x1.54a4640000000p-22F, 0x1.a12de60000000p-24F, -0x1.c6b65c0000000p-28F,
      0x1.3cca9e0000000p-30F};
  static constexpr float tail[] = {0x1.ffe6380000000p-2F, 0x1.c0cb060000000p+0F, 0x1.1583e20000000p+2F, 0x1.b3d3dc0000000p+2F,
      0x1.36ff760000000p+1F};
};

template <>
struct Coefficients<float, 5> {
  static constexpr float split = 0x1.5000000000000p+2F, last = 0x1.0000000000000p+20F, asymptote = 0x1.a2be020000000p+4F;
  static constexpr float scale = 0x1.0000000000000p+0F, head_center = 0x0.0p+0F, tail_center = 0x0.0p+0F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.745d180000000p-4F, 0x1.ca4b620000000p-7F, 0x1.e8cea80000000p-10F, 0x1.cce2b40000000p-13F,
      0x1.7b6ad00000000p-16F, 0x1.550b7c0000000p-19F, 0x1.88e6c20000000p-25F, 0x1.c338e20000000p-25F, -0x1.288a1e0000000p-28F,
      0x1.fcd9020000000p-32F};
  static constexpr float tail[] = {0x1.0002b40000000p-1F, 0x1.1fe0740000000p+1F, 0x1.f92f560000000p+2F, 0x1.37f6c80000000p+4F,
      0x1.ea585e0000000p+4F, 0x1.5f8dc60000000p+3F};
};

template <>
struct Coefficients<float, 6> {
  static constexpr float split = 0x1.9000000000000p+2F, last = 0x1.5342800000000p+17F, asymptote = 0x1.1fe2a20000000p+7F;
  static constexpr float scale = 0x1.0000000000000p+0F, head_center = 0x0.0p+0F, tail_center = 0x0.0p+0F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.3b13b20000000p-4F, 0x1.5014f60000000p-7F, 0x1.3c52540000000p-10F, 0x1.0a2e3e0000000p-13F,
      0x1.99d49c0000000p-17F, 0x1.029e440000000p-20F, 0x1.0ca1500000000p-23F, -0x1.86b8a80000000p-28F, 0x1.63bd2c0000000p-29F,
      -0x1.b984240000000p-33F, 0x1.d7a6540000000p-37F};
  static constexpr float tail[] = {0x1.ffd5600000000p-2F, 0x1.611cea0000000p+1F, 0x1.85e3960000000p+3F, 0x1.6c335e0000000p+5F,
      0x1.77b4920000000p+6F, 0x1.a982a00000000p+7F};
};

template <>
struct Coefficients<float, 7> {
  static constexpr float split = 0x1.d000000000000p+2F, last = 0x1.5ab0000000000p+15F, asymptote = 0x1.d3d0460000000p+9F;
  static constexpr float scale = 0x1.0000000000000p+0F, head_center = 0x0.0p+0F, tail_center = 0x0.0p+0F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.1111120000000p-4F, 0x1.0100ec0000000p-7F, 0x1.b0e0f60000000p-11F, 0x1.49410e0000000p-14F,
      0x1.d47fd00000000p-18F, 0x1.e6fec00000000p-22F, 0x1.4db1800000000p-24F, -0x1.be7e160000000p-28F, 0x1.bda9600000000p-30F,
      -0x1.05fa320000000p-33F, 0x1.b76a900000000p-38F};
  static constexpr float tail[] = {0x1.00057a0000000p-1F, 0x1.9f9c480000000p+1F, 0x1.1f80340000000p+4F, 0x1.3b65da0000000p+6F,
      0x1.2987320000000p+8F, 0x1.2faf200000000p+9F, 0x1.59ee960000000p+10F};
};

template <>
struct Coefficients<float, 8> {
  static constexpr float split = 0x1.0800000000000p+3F, last = 0x1.f500000000000p+13F, asymptote = 0x1.b693420000000p-12F;
  static constexpr float scale = 0x1.0000000000000p+3F, head_center = 0x0.0p+0F, tail_center = 0x0.0p+0F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.e1e1e20000000p-5F, 0x1.95cb680000000p-8F, 0x1.3539060000000p-11F, 0x1.acbf880000000p-15F,
      0x1.1e7cbe0000000p-18F, 0x1.c0ce5c0000000p-23F, 0x1.d050240000000p-25F, -0x1.94b5320000000p-28F, 0x1.2437ac0000000p-30F,
      -0x1.3e4e460000000p-34F, 0x1.b731a80000000p-39F};
  static constexpr float tail[] = {0x1.003cfc0000000p-1F, 0x1.db2f1c0000000p+1F, 0x1.9a8d980000000p+4F, 0x1.b83fa60000000p+6F,
      0x1.b200a40000000p+9F, 0x1.8a502c0000000p+8F, 0x1.5fdc920000000p+13F};
};

template <>
struct Coefficients<float, 9> {
  static constexpr float split = 0x1.2800000000000p+3F, last = 0x1.c190000000000p+12F, asymptote = 0x1.d1fc760000000p-12F;
  static constexpr float scale = 0x1.0000000000000p+3F, head_center = 0x0.0p+0F, tail_center = 0x0.0p+0F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.af286c0000000p-5F, 0x1.4880620000000p-8F, 0x1.c906400000000p-12F, 0x1.24db680000000p-15F,
      0x1.54bb0e0000000p-19F, 0x1.b9be540000000p-23F, 0x1.a5c9bc0000000p-31F, 0x1.d2c5960000000p-29F, -0x1.bacdae0000000p-32F,
      0x1.a886b20000000p-35F, -0x1.7f3e500000000p-39F, 0x1.8d9de80000000p-44F};
  static constexpr float tail[] = {0x1.0108300000000p-1F, 0x1.048d840000000p+2F, 0x1.348a1c0000000p+5F, 0x1.1a381e0000000p+6F,
      0x1.5b0a940000000p+11F, -0x1.86715a0000000p+12F, 0x1.cb490e0000000p+15F};
};

template <>
struct Coefficients<float, 10> {
  static constexpr float split = 0x1.4800000000000p+3F, last = 0x1.dfc0000000000p+11F, asymptote = 0x1.14ade60000000p-11F;
  static constexpr float scale = 0x1.0000000000000p+3F, head_center = 0x0.0p+0F, tail_center = 0x0.0p+0F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.8618620000000p-5F, 0x1.0f5ef80000000p-8F, 0x1.5b532a0000000p-12F, 0x1.9c91fc0000000p-16F,
      0x1.b88b380000000p-20F, 0x1.2808860000000p-23F, -0x1.d7c50a0000000p-29F, 0x1.6cf8aa0000000p-29F, -0x1.5ab0f40000000p-32F,
      0x1.1d8b300000000p-35F, -0x1.d7fe3c0000000p-40F, 0x1.a9daf60000000p-45F};
  static constexpr float tail[] = {0x1.03123c0000000p-1F, 0x1.0af34c0000000p+2F, 0x1.ff402e0000000p+5F, -0x1.b3bff60000000p+7F,
      0x1.0fc1740000000p+13F, -0x1.31338a0000000p+15F, 0x1.c933160000000p+17F};
};

template <>
struct Coefficients<float, 11> {
  static constexpr float split = 0x1.6800000000000p+3F, last = 0x1.1d40000000000p+11F, asymptote = 0x1.6b243e0000000p-11F;
  static constexpr float scale = 0x1.0000000000000p+3F, head_center = 0x0.0p+0F, tail_center = 0x0.0p+0F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.642c860000000p-5F, 0x1.c7e75a0000000p-9F, 0x1.0e1fe80000000p-12F, 0x1.2b353a0000000p-16F,
      0x1.245ed60000000p-20F, 0x1.a7d6760000000p-24F, -0x1.6f13cc0000000p-28F, 0x1.252b680000000p-29F, -0x1.0e5dc80000000p-32F,
      0x1.88f7ea0000000p-36F, -0x1.2a47840000000p-40F, 0x1.dc0cb60000000p-46F};
  static constexpr float tail[] = {0x1.075b2e0000000p-1F, 0x1.e060600000000p+1F, 0x1.ce128e0000000p+6F, -0x1.1cf9540000000p+10F,
      0x1.84460a0000000p+14F, -0x1.2553440000000p+17F, 0x1.7902200000000p+19F};
};

template <>
struct Coefficients<float, 12> {
  static constexpr float split = 0x1.8800000000000p+3F, last = 0x1.71c0000000000p+10F, asymptote = 0x1.05020c0000000p-10F;
  static constexpr float scale = 0x1.0000000000000p+3F, head_center = 0x0.0p+0F, tail_center = 0x0.0p+0F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.47ae140000000p-5F, 0x1.845cf20000000p-9F, 0x1.ac6eee0000000p-13F, 0x1.bcf8780000000p-17F,
      0x1.8b5ff00000000p-21F, 0x1.41e3400000000p-24F, -0x1.a2dfb80000000p-28F, 0x1.df3f7a0000000p-30F, -0x1.a6705a0000000p-33F,
      0x1.13c2760000000p-36F, -0x1.8208920000000p-41F, 0x1.14163e0000000p-46F};
  static constexpr float tail[] = {0x1.fa5ca20000000p-2F, 0x1.9e66ec0000000p+2F, 0x1.3395a00000000p+4F, 0x1.d76bda0000000p+10F,
      -0x1.43d2560000000p+14F, 0x1.5295fe0000000p+18F, -0x1.e5ef160000000p+20F, 0x1.1d55ee0000000p+23F};
};

template <>
struct Coefficients<float, 13> {
  static constexpr float split = 0x1.a800000000000p+3F, last = 0x1.0580000000000p+10F, asymptote = 0x1.97d3340000000p-10F;
  static constexpr float scale = 0x1.0000000000000p+3F, head_center = 0x0.0p+0F, tail_center = 0x1.0000000000000p-4F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.2f684c0000000p-5F, 0x1.4ecb460000000p-9F, 0x1.599e840000000p-13F, 0x1.4e6f140000000p-17F,
      0x1.3c1df80000000p-21F, 0x1.7050000000000p-26F, 0x1.41cada0000000p-28F, -0x1.485d040000000p-31F, 0x1.c0f4560000000p-34F,
      -0x1.4c5a300000000p-37F, 0x1.5878420000000p-41F, -0x1.9258f80000000p-46F, 0x1.d539040000000p-52F};
  static constexpr float tail[] = {0x1.910d740000000p+0F, 0x1.4228760000000p+5F, 0x1.6f5ad80000000p+9F, 0x1.3c8c7e0000000p+13F,
      0x1.a8f5fc0000000p+16F, 0x1.c374c00000000p+19F, 0x1.7e3d920000000p+22F, 0x1.c49c4e0000000p+24F};
};

template <>
struct Coefficients<float, 14> {
  static constexpr float split = 0x1.c800000000000p+3F, last = 0x1.8200000000000p+9F, asymptote = 0x1.581a340000000p-9F;
  static constexpr float scale = 0x1.0000000000000p+3F, head_center = 0x0.0p+0F, tail_center = 0x1.0000000000000p-4F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.1a7b960000000p-5F, 0x1.2398380000000p-9F, 0x1.1aca7a0000000p-13F, 0x1.01b4360000000p-17F,
      0x1.d4abca0000000p-22F, 0x1.91a47e0000000p-27F, 0x1.12e9280000000p-28F, -0x1.2dde420000000p-31F, 0x1.6da3600000000p-34F,
      -0x1.fcfe5e0000000p-38F, 0x1.e5868c0000000p-42F, -0x1.0770200000000p-46F, 0x1.18e1720000000p-52F};
  static constexpr float tail[] = {0x1.d2635a0000000p+0F, 0x1.b903d00000000p+5F, 0x1.22e3460000000p+10F, 0x1.20863e0000000p+14F,
      0x1.be7a640000000p+17F, 0x1.127e480000000p+21F, 0x1.07e5600000000p+24F, 0x1.3fe36a0000000p+26F};
};

template <>
struct Coefficients<float, 15> {
  static constexpr float split = 0x1.e800000000000p+3F, last = 0x1.2980000000000p+9F, asymptote = 0x1.37d7be0000000p-8F;
  static constexpr float scale = 0x1.0000000000000p+3F, head_center = 0x1.e800000000000p+2F, tail_center = 0x1.8000000000000p-5F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.daf9e80000000p-5F, 0x1.750c8a0000000p-8F, 0x1.0086420000000p-11F, 0x1.3b9b340000000p-15F,
      0x1.609fd60000000p-19F, 0x1.69bd140000000p-23F, 0x1.58009c0000000p-27F, 0x1.3270f20000000p-31F, 0x1.fae0aa0000000p-36F,
      0x1.7777600000000p-40F, 0x1.224b300000000p-44F, 0x1.1bfe280000000p-48F, 0x1.5947e40000000p-53F};
  static constexpr float tail[] = {0x1.4e57280000000p+0F, 0x1.2956860000000p+5F, 0x1.93a52e0000000p+9F, 0x1.b3379c0000000p+13F,
      0x1.7d049e0000000p+17F, 0x1.101c6c0000000p+21F, 0x1.3eb8400000000p+24F, 0x1.9beb140000000p+27F};
};

template <>
struct Coefficients<float, 16> {
  static constexpr float split = 0x1.0400000000000p+4F, last = 0x1.df00000000000p+8F, asymptote = 0x1.2e19000000000p-23F;
  static constexpr float scale = 0x1.0000000000000p+4F, head_center = 0x1.0400000000000p+3F, tail_center = 0x1.8000000000000p-5F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.c073ba0000000p-5F, 0x1.4efade0000000p-8F, 0x1.b84ca60000000p-12F, 0x1.03cd720000000p-15F,
      0x1.1738000000000p-19F, 0x1.1424a60000000p-23F, 0x1.fb6f6e0000000p-28F, 0x1.b5ed440000000p-32F, 0x1.5e88b40000000p-36F,
      0x1.f2b9940000000p-41F, 0x1.78fb9a0000000p-45F, 0x1.70dca40000000p-49F, 0x1.b29dda0000000p-54F};
  static constexpr float tail[] = {0x1.72eb540000000p+0F, 0x1.79fb040000000p+5F, 0x1.22a9180000000p+10F, 0x1.61a5320000000p+14F,
      0x1.5d16c80000000p+18F, 0x1.1a84440000000p+22F, 0x1.85e09a0000000p+25F, 0x1.eaf1780000000p+28F};
};

template <>
struct Coefficients<float, 17> {
  static constexpr float split = 0x1.1400000000000p+4F, last = 0x1.8a00000000000p+8F, asymptote = 0x1.3789c80000000p-23F;
  static constexpr float scale = 0x1.0000000000000p+4F, head_center = 0x1.1400000000000p+3F, tail_center = 0x1.8000000000000p-5F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.a8c5040000000p-5F, 0x1.2e88ca0000000p-8F, 0x1.7cdfcc0000000p-12F, 0x1.aff55e0000000p-16F,
      0x1.bf51d80000000p-20F, 0x1.ab269a0000000p-24F, 0x1.7bbbc40000000p-28F, 0x1.3df8d60000000p-32F, 0x1.ed31200000000p-37F,
      0x1.50f8fc0000000p-41F, 0x1.f2d9cc0000000p-46F, 0x1.e8da020000000p-50F, 0x1.176f700000000p-54F};
  static constexpr float tail[] = {0x1.9ee2020000000p+0F, 0x1.e399800000000p+5F, 0x1.a3b4f20000000p+10F, 0x1.1ea0460000000p+15F,
      0x1.3d2ff00000000p+19F, 0x1.21d6080000000p+23F, 0x1.c538cc0000000p+26F, 0x1.1215d00000000p+30F};
};

template <>
struct Coefficients<float, 18> {
  static constexpr float split = 0x1.2400000000000p+4F, last = 0x1.4b00000000000p+8F, asymptote = 0x1.54beb40000000p-23F;
  static constexpr float scale = 0x1.0000000000000p+4F, head_center = 0x1.2400000000000p+3F, tail_center = 0x1.8000000000000p-5F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.937dd20000000p-5F, 0x1.12a5380000000p-8F, 0x1.4bd2b40000000p-12F, 0x1.6a47980000000p-16F,
      0x1.6a13e40000000p-20F, 0x1.4e79300000000p-24F, 0x1.1fa1c80000000p-28F, 0x1.d05d4c0000000p-33F, 0x1.63eaea0000000p-37F,
      0x1.fa8c340000000p-42F, 0x1.3be08e0000000p-46F, 0x1.b40cbc0000000p-51F, 0x1.97c32e0000000p-55F, 0x1.b27c880000000p-60F};
  static constexpr float tail[] = {0x1.d455660000000p+0F, 0x1.37cbce0000000p+6F, 0x1.3060fe0000000p+11F, 0x1.d09f200000000p+15F,
      0x1.1ee7380000000p+20F, 0x1.2599aa0000000p+24F, 0x1.f564ca0000000p+27F, 0x1.2177ce0000000p+31F};
};

template <>
struct Coefficients<float, 19> {
  static constexpr float split = 0x1.3400000000000p+4F, last = 0x1.1d00000000000p+8F, asymptote = 0x1.89fc800000000p-23F;
  static constexpr float scale = 0x1.0000000000000p+4F, head_center = 0x1.3400000000000p+3F, tail_center = 0x1.8000000000000p-5F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.80442c0000000p-5F, 0x1.f4faba0000000p-9F, 0x1.22f44e0000000p-12F, 0x1.32495a0000000p-16F,
      0x1.27d7360000000p-20F, 0x1.089be00000000p-24F, 0x1.b94c980000000p-29F, 0x1.5a0a9c0000000p-33F, 0x1.0260be0000000p-37F,
      0x1.6550ac0000000p-42F, 0x1.ac403c0000000p-47F, 0x1.2293220000000p-51F, 0x1.11292a0000000p-55F, 0x1.1b336c0000000p-60F};
  static constexpr float tail[] = {0x1.0b11080000000p+1F, 0x1.95c3620000000p+6F, 0x1.bc354c0000000p+11F, 0x1.7971760000000p+16F,
      0x1.02dfd80000000p+21F, 0x1.24d1320000000p+25F, 0x1.08b3c60000000p+29F, 0x1.23322a0000000p+32F};
};

template <>
struct Coefficients<float, 20> {
  static constexpr float split = 0x1.4400000000000p+4F, last = 0x1.f400000000000p+7F, asymptote = 0x1.e02bbc0000000p-23F;
  static constexpr float scale = 0x1.0000000000000p+4F, head_center = 0x1.4400000000000p+3F, tail_center = 0x1.8000000000000p-5F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.6eceec0000000p-5F, 0x1.cad8bc0000000p-9F, 0x1.009ce80000000p-12F, 0x1.04d6c40000000p-16F,
      0x1.e79b700000000p-21F, 0x1.a6c8c60000000p-25F, 0x1.5638680000000p-29F, 0x1.04f47e0000000p-33F, 0x1.7c15720000000p-38F,
      0x1.ff1ba40000000p-43F, 0x1.2637960000000p-47F, 0x1.890c820000000p-52F, 0x1.73e2620000000p-56F, 0x1.7779f40000000p-61F};
  static constexpr float tail[] = {0x1.341d900000000p+1F, 0x1.0ad17c0000000p+7F, 0x1.46a6b60000000p+12F, 0x1.33dc860000000p+17F,
      0x1.d212580000000p+21F, 0x1.1e8ef20000000p+26F, 0x1.0bb66a0000000p+30F, 0x1.18d2ee0000000p+33F};
};

template <>
struct Coefficients<float, 21> {
  static constexpr float split = 0x1.5400000000000p+4F, last = 0x1.c000000000000p+7F, asymptote = 0x1.339c040000000p-22F;
  static constexpr float scale = 0x1.0000000000000p+4F, head_center = 0x1.5400000000000p+3F, tail_center = 0x1.8000000000000p-5F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.5ee1fe0000000p-5F, 0x1.a5df660000000p-9F, 0x1.c711180000000p-13F, 0x1.bf3bd20000000p-17F,
      0x1.95016e0000000p-21F, 0x1.54ca500000000p-25F, 0x1.0c08be0000000p-29F, 0x1.8de6a20000000p-34F, 0x1.1af3200000000p-38F,
      0x1.7238c20000000p-43F, 0x1.9936e40000000p-48F, 0x1.0d76440000000p-52F, 0x1.00e48c0000000p-56F, 0x1.f99da20000000p-62F};
  static constexpr float tail[] = {0x1.68146a0000000p+1F, 0x1.6316ae0000000p+7F, 0x1.e4cc1a0000000p+12F, 0x1.f8ab5c0000000p+17F,
      0x1.a1eb3e0000000p+22F, 0x1.1268900000000p+27F, 0x1.0442780000000p+31F, 0x1.04cad20000000p+34F};
};

template <>
struct Coefficients<float, 22> {
  static constexpr float split = 0x1.6400000000000p+4F, last = 0x1.9200000000000p+7F, asymptote = 0x1.9d59a60000000p-22F;
  static constexpr float scale = 0x1.0000000000000p+4F, head_center = 0x1.6400000000000p+3F, tail_center = 0x1.0000000000000p-5F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.504b860000000p-5F, 0x1.853dbe0000000p-9F, 0x1.9578c60000000p-13F, 0x1.81c2380000000p-17F,
      0x1.52d4ba0000000p-21F, 0x1.14f7560000000p-25F, 0x1.a7b5e00000000p-30F, 0x1.326bb20000000p-34F, 0x1.aa00a80000000p-39F,
      0x1.0f5a060000000p-43F, 0x1.1fbc300000000p-48F, 0x1.75fe120000000p-53F, 0x1.67c5ee0000000p-57F, 0x1.597b960000000p-62F};
  static constexpr float tail[] = {0x1.56d2f40000000p+0F, 0x1.f058ea0000000p+5F, 0x1.2398680000000p+11F, 0x1.1e7e720000000p+16F,
      0x1.df1ad80000000p+20F, 0x1.5b40240000000p+25F, 0x1.b7935c0000000p+29F, 0x1.72f98e0000000p+33F, 0x1.a61a580000000p+38F};
};

template <>
struct Coefficients<float, 23> {
  static constexpr float split = 0x1.7400000000000p+4F, last = 0x1.7000000000000p+7F, asymptote = 0x1.22a3080000000p-21F;
  static constexpr float scale = 0x1.0000000000000p+4F, head_center = 0x1.7400000000000p+3F, tail_center = 0x1.0000000000000p-5F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.42e1d20000000p-5F, 0x1.684ad40000000p-9F, 0x1.6ae8160000000p-13F, 0x1.4e9bb60000000p-17F,
      0x1.1d5c000000000p-21F, 0x1.c59e7e0000000p-26F, 0x1.51bc9a0000000p-30F, 0x1.dc5abe0000000p-35F, 0x1.4404f20000000p-39F,
      0x1.9219280000000p-44F, 0x1.98bfc20000000p-49F, 0x1.0698ea0000000p-53F, 0x1.fe33980000000p-58F, 0x1.de462a0000000p-63F};
  static constexpr float tail[] = {0x1.710c520000000p+0F, 0x1.2705760000000p+6F, 0x1.7b869e0000000p+11F, 0x1.9671360000000p+16F,
      0x1.71eed60000000p+21F, 0x1.2357b20000000p+26F, 0x1.87dec80000000p+30F, 0x1.ab41b80000000p+34F, 0x1.92e2a40000000p+39F};
};

template <>
struct Coefficients<float, 24> {
  static constexpr float split = 0x1.8400000000000p+4F, last = 0x1.5200000000000p+7F, asymptote = 0x1.aadf740000000p-21F;
  static constexpr float scale = 0x1.0000000000000p+4F, head_center = 0x1.8400000000000p+3F, tail_center = 0x1.0000000000000p-5F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.3681ba0000000p-5F, 0x1.4e7cde0000000p-9F, 0x1.46289a0000000p-13F, 0x1.23bf620000000p-17F,
      0x1.e391180000000p-22F, 0x1.7630660000000p-26F, 0x1.0fe1d60000000p-30F, 0x1.74410c0000000p-35F, 0x1.e5d93c0000000p-40F,
      0x1.3435f00000000p-44F, 0x1.63cdb80000000p-49F, 0x1.4b403e0000000p-54F, 0x1.933f2e0000000p-59F, 0x1.7c75b40000000p-63F,
      0x1.505ff40000000p-68F};
  static constexpr float tail[] = {0x1.8f050e0000000p+0F, 0x1.602a920000000p+6F, 0x1.ef5e580000000p+11F, 0x1.2097420000000p+17F,
      0x1.1d2e3e0000000p+22F, 0x1.e5a7140000000p+26F, 0x1.6091940000000p+31F, 0x1.cd4b9e0000000p+35F, 0x1.7461340000000p+40F};
};

template <>
struct Coefficients<float, 25> {
  static constexpr float split = 0x1.9400000000000p+4F, last = 0x1.3600000000000p+7F, asymptote = 0x1.46d3160000000p-20F;
  static constexpr float scale = 0x1.0000000000000p+4F, head_center = 0x1.9400000000000p+3F, tail_center = 0x1.0000000000000p-5F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.2b0d620000000p-5F, 0x1.3762760000000p-9F, 0x1.2641ea0000000p-13F, 0x1.ff36960000000p-18F,
      0x1.9c1a560000000p-22F, 0x1.369fa80000000p-26F, 0x1.b82c0a0000000p-31F, 0x1.2609360000000p-35F, 0x1.772cfa0000000p-40F,
      0x1.d32e700000000p-45F, 0x1.0718fc0000000p-49F, 0x1.d4b3a80000000p-55F, 0x1.1b08320000000p-59F, 0x1.0e996e0000000p-63F,
      0x1.d3f19a0000000p-69F};
  static constexpr float tail[] = {0x1.b17fde0000000p+0F, 0x1.a660840000000p+6F, 0x1.4472160000000p+12F, 0x1.9a98700000000p+17F,
      0x1.b762580000000p+22F, 0x1.93984a0000000p+27F, 0x1.3f38560000000p+32F, 0x1.d837320000000p+36F, 0x1.4e47640000000p+41F};
};

template <>
struct Coefficients<float, 26> {
  static constexpr float split = 0x1.a400000000000p+4F, last = 0x1.2200000000000p+7F, asymptote = 0x1.0470340000000p-19F;
  static constexpr float scale = 0x1.0000000000000p+4F, head_center = 0x1.a400000000000p+3F, tail_center = 0x1.0000000000000p-5F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.206b440000000p-5F, 0x1.229da80000000p-9F, 0x1.0a6c800000000p-13F, 0x1.c1e4ec0000000p-18F,
      0x1.6111f00000000p-22F, 0x1.036e320000000p-26F, 0x1.66bea00000000p-31F, 0x1.d3f6100000000p-36F, 0x1.2412760000000p-40F,
      0x1.654b100000000p-45F, 0x1.88c5980000000p-50F, 0x1.4e41e60000000p-55F, 0x1.911b2a0000000p-60F, 0x1.850de80000000p-64F,
      0x1.492e8a0000000p-69F};
  static constexpr float tail[] = {0x1.d971e60000000p+0F, 0x1.fd4dd00000000p+6F, 0x1.aad5700000000p+12F, 0x1.24e08c0000000p+18F,
      0x1.52a1dc0000000p+23F, 0x1.4f5fd40000000p+28F, 0x1.2156620000000p+33F, 0x1.ce104a0000000p+37F, 0x1.24588e0000000p+42F};
};

template <>
struct Coefficients<float, 27> {
  static constexpr float split = 0x1.b400000000000p+4F, last = 0x1.1000000000000p+7F, asymptote = 0x1.af59d80000000p-19F;
  static constexpr float scale = 0x1.0000000000000p+4F, head_center = 0x1.b400000000000p+3F, tail_center = 0x1.0000000000000p-5F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.16856c0000000p-5F, 0x1.0fe0020000000p-9F, 0x1.e40c920000000p-14F, 0x1.8d95f60000000p-18F,
      0x1.2fff080000000p-22F, 0x1.b3d19c0000000p-27F, 0x1.263e380000000p-31F, 0x1.76f8420000000p-36F, 0x1.ca37900000000p-41F,
      0x1.1394f00000000p-45F, 0x1.27c61e0000000p-50F, 0x1.e0439e0000000p-56F, 0x1.1ec39e0000000p-60F, 0x1.1a79460000000p-64F,
      0x1.d4034e0000000p-70F};
  static constexpr float tail[] = {0x1.0409280000000p+1F, 0x1.34e6cc0000000p+7F, 0x1.1a2db80000000p+13F, 0x1.a346480000000p+18F,
      0x1.056d0c0000000p+24F, 0x1.17164e0000000p+29F, 0x1.050c940000000p+34F, 0x1.b2e5c40000000p+38F, 0x1.f306f00000000p+42F};
};

template <>
struct Coefficients<float, 28> {
  static constexpr float split = 0x1.c400000000000p+4F, last = 0x1.0400000000000p+7F, asymptote = 0x1.72b1360000000p-18F;
  static constexpr float scale = 0x1.0000000000000p+4F, head_center = 0x1.c400000000000p+3F, tail_center = 0x1.0000000000000p-5F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.0d48e00000000p-5F, 0x1.fdcf3c0000000p-10F, 0x1.b915740000000p-14F, 0x1.60bb700000000p-18F,
      0x1.06f59e0000000p-22F, 0x1.70055a0000000p-27F, 0x1.e58ea60000000p-32F, 0x1.2e69200000000p-36F, 0x1.6a00d00000000p-41F,
      0x1.ac87a20000000p-46F, 0x1.c12ba40000000p-51F, 0x1.5b4e520000000p-56F, 0x1.9d6e880000000p-61F, 0x1.9e08c00000000p-65F,
      0x1.5000640000000p-70F};
  static constexpr float tail[] = {0x1.1f77de0000000p+1F, 0x1.79324e0000000p+7F, 0x1.773a800000000p+13F, 0x1.2d65ba0000000p+19F,
      0x1.94cd140000000p+24F, 0x1.d133560000000p+29F, 0x1.d28f380000000p+34F, 0x1.8ba21a0000000p+39F, 0x1.a09dc80000000p+43F};
};

template <>
struct Coefficients<float, 29> {
  static constexpr float split = 0x1.d400000000000p+4F, last = 0x1.e800000000000p+6F, asymptote = 0x1.4a25d40000000p-17F;
  static constexpr float scale = 0x1.0000000000000p+4F, head_center = 0x1.d400000000000p+3F, tail_center = 0x1.0000000000000p-5F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.04a51c0000000p-5F, 0x1.def9860000000p-10F, 0x1.9319660000000p-14F, 0x1.3a15920000000p-18F,
      0x1.c8e80c0000000p-23F, 0x1.3853840000000p-27F, 0x1.92dfee0000000p-32F, 0x1.eac23a0000000p-37F, 0x1.1fe90a0000000p-41F,
      0x1.4fb5260000000p-46F, 0x1.57bcf40000000p-51F, 0x1.f94b700000000p-57F, 0x1.2c52980000000p-61F, 0x1.321d080000000p-65F,
      0x1.e6f55e0000000p-71F};
  static constexpr float tail[] = {0x1.4006c20000000p+1F, 0x1.cff42e0000000p+7F, 0x1.f6281e0000000p+13F, 0x1.b3861c0000000p+19F,
      0x1.3a8e840000000p+25F, 0x1.83d8100000000p+30F, 0x1.9b6e1c0000000p+35F, 0x1.5d3d200000000p+40F, 0x1.54d03e0000000p+44F};
};

template <>
struct Coefficients<float, 30> {
  static constexpr float split = 0x1.e400000000000p+4F, last = 0x1.d400000000000p+6F, asymptote = 0x1.305ae00000000p-16F;
  static constexpr float scale = 0x1.0000000000000p+4F, head_center = 0x1.e400000000000p+3F, tail_center = 0x1.0000000000000p-5F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.f9176c0000000p-6F, 0x1.c2e02a0000000p-10F, 0x1.71639a0000000p-14F, 0x1.18a1d20000000p-18F,
      0x1.8e93240000000p-23F, 0x1.0a4ef00000000p-27F, 0x1.50085a0000000p-32F, 0x1.907d240000000p-37F, 0x1.ccdb6c0000000p-42F,
      0x1.08e05c0000000p-46F, 0x1.0900ce0000000p-51F, 0x1.7184540000000p-57F, 0x1.b772ee0000000p-62F, 0x1.c869240000000p-66F,
      0x1.63f95a0000000p-71F};
  static constexpr float tail[] = {0x1.67063c0000000p+1F, 0x1.1f9c180000000p+8F, 0x1.5263d60000000p+14F, 0x1.3c7e4e0000000p+20F,
      0x1.eac6c40000000p+25F, 0x1.42cf360000000p+31F, 0x1.652e8a0000000p+36F, 0x1.2c1cae0000000p+41F, 0x1.11a5d40000000p+45F};
};

template <>
struct Coefficients<float, 31> {
  static constexpr float split = 0x1.f400000000000p+4F, last = 0x1.c000000000000p+6F, asymptote = 0x1.22169c0000000p-15F;
  static constexpr float scale = 0x1.0000000000000p+4F, head_center = 0x1.f400000000000p+3F, tail_center = 0x1.0000000000000p-5F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.e9e0100000000p-6F, 0x1.a9322c0000000p-10F, 0x1.535d7a0000000p-14F, 0x1.f71d960000000p-19F,
      0x1.5d02620000000p-23F, 0x1.c7f2e60000000p-28F, 0x1.19f1c20000000p-32F, 0x1.4ac8d00000000p-37F, 0x1.6fa9560000000p-42F,
      0x1.8d2c840000000p-47F, 0x1.b0e6400000000p-52F, 0x1.969e6a0000000p-57F, 0x1.00a8fc0000000p-62F, 0x1.26df7a0000000p-67F,
      0x1.2f62940000000p-71F, 0x1.c2407e0000000p-77F};
  static constexpr float tail[] = {0x1.9631f00000000p+1F, 0x1.67ad4a0000000p+8F, 0x1.cb97de0000000p+14F, 0x1.cee4760000000p+20F,
      0x1.8030f80000000p+26F, 0x1.0b98e80000000p+32F, 0x1.30de000000000p+37F, 0x1.f769d20000000p+41F, 0x1.afcaa20000000p+45F};
};

template <>
struct Coefficients<float, 32> {
  static constexpr float split = 0x1.0200000000000p+5F, last = 0x1.ac00000000000p+6F, asymptote = 0x1.1d8e420000000p-46F;
  static constexpr float scale = 0x1.0000000000000p+5F, head_center = 0x1.0200000000000p+4F, tail_center = 0x1.0000000000000p-5F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.db8dd60000000p-6F, 0x1.91aa0e0000000p-10F, 0x1.3888660000000p-14F, 0x1.c45c060000000p-19F,
      0x1.32bbc60000000p-23F, 0x1.8819fe0000000p-28F, 0x1.daf47e0000000p-33F, 0x1.11077e0000000p-37F, 0x1.29522e0000000p-42F,
      0x1.3b92c00000000p-47F, 0x1.53fb9a0000000p-52F, 0x1.3846180000000p-57F, 0x1.73949e0000000p-63F, 0x1.ad63ca0000000p-68F,
      0x1.c400d60000000p-72F, 0x1.494c780000000p-77F};
  static constexpr float tail[] = {0x1.cfd9280000000p+1F, 0x1.c604920000000p+8F, 0x1.3ab3e60000000p+15F, 0x1.54b4960000000p+21F,
      0x1.2d7afe0000000p+27F, 0x1.b8dc1c0000000p+32F, 0x1.ff700e0000000p+37F, 0x1.9d14260000000p+42F, 0x1.4f435e0000000p+46F};
};

template <>
struct Coefficients<float, 33> {
  static constexpr float split = 0x1.0a00000000000p+5F, last = 0x1.a400000000000p+6F, asymptote = 0x1.22047c0000000p-46F;
  static constexpr float scale = 0x1.0000000000000p+5F, head_center = 0x1.0a00000000000p+4F, tail_center = 0x1.0000000000000p-5F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.ce0d060000000p-6F, 0x1.7c0bcc0000000p-10F, 0x1.207a0c0000000p-14F, 0x1.97e4f60000000p-19F,
      0x1.0e81120000000p-23F, 0x1.5287200000000p-28F, 0x1.91d3fa0000000p-33F, 0x1.c4ebf20000000p-38F, 0x1.e3632c0000000p-43F,
      0x1.f85a440000000p-48F, 0x1.0cc36e0000000p-52F, 0x1.e2dc4a0000000p-58F, 0x1.0de4f00000000p-63F, 0x1.3a85940000000p-68F,
      0x1.5332280000000p-72F, 0x1.e56c6e0000000p-78F};
  static constexpr float tail[] = {0x1.0b8c280000000p+2F, 0x1.216f220000000p+9F, 0x1.b2c2380000000p+15F, 0x1.f8ae2a0000000p+21F,
      0x1.d9902c0000000p+27F, 0x1.6823ec0000000p+33F, 0x1.a590280000000p+38F, 0x1.4c35da0000000p+43F, 0x1.00686c0000000p+47F};
};

template <>
struct Coefficients<float, 34> {
  static constexpr float split = 0x1.1200000000000p+5F, last = 0x1.9000000000000p+6F, asymptote = 0x1.2f9cb00000000p-46F;
  static constexpr float scale = 0x1.0000000000000p+5F, head_center = 0x1.1200000000000p+4F, tail_center = 0x1.0000000000000p-5F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.c14c180000000p-6F, 0x1.68236a0000000p-10F, 0x1.0ad8440000000p-14F, 0x1.70cd220000000p-19F,
      0x1.dea8960000000p-24F, 0x1.255e440000000p-28F, 0x1.5564ec0000000p-33F, 0x1.79699e0000000p-38F, 0x1.8ae3ae0000000p-43F,
      0x1.9539380000000p-48F, 0x1.ab95d60000000p-53F, 0x1.77b4520000000p-58F, 0x1.891c380000000p-64F, 0x1.cf58660000000p-69F,
      0x1.0052c80000000p-72F, 0x1.686d440000000p-78F};
  static constexpr float tail[] = {0x1.3815c80000000p+2F, 0x1.74f8760000000p+9F, 0x1.2f00740000000p+16F, 0x1.77dc320000000p+22F,
      0x1.7397bc0000000p+28F, 0x1.2350e80000000p+34F, 0x1.559f100000000p+39F, 0x1.0653040000000p+44F, 0x1.82c2aa0000000p+47F};
};

template <>
struct Coefficients<float, 35> {
  static constexpr float split = 0x1.1a00000000000p+5F, last = 0x1.8800000000000p+6F, asymptote = 0x1.4754ee0000000p-46F;
  static constexpr float scale = 0x1.0000000000000p+5F, head_center = 0x1.1a00000000000p+4F, tail_center = 0x1.0000000000000p-5F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.b53b700000000p-6F, 0x1.55c3a80000000p-10F, 0x1.eeacb60000000p-15F, 0x1.4e50a00000000p-19F,
      0x1.a8cc8a0000000p-24F, 0x1.fe45760000000p-29F, 0x1.2336080000000p-33F, 0x1.3be05e0000000p-38F, 0x1.441a6a0000000p-43F,
      0x1.4742840000000p-48F, 0x1.56295c0000000p-53F, 0x1.261c480000000p-58F, 0x1.1ed1180000000p-64F, 0x1.57105e0000000p-69F,
      0x1.85f8de0000000p-73F, 0x1.0d7ebe0000000p-78F};
  static constexpr float tail[] = {0x1.7072a80000000p+2F, 0x1.e600fa0000000p+9F, 0x1.aa16b60000000p+16F, 0x1.1927da0000000p+23F,
      0x1.22c6540000000p+29F, 0x1.d2266a0000000p+34F, 0x1.10531c0000000p+40F, 0x1.9755820000000p+44F, 0x1.1fe3a60000000p+48F};
};

template <>
struct Coefficients<float, 36> {
  static constexpr float split = 0x1.2200000000000p+5F, last = 0x1.7800000000000p+6F, asymptote = 0x1.6b22380000000p-46F;
  static constexpr float scale = 0x1.0000000000000p+5F, head_center = 0x1.2200000000000p+4F, tail_center = 0x1.0000000000000p-6F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.a9cd1c0000000p-6F, 0x1.44c5020000000p-10F, 0x1.cb658a0000000p-15F, 0x1.2fcb820000000p-19F,
      0x1.7a1a300000000p-24F, 0x1.bd44a80000000p-29F, 0x1.f2b35a0000000p-34F, 0x1.097adc0000000p-38F, 0x1.0b2fba0000000p-43F,
      0x1.0998220000000p-48F, 0x1.135dc40000000p-53F, 0x1.cf27660000000p-59F, 0x1.a2ed580000000p-65F, 0x1.fe723c0000000p-70F,
      0x1.2a878e0000000p-73F, 0x1.95b3640000000p-79F};
  static constexpr float tail[] = {0x1.14d7d60000000p+0F, 0x1.2dbe9e0000000p+6F, 0x1.35de940000000p+12F, 0x1.634b260000000p+17F,
      0x1.118d0a0000000p+25F, -0x1.3d20b20000000p+31F, 0x1.3a14000000000p+38F, -0x1.bff3c40000000p+43F, 0x1.a7559c0000000p+48F};
};

template <>
struct Coefficients<float, 37> {
  static constexpr float split = 0x1.2a00000000000p+5F, last = 0x1.7000000000000p+6F, asymptote = 0x1.9e33080000000p-46F;
  static constexpr float scale = 0x1.0000000000000p+5F, head_center = 0x1.2a00000000000p+4F, tail_center = 0x1.0000000000000p-6F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.9ef4940000000p-6F, 0x1.3504d00000000p-10F, 0x1.ab6a8a0000000p-15F, 0x1.14b3f80000000p-19F,
      0x1.5179760000000p-24F, 0x1.85cada0000000p-29F, 0x1.ac8fc40000000p-34F, 0x1.c0067c0000000p-39F, 0x1.ba62e80000000p-44F,
      0x1.b11cd60000000p-49F, 0x1.bda3ec0000000p-54F, 0x1.6eb5400000000p-59F, 0x1.31eda20000000p-65F, 0x1.7d6b7a0000000p-70F,
      0x1.cbcfc20000000p-74F, 0x1.33511a0000000p-79F};
  static constexpr float tail[] = {0x1.1de2480000000p+0F, 0x1.49e6ea0000000p+6F, 0x1.5fd2280000000p+12F, 0x1.e8ed660000000p+17F,
      0x1.2c46500000000p+25F, -0x1.46be640000000p+31F, 0x1.7f53a60000000p+38F, -0x1.2491680000000p+44F, 0x1.33b8720000000p+49F};
};

template <>
struct Coefficients<float, 38> {
  static constexpr float split = 0x1.3200000000000p+5F, last = 0x1.6800000000000p+6F, asymptote = 0x1.e563ce0000000p-46F;
  static constexpr float scale = 0x1.0000000000000p+5F, head_center = 0x1.3200000000000p+4F, tail_center = 0x1.0000000000000p-6F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.94a6980000000p-6F, 0x1.2664960000000p-10F, 0x1.8e5ace0000000p-15F, 0x1.f92b4e0000000p-20F,
      0x1.2e02600000000p-24F, 0x1.5645640000000p-29F, 0x1.718f4c0000000p-34F, 0x1.7b7af00000000p-39F, 0x1.6fb3820000000p-44F,
      0x1.62b8140000000p-49F, 0x1.6a7cc20000000p-54F, 0x1.23e4880000000p-59F, 0x1.be45b40000000p-66F, 0x1.1e27d40000000p-70F,
      0x1.64260c0000000p-74F, 0x1.d468f20000000p-80F};
  static constexpr float tail[] = {0x1.2781860000000p+0F, 0x1.68d53c0000000p+6F, 0x1.90f4ce0000000p+12F, 0x1.45277a0000000p+18F,
      0x1.4929ba0000000p+25F, -0x1.3da9ac0000000p+31F, 0x1.cbc5900000000p+38F, -0x1.76b9120000000p+44F, 0x1.ba4b8a0000000p+49F};
};

template <>
struct Coefficients<float, 39> {
  static constexpr float split = 0x1.3a00000000000p+5F, last = 0x1.6000000000000p+6F, asymptote = 0x1.23fe0a0000000p-45F;
  static constexpr float scale = 0x1.0000000000000p+5F, head_center = 0x1.3a00000000000p+4F, tail_center = 0x1.0000000000000p-6F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.8ad9000000000p-6F, 0x1.18c96c0000000p-10F, 0x1.73e28a0000000p-15F, 0x1.ce1bca0000000p-20F,
      0x1.0ef3f00000000p-24F, 0x1.2d6b4a0000000p-29F, 0x1.3fbb680000000p-34F, 0x1.42962a0000000p-39F, 0x1.32ca0c0000000p-44F,
      0x1.23c01c0000000p-49F, 0x1.2853f40000000p-54F, 0x1.d30e300000000p-60F, 0x1.44a55e0000000p-66F, 0x1.aef08a0000000p-71F,
      0x1.155eb60000000p-74F, 0x1.670b4a0000000p-80F};
  static constexpr float tail[] = {0x1.31c3020000000p+0F, 0x1.8ae4e40000000p+6F, 0x1.caafe00000000p+12F, 0x1.a52b240000000p+18F,
      0x1.6b26f60000000p+25F, -0x1.1d10220000000p+31F, 0x1.0fac940000000p+39F, -0x1.d6f5fc0000000p+44F, 0x1.3ac1f00000000p+50F};
};

template <>
struct Coefficients<float, 40> {
  static constexpr float split = 0x1.4200000000000p+5F, last = 0x1.5800000000000p+6F, asymptote = 0x1.686d940000000p-45F;
  static constexpr float scale = 0x1.0000000000000p+5F, head_center = 0x1.4200000000000p+4F, tail_center = 0x1.0000000000000p-6F;
  static constexpr bool tail_in_r = false;
  static constexpr float head[] = {0x1.8182a00000000p-6F, 0x1.0c1b7c0000000p-10F, 0x1.5bb8d20000000p-15F, 0x1.a792c20000000p-20F,
      0x1.e766000000000p-25F, 0x1.0a1b180000000p-29F, 0x1.14f93a0000000p-34F, 0x1.141fbe0000000p-39F, 0x1.0660720000000p-44F,
      0x1.d5ad8e0000000p-50F, 0x1.a8cd7a0000000p-55F, 0x1.a111a80000000p-60F, 0x1.368ae60000000p-65F, 0x1.6b9c600000000p-72F,
      0x1.edaa3a0000000p-77F, 0x1.4646b40000000p-80F, 0x1.9510360000000p-86F};
  static constexpr float tail[] = {0x1.3cb5c40000000p+0F, 0x1.b082ee0000000p+6F, 0x1.07424c0000000p+13F, 0x1.0b8adc0000000p+19F,
      0x1.9525f80000000p+25F, -0x1.b9fb4c0000000p+30F, 0x1.3c1a1a0000000p+39F, -0x1.21914a0000000p+45F, 0x1.bb99ee0000000p+50F};
};

}  // namespace tessera::boys::detail
