# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Which Python and machine a wheel is for: the compatibility tags of PEP 425."""

import sys
import sysconfig


def tag():
    """As in cp311-cp311-linux_x86_64. The platform promises no more than this machine, since the
    wheel links its libraries."""
    version = f"{sys.version_info[0]}{sys.version_info[1]}"
    fields = (sysconfig.get_config_var("SOABI") or "").split("-")
    if sys.implementation.name == "cpython":
        python, abi = "cp" + version, "cp" + (fields[1] if len(fields) > 1 else version)
    else:
        python, abi = "pp" + version, "_".join(fields[:2])
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{python}-{abi}-{platform}"
