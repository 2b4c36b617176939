# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""The messages that docs/faq.md explains stand in the sources, so that a user who searches for one
finds it: faq.py SOURCES"""

import pathlib
import re
import sys

sources = pathlib.Path(sys.argv[1]).resolve()
OTHERS = {"error: externally-managed-environment"}  # messages of other programs
ENDINGS = {".cpp", ".hpp", ".cmake"}


def literals():
    """The sources as one text, in which pieces of a literal are joined and words of formatted
    numbers and names are left out."""
    parts = []
    for folder in ("apps", "cmake", "core", "models"):
        for path in sorted((sources / folder).rglob("*")):
            if path.suffix in ENDINGS:
                text = path.read_text(encoding="utf-8")
                parts.append(re.sub(r'"\s*(?:<<\s*)?"', "", text))
    return "\n".join(parts)


def main():
    page = (sources / "docs/faq.md").read_text(encoding="utf-8")
    messages = re.findall(r"^### `(.*)`$", page, re.MULTILINE)
    known = literals()
    problems = []
    for message in messages:
        for part in message.split("..."):
            part = part if len(part.strip(" '(?)")) > 3 else ""
            if part and message not in OTHERS and part not in known:
                problems.append(f"docs/faq.md: no source has '{part}' of '{message}'")
    print("\n".join(problems) or f"{len(messages)} messages of docs/faq.md are in the sources")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
