// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/applications.hpp"

#include "tessera/bessel/application.hpp"
#include "tessera/boys/application.hpp"
#include "tessera/gbees/application.hpp"
#include "tessera/gp/application.hpp"
#include "tessera/mpr/application.hpp"
#include "tessera/stable/application.hpp"

namespace tessera::apps {

std::vector<Application> applications() {
  return {
      bessel::application(), boys::application(), gbees::application(),
      gp::application(),     mpr::application(),  stable::application(),
  };
}

}  // namespace tessera::apps
