#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
#
# Called by conda-build for each output of meta.yaml: Kokkos, static, then Tessera. PKG_NAME says which; KOKKOS_SOURCES is the folder that
# holds the sources, kokkos and kokkos-kernels; CUDA_ARCHITECTURE names the GPU, as Kokkos does.
set -euxo pipefail

kokkos="$SRC_DIR/kokkos-$PKG_NAME"
backends="serial;openmp"
architecture=()
compiler=()
if [[ "$PKG_NAME" == tessera-cuda ]]; then
  backends+=";cuda"
  architecture=("${CUDA_ARCHITECTURE:-HOPPER90}")
  compiler=(-D "CMAKE_CXX_COMPILER=$kokkos/bin/nvcc_wrapper")
fi
"$SRC_DIR/packaging/build_kokkos" "$KOKKOS_SOURCES" "$kokkos" "${architecture[@]}"

# Each level is a build of its own, and a launcher chooses among the installed ones. A machine with a
# GPU that CUDA 13 drives has AVX2.
levels=(x86-64 x86-64-v3 x86-64-v4)
if [[ "$PKG_NAME" == tessera-cuda ]]; then levels=(x86-64-v3); fi

for level in "${levels[@]}"; do
  # CMAKE_ARGS is conda's: how to find what lies in the environment.
  # shellcheck disable=SC2086
  cmake -S "$SRC_DIR" -B "$SRC_DIR/build/$PKG_NAME-$level" -G Ninja ${CMAKE_ARGS:-} "${compiler[@]}" \
    -D CMAKE_BUILD_TYPE=Release -D TESSERA_BACKENDS="$backends" -D TESSERA_LEVEL="$level" \
    -D TESSERA_ENABLE_TESTS=OFF -D TESSERA_ENABLE_BENCHMARKS=OFF -D TESSERA_ENABLE_GSL=OFF \
    -D Kokkos_ROOT="$kokkos" -D KokkosKernels_ROOT="$kokkos" \
    -D Python_EXECUTABLE="$PYTHON" -D TESSERA_PYTHON_DIR="$SP_DIR" -D CMAKE_INSTALL_PREFIX="$PREFIX"
  cmake --build "$SRC_DIR/build/$PKG_NAME-$level"
  cmake --install "$SRC_DIR/build/$PKG_NAME-$level"
done
