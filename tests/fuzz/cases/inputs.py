# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Cases `inputs`: an input that came with the program, or a tiny one, is changed a few times and
validated or run, with odd overrides and options."""

import os
import re

from cases.runner import Failure, put
from cases.templates import TINY, small_csv, small_npy

ODD_VALUES = [
    "1e308",
    "-1e308",
    "1e-320",
    "5e-324",
    "1e400",
    "0",
    "-0.0",
    "-1",
    "1",
    "2",
    "nan",
    ".nan",
    ".inf",
    "-.inf",
    "99999999999999999999",
    "-9223372036854775808",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "4294967296",
    "2147483648",
    "2147483647",
    "-2147483649",
    "1e9",
    "1000000",
    "0x10",
    "0o17",
    "010",
    "1_000",
    "1,5",
    "1d5",
    "true",
    "no",
    "null",
    "~",
    "''",
    '""',
    "[]",
    "{}",
    "[[]]",
    "[[1, 2], [3]]",
    "{a: b}",
    "[1, 2",
    "'a",
    '"\\x00"',
    '"\\u0000"',
    '"\\uD800"',
    "é漢字😀",
    "a" * 5000,
    "../../../etc/passwd",
    "/dev/null",
    "/",
    ".",
    "~root",
    "$(touch pwned)",
    "; touch pwned",
    "%s%n%n",
    "*x",
    "&x 1",
    "!!binary AAAA",
    "!!python/object/apply:os.system [id]",
    "<<",
    "- 1",
    "? a",
    "| ",
    "> ",
    "@",
    "`",
    "\t",
    "[1, nan, 3]",
    "[1e308, 1e308, 1e308]",
    "[0, 0, 0]",
    "[-1, -1, -1]",
    "[" + "1, " * 999 + "1]",
    "x y z",
    "sin(",
    "1/0",
    "x^x^x^x",
    "lorenz63",
    "auto",
    "{linspace: [0, 1, 1000000000]}",
    "{logspace: [0, 1, 3]}",
]

ODD_KEYS = [
    "run.seed",
    "backend",
    "a.b.c.d",
    "measurements[0].time",
    "a[",
    "a.0.1",
    "..",
    "",
    "=",
    ".".join("a" * 60),
    ".".join("a" * 2000),
    "é",
]

ODD_OPTIONS = [
    "--seed",
    "--seed=-1",
    "--seed=99999999999999999999",
    "--backend=cuda",
    "--backend=openmp",
    "--backend=x",
    "--progress=x",
    "--timing",
    "-q",
    "-v",
    "--markdown",
    "--forse",
    "--restart",
    "--restart=input.yaml",
    "--restart=/nowhere",
    "--output=",
    "--output=.",
    "--output=/dev/null",
    "--output=nowhere/a.h5",
    "--kokkos-threads=-1",
    "--kokkos-nonsense",
    "--kokkos-num-threads=1e9",
    "--",
    "-",
    "a" * 300,
]


def deep(rng, depth=None):
    """Brackets and dashes, nested or left open."""
    depth = depth or rng.choice([10, 60, 63, 64, 65, 200, 2000, 20000])
    return rng.choice(
        [
            "[" * depth + "1" + "]" * depth,
            "[" * depth,
            "{a: " * depth + "1" + "}" * depth,
            "- " * depth + "1",
            "? " * depth + "1",
            "[{a: " * depth,
        ]
    )


def replace_value(rng, text, new):
    values = list(re.finditer(r"(?<=: )[^\n#{}\[\],]+|(?<=\[)[^\],\n]+|(?<=, )[^\],}\n]+", text))
    if not values:
        return new
    at = rng.choice(values)
    return text[: at.start()] + new + text[at.end() :]


# --- changes of a text: (rng, text, other inputs) to text or bytes
# -----------------------------------------------------------------


def odd_value(rng, text, _):
    return replace_value(rng, text, rng.choice(ODD_VALUES))


def deep_value(rng, text, _):
    return replace_value(rng, text, deep(rng))


def deep_lines(rng, text, _):
    return deep(rng) + "\n" + text if rng.random() < 0.5 else text + "\nz: " + deep(rng)


def other_lines(rng, text, others):
    """A line is repeated, left out, moved, indented otherwise, or taken from another input."""
    lines = text.split("\n")
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    other = rng.choice(others).split("\n")
    k = rng.randrange(len(other))
    pick = rng.randrange(7)
    if pick == 0:
        lines.insert(i, lines[i])
    elif pick == 1:
        del lines[i : i + rng.randint(1, 3)]
    elif pick == 2:
        lines[i], lines[j] = lines[j], lines[i]
    elif pick == 3:
        lines[i] = " " * rng.randint(0, 5) + lines[i].strip()
    elif pick == 4:
        lines[i] = "\t" + lines[i]
    elif pick == 5:
        lines[i:i] = other[k : k + rng.randint(1, 8)]
    else:
        lines[i:i] = lines[i : i + rng.randint(1, 3)] * rng.choice([2, 30, 300])
    return "\n".join(lines)


def new_key(rng, text, _):
    lines = text.split("\n")
    i = rng.randrange(len(lines))
    indent = re.match(r" *", lines[i])[0]
    key = (
        rng.choice(["k", "name", "file", "x-free", "comment", "run", "<<", "?", "a b", "é"])
        + ": "
        + rng.choice(ODD_VALUES)
    )
    long = rng.choice(
        [
            "a" * (1 << 20) + ": 1",
            "k: " + "a" * (1 << 20),
            "'" + "'" * 9999 + ": 1",
            'k: "' + "\\n" * 9999,
        ]
    )
    lines.insert(i, indent + (key if rng.random() < 0.6 else long))
    return "\n".join(lines)


def mark(rng, text, _):
    """Tags, anchors and other signs of YAML before a line."""
    lines = text.split("\n")
    i = rng.randrange(len(lines))
    lines[i] = (
        rng.choice(
            [
                "&a ",
                "*a ",
                "!!str ",
                "!x ",
                "!!set ",
                "!<tag:yaml.org,2002:int> ",
                "<<: ",
                "? ",
                "- ",
                "--- ",
                "... ",
                "%YAML 9.9\n---\n",
            ]
        )
        + lines[i]
    )
    return "\n".join(lines)


def aliases(rng, text, _):
    """A list that is repeated by aliases, or lists of lists of aliases."""
    if rng.random() < 0.5:
        size, uses = rng.choice([10, 100, 1000]), rng.choice([1, 50, 2000])
        return f"k: &x [{'1, ' * size}1]\n{text}\nb: [{'*x, ' * uses}*x]"
    levels = [
        f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 10)}]"
        for k in range(1, rng.choice([3, 5, 9, 30]))
    ]
    return "\n".join(["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]", *levels, text])


def swap_words(rng, text, _):
    words = re.findall(r"[A-Za-z_][A-Za-z_0-9]*|-?[\d.]+(?:e-?\d+)?", text)
    return text.replace(rng.choice(words), rng.choice(words), 1) if words else text


def cut(rng, text, _):
    return text[: rng.randrange(len(text) + 1)]


def other_bytes(rng, text, _):
    raw = bytearray(text.encode("utf-8", "surrogatepass"))
    for _ in range(rng.randint(1, 12)):
        raw[rng.randrange(len(raw))] = rng.randrange(256)
    return bytes(raw)


def more_bytes(rng, text, _):
    raw = text.encode("utf-8", "surrogatepass")
    j = rng.randrange(len(raw))
    return raw[:j] + rng.randbytes(rng.randint(1, 40)) + raw[j:]


def other_encoding(rng, text, _):
    raw = text.encode("utf-8", "surrogatepass")
    return rng.choice(
        [
            lambda: b"",
            lambda: b"\x00" * 100,
            lambda: rng.randbytes(rng.randint(1, 4000)),
            lambda: text.encode("utf-16", "surrogatepass"),
            lambda: b"\xef\xbb\xbf" + raw,
            lambda: raw.replace(b"\n", b"\r\n"),
            lambda: raw.replace(b"\n", b"\r"),
            lambda: raw.replace(b":", b"\xc3"),
            lambda: b"\x89HDF\r\n\x1a\n" + raw,
            lambda: b"#" * (17 << 20),
        ]
    )()


CHANGES = {
    odd_value: 7,
    deep_value: 1,
    deep_lines: 1,
    other_lines: 7,
    new_key: 2,
    mark: 1,
    aliases: 2,
    swap_words: 1,
    cut: 1,
    other_bytes: 1,
    more_bytes: 1,
    other_encoding: 1,
}


def change(rng, text, others):
    return rng.choices(list(CHANGES), CHANGES.values())[0](rng, text or "app: gbees", others)


# --- cases
# ----------------------------------------------------------------------------------------------


def shipped(runner, app):
    """The inputs that come with a program."""
    folder = os.path.join(runner.inputs, app)
    texts = []
    for name in sorted(os.listdir(folder)):
        if name.endswith(".yaml"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                texts.append(file.read())
    return texts


def link_data(runner, app, folder):
    for name in os.listdir(os.path.join(runner.inputs, app)):
        path = os.path.join(runner.inputs, app, name)
        if os.path.isfile(path) and not name.endswith(".yaml"):
            os.symlink(path, os.path.join(folder, name))


def all_keys(text):
    """Paths of keys, roughly."""
    stack, found = [], []
    for line in text.split("\n"):
        match = re.match(r"( *)(?:- )?\{?([A-Za-z_0-9]+):", line)
        if match:
            while stack and stack[-1][0] >= len(match[1]):
                stack.pop()
            stack.append((len(match[1]), match[2]))
            found.append(".".join(key for _, key in stack))
    return found or ["run.seed"]


def odd_arguments(rng, text):
    arguments = []
    for _ in range(rng.choice([0, 0, 0, 1, 1, 3])):
        key, value = rng.choice(all_keys(text) + ODD_KEYS), rng.choice(
            ODD_VALUES + [deep(rng, 100)]
        )
        arguments.append(f"{key}={value}".replace("\0", "")[:100000])
    if rng.random() < 0.2:
        arguments.append(rng.choice(ODD_OPTIONS))
    return arguments


def run_case(runner, rng, folder):
    app = rng.choice(runner.apps)
    others = shipped(runner, app)
    runs = rng.random() < 0.3  # the others are validated only
    text = rng.choice(TINY[app] if runs else others)
    put(folder, "small.csv", small_csv(rng))
    put(folder, "small.npy", small_npy(rng))
    link_data(runner, app, folder)
    for _ in range(rng.choice([0, 1, 1, 1, 2, 3, 6])):
        if isinstance(text, str):
            text = change(rng, text, others)
    put(folder, "input.yaml", text)
    arguments = [
        "input.yaml",
        *([] if runs else ["--validate"]),
        "--output",
        "result.h5",
        *odd_arguments(rng, text if isinstance(text, str) else others[0]),
    ]
    if rng.random() < 0.02:
        arguments = [
            "--print-defaults",
            rng.choice(all_keys(others[0])) + "=" + rng.choice(ODD_VALUES),
        ]
    printable = [
        argument.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
        for argument in arguments
    ]
    runner.judge(runner.run(app, printable, folder, stop_after=3.0 if runs else None), folder)
    if os.path.exists(os.path.join(folder, "pwned")):
        raise Failure("code", "a name was given to a shell")
