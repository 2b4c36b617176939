// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/expression/program.hpp"

namespace tessera::expression {

/// Tables in the memory of an execution space.
template <class ExecSpace>
class LoadedTables {
 public:
  LoadedTables() = default;
  LoadedTables(const ExecSpace& exec, const std::shared_ptr<const TableSet>& tables) {
    if (!tables) return;
    m_functions = upload(exec, "tessera::expression::tables", tables->functions());
    m_numbers = upload(exec, "tessera::expression::table_numbers", tables->numbers());
  }

  Tables tables() const { return {m_functions.data(), m_numbers.data()}; }

 private:
  Kokkos::View<Tables::Function*, ExecSpace> m_functions;
  Kokkos::View<double*, ExecSpace> m_numbers;
};

/// A program in the memory of an execution space, which copies of this object share.
template <class ExecSpace>
class LoadedProgram {
 public:
  LoadedProgram() = default;
  LoadedProgram(const ExecSpace& exec, const std::string& label, const Program& program)
      : m_code(upload(exec, label, program.code)), m_tables(exec, program.tables) {}

  const Instruction* code() const { return m_code.data(); }

  /// The functions of `program`, the one that was loaded, for kernels.
  template <int Inputs>
  Functions<Inputs> functions(const Program& program) const {
    return program.functions<Inputs>(m_code.data(), m_tables.tables());
  }

 private:
  Kokkos::View<Instruction*, ExecSpace> m_code;
  LoadedTables<ExecSpace> m_tables;
};

/// A timed program in the memory of an execution space.
template <class ExecSpace>
class LoadedTimedProgram {
 public:
  LoadedTimedProgram(const ExecSpace& exec, const std::string& label, const TimedProgram& program)
      : m_code(upload(exec, label, program.program.code)),
        m_prologue(upload(exec, label, program.prologue)),
        m_stores(upload(exec, label, program.stores)),
        m_tables(exec, program.program.tables),
        m_time(program.time) {}

  template <int Inputs>
  Functions<Inputs> functions(const TimedProgram& program) const {
    return program.program.functions<Inputs>(m_code.data(), m_tables.tables());
  }

  Prologue prologue() const {
    return {m_prologue.data(),
            m_stores.data(),
            static_cast<std::uint32_t>(m_prologue.extent(0)),
            static_cast<std::uint32_t>(m_stores.extent(0)),
            m_code.data(),
            m_tables.tables(),
            m_time};
  }

 private:
  Kokkos::View<Instruction*, ExecSpace> m_code, m_prologue;
  Kokkos::View<Prologue::Store*, ExecSpace> m_stores;
  LoadedTables<ExecSpace> m_tables;
  int m_time;
};

}  // namespace tessera::expression
