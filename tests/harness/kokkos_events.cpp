// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/harness/kokkos_events.hpp"

#include <algorithm>
#include <mutex>

namespace tessera::test {

namespace {

using Kind = KokkosEvent::Kind;
namespace tools = Kokkos::Tools::Experimental;

// Kokkos calls plain functions, which can reach nothing but a global.
std::mutex g_mutex;
std::vector<KokkosEvent> g_events;

void note(Kind kind, const char* label, std::uint32_t instance) {
  const std::lock_guard<std::mutex> lock(g_mutex);
  g_events.push_back({kind, label, instance});
}

void note_for(const char* label, std::uint32_t instance, std::uint64_t*) {
  note(Kind::parallel_for, label, instance);
}
void note_reduce(const char* label, std::uint32_t instance, std::uint64_t*) {
  note(Kind::parallel_reduce, label, instance);
}
void note_scan(const char* label, std::uint32_t instance, std::uint64_t*) {
  note(Kind::parallel_scan, label, instance);
}
void note_allocation(Kokkos::Tools::SpaceHandle, const char* label, const void*, std::uint64_t) {
  note(Kind::allocation, label, 0);
}

bool begins_with(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

/// Kokkos fences by itself before it calls a tool: those fences are not the program's.
void note_fence(const char* label, std::uint32_t instance, std::uint64_t*) {
  if (!begins_with(label, "Kokkos::Tools::")) note(Kind::fence, label, instance);
}

/// "x" of "Kokkos::View::initialization [x]", the kernel that sets a new View x; the text itself
/// otherwise.
std::string subject(const std::string& label) {
  const std::size_t open = label.find('['), close = label.rfind(']');
  return begins_with(label, "Kokkos::View::") && open != std::string::npos &&
                 close != std::string::npos
             ? label.substr(open + 1, close - open - 1)
             : label;
}

bool is_known(const std::string& label) {
  // Kokkos 3.4 does not know of which View: "Kokkos::View::destruction []". Its allocation has a
  // label of its own.
  if (label.empty()) return true;
  // Kokkos::, KokkosBlas::; a map holds a bitset
  const std::vector<std::string> owners{"tessera::", "Kokkos", "UnorderedMap", "Bitset"};
  return std::any_of(owners.begin(), owners.end(),
                     [&](const std::string& owner) { return begins_with(label, owner); });
}

}  // namespace

std::vector<KokkosEvent> record_events(const std::function<void()>& work) {
  const tools::EventSet before = tools::get_callbacks();
  g_events.clear();
  tools::set_begin_parallel_for_callback(note_for);
  tools::set_begin_parallel_reduce_callback(note_reduce);
  tools::set_begin_parallel_scan_callback(note_scan);
  tools::set_begin_fence_callback(note_fence);
  tools::set_allocate_data_callback(note_allocation);
  try {
    work();
  } catch (...) {
    tools::set_callbacks(before);
    throw;
  }
  tools::set_callbacks(before);
  return std::move(g_events);
}

bool is_global_fence(const KokkosEvent& event) {
  if (event.kind != Kind::fence) return false;
#if KOKKOS_VERSION >= 40000
  const std::uint32_t instance = tools::identifier_from_devid(event.instance).instance_id;
  return instance == tools::int_for_synchronization_reason(
                         tools::SpecialSynchronizationCases::GlobalDeviceSynchronization) ||
         instance == tools::int_for_synchronization_reason(
                         tools::SpecialSynchronizationCases::DeepCopyResourceSynchronization);
#else
  return false;
#endif
}

bool is_deallocation_fence(const KokkosEvent& event) {
  return is_global_fence(event) && event.label.find("deallocate") != std::string::npos;
}

std::vector<std::string> foreign_labels(const std::vector<KokkosEvent>& events) {
  std::vector<std::string> labels;
  for (const KokkosEvent& event : events) {
    if (event.kind == Kind::fence || (!event.label.empty() && is_known(subject(event.label))))
      continue;
    if (std::find(labels.begin(), labels.end(), event.label) == labels.end())
      labels.push_back(event.label);
  }
  return labels;
}

}  // namespace tessera::test
