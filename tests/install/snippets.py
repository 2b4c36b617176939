# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""The C++ and Python examples in documents and headers are parts of programs that are run:
snippets.py ROOT

In a document (*.md) the line before the code block (```cpp or ```python) names the program:

    <!-- Example: tests/install/examples/mpr.cpp -->
    ```cpp
    mpr::GapFill<ExecSpace, float> fill(exec, grid, 1, options);
    ```

In a header (*.hpp) the code is indented by four spaces, or more, below the line that names the
program:

    /// Example (tests/install/examples/mpr.cpp):
    ///
    ///     mpr::GapFill<ExecSpace, float> fill(exec, grid, 1, options);

The code of an example must stand in the program, however its lines are broken and commented.
Examples without a program are listed, and are no error. Ends with 1 when an example differs from
its program.
"""

import os
import re
import sys
import textwrap

FOLDERS = ("apps", "core", "docs", "models")
DOCUMENT_MARK = re.compile(r"\s*<!--\s*Example:\s*(\S+)\s*-->\s*")
FENCES = ("```cpp", "```python")
HEADER_MARK = re.compile(r"\s*///.*\bExample \((\S+)\):\s*")
HEADER_CODE = re.compile(r"\s*///     (.*)")


def sources(root):
    """The documents and headers, relative to the root."""
    found = [name for name in os.listdir(root) if name.endswith(".md")]
    for folder in FOLDERS:
        for path, _, names in os.walk(os.path.join(root, folder)):
            found += [
                os.path.relpath(os.path.join(path, name), root)
                for name in names
                if name.endswith((".md", ".hpp"))
            ]
    return sorted(found)


def examples_in_document(lines):
    """(line number, program or None, code) of each block of C++ or Python."""
    number = 0
    while number < len(lines):
        if lines[number].strip() in FENCES:
            end = next(
                i
                for i in range(number + 1, len(lines) + 1)
                if i == len(lines) or lines[i].strip() == "```"
            )
            before = next((lines[i] for i in range(number - 1, -1, -1) if lines[i].strip()), "")
            mark = DOCUMENT_MARK.fullmatch(before)
            yield number + 1, mark.group(1) if mark else None, lines[number + 1 : end]
            number = end
        elif DOCUMENT_MARK.fullmatch(lines[number]) and lines[number + 1 : number + 2] not in [
            [fence] for fence in FENCES
        ]:
            yield number + 1, DOCUMENT_MARK.fullmatch(lines[number]).group(1), []
        number += 1


def examples_in_header(lines):
    """(line number, program, code) of each example that names its program."""
    for number, line in enumerate(lines):
        mark = HEADER_MARK.fullmatch(line)
        if not mark:
            continue
        code = []
        for following in lines[number + 1 :]:
            match = HEADER_CODE.fullmatch(following)
            if match:
                code.append(match.group(1))
            elif following.strip() == "///":
                code.append("")
            else:
                break
        yield number + 1, mark.group(1), code


def normal(lines):
    """The lines without their common indentation and without empty lines around them."""
    return textwrap.dedent("\n".join(line.rstrip() for line in lines)).strip("\n").split("\n")


def words(lines):
    """The code of lines, whose breaks, indentation and comments do not count; pieces of a literal
    are joined."""
    code = (re.sub(r"(^|\s)//.*", "", line) for line in lines)
    return re.sub(r"\s+", "", "\n".join(code)).replace('""', "")


def stands_in(code, program):
    return words(code) in words(program)


def problem_of(root, program, code):
    """What is wrong with an example; nothing when it is a part of its program."""
    path = os.path.join(root, program)
    if not os.path.isfile(path):
        return f"there is no program '{program}'"
    code = normal(code)
    if code == [""]:
        return "the mark has no code below it"
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip() for line in file.read().split("\n")]
    if stands_in(code, lines):
        return None
    stripped = {line.strip() for line in lines}
    missing = next((line for line in code if line.strip() not in stripped), None)
    return f"not a part of {program}" + (
        f", which has no line '{missing.strip()}'"
        if missing
        else ": its lines stand there in another order"
    )


def main():
    root = sys.argv[1]
    compared, unmarked, problems = 0, [], []
    for source in sources(root):
        with open(os.path.join(root, source), encoding="utf-8") as file:
            lines = file.read().split("\n")
        for number, program, code in (
            examples_in_document if source.endswith(".md") else examples_in_header
        )(lines):
            if program is None:
                unmarked.append(f"{source}:{number}")
                continue
            compared += 1
            problem = problem_of(root, program, code)
            if problem:
                problems.append(f"{source}:{number}: error: {problem}")
    print(f"{compared} examples compared with their programs")
    for place in unmarked:
        print(f"{place}: an example without a program")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
