# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Which Python and machine a wheel is for: the compatibility tags of PEP 425."""

import platform as host
import sys
import sysconfig


def tag(is_portable=False):
    """As in cp311-cp311-linux_x86_64, which promises no more than this machine; a portable wheel
    needs the C library of this machine or a later one: manylinux_2_36_x86_64 (PEP 600)."""
    version = f"{sys.version_info[0]}{sys.version_info[1]}"
    fields = (sysconfig.get_config_var("SOABI") or "").split("-")
    if sys.implementation.name == "cpython":
        python, abi = "cp" + version, "cp" + (fields[1] if len(fields) > 1 else version)
    else:
        python, abi = "pp" + version, "_".join(fields[:2])
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    library, number = host.libc_ver()
    if is_portable and library == "glibc" and platform.startswith("linux_"):
        platform = f"manylinux_{number.replace('.', '_')}_{platform[len('linux_'):]}"
    return f"{python}-{abi}-{platform}"
