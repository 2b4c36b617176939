# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Cases `expressions`: equations, definitions, invariants and measurements of tessera-gbees made at
random, and very long ones."""

from cases.runner import put

FUNCTIONS = "sin cos tan asin acos atan sinh cosh tanh exp log sqrt abs sign floor pow min max atan2 hypot".split()
OF_TWO = ("pow", "min", "max", "atan2", "hypot")
NUMBERS = ["0", "1", "2", "0.5", "1e308", "1e-320", "pi", "t", "-1", ".5", "3.", "10", "7"]
WRONG = ["", "é", "1..2", "0x10", "$", "x'", "1e", "'", "\\", "unknown", "1e400"]


def leaf(rng, names):
    return rng.choice(names + NUMBERS) if rng.random() < 0.995 else rng.choice(WRONG)


def expression(rng, names, depth):
    """A tree of that depth, now and then a wrong one."""
    if depth <= 0 or rng.random() < 0.15:
        return leaf(rng, names)

    def below():
        return expression(rng, names, depth - 1)

    pick = rng.randrange(10)
    if pick < 5:
        operators = ["+", "-", "*", "/", "^", "**"] + (
            ["//", "%", "", "<"] if rng.random() < 0.01 else []
        )
        return f"{below()} {rng.choice(operators)} {below()}"
    if pick < 7:
        return f"({below()})"
    if pick == 7:
        return rng.choice(["-", "+", "--", "-+"]) + below()
    name = rng.choice(FUNCTIONS)
    wanted = 2 if name in OF_TWO else 1
    count = wanted if rng.random() < 0.97 else rng.choice([0, 1, 2, 3])
    return f"{name}({', '.join(below() for _ in range(count))})"


def extreme(rng, x):
    """Long, deep or without a value."""
    n = rng.choice([100, 199, 201, 100000])
    return rng.choice(
        [
            lambda: "(" * n + x + ")" * n,
            lambda: "(" * n + x,
            lambda: x + ")" * n,
            lambda: "-" * n + x,
            lambda: "sin(" * n + x + ")" * n,
            lambda: "^".join([x] * n),
            lambda: "**".join([x] * n),
            lambda: f"{x}^(10^308)",
            lambda: f"{x}^1e308",
            lambda: f"{x}^-1e308",
            lambda: "*".join([x] * n),
            lambda: "+".join([x] * n),
            lambda: "-".join([f"{x}*{k}" for k in range(n)]),
            lambda: "min(" + ", ".join([x, "1"] * n) + ")",
            lambda: f"{x}/({x}-{x})",
            lambda: f"1/0*{x}",
            lambda: "0/0",
            lambda: f"log(-{x}^2)",
            lambda: x + " " * n,
            lambda: "9" * n,
            lambda: "1e" + "9" * 50,
            lambda: "+".join(f"sin({k}*{x})*" for k in range(20)) + "1",
            lambda: x * n,
            lambda: "*".join(f"(1+{k}*{x}+" for k in range(40)) + "1" + ")" * 40,
        ]
    )()


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def choose_names(rng):
    names = ["x", "y", "z", "u", "v", "w", "a1", "b_", "q"]
    if rng.random() < 0.15:
        names[rng.randrange(3)] = rng.choice(
            ["t", "sin", "pi", "x", "_", "é", "1x", "", "a" * 10000, "null", "x y", "e", "inf"]
        )
    return names[: rng.choice([1, 1, 2, 2, 2, 3, 3, 4, 8] if rng.random() < 0.95 else [0, 9])]


def model_lines(rng, names, make):
    equations = len(names) + (rng.random() > 0.95)
    yield "app: gbees"
    yield "model:"
    yield "  variables: [" + ", ".join(quoted(name) for name in names) + "]"
    yield "  equations: [" + ", ".join(quoted(make()) for _ in range(equations)) + "]"
    if rng.random() < 0.5:
        yield "  parameters: {k: " + rng.choice(["1", "0", "1e308", "-1", "nan"]) + (
            ", k: 2" if rng.random() < 0.05 else ""
        ) + "}"
    if rng.random() < 0.5:
        chain = rng.random() < 0.5
        texts = [
            f"d{i - 1}*d{i - 1}+1"
            if chain and i
            else rng.choice(["d0", "d1", f"d{i}", "x+1", make()])
            for i in range(rng.choice([1, 1, 2, 3, 50, 2000]))
        ]
        yield "  definitions: {" + ", ".join(
            f"d{i}: {quoted(text)}" for i, text in enumerate(texts)
        ) + "}"
    if rng.random() < 0.2:
        yield "  invariant: " + quoted(make())


def run_lines(rng, size, make):
    yield f"grid:\n  spacing: [{', '.join(['0.5'] * size)}]\n  threshold: 1.0e-3"
    yield f"initial:\n  mean: [{', '.join([rng.choice(['0', '1', '1.5'])] * size)}]"
    yield f"  standard_deviation: [{', '.join(['0.5'] * size)}]"
    yield "time:\n  end: 0.01\n  records: 1"
    if rng.random() < 0.3:
        yield "measurements:"
        yield from [
            f"  - {{time: 0.005, variable: {quoted(make())}, value: 1, variance: 1}}"
        ] * rng.choice([1, 1, 3, 100])


def run_case(runner, rng, folder):
    names = choose_names(rng)
    first = names[0] if names else "x"
    known = (names or ["x"]) + (["d0", "k"] if rng.random() < 0.1 else [])
    extremes = rng.random() < 0.4

    def make():
        if extremes:
            return extreme(rng, first) if rng.random() < 0.4 else first
        return expression(rng, known, rng.randint(0, 4))

    lines = [*model_lines(rng, names, make), *run_lines(rng, max(len(names), 1), make)]
    put(folder, "input.yaml", "\n".join(lines) + "\n")
    arguments = [
        "input.yaml",
        "--output",
        "r.h5",
        "--progress",
        "off",
        *([] if rng.random() < 0.6 else ["--validate"]),
    ]
    runner.judge(runner.run("gbees", arguments, folder, stop_after=3.0), folder)
