// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tessera/core/error.hpp"

namespace tessera::parallel {

class Transport;

/// The elements of several lists.
inline std::size_t sum_of(const std::vector<std::size_t>& lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
}

/// Returns where a list begins when the lists stand one behind another.
inline std::size_t begin_of(const std::vector<std::size_t>& lengths, std::size_t list) {
  return std::accumulate(lengths.begin(), lengths.begin() + static_cast<std::ptrdiff_t>(list),
                         std::size_t{0});
}

/// The bytes of each list, of elements of `size` bytes.
inline std::vector<std::size_t> in_bytes(std::vector<std::size_t> lengths, std::size_t size) {
  for (std::size_t& length : lengths) length *= size;
  return lengths;
}

/// Numbers from `begin` to `end`, without the last.
struct Range {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end - begin; }
};

/// The processes (ranks) that work on one run, each with a device of its own. One that is made
/// without anything is a process alone: its calls cost nothing. Copies stand for the same ranks.
///
/// All calls but rank() and size() are made by every rank, in the same order; they return when the
/// values are there, and end the program with a message where some rank does not come for half an
/// hour (or TESSERA_RANK_TIMEOUT seconds). Elements are trivially copyable. Results do not depend
/// on how messages travel; those of all_gather, min and max are the same on every rank.
///
/// Example (tests/unit/parallel.cpp):
///
///     const Range mine = ranks().share(n);
///     std::vector<double> part;
///     for (std::int64_t i = mine.begin; i < mine.end; ++i) part.push_back(std::sqrt(static_cast<double>(i)));
///     const std::vector<double> all = ranks().all_gather(part);
class Communicator {
 public:
  Communicator() = default;
  explicit Communicator(std::shared_ptr<const Transport> transport)
      : m_transport(std::move(transport)) {}

  /// Tells whether both stand for the same ranks.
  bool operator==(const Communicator& other) const { return m_transport == other.m_transport; }

  int rank() const;
  int size() const;
  bool is_root() const { return rank() == 0; }

  /// The part of n numbers that a rank takes: whole blocks of `block` numbers, as evenly as they
  /// go, in the order of the ranks. Ranks for which there is no block have an empty one.
  Range share(std::int64_t n, std::int64_t block = 1) const { return share_of(rank(), n, block); }
  Range share_of(int rank, std::int64_t n, std::int64_t block = 1) const;

  void barrier() const;

  /// Every rank gets the values of rank `from`.
  template <class T>
  void broadcast(T* values, std::size_t count, int from = 0) const {
    static_assert(std::is_trivially_copyable_v<T>);
    if (size() > 1) broadcast_bytes(values, count * sizeof(T), from);
  }

  /// The root gets the values of rank `from`, which knows as it does how many there are; the others
  /// return at once.
  template <class T>
  void bring(T* values, std::size_t count, int from) const {
    static_assert(std::is_trivially_copyable_v<T>);
    if (size() > 1) bring_bytes(values, count * sizeof(T), from);
  }

  /// The values of all ranks, in the order of the ranks. They may differ in number.
  template <class T>
  std::vector<T> all_gather(std::vector<T> own) const {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>);
    if (size() == 1) return own;
    const std::vector<std::size_t> bytes = sizes_of_all(own.size() * sizeof(T));
    std::vector<T> all(sum_of(bytes) / sizeof(T));
    all_gather_bytes(own.data(), all.data(), bytes);
    return all;
  }

  /// Gathers a text of each rank.
  std::vector<std::string> all_gather(const std::string& own) const;

  /// Gathers the lists of all ranks, one after another, at the root; returns nothing elsewhere.
  template <class T>
  std::vector<T> gather(std::vector<T> own) const {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>);
    if (size() == 1) return own;
    std::vector<std::size_t> to_root(static_cast<std::size_t>(size()), 0);
    to_root[0] = own.size() * sizeof(T);
    const std::vector<std::size_t> coming = all_to_all(to_root);
    std::vector<T> all(sum_of(coming) / sizeof(T));
    exchange_bytes(own.data(), to_root, all.data(), coming);
    return all;
  }

  /// List r of `lists` goes to rank r; list r of the result has come from there.
  template <class T>
  std::vector<std::vector<T>> all_to_all(const std::vector<std::vector<T>>& lists) const {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>);
    if (size() == 1) return lists;
    std::vector<T> sent, received;
    std::vector<std::size_t> going;
    for (const std::vector<T>& list : lists) {
      going.push_back(list.size() * sizeof(T));
      sent.insert(sent.end(), list.begin(), list.end());
    }
    const std::vector<std::size_t> coming = all_to_all(going);
    received.resize(sum_of(coming) / sizeof(T));
    exchange_bytes(sent.data(), going, received.data(), coming);
    std::vector<std::vector<T>> result;
    auto begin = received.begin();
    for (const std::size_t bytes : coming) {
      const auto end = begin + static_cast<std::ptrdiff_t>(bytes / sizeof(T));
      result.emplace_back(begin, end);
      begin = end;
    }
    return result;
  }

  /// Element r of `own`, of 8 bytes, goes to rank r; element r of the result has come from there.
  template <class T>
  requires(std::is_trivially_copyable_v<T> &&
           sizeof(T) == sizeof(std::int64_t)) std::vector<T> all_to_all(const std::vector<T>& own)
  const {
    if (size() == 1) return own;
    std::vector<std::int64_t> words(own.size()), from_all(own.size());
    std::memcpy(words.data(), own.data(), own.size() * sizeof(T));
    words_to_all(words.data(), from_all.data());
    std::vector<T> received(own.size());
    std::memcpy(static_cast<void*>(received.data()), from_all.data(), own.size() * sizeof(T));
    return received;
  }

  /// Tells whether `broadcast` and `exchange_with_others` take arrays in the memory of a GPU, as
  /// they do where MPI is GPU-aware. Such an array must hold its values when the call is made,
  /// which a fence of the execution space sees to.
  bool takes_device_memory() const;

  /// Exchanges lists of which both ends know the lengths: `going[r]` elements of `sent` to rank r,
  /// one list after another, and `coming[r]` from there.
  template <class T>
  void exchange(const T* sent, const std::vector<std::size_t>& going, T* received,
                const std::vector<std::size_t>& coming) const {
    static_assert(std::is_trivially_copyable_v<T>);
    exchange_bytes(sent, in_bytes(going, sizeof(T)), received, in_bytes(coming, sizeof(T)));
  }

  /// Does the same, but leaves what goes from a rank to itself to the caller.
  template <class T>
  void exchange_with_others(const T* sent, const std::vector<std::size_t>& going, T* received,
                            const std::vector<std::size_t>& coming) const {
    static_assert(std::is_trivially_copyable_v<T>);
    exchange_bytes_with_others(sent, in_bytes(going, sizeof(T)), received,
                               in_bytes(coming, sizeof(T)));
  }

  /// The values of all ranks, added by += in the order of the ranks: the same on every rank, and
  /// the same however the terms are divided where += is exact (ExactSum, counts, minima).
  template <class T>
  T sum(const T& own) const {
    if (size() == 1) return own;
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(static_cast<std::size_t>(size()), own);
    all_gather_bytes(&own, all.data(), std::vector<std::size_t>(all.size(), sizeof(T)));
    T total = all[0];
    for (std::size_t r = 1; r < all.size(); ++r) total += all[r];
    return total;
  }

  /// Sums of counts, element by element; all ranks have as many.
  void sum(std::vector<std::uint64_t>& values) const;

  std::int64_t min(std::int64_t value) const;
  std::int64_t max(std::int64_t value) const;

  /// Runs `body` on the root alone. An Error that it throws there is thrown on every rank.
  template <class Body>
  void at_root(const Body& body) const {
    if (size() == 1) {
      body();
      return;
    }
    std::optional<Error> failure;
    std::exception_ptr thrown;
    if (is_root()) {
      try {
        body();
      } catch (const Error& error) {
        failure = error;
        thrown = std::current_exception();
      } catch (...) {
        failure = Error(ErrorKind::internal, "the first rank has failed");
        thrown = std::current_exception();
      }
    }
    share_error(failure, 0);
    if (thrown) std::rethrow_exception(thrown);
    if (failure) throw Error(*failure);
  }

  /// Runs `body`, which sends no messages, on every rank. The Error of the first rank on which it
  /// throws one is thrown on all of them.
  template <class Body>
  void together(const Body& body) const {
    if (size() == 1) {
      body();
      return;
    }
    std::optional<Error> failure;
    try {
      body();
    } catch (const Error& error) {
      failure = error;
    } catch (const std::exception& error) {
      failure = Error(ErrorKind::internal,
                      "rank " + std::to_string(rank()) + " has failed: " + error.what());
    }
    const auto first = static_cast<int>(min(failure ? rank() : size()));
    if (first == size()) return;
    share_error(failure, first);
    throw Error(*failure);
  }

 private:
  void broadcast_bytes(void* values, std::size_t bytes, int from) const;
  void bring_bytes(void* values, std::size_t bytes, int from) const;
  std::vector<std::size_t> sizes_of_all(std::size_t own) const;
  void all_gather_bytes(const void* own, void* all, const std::vector<std::size_t>& bytes) const;
  /// Gives the error of one rank to every rank.
  void share_error(std::optional<Error>& error, int from) const;

  void words_to_all(const std::int64_t* own, std::int64_t* from_all) const;
  /// Copies what goes from a rank to itself, too.
  void exchange_bytes(const void* sent, const std::vector<std::size_t>& going, void* received,
                      const std::vector<std::size_t>& coming) const;
  void exchange_bytes_with_others(const void* sent, const std::vector<std::size_t>& going,
                                  void* received, const std::vector<std::size_t>& coming) const;

  std::shared_ptr<const Transport> m_transport;  // none: a process alone
};

}  // namespace tessera::parallel
