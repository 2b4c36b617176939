// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera::python {

/// Takes over warnings and errors of the library: from now on they are not written to stderr, but
/// calls raise them, warnings as tessera.TesseraWarning.
void take_over_messages();

/// Lets warnings and errors go to stderr again, as a program's do.
void give_back_messages();

/// Raises the library's warnings since the last call of this function, and forgets them. The caller
/// holds the interpreter's lock. Throws where the user has turned warnings into exceptions.
void raise_warnings();

}  // namespace tessera::python
