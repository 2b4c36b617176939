# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""Reference sets and tessera-grade: grade.py [FOLDER_OF_PACKAGE], the folder on PYTHONPATH that has
the compiled library."""

import importlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np

import run_cases

PACKAGE = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else None
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.join(ROOT, "apps", "grade", "tessera-grade")
SETS = os.path.join(ROOT, "tests", "data", "referee")
GENERATORS = os.path.join(ROOT, "apps", "grade", "generate")
TIMEOUT = 240  # s, of one process

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "apps", "python"))
grading = importlib.import_module("tessera.grade")
errors = importlib.import_module("tessera.grade.errors")
results = importlib.import_module("tessera.results")

HAVE = {name: importlib.util.find_spec(name) is not None for name in ("mpmath", "scipy", "gmpy2")}
SMALLEST_SET = 100000  # values
AGREEMENT = 3e-21  # of a value with its rest: half of 2^-16 of a last bit is 1.7e-21
LARGEST_FILES = 15e6  # bytes, together

# Writes the second of two inputs, as text or as an array; or fails in one way.
ECHO = """
import io, sys
import numpy as np
if sys.argv[1] == "npy":
    np.save(sys.stdout.buffer, np.load(io.BytesIO(sys.stdin.buffer.read()))[:, 1])
elif sys.argv[1] == "fail":
    sys.exit("no licence")
elif sys.argv[1] == "words":
    print("many words")
elif sys.argv[1] == "short":
    print(1.0)
elif sys.argv[1] == "sleep":
    __import__("time").sleep(60)
else:
    for line in sys.stdin:
        print(line.split()[1])
"""

MODULE = """
import numpy as np
def zeros(nu, x): return np.zeros(len(x))
def nan(nu, x): return x * np.nan
def raises(nu, x): raise RuntimeError("no licence")
def one_number(nu, x): return 1.0
def words(nu, x): return "words"
def scalar(nu, x):
    if x > 1: raise OverflowError("too large")
    return 1.0 if isinstance(x, float) else None
def always_raises(nu, x): raise ValueError("never")
def leaves(nu, x): raise SystemExit(0)
def sums(nu, x): return nu + x
def changes(nu, x):
    nu[:], x[:] = 0, 1
    return x
constant = 3
"""


def run(*arguments, folder=None, expected=0, **variables):
    environment = {k: v for k, v in os.environ.items() if k != "TESSERA_REFERENCE"}
    environment.update({"TESSERA_PYTHON": sys.executable}, **variables)
    if PACKAGE:
        environment["PYTHONPATH"] = PACKAGE
    done = subprocess.run(
        [PROGRAM, *map(str, arguments)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert done.returncode == expected, (arguments, done.returncode, done.stderr, done.stdout)
    return done.stdout if expected == 0 else done.stderr


def exact(quantity, row, column=None):
    """A value in mpmath's numbers."""
    import mpmath

    value = quantity.value[row] if column is None else quantity.value[row, column]
    rest = quantity.rest[row] if column is None else quantity.rest[row, column]
    return (
        mpmath.mpf(value)
        + mpmath.mpf(int(rest)) * mpmath.mpf(float(np.spacing(abs(value)))) / 65536
    )


class Format(unittest.TestCase):
    def test_every_set_is_whole(self):
        size = 0
        for name in grading.NAMES:
            path = os.path.join(SETS, f"{name}.h5")
            size += os.path.getsize(path)
            with h5py.File(path) as file:
                for key in ("format", "format_version", "set", "version", "title", "digits"):
                    self.assertIn(key, file.attrs, path)
                for key in ("seed", "generator", "check", "largest_disagreement"):
                    self.assertIn(key, file.attrs, path)
                self.assertTrue(os.path.isfile(os.path.join(ROOT, file.attrs["generator"])))
                self.assertLess(file.attrs["largest_disagreement"], 2e-24, path)
                self.assertLess(file.attrs["largest_disagreement_of_second_formula"], 1e-22, path)
            values = 0
            for quantity in grading.quantities(name):
                found = grading.load(f"{name}/{quantity}")
                there = ~np.isnan(found.value)
                values += np.count_nonzero(there)
                for column in found.inputs.values():
                    self.assertEqual(column.shape, (len(found),))
                    self.assertTrue(np.isfinite(column).all())
                self.assertEqual(found.rest.shape, found.value.shape)
                self.assertEqual(found.condition.shape, found.value.shape)
                finite = there & np.isfinite(found.value) & (found.value != 0)
                self.assertTrue((found.condition[finite] >= 0).all(), quantity)
                self.assertTrue((found.rest[there & ~finite] == 0).all())
                # the rests of correctly rounded numbers are spread over half a bit
                if np.count_nonzero(finite) > 1000:
                    self.assertGreater(np.abs(found.rest[finite].astype(int)).max(), 30000)
                    self.assertLessEqual(np.abs(found.rest[finite].astype(int)).max(), 32768)
            self.assertGreaterEqual(values, SMALLEST_SET, name)
        self.assertLess(size, LARGEST_FILES)

    def test_first_quantity_is_the_default(self):
        self.assertEqual(grading.load("bessel-k").name, "bessel-k/k")


@unittest.skipUnless(HAVE["mpmath"], "no mpmath")
class AgainstMpmath(unittest.TestCase):
    """A random part of each set, by other formulas than those that made it."""

    def compare(self, quantity, formula, classes, count, digits=50):
        import mpmath

        found = grading.load(quantity)
        found = found.part(
            np.isin(found.kind, classes) & np.isfinite(found.value) & (np.abs(found.value) > 1e-290)
        )
        found = found.sample(count, seed=7)
        self.assertEqual(len(found), count)
        with mpmath.workdps(digits):
            for row in range(count):
                point = [mpmath.mpf(column[row]) for column in found.inputs.values()]
                value = formula(mpmath.mp, *point)
                error = abs(exact(found, row) / value - 1)
                self.assertLess(error, AGREEMENT, (quantity, point))

    def test_bessel_k(self):
        body = ("body", "medium order", "small x", "large x")
        self.compare("bessel-k/k", lambda mp, nu, x: mp.besselk(nu, x), body, 8)
        self.compare("bessel-k/k_scaled", lambda mp, nu, x: mp.besselk(nu, x) * mp.exp(x), body, 8)
        self.compare("bessel-k/log_k", lambda mp, nu, x: mp.log(mp.besselk(nu, x)), body, 8)

        def slope(mp, nu, x):
            return -(mp.besselk(nu - 1, x) + mp.besselk(nu + 1, x)) / 2

        def order_slope(mp, nu, x):
            step = mp.mpf(10) ** -14
            return (mp.besselk(nu + step, x) - mp.besselk(nu - step, x)) / (2 * step)

        self.compare("bessel-k/dk_dx", slope, body, 8)
        self.compare("bessel-k/dlog_k_dx", lambda mp, *p: slope(mp, *p) / mp.besselk(*p), body, 8)
        self.compare("bessel-k/dk_dnu", order_slope, ("body",), 4)

    def test_bessel_i(self):
        body = ("body", "medium order", "small x")
        self.compare("bessel-i/i", lambda mp, nu, x: mp.besseli(nu, x), body, 8)
        self.compare("bessel-i/log_i", lambda mp, nu, x: mp.log(mp.besseli(nu, x)), body, 8)
        self.compare("bessel-i/i_scaled", lambda mp, nu, x: mp.besseli(nu, x) * mp.exp(-x), body, 8)

        def slope(mp, nu, x):
            return (mp.besseli(nu - 1, x) + mp.besseli(nu + 1, x)) / 2

        self.compare("bessel-i/di_dx", slope, body, 8)

    def test_matern(self):
        def matern(mp, nu, h):
            return 2 ** (1 - nu) / mp.gamma(nu) * h**nu * mp.besselk(nu, h)

        def slope(mp, nu, h):
            return -(2 ** (1 - nu)) / mp.gamma(nu) * h**nu * mp.besselk(nu - 1, h)

        self.compare("matern/matern", matern, ("body",), 8)
        self.compare(
            "matern/one_minus", lambda mp, *p: 1 - matern(mp, *p), ("body", "small h"), 8, 80
        )
        self.compare("matern/dmatern_dh", slope, ("body",), 8)

    def test_boys(self):
        def boys(mp, n, x):
            return mp.hyp1f1(n + 0.5, n + 1.5, -x) / (2 * n + 1)

        self.compare("boys/boys", boys, ("body", "small x", "where series end"), 20, 120)

    def test_rys(self):
        """Every quadrature of a random part gives the moments that it must."""
        import mpmath

        roots = grading.load("rys/roots")
        weights = grading.load("rys/weights")
        chosen = np.random.RandomState(3).permutation(len(roots))[:40]
        with mpmath.workdps(60):
            for row in chosen:
                n, x = int(roots.inputs["n"][row]), mpmath.mpf(roots.inputs["x"][row])
                u = [exact(roots, row, i) for i in range(n)]
                w = [exact(weights, row, i) for i in range(n)]
                self.assertTrue(np.isnan(roots.value[row, n:]).all())
                for m in sorted({0, 1, n, 2 * n - 1}):
                    if x > 1e6:
                        moment = mpmath.gamma(m + 0.5) / (2 * x ** (m + mpmath.mpf(0.5)))
                    else:
                        moment = mpmath.hyp1f1(m + 0.5, m + 1.5, -x) / (2 * m + 1)
                    total = sum(a * b**m for a, b in zip(w, u))
                    self.assertLess(abs(total / moment - 1), 30 * AGREEMENT, (n, x, m))

    def test_stable(self):
        """By the contours of models/stable/generate, whose code is another."""
        sys.path.insert(0, os.path.join(ROOT, "models", "stable", "generate"))
        import mpmath

        reference = importlib.import_module("gradients")
        names = ("pdf", "cdf", "score_x", "score_alpha", "score_beta", "sf")
        sets = {name: grading.load(f"stable/{name}") for name in names}
        point = [sets["pdf"].inputs[name] for name in ("alpha", "beta", "x")]
        random = np.random.RandomState(5)
        rows = [
            row
            for kind in ("body", "small alpha", "alpha 1", "alpha near 1")
            for row in random.permutation(np.nonzero(sets["pdf"].kind == kind)[0])[:2]
        ]
        for row in rows:
            alpha, beta, x = (mpmath.mpf(column[row]) for column in point)
            found = reference.value(alpha, beta, x)
            self.assertIsNotNone(found)
            log_pdf, score_x, score_alpha, score_beta, cdf, *_ = found
            expected = {
                "pdf": mpmath.exp(log_pdf),
                "cdf": cdf,
                "sf": 1 - cdf,
                "score_x": score_x,
                "score_alpha": score_alpha,
                "score_beta": score_beta,
            }
            for name, value in expected.items():
                where = np.nonzero(
                    np.all(
                        [
                            sets[name].inputs[k] == p[row]
                            for k, p in zip(("alpha", "beta", "x"), point)
                        ],
                        axis=0,
                    )
                )[0]
                self.assertEqual(len(where), 1, name)
                error = abs(exact(sets[name], where[0]) - value)
                self.assertLess(error, AGREEMENT * (abs(value) + 1e-3), (name, alpha, beta, x))

    def test_stable_tails(self):
        """By the series of the tail, which is beyond its least term there."""
        import mpmath

        def series(mp, x, alpha, beta):
            """(pdf, P(X > x)) for x > zeta."""
            tangent = beta * mp.tan(mp.pi * alpha / 2)
            y = x + tangent
            angle, size = mp.pi * alpha / 2 + mp.atan(tangent), mp.sqrt(1 + tangent**2)
            pdf = tail = mp.mpf(0)
            for k in range(1, 400):
                term = (-1) ** (k + 1) * mp.gamma(k * alpha) / mp.factorial(k) / mp.pi
                term *= size**k * y ** (-k * alpha)
                pdf += k * alpha / y * term * mp.sin(k * angle)
                tail += term * mp.sin(k * angle)
                if abs(term) < abs(tail) * mp.mpf(10) ** -40:
                    return pdf, tail
            return None

        pdf, sf, cdf = (grading.load(f"stable/{name}") for name in ("pdf", "sf", "cdf"))
        rows = np.nonzero((pdf.kind == "far tail") & (np.abs(pdf.inputs["alpha"] - 1) > 0.05))[0]
        checked = 0
        with mpmath.workdps(60):
            for row in rows[::10]:
                x, alpha, beta = (mpmath.mpf(pdf.inputs[k][row]) for k in ("x", "alpha", "beta"))
                upper = x > 0
                found = series(mpmath.mp, abs(x), alpha, beta if upper else -beta)
                if found is None or found[0] < 1e-290:
                    continue
                checked += 1
                tail = exact(sf if upper else cdf, row)
                self.assertLess(abs(exact(pdf, row) / found[0] - 1), AGREEMENT, (x, alpha, beta))
                self.assertLess(abs(tail / found[1] - 1), AGREEMENT, (x, alpha, beta))
        self.assertGreater(checked, 50)

    def test_stable_normal(self):
        """alpha = 2 is the normal law of variance 2."""
        import mpmath

        pdf, cdf = grading.load("stable/pdf"), grading.load("stable/cdf")
        rows = np.nonzero(pdf.kind == "alpha 2")[0]
        self.assertGreater(len(rows), 100)
        with mpmath.workdps(60):
            for row in rows[::10]:
                x = mpmath.mpf(pdf.inputs["x"][row])
                density = mpmath.exp(-x * x / 4) / mpmath.sqrt(4 * mpmath.pi)
                self.assertLess(abs(exact(pdf, row) / density - 1), AGREEMENT, x)
                below = mpmath.erfc(-x / 2) / 2
                self.assertLess(abs(exact(cdf, row) / below - 1), AGREEMENT, x)

    def test_stable_quantiles(self):
        """P(X <= quantile) is p, by the densities at the place beside it."""
        places = grading.load("stable/cdf")
        quantiles = grading.load("stable/quantile")
        pdf = grading.load("stable/pdf")
        keys = {key: i for i, key in enumerate(zip(*places.inputs.values()))}
        self.assertEqual(len(pdf), len(places))
        self.assertGreater(len(quantiles), 5000)
        checked = 0
        for row in range(0, len(quantiles), 50):
            p, alpha, beta = (quantiles.inputs[k][row] for k in ("p", "alpha", "beta"))
            near = [
                keys.get((x, alpha, beta))
                for x in (quantiles.value[row], np.nextafter(quantiles.value[row], 9e9))
            ]
            i = next((i for i in near if i is not None), None)
            if i is None:
                continue
            checked += 1
            x = places.inputs["x"][i]
            rest = places.rest[i] * np.spacing(p) / 65536
            missing = ((p - places.value[i]) - rest) / pdf.value[i]
            value = quantiles.value[row]
            offset = (value - x) + quantiles.rest[row] * np.spacing(abs(value)) / 65536
            resolution = 2e-21 * (abs(x) + p / pdf.value[i])
            self.assertLess(abs(offset - missing), 1e-6 * abs(missing) + resolution, (p, alpha))
        self.assertGreater(checked, 50)


class Measure(unittest.TestCase):
    def made(self, values, rests=None, conditions=None):
        values = np.array(values, dtype=float)
        count = len(values)
        return grading.Quantity(
            "bessel-k/k",
            "",
            1,
            {"nu": np.zeros(count), "x": np.arange(count, dtype=float)},
            np.array(["body"] * count, dtype=object),
            values,
            np.array(rests or [0] * count, dtype=np.int16),
            np.array(conditions or [0] * count, dtype=np.float32),
        )

    def test_errors_are_told_below_a_bit(self):
        quantity = self.made([1.0, 2.0, 3.0], [0, 32767, -16384])
        found = errors.Errors(quantity, quantity.value)
        self.assertEqual(found.relative[0], 0)
        self.assertAlmostEqual(found.relative[1], 2.0**-52 / 2, delta=1e-20)  # half of a last bit
        self.assertAlmostEqual(found.relative[2], 2.0**-51 / 4 / 3, delta=1e-20)

    def test_an_injected_error_is_measured(self):
        quantity = self.made([1.0, 2.0, -4.0, 8.0], conditions=[0, 9, 0, 0])
        grade = grading.grade(quantity, lambda nu, x: quantity.value * (1 + 2.0**-40 * (x == 1)))
        self.assertEqual(grade.worst, 2.0**12)
        self.assertEqual(grade.worst_conditioned, 2.0**12 / 10)
        self.assertIn("x = 1 (body)", grade.place_of_worst)
        self.assertEqual(grade.share_within(1e-13), 0.75)

    def test_nan_infinite_and_wrong(self):
        quantity = self.made([1.0, 2.0, 3.0, 0.0, np.inf, 1e-300, -np.inf])
        got = np.array([np.nan, np.inf, 0.0, 0.0, np.inf, 0.0, np.inf])
        grade = grading.grade(quantity, lambda nu, x: got)
        self.assertEqual((grade.nan, grade.infinite, grade.wrong), (1, 1, 3))
        self.assertEqual(grade.p99, np.inf)

    def test_complex_numbers_count_where_they_are_real(self):
        quantity = self.made([1.0, 2.0])
        grade = grading.grade(quantity, lambda nu, x: np.array([1 + 0j, 2 + 1j]))
        self.assertEqual((grade.nan, grade.worst), (1, 0))


class Page(unittest.TestCase):
    def test_all_sets_leave_out_what_nobody_computes(self):
        main = importlib.import_module("tessera.grade.__main__")
        layout = importlib.import_module("tessera.table.layout")
        tables = [layout.Table(["a"], rows) for rows in ([[1]], [], [[2]])]
        for i, made in enumerate(tables):
            made.title = f"set/{i} (version 1): something"
        kept = main.of_all_sets(tables, "markdown")
        self.assertEqual([made.title[:8] for made in kept], ["## set/0", "## set/2"])
        self.assertEqual(kept[-1].notes, ["No implementation was found of: set/1."])


class Program(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for name, text in (("echo.py", ECHO), ("mine.py", MODULE)):
            with open(os.path.join(self.folder.name, name), "w", encoding="utf-8") as file:
                file.write(text)
        self.echo = f"{sys.executable} echo.py"

    def refused(self, *arguments, code=2):
        text = run(*arguments, folder=self.folder.name, expected=code)
        self.assertTrue(text.startswith("tessera-grade: error: "), text)
        return text

    def test_list(self):
        listed = run("--list")
        for name in grading.NAMES:
            self.assertIn(name, listed)
        self.assertIn("stable/upper_quantile", listed)

    @unittest.skipUnless(HAVE["scipy"], "no SciPy")
    def test_scipy(self):
        text = run("bessel-k", "scipy.special:kv", "--count", 2000, "--format", "csv")
        heading, row = [line.split(",") for line in text.splitlines() if not line.startswith("#")][
            :2
        ]
        found = dict(zip(heading, row))
        self.assertEqual(found["values"], "2000")
        self.assertGreater(float(found["within %"]), 90)
        self.assertLess(float(found["median"]), 10)
        text = run("boys", "--all", "--count", 300, "--seconds", 0.1, "--format", "markdown")
        self.assertIn("| SciPy gammainc |", text)

    @unittest.skipUnless(PACKAGE, "no compiled library")
    def test_tessera(self):
        """The promises of its functions, in units of 2^-52."""
        promises = {
            "boys/boys": 45,  # 1e-14
            "bessel-k/k_scaled": 22,  # 5e-15
            "bessel-i/i_scaled": 14,  # 3e-15
            "stable/pdf": 90072,  # 2e-11
        }
        for name, promise in promises.items():
            text = run(name, "--all", "--count", 1500, "--seconds", 1, "--format", "csv")
            rows = [line.split(",") for line in text.splitlines() if not line.startswith("#")]
            found = dict(zip(rows[0], next(row for row in rows if row[0].startswith("Tessera"))))
            self.assertEqual((found["NaN"], found["inf"]), ("0", "0"), name)
            self.assertLess(float(found["worst"]), promise, name)

    def test_callables(self):
        text = run("bessel-k", "mine:zeros", "mine:nan", "--count", 50, folder=self.folder.name)
        self.assertRegex(text, r"mine:nan +- +100 +50 +50 ")
        text = run("bessel-k", "mine:scalar", "--each", "--count", 50, folder=self.folder.name)
        self.assertIn("mine:scalar", text)
        text = run("bessel-k", "mine:zeros", "--classes", "--count", 400, folder=self.folder.name)
        self.assertIn("mine:zeros: tiny x", text)

    def test_callables_get_their_own_points(self):
        def row(*names):
            text = run(
                "bessel-k", *names, "--count", 50, "--format", "csv", folder=self.folder.name
            )
            found = [line for line in text.splitlines() if line.startswith("mine:sums")][0]
            return found.split(",")[:10]

        self.assertEqual(row("mine:changes", "mine:sums"), row("mine:sums"))

    def test_executables(self):
        for exchange in ("text", "npy"):
            text = run(
                "bessel-k",
                "--command",
                f"{self.echo} {exchange}",
                "--exchange",
                exchange,
                "--count",
                50,
                "--format",
                "csv",
                folder=self.folder.name,
            )
            self.assertIn(f"echo.py {exchange},-,100,50,0,0,", text)

    def test_output(self):
        run("bessel-k", "mine:zeros", "--count", 5, "-o", "out.txt", folder=self.folder.name)
        with open(os.path.join(self.folder.name, "out.txt"), encoding="utf-8") as file:
            self.assertIn("K_nu(x)", file.read())
        self.assertIn(
            "cannot write",
            self.refused("bessel-k", "mine:zeros", "--count", 5, "-o", "no/out.txt", code=4),
        )

    def test_refusals(self):
        refused = self.refused
        self.assertIn("unknown set 'bessel'", refused("bessel", "mine:zeros"))
        self.assertIn("has no quantity 'j'", refused("bessel-k/j", "mine:zeros"))
        self.assertIn("nothing is named to grade", refused("bessel-k"))
        self.assertIn("no set is named", refused())
        self.assertIn("names no callable", refused("bessel-k", "mine"))
        self.assertIn("cannot import 'none'", refused("bessel-k", "none:zeros"))
        self.assertIn("has no 'none'", refused("bessel-k", "mine:none"))
        self.assertIn("is no callable", refused("bessel-k", "mine:constant"))
        self.assertIn("raised RuntimeError", refused("bessel-k", "mine:raises", code=3))
        self.assertIn("raised SystemExit", refused("bessel-k", "mine:leaves", code=3))
        for option in ("--seed=-1", "--within=-1", "--within=nan", "--seconds=0"):
            run("bessel-k", "mine:zeros", option, folder=self.folder.name, expected=2)
        self.assertIn("gave an array of shape ()", refused("bessel-k", "mine:one_number", code=3))
        self.assertIn("no array of numbers", refused("bessel-k", "mine:words", code=3))
        self.assertIn(
            "at every point",
            refused("bessel-k", "mine:always_raises", "--each", "--count", 5, code=3),
        )
        self.assertIn(
            "remedy: name the folder",
            refused("bessel-k", "mine:zeros", "--reference", "none", code=4),
        )

    def test_failing_executables(self):
        def refused(kind, *arguments, code=3):
            return self.refused(
                "bessel-k", "--count", 5, "--command", f"{self.echo} {kind}", *arguments, code=code
            )

        self.assertIn("exit status 1: no licence", refused("fail"))
        self.assertIn("what is not numbers", refused("words"))
        self.assertIn("wrote 1 rows", refused("short"))
        self.assertIn("what is not an .npy array", refused("text", "--exchange", "npy"))
        self.assertIn("did not end within 1 s", refused("sleep", "--timeout", 1))
        self.assertIn("cannot run", self.refused("bessel-k", "--command", "./none", code=4))

    def test_damaged_sets(self):
        path = os.path.join(self.folder.name, "bessel-k.h5")
        with open(path, "wb") as file:
            file.write(b"damaged")
        self.refused("bessel-k", "mine:zeros", "--reference", ".", code=4)
        with h5py.File(path, "w") as file:
            file.attrs["format"] = "another"
        self.assertIn(
            "no reference set", self.refused("bessel-k", "mine:zeros", "--reference", ".", code=3)
        )
        with h5py.File(path, "w") as file:
            file.attrs["format"], file.attrs["format_version"] = "tessera-reference", 1
        self.assertIn(
            "is damaged", self.refused("bessel-k", "mine:zeros", "--reference", ".", code=3)
        )


@unittest.skipUnless(HAVE["gmpy2"] and HAVE["mpmath"], "no gmpy2 and mpmath")
class Generators(unittest.TestCase):
    """A few points of each set, written again: the values of the file to the last bit of the rest."""

    def test_short_sets(self):
        commands = {
            "bessel-k": ["bessel_set.py", "k", "--count", "40", "--checks", "5"],
            "bessel-i": ["bessel_set.py", "i", "--count", "40", "--checks", "5"],
            "matern": ["matern_set.py", "--count", "40", "--checks", "3"],
            "boys": ["boys_set.py", "--count", "10", "--checks", "5"],
            "stable": ["stable_set.py", "--count", "50", "--checks", "1"],
        }
        with tempfile.TemporaryDirectory() as folder:
            for name, words in commands.items():
                script, *rest = words
                output = os.path.join(folder, f"{name}.h5")
                subprocess.run(
                    [sys.executable, "-B", os.path.join(GENERATORS, script), *rest, output],
                    check=True,
                    timeout=TIMEOUT,
                    capture_output=True,
                )
                for quantity in grading.quantities(name, folder):
                    short = grading.load(f"{name}/{quantity}", folder)
                    whole = grading.load(f"{name}/{quantity}")
                    self.assertEqual(list(short.inputs), list(whole.inputs))
                    keys = {key: i for i, key in enumerate(zip(*whole.inputs.values()))}
                    same = [
                        (i, keys[k]) for i, k in enumerate(zip(*short.inputs.values())) if k in keys
                    ]
                    self.assertGreater(len(same), 4, f"{name}/{quantity}")
                    for i, j in same:
                        self.assertEqual(short.value[i], whole.value[j])
                        self.assertLessEqual(abs(int(short.rest[i]) - int(whole.rest[j])), 1)


if __name__ == "__main__":
    run_cases.main()
