# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""The forms for issues are as GitHub wants them, and the tables of docs/policies.md answer every
point and name files that exist.

usage: community.py SOURCES
"""

import pathlib
import re
import sys

import yaml

sources = pathlib.Path(sys.argv[1]).resolve()
FIELDS = {"checkboxes", "dropdown", "input", "markdown", "textarea"}
ANSWERS = {"yes", "in part", "no"}
POINTS = {"JOSS": 14, "E4S": 9, "xSDK": 25}


def check_form(path):
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert {"name", "description", "body"} <= set(form), f"{path.name} lacks a key"
    ids = [field["id"] for field in form["body"] if "id" in field]
    assert len(set(ids)) == len(ids), f"{path.name} has an id twice"
    for field in form["body"]:
        assert field["type"] in FIELDS, f"{path.name}: {field['type']}"
        assert field["attributes"].get("label") or field["type"] == "markdown", path.name


folder = sources / ".github/ISSUE_TEMPLATE"
forms = sorted(path for path in folder.glob("*.yml") if path.name != "config.yml")
assert len(forms) >= 3
for path in forms:
    check_form(path)
yaml.safe_load((folder / "config.yml").read_text(encoding="utf-8"))

rows = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (sources / "docs/policies.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| point")
]
assert len(rows) == sum(POINTS.values()), f"{len(rows)} points"
for point, answer, where in rows:
    assert answer in ANSWERS and where, f"{point}: '{answer}'"
    for name in re.findall(r"`([\w./-]+)`", where):
        is_file = "/" in name or name.endswith((".md", ".yaml", ".json", ".cff"))
        if is_file and name not in ("tessera/", "paper.md", "PARAMETERS.md", "PAPER.md"):
            places = [sources / name, sources / "core" / name, sources / ".github" / name]
            assert any(place.exists() for place in places), f"{point}: there is no {name}"
for name in ("SECURITY.md", "CODE_OF_CONDUCT.md", ".github/pull_request_template.md"):
    assert (sources / name).stat().st_size > 0
print(f"{len(forms)} forms, {len(rows)} points of policies")
