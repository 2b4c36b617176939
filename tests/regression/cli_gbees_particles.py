# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""What results of tessera-gbees hold of the particles of validate.monte_carlo."""

import numpy as np

import run_cases
from cli_support import CommandLineTest

LORENZ = """\
app: gbees
model: {name: lorenz63}
grid: {spacing: [0.5, 0.5, 0.5], threshold: 5.0e-5}
initial: {mean: [-11.5, -10, 9.5], standard_deviation: [1, 1, 1]}
time: {end: 0.2, records: 2}
output: {cells: true}
validate: {monte_carlo: {samples: 3000, keep: %s, kde_samples: 300}}
"""


class Particles(CommandLineTest):
    def test_places_and_weights(self):
        found = self.arrays_of(LORENZ % 3000)
        x, weight = found["results/monte_carlo/x"], found["results/monte_carlo/weight"]
        self.assertEqual(x.shape, (3, 3000, 3))
        np.testing.assert_allclose(weight.sum(axis=1), 1, rtol=1e-12)
        mean = np.einsum("rn,rni->ri", weight, x)
        np.testing.assert_allclose(mean, found["results/monte_carlo/mean"], rtol=1e-10)
        few = self.arrays_of(LORENZ % 10)
        np.testing.assert_array_equal(few["results/monte_carlo/x"], x[:, :10])
        self.assertNotIn("results/monte_carlo/x", self.arrays_of(LORENZ % 0))

    def test_weights_after_a_measurement(self):
        measured = "measurements: [{time: 0.1, variable: x, value: -7, variance: 0.5}]\n"
        found = self.arrays_of(LORENZ % 3000 + measured)
        x, weight = found["results/monte_carlo/x"], found["results/monte_carlo/weight"]
        mean = np.einsum("rn,rni->ri", weight, x)
        np.testing.assert_allclose(mean, found["results/monte_carlo/mean"], rtol=1e-10)
        self.assertGreater(weight[-1].max(), 2 / 3000)

    def test_on_a_turned_grid(self):
        correlated = "covariance: [[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1]]"
        text = (LORENZ % 3000).replace("standard_deviation: [1, 1, 1]", correlated)
        found = self.arrays_of(text, "grid.rotate=true")
        x, weight = found["results/monte_carlo/x"], found["results/monte_carlo/weight"]
        mean = np.einsum("rn,rni->ri", weight, x)
        np.testing.assert_allclose(mean, found["results/monte_carlo/mean"], rtol=1e-9)

    def test_divergence(self):
        """Against the sums written out, with Scott's factor."""
        found = self.arrays_of(LORENZ % 300, "validate.monte_carlo.samples=300")
        for record in range(3):
            x, p = found[f"results/record_{record}/x"], found[f"results/record_{record}/p"]
            particles = found["results/monte_carlo/x"][record]
            covariance = found["results/monte_carlo/covariance"][record] * 300 ** (-2 / 7)
            away = x[:, None] - particles
            form = np.einsum("cni,ij,cnj->cn", away, np.linalg.inv(covariance), away)
            q = np.exp(-0.5 * form).sum(axis=1)
            p, q = p / p.sum(), q / q.sum()
            np.testing.assert_allclose(
                found["results/monte_carlo/kullback_leibler_kde"][record],
                np.sum(q * np.log(q / p)),
                rtol=1e-9,
            )
            np.testing.assert_allclose(
                found["results/monte_carlo/bhattacharyya_kde"][record],
                np.sum(np.sqrt(p * q)),
                rtol=1e-9,
            )

    def test_more_than_there_are(self):
        self.refuses(LORENZ % 3001, "there are no more particles to keep than 'samples'")


if __name__ == "__main__":
    run_cases.main()
