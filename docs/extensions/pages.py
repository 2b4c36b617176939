# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Directives that make reference pages from the sources, which nothing has to import or compile.

    ```{python-module} tessera.bessel     signatures of the stub, texts of the docstrings
    ```

    ```{public-headers} gbees             what the headers that <tessera/gbees.hpp> names declare
    ```
"""

import ast
import pathlib
import re

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "apps/python"


def paragraphs(text):
    """Nodes of a plain text: paragraphs, and code where it is indented or between backquotes."""
    for part in re.split(r"\n\s*\n", text.strip("\n")):
        lines = part.split("\n")
        if all(line.startswith("    ") or not line.strip() for line in lines):
            code = "\n".join(line[4:] for line in lines)
            yield nodes.literal_block(code, code, language="text")
            continue
        paragraph = nodes.paragraph()
        for number, words in enumerate(re.split(r"`+([^`\n]+)`+", " ".join(map(str.strip, lines)))):
            if words:
                paragraph += nodes.literal(words, words) if number % 2 else nodes.Text(words)
        yield paragraph


def described(directive, domain, kind, signature, text, content=()):
    """The description of an object: its signature, its text, and what it has inside."""
    description = addnodes.desc(domain=domain, objtype=kind, noindex=True)
    for line in signature if isinstance(signature, list) else [signature]:
        heading = addnodes.desc_signature(line, "", first=False)
        heading += addnodes.desc_name(line, line)
        description += heading
    inside = addnodes.desc_content()
    inside += [*paragraphs(text), *content] if text else [*content]
    description += inside
    return description


def signature_of(node, owner=""):
    """One line: name(arguments) -> result."""
    arguments = ast.unparse(node.args)
    if owner:
        arguments = re.sub(r"^self(, /)?(, )?", "", arguments)
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{node.name}({arguments}){result}"


def is_public(node):
    return not node.name.startswith("_")


class PythonModule(SphinxDirective):
    """Functions and classes of a module's stub, with the docstrings of the module."""

    required_arguments = 1

    def run(self):
        name = self.arguments[0]
        path = PACKAGE / name.replace(".", "/")
        path = path / "__init__" if path.is_dir() else path
        texts = self.docstrings(path.with_suffix(".py"))
        stub = path.with_suffix(".pyi")
        self.env.note_dependency(str(stub))
        self.env.note_dependency(str(path.with_suffix(".py")))
        found = list(paragraphs(texts.get("", "")))
        for node in ast.parse(stub.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and is_public(node):
                text = texts.get(node.name, "")
                found.append(described(self, "py", "function", signature_of(node), text))
            elif isinstance(node, ast.ClassDef) and is_public(node):
                found.append(self.described_class(node, texts))
        return found

    def described_class(self, node, texts):
        members = []
        for member in node.body:
            if isinstance(member, ast.FunctionDef) and is_public(member):
                text = texts.get(f"{node.name}.{member.name}", "")
                line = signature_of(member, owner=node.name)
                is_property = any(getattr(d, "id", "") == "property" for d in member.decorator_list)
                line = line.replace("()", "", 1) if is_property else line
                members.append(described(self, "py", "method", line, text))
            elif isinstance(member, ast.AnnAssign):
                members.append(described(self, "py", "attribute", ast.unparse(member), ""))
        bases = ", ".join(ast.unparse(base) for base in node.bases)
        line = f"class {node.name}({bases})" if bases else f"class {node.name}"
        return described(self, "py", "class", line, texts.get(node.name, ""), members)

    @staticmethod
    def docstrings(path):
        """{"": of the module, "name", "Class.name": docstring}."""
        tree = ast.parse(path.read_text(encoding="utf-8"))
        texts = {"": ast.get_docstring(tree) or ""}
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module:
                texts = {**PythonModule.docstrings(path.parent / f"{node.module}.py"), **texts}
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                texts[node.name] = ast.get_docstring(node) or ""
                for member in getattr(node, "body", []):
                    if isinstance(member, ast.FunctionDef):
                        texts[f"{node.name}.{member.name}"] = ast.get_docstring(member) or ""
        return texts


class PublicHeaders(SphinxDirective):
    """A section for each header that an umbrella names: what is declared there with a comment."""

    required_arguments = 1

    def run(self):
        system = self.arguments[0]
        base = ROOT / ("core" if system == "core" else f"models/{system}")
        umbrella = base / f"tessera/{system}.hpp"
        found = []
        for name in re.findall(r'^#include "(tessera/[^"]+)"', umbrella.read_text(), re.MULTILINE):
            path = base / name
            if not path.exists():  # a header of another system
                continue
            self.env.note_dependency(str(path))
            entries = [
                described(self, "cpp", "type", declaration, text)
                for text, declaration in self.declarations(path.read_text(encoding="utf-8"))
            ]
            section = nodes.section(ids=[nodes.make_id(name)])
            section += nodes.title("", "", nodes.literal(name, f"<{name}>"))
            section += entries or [nodes.paragraph("", "No declaration with a comment.")]
            found.append(section)
        return found

    @staticmethod
    def declarations(text):
        """(comment, first lines of what is declared below it), outside of classes."""
        lines = text.split("\n")
        number = 0
        while number < len(lines):
            if not lines[number].startswith("///"):
                number += 1
                continue
            begin = number
            while number < len(lines) and lines[number].startswith("///"):
                number += 1
            comment = "\n".join(re.sub(r"^/// ?", "", line) for line in lines[begin:number])
            declaration = []
            while number < len(lines) and lines[number].strip() and len(declaration) < 12:
                line = lines[number]
                declaration.append(re.sub(r"\s*(\{.*|;.*|//.*)$", "", line))
                number += 1
                if re.search(r"[{;]", line):
                    break
            if declaration and not declaration[0].startswith(("#", "namespace")):
                yield comment, [line for line in declaration if line.strip()]


def setup(app):
    app.add_directive("python-module", PythonModule)
    app.add_directive("public-headers", PublicHeaders)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
