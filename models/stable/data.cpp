// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/data.hpp"

#include <utility>

#include "tessera/core/error.hpp"
#include "tessera/core/io/columns.hpp"

namespace tessera::stable {

Numbers read_numbers(const DataSource& source, bool allow_missing) {
  Numbers numbers;
  numbers.file = source.file;
  std::vector<std::string> names{source.column};
  std::vector<std::vector<double>*> destinations{&numbers.value};
  for (const auto& [name, destination] : {std::pair{&source.alpha_column, &numbers.alpha}, std::pair{&source.beta_column, &numbers.beta},
                                          std::pair{&source.weight_column, &numbers.weight}}) {
    if (name->empty()) continue;
    names.push_back(*name);
    destinations.push_back(destination);
  }
  std::vector<std::vector<double>> columns = io::read_columns(source.file, names, allow_missing);
  if (columns.front().empty())
    throw Error(ErrorKind::input, source.file + " holds no values", "check the file and the name of the column or dataset");
  for (std::size_t k = 0; k < columns.size(); ++k) *destinations[k] = std::move(columns[k]);
  return numbers;
}

}  // namespace tessera::stable
