# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""The site and the man pages are built, by Sphinx 5 without a warning, and every link within the
site leads somewhere. (A page that no list of contents has is a warning.)

usage: site.py SOURCES SPHINX_BUILD; exit status 77 where Sphinx lacks MyST or the theme
"""

import html.parser
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse

sources, sphinx = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
PROGRAMS = ("bessel", "boys", "compare", "gbees", "gp", "grade", "mpr", "plot", "stable", "table")


# Each version of Sphinx and MyST warns of other things: with another one warnings are shown.
told = subprocess.run([sphinx, "--version"], capture_output=True, text=True, check=True).stdout
STRICT = ["-W", "--keep-going"] if re.search(r" 5\.\d", told) else []


def build(builder, folder):
    command = [sphinx, *STRICT, "-q", "-b", builder, "-c", sources / "docs"]
    done = subprocess.run(
        [*command, "-d", folder / "trees", sources, folder / builder],
        capture_output=True,
        text=True,
        check=False,
    )
    if re.search(r"Could not import extension|no theme named", done.stderr):
        print(done.stderr)
        sys.exit(77)
    assert done.returncode == 0, done.stderr
    print(done.stderr, end="")
    return folder / builder


class Page(html.parser.HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name in ("id", "name") and value:
                self.anchors.add(value)


def dead_links(site):
    pages = {path: Page(path) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        for link in page.links:
            address = urllib.parse.urlsplit(link)
            if address.scheme or address.netloc:
                continue
            where = urllib.parse.unquote(address.path)
            target = (path.parent / where).resolve() if where else path
            name = path.relative_to(site)
            if not target.exists():
                yield f"{name}: {link} leads nowhere"
            elif address.fragment and target in pages:
                if urllib.parse.unquote(address.fragment) not in pages[target].anchors:
                    yield f"{name}: {link}: no such place on that page"


with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch)
    site, manual = build("html", folder), build("man", folder)
    dead = list(dead_links(site))
    assert not dead, "\n".join(dead)
    text = (site / "docs/reference/python.html").read_text(encoding="utf-8")
    for name in ("levy_stable", "dlog_k_dnu", "OrdinaryKriging", "Results"):
        assert name in text, f"the Python reference lacks {name}"
    text = (site / "docs/reference/cpp_boys.html").read_text(encoding="utf-8")
    assert "boys_batch" in text and "boys_complex" in text
    for name in PROGRAMS:
        text = (manual / f"tessera-{name}.1").read_text(encoding="utf-8")
        assert re.search(rf'^\.TH "TESSERA\\?-{name.upper()}" "1"', text, re.MULTILINE), text[:300]
        told = text.replace("\\-", "-")
        assert any(word in told for word in ("RESULTS.h5", "INPUT", "MODULE:FUNCTION")), name
    count = len(list(site.rglob("*.html")))
    print(f"{count} pages and {len(PROGRAMS)} man pages, without a dead link")
