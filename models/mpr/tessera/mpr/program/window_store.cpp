// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/program/window_store.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "tessera/core/error.hpp"

namespace tessera::mpr {

namespace {

constexpr std::size_t kHeader = 4096;  // bytes before the first map
constexpr std::array<char, 16> kMagic{"tessera-stream"};

/// The first bytes of a file, which tell what it holds.
struct Header {
  std::array<char, 16> magic = kMagic;
  std::int64_t version = 1, bytes = 0, maps = 0, nx = 0, ny = 0;
};

}  // namespace

template <class Real>
WindowStore<Real>::WindowStore(const std::string& path, int maps, int nx, int ny, bool again)
    : m_path(path), m_maps(maps), m_nx(nx), m_ny(ny) {
  m_descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC | (again ? O_CREAT : 0), 0644);
  if (m_descriptor < 0) fail(again ? "create" : "open");
  m_kept = true;  // until it is known to be ours
  Header there, wanted;
  wanted.bytes = sizeof(Real);
  wanted.maps = maps;
  wanted.nx = nx;
  wanted.ny = ny;
  const ssize_t read = ::pread(m_descriptor, &there, sizeof there, 0);
  const bool is_store = read == static_cast<ssize_t>(sizeof there) && there.magic == kMagic;
  if (again) {
    if (read != 0 && !is_store)
      throw Error(ErrorKind::file, "cannot create '" + path + "': another file has that name",
                  "rename it, or choose another --output");
    if (::ftruncate(m_descriptor, 0) != 0 ||
        ::pwrite(m_descriptor, &wanted, sizeof wanted, 0) != static_cast<ssize_t>(sizeof wanted))
      fail("write");
    m_kept = false;
  } else if (!is_store || std::memcmp(&there, &wanted, sizeof wanted) != 0) {
    throw Error(ErrorKind::file, "'" + path + "' does not hold the finished windows of this run",
                "start the run again");
  }
}

template <class Real>
WindowStore<Real> WindowStore<Real>::create(const std::string& path, int maps, int nx, int ny) {
  return WindowStore(path, maps, nx, ny, true);
}

template <class Real>
WindowStore<Real> WindowStore<Real>::open(const std::string& path, int maps, int nx, int ny) {
  return WindowStore(path, maps, nx, ny, false);
}

template <class Real>
WindowStore<Real>::WindowStore(WindowStore&& other) noexcept {
  *this = std::move(other);
}

template <class Real>
WindowStore<Real>& WindowStore<Real>::operator=(WindowStore&& other) noexcept {
  std::swap(m_path, other.m_path);
  std::swap(m_maps, other.m_maps);
  std::swap(m_nx, other.m_nx);
  std::swap(m_ny, other.m_ny);
  std::swap(m_descriptor, other.m_descriptor);
  std::swap(m_kept, other.m_kept);
  return *this;
}

template <class Real>
WindowStore<Real>::~WindowStore() {
  if (m_descriptor < 0) return;
  ::close(m_descriptor);
  if (!m_kept) ::unlink(m_path.c_str());
}

template <class Real>
void WindowStore<Real>::fail(const std::string& what) const {
  throw Error(
      ErrorKind::file,
      "cannot " + what + " '" + m_path + "', which holds finished windows: " + std::strerror(errno),
      "it takes " + std::to_string(sizeof(Real) * static_cast<std::size_t>(m_maps)) +
          " bytes a site beside the results");
}

template <class Real>
std::size_t WindowStore<Real>::offset(int map, std::size_t element) const {
  const std::size_t image = static_cast<std::size_t>(m_nx) * static_cast<std::size_t>(m_ny);
  return kHeader + sizeof(Real) * (static_cast<std::size_t>(map) * image + element);
}

template <class Real>
void WindowStore<Real>::write(int map, const io::Box& box, const Real* values) const {
  for (int r = 0; r < box.ny; ++r) {
    const std::size_t at =
        offset(map, static_cast<std::size_t>(box.y0 + r) * static_cast<std::size_t>(m_nx) +
                        static_cast<std::size_t>(box.x0));
    const char* from = reinterpret_cast<const char*>(values + static_cast<std::size_t>(r) *
                                                                  static_cast<std::size_t>(box.nx));
    const std::size_t bytes = sizeof(Real) * static_cast<std::size_t>(box.nx);
    for (std::size_t done = 0; done < bytes;) {
      const ssize_t now =
          ::pwrite(m_descriptor, from + done, bytes - done, static_cast<off_t>(at + done));
      if (now < 0 && errno == EINTR) continue;
      if (now <= 0) fail("write");
      done += static_cast<std::size_t>(now);
    }
  }
}

template <class Real>
void WindowStore<Real>::read(int map, std::size_t first, std::size_t count, Real* values) const {
  const std::size_t at = offset(map, first), bytes = sizeof(Real) * count;
  char* to = reinterpret_cast<char*>(values);
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t now =
        ::pread(m_descriptor, to + done, bytes - done, static_cast<off_t>(at + done));
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) fail("read");
    if (now == 0) {  // beyond the last window
      std::memset(to + done, 0, bytes - done);
      return;
    }
    done += static_cast<std::size_t>(now);
  }
}

template <class Real>
void WindowStore<Real>::flush() const {
  if (::fdatasync(m_descriptor) != 0) fail("write");
}

template class WindowStore<float>;
template class WindowStore<double>;

}  // namespace tessera::mpr
