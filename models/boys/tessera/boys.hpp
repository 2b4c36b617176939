// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Boys functions, their relatives, and integrals over Gaussians.

#include "tessera/boys/batch.hpp"
#include "tessera/boys/boys.hpp"
#include "tessera/boys/complex.hpp"
#include "tessera/boys/instances.hpp"
#include "tessera/boys/integrals.hpp"
#include "tessera/boys/pack.hpp"
#include "tessera/boys/paper.hpp"
#include "tessera/boys/tables.hpp"
#include "tessera/boys/variants.hpp"
#include "tessera/boys/warp.hpp"
