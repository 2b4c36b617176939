# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause

"""The group /VTKHDF that tessera-gbees writes for ParaView, read as VTK's format specification says
and, where it is installed, by VTK."""

import os
import unittest

import h5py
import numpy as np

import run_cases
from cli_support import INPUT, SMALL, CommandLineTest

# Four variables, which a cell has too many of for ParaView.
WIDE = """\
app: gbees
model:
  variables: [a, b, c, d]
  equations: [b, -a, d, -c]
grid: {spacing: [0.1, 0.12, 0.11, 0.1], threshold: 1.0e-5}
initial: {mean: [1, 0, 0, 0.5], standard_deviation: [0.12, 0.12, 0.1, 0.1]}
measurements: [{time: 0.3, variable: a, value: 0.9, variance: 0.05}]
time: {end: 0.6, records: 2}
output: {vtk: [d, a, b]}
"""

TOPOLOGIES = ("Vertices", "Lines", "Polygons", "Strips")

try:
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkCommonCore import vtkVersion
    from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline
    from vtkmodules.vtkIOHDF import vtkHDFReader

    VTK = (vtkVersion.GetVTKMajorVersion(), vtkVersion.GetVTKMinorVersion()) >= (9, 3)
except ImportError:
    VTK = False


def points_of(file, step):
    """Points, values and vertices of a step, found as the specification says: through the offsets
    of the step and the sizes of its part."""
    group, steps = file["VTKHDF"], file["VTKHDF/Steps"]
    assert steps["NumberOfParts"][step] == 1
    part = steps["PartOffsets"][step]
    count, first = group["NumberOfPoints"][part], steps["PointOffsets"][step]
    value = steps["PointDataOffsets/probability"][step]
    cells = {}
    for t, topology in enumerate(TOPOLOGIES):
        here = group[topology]
        # every part before it has one offset more than cells
        before = steps["CellOffsets"][step, t] + part
        offsets = here["Offsets"][before : before + here["NumberOfCells"][part] + 1]
        assert len(offsets) == here["NumberOfCells"][part] + 1
        connected = steps["ConnectivityIdOffsets"][step, t]
        ids = here["Connectivity"][connected : connected + here["NumberOfConnectivityIds"][part]]
        assert len(ids) == here["NumberOfConnectivityIds"][part] == offsets[-1]
        cells[topology] = [ids[a:b] for a, b in zip(offsets[:-1], offsets[1:])]
    return (
        group["Points"][first : first + count],
        group["PointData/probability"][value : value + count],
        cells,
    )


class Vtk(CommandLineTest):
    def run_with(self, text, *overrides):
        self.write("input.yaml", text)
        self.succeed("input.yaml", "-q", *overrides)
        file = h5py.File(self.path("input.h5"))
        self.addCleanup(file.close)
        return file

    def assert_group(self, file, kind):
        group = file["VTKHDF"]
        self.assertEqual(list(group.attrs["Version"]), [2, 0])
        self.assertEqual(group.attrs["Type"], kind.encode())
        text = group.attrs.get_id("Type").get_type()  # VTK compares bytes: ASCII of a fixed length
        self.assertEqual((text.get_cset(), text.is_variable_str()), (h5py.h5t.CSET_ASCII, False))
        steps = group["Steps"]
        self.assertEqual(steps.attrs["NSteps"], len(file["results/time"]))
        self.assertTrue(np.all(np.diff(steps["Values"]) > 0))
        np.testing.assert_allclose(steps["Values"], file["results/time"], rtol=3e-9)

    def test_points(self):
        file = self.run_with(SMALL, "output.vtk=[z, x, y]", "output.cells=false")
        self.assert_group(file, "PolyData")
        # One of the records is just after the measurement, at the same time.
        self.assertEqual(len(file["results/time"]), 6)
        for step in range(6):
            record = file[f"results/record_{step}"]
            points, values, cells = points_of(file, step)
            np.testing.assert_array_equal(points, record["x"][()][:, [2, 0, 1]])
            np.testing.assert_array_equal(values, record["p"])
            np.testing.assert_array_equal(np.concatenate(cells["Vertices"]), np.arange(len(points)))
            self.assertEqual(set(map(len, cells["Vertices"])), {1})
            self.assertEqual([cells[name] for name in TOPOLOGIES[1:]], [[], [], []])

    def test_offsets_are_integers(self):
        file = self.run_with(SMALL, "output.vtk=[x, y, z]")
        for name in (
            "Steps/PartOffsets",
            "Steps/NumberOfParts",
            "Steps/PointOffsets",
            "Steps/CellOffsets",
            "Steps/ConnectivityIdOffsets",
            "Steps/PointDataOffsets/probability",
            "NumberOfPoints",
            "Vertices/Offsets",
            "Vertices/Connectivity",
            "Lines/Offsets",
        ):
            self.assertEqual(file["VTKHDF"][name].dtype, np.int64, name)

    def test_fewer_variables(self):
        file = self.run_with(SMALL, "output.vtk=[y]")
        points, values, _ = points_of(file, 1)
        np.testing.assert_array_equal(points[:, 0], file["results/record_1/x"][()][:, 1])
        np.testing.assert_array_equal(points[:, 1:], 0)
        np.testing.assert_array_equal(values, file["results/record_1/p"])

    def test_a_turned_grid_has_points_in_the_variables(self):
        text = SMALL.replace(
            "standard_deviation: [1.0, 1.0, 1.0]",
            "covariance: [[1, 0.8, 0], [0.8, 1, 0.2], [0, 0.2, 0.5]]",
        )
        file = self.run_with(text, "output.vtk=[x, y, z]", "grid.rotate=true")
        np.testing.assert_array_equal(points_of(file, 2)[0], file["results/record_2/x"])

    def test_nothing_is_stored_twice(self):
        file = self.run_with(SMALL, "output.vtk=[x, y, z]")
        for name in (
            "Points",
            "PointData/probability",
            "Vertices/Connectivity",
            "Vertices/Offsets",
        ):
            self.assertTrue(file["VTKHDF"][name].is_virtual, name)
        self.succeed("input.yaml", "-q", "--output", "plain.h5")
        # a file of 300 kB
        self.assertLess(
            os.path.getsize(self.path("input.h5")), 1.3 * os.path.getsize(self.path("plain.h5"))
        )

    def test_a_volume(self):
        file = self.run_with(WIDE, "output.cells=true")
        self.assert_group(file, "ImageData")
        group = file["VTKHDF"]
        extent, origin, spacing = (
            group.attrs[name] for name in ("WholeExtent", "Origin", "Spacing")
        )
        np.testing.assert_array_equal(group.attrs["Direction"], np.eye(3).ravel())
        np.testing.assert_allclose(spacing, [0.1, 0.1, 0.12])
        image = group["PointData/probability"]
        self.assertEqual(image.shape, (6, extent[5] + 1, extent[3] + 1, extent[1] + 1))
        self.assertTrue(image.is_virtual)
        for step in range(6):
            values = image[group["Steps/PointDataOffsets/probability"][step]]
            self.assertAlmostEqual(values.sum(), file["results/mass"][step], delta=1e-12)
            expected = np.zeros_like(values)
            x = file[f"results/record_{step}/x"][()][:, [3, 0, 1]]
            index = np.rint((x - origin) / spacing).astype(int)
            np.add.at(
                expected, (index[:, 2], index[:, 1], index[:, 0]), file[f"results/record_{step}/p"]
            )
            # The difference is what lies below the threshold.
            self.assertLess(np.abs(values - expected).max(), 1e-4)
            np.testing.assert_allclose(
                values.sum(axis=(0, 1)),
                self.marginal(file, step, 4, origin[0], spacing[0], values.shape[2]),
                atol=1e-15,
            )
            volume = file[f"results/volume_{step}"]
            self.assertEqual(
                volume["p"].shape, (len(volume["x2"]), len(volume["x1"]), len(volume["x4"]))
            )

    def marginal(self, file, step, number, origin, spacing, length):
        centres, rows = (
            file[f"coordinates/x{number}"][()],
            file[f"results/marginal_1d/x{number}"][step],
        )
        found = np.zeros(length)
        found[np.rint((centres - origin) / spacing).astype(int)] = rows
        return found

    def test_a_volume_after_a_restart(self):
        text = """\
app: gbees
model: {variables: [x, y, u, v], equations: [1.5*x, y, 0.1*u, 0.1*v]}
grid: {factor: [1, 1, 1, 1], threshold: 1.0e-7}
initial: {mean: [0, 0, 0, 0], standard_deviation: [0.1, 0.1, 0.1, 0.1]}
time: {end: 1.0, records: 4}
output: {vtk: [x, y, v]}
"""
        self.write("input.yaml", text)
        self.succeed("input.yaml", "-q", "--output", "whole.h5")
        limited = self.call("input.yaml", "-q", "--output", "part.h5", "run.memory_limit=8")
        self.assertNotEqual(limited.status, 0)
        self.succeed(
            "input.yaml", "-q", "--output", "part.h5", "--force", "--restart", "part.restart.h5"
        )
        self.assert_same_bits("whole.h5", "part.h5", ("results", "VTKHDF"))

    def assert_rejected(self, text, vtk, message):
        self.write("input.yaml", text)
        self.assert_mentions(
            self.call("input.yaml", "--validate", f"output.vtk={vtk}"), INPUT, message
        )

    def test_errors(self):
        self.write("input.yaml", WIDE.replace("[d, a, b]", "[d, e, b]"))
        self.assert_mentions(
            self.call("input.yaml", "--validate"),
            INPUT,
            "input.yaml:9:19: error: unknown variable 'e'; there are a, b, c, d",
        )
        self.assert_rejected(SMALL, "[x, x]", "the variable 'x' is named twice")
        self.assert_rejected(SMALL, "[]", "'output.vtk' takes one to three variables")
        self.assert_rejected(
            WIDE, "[a, b]", "'output.vtk' takes three of more than three variables"
        )
        self.assert_rejected(WIDE, "[a, b, c, d]", "'output.vtk' takes one to three variables")
        turned = WIDE.replace("grid: {", "grid: {rotate: true, ").replace(
            "standard_deviation: [0.12, 0.12, 0.1, 0.1]",
            "covariance: [[1, 0.5, 0, 0], [0.5, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]",
        )
        self.assert_rejected(
            turned, "[a, b, c]", "a turned grid has no joint probability along three of them"
        )

    @unittest.skipUnless(VTK, "needs VTK 9.3 with its module IOHDF")
    def test_vtk_reads_points(self):
        file = self.run_with(SMALL, "output.vtk=[x, y, z]")
        for step, seen in self.seen_by_vtk(file):
            np.testing.assert_array_equal(
                vtk_to_numpy(seen.GetPoints().GetData()), file[f"results/record_{step}/x"]
            )
            np.testing.assert_array_equal(
                vtk_to_numpy(seen.GetPointData().GetArray("probability")),
                file[f"results/record_{step}/p"],
            )
            self.assertEqual(seen.GetNumberOfVerts(), seen.GetNumberOfPoints())

    @unittest.skipUnless(VTK, "needs VTK 9.3 with its module IOHDF")
    def test_vtk_reads_a_volume(self):
        file = self.run_with(WIDE)
        for step, seen in self.seen_by_vtk(file):
            np.testing.assert_array_equal(
                vtk_to_numpy(seen.GetPointData().GetArray("probability")),
                file["VTKHDF/PointData/probability"][step].ravel(),
            )

    def seen_by_vtk(self, file):
        """Each step and what VTK's reader makes of it."""
        reader = vtkHDFReader()
        reader.SetFileName(self.path("input.h5"))
        reader.UpdateInformation()
        times = reader.GetOutputInformation(0).Get(vtkStreamingDemandDrivenPipeline.TIME_STEPS())
        self.assertEqual(len(times), len(file["results/time"]))
        for step, when in enumerate(times):
            reader.UpdateTimeStep(when)
            yield step, reader.GetOutputDataObject(0)


if __name__ == "__main__":
    run_cases.main()
