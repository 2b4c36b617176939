# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""R, by Rscript."""

import shlex
import shutil
import subprocess

# Reads lines of numbers and writes a value for each; a value that raises is NaN.
SCRIPT = """
suppressWarnings({{
{library}
p <- as.matrix(read.table(file("stdin"), colClasses = "numeric"))
f <- function(...) tryCatch({call}, error = function(e) NaN)
v <- {apply}
writeLines(sprintf("%.17g", v))
}})
"""
AT_ONCE = "do.call(f, lapply(seq_len(ncol(p)), function(i) p[, i]))"
ONE_BY_ONE = "vapply(seq_len(nrow(p)), function(i) do.call(f, as.list(p[i, ])), 0)"


def command(call, library="", each=False):
    text = SCRIPT.format(library=library, call=call, apply=ONE_BY_ONE if each else AT_ONCE)
    return lambda: "Rscript --vanilla -e " + shlex.quote(text)


def asked(expression):
    """What R prints for an expression; OSError where it does not."""
    if shutil.which("Rscript") is None:
        raise OSError("R is not there")
    done = subprocess.run(
        ["Rscript", "--vanilla", "-e", f"cat(as.character({expression}))"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise OSError(f"R cannot tell {expression}")
    return done.stdout
