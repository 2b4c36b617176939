// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/python/calls/session.hpp"

#include <unistd.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tessera/core/app/kokkos_guard.hpp"
#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/device/memory.hpp"
#include "tessera/core/error.hpp"

namespace tessera::python {

namespace {

std::string g_used = "auto";
std::optional<Backend> g_used_backend;  // what it stands for, once that is known
// finish() alone ends it: not the destructors of globals, behind which a device may be gone
KokkosGuard* g_kokkos = nullptr;
pid_t g_process = 0;  // that has started Kokkos
bool g_finished = false;

std::vector<std::function<void()>>& releases() {
  static std::vector<std::function<void()>> list;
  return list;
}

void start_kokkos() {
  if (g_finished)
    throw Error(ErrorKind::resource, "the interpreter is ending: nothing can be computed any more");
  g_kokkos = new KokkosGuard({}, false);
  g_process = getpid();
  watch_memory();
}

/// A child of fork() has the memory of its parent, and neither its threads nor its device. What
/// runs in one thread goes on.
void check_process(Backend backend) {
  if (getpid() == g_process) return;
#ifdef TESSERA_HAVE_OPENMP
  if (backend == Backend::openmp && Kokkos::OpenMP().concurrency() == 1) return;
#endif
  if (backend == Backend::serial) return;
  throw Error(ErrorKind::resource,
              "backend '" + to_string(backend) +
                  "' was started before this process was forked, and does not work in both",
              "use multiprocessing's start method 'spawn', call tessera in the children only, or "
              "use backend 'serial' there");
}

}  // namespace

Backend start(const char* name) {
  const bool by_default = name == nullptr || *name == '\0';
  if (by_default && !g_used_backend) g_used_backend = choose_backend(g_used);
  const Backend backend = by_default ? *g_used_backend : choose_backend(name);
  if (g_kokkos == nullptr) start_kokkos();
  check_process(backend);
  return backend;
}

void use_backend(const char* name) {
  const Backend backend = choose_backend(name);
  g_used = name;
  g_used_backend = backend;
}

const char* used_backend() { return g_used.c_str(); }

Backend backend_for(Backend backend, [[maybe_unused]] std::size_t n) {
#ifdef TESSERA_HAVE_SERIAL
  constexpr std::size_t kBlock = 64;
  if (backend == Backend::openmp && n <= kBlock) return Backend::serial;
#endif
  return backend;
}

void at_finish(const std::function<void()>& release) { releases().push_back(release); }

void finish() {
  g_finished = true;
  if (g_kokkos == nullptr || getpid() != g_process) return;
  for (const auto& release : releases()) release();
  delete g_kokkos;
  g_kokkos = nullptr;
}

}  // namespace tessera::python
