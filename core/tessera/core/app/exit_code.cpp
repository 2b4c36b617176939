// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/app/exit_code.hpp"

#include <cstdio>
#include <iostream>
#include <optional>
#include <string>

#include "tessera/core/config/document.hpp"
#include "tessera/core/device/memory.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/log/log.hpp"

namespace tessera {

int run_and_report_errors(const std::function<int()>& body) {
  try {
    return body();
  } catch (const config::UnreadableInput& error) {
    logging::report(error.what());
    return error.exit_code();
  } catch (const Error& error) {
    logging::error(error.what());
    return error.exit_code();
  } catch (const std::exception& failure) {
    const std::optional<Error> error = find_memory_error(failure);
    logging::error(error ? error->what() : std::string("internal error: ") + failure.what());
    return error ? error->exit_code() : static_cast<int>(ErrorKind::internal);
  }
}

int finish_output() {
  if (std::cout.flush() && std::fflush(stdout) == 0) return 0;
  logging::error(
      "cannot write the standard output\n  remedy: check where it goes: the disk may be full");
  return static_cast<int>(ErrorKind::file);
}

}  // namespace tessera
