// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/compare/applications.hpp"

#include "models/bessel/application.hpp"
#include "models/boys/application.hpp"
#include "models/gbees/application.hpp"
#include "models/gp/application.hpp"
#include "models/mpr/application.hpp"
#include "models/stable/application.hpp"

namespace tessera::compare {

std::vector<Application> applications() {
  return {
      bessel::application(),
      boys::application(),
      gbees::application(),
      gp::application(),
      mpr::application(),
      stable::application(),
  };
}

}  // namespace tessera::compare
