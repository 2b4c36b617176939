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

# Four that spread.
GROWING = """\
app: gbees
model: {variables: [x, y, u, v], equations: [1.5*x, y, 0.1*u, 0.1*v]}
grid: {factor: [1, 1, 1, 1], threshold: 1.0e-7}
initial: {mean: [0, 0, 0, 0], standard_deviation: [0.1, 0.1, 0.1, 0.1]}
time: {end: 1.0, records: 4}
output: {vtk: [x, y, v]}
"""

# Two of the triples of WIDE.
TRIPLES = "output.vtk=[[d, a, b], [a, b, c]]"

TOPOLOGIES = ("Vertices", "Lines", "Polygons", "Strips")

try:
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkCommonCore import vtkVersion
    from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline
    from vtkmodules.vtkIOHDF import vtkHDFReader

    VTK = (vtkVersion.GetVTKMajorVersion(), vtkVersion.GetVTKMinorVersion())
except ImportError:
    VTK = (0, 0)


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

    def opened(self, name):
        file = h5py.File(self.path(name))
        self.addCleanup(file.close)
        return file

    def assert_group(self, file, kind, name="VTKHDF"):
        group = file[name]
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
        self.write("input.yaml", GROWING)
        self.succeed("input.yaml", "-q", "--output", "whole.h5")
        limited = self.call("input.yaml", "-q", "--output", "part.h5", "run.memory_limit=8")
        self.assertNotEqual(limited.status, 0)
        self.succeed(
            "input.yaml", "-q", "--output", "part.h5", "--force", "--restart", "part.restart.h5"
        )
        self.assert_same_bits("whole.h5", "part.h5", ("results", "VTKHDF"))

    def test_several_triples(self):
        self.run_with(WIDE).close()
        os.rename(self.path("input.h5"), self.path("one.h5"))
        one = self.opened("one.h5")
        file = self.run_with(WIDE, "output.vtk=[[d, a, b], [a, b, c], [b, a, d]]")
        self.assertEqual(sorted(file["vtk"]), ["a_b_c", "b_a_d"])
        for name in ("VTKHDF", "vtk/a_b_c", "vtk/b_a_d"):
            self.assert_group(file, "ImageData", name)
        image, turned = (file[f"{name}/PointData/probability"] for name in ("VTKHDF", "vtk/b_a_d"))
        self.assertTrue(turned.is_virtual)
        np.testing.assert_array_equal(image, one["VTKHDF/PointData/probability"])
        np.testing.assert_allclose(turned, np.transpose(image, (0, 3, 2, 1)), rtol=1e-14)
        group = file["vtk/a_b_c"]
        np.testing.assert_allclose(group.attrs["Spacing"], [0.1, 0.12, 0.11])
        for step in range(6):
            np.testing.assert_array_equal(
                file[f"results/volume_{step}/p"], one[f"results/volume_{step}/p"]
            )
            volume = file[f"results/volume_{step}_a_b_c"]
            self.assertEqual(
                volume["p"].shape, (len(volume["x3"]), len(volume["x2"]), len(volume["x1"]))
            )
            values = group["PointData/probability"][step]
            self.assertAlmostEqual(values.sum(), file["results/mass"][step], delta=1e-12)
            np.testing.assert_allclose(
                values.sum(axis=(0, 1)),
                self.marginal(file, step, 1, group.attrs["Origin"][0], 0.1, values.shape[2]),
                atol=1e-15,
            )

    def test_links_to_triples(self):
        file = self.run_with(WIDE, TRIPLES)
        beside = self.opened("input.a_b_c.vtkhdf")
        link = beside.get("VTKHDF", getlink=True)
        self.assertEqual((link.filename, link.path), ("input.h5", "/vtk/a_b_c"))
        expected = file["vtk/a_b_c/PointData/probability"][()]
        np.testing.assert_array_equal(beside["VTKHDF/PointData/probability"], expected)
        self.assertLess(os.path.getsize(self.path("input.a_b_c.vtkhdf")), 10000)
        file.close()
        beside.close()
        os.mkdir(self.path("moved"))
        for name in ("input.h5", "input.a_b_c.vtkhdf"):
            os.rename(self.path(name), self.path(f"moved/{name}"))
        moved = self.opened("moved/input.a_b_c.vtkhdf")
        np.testing.assert_array_equal(moved["VTKHDF/PointData/probability"], expected)

    def test_links_are_made_once(self):
        self.run_with(WIDE, TRIPLES).close()
        self.succeed("input.yaml", "-q", TRIPLES, "--force")
        found = sorted(name for name in os.listdir(self.path(".")) if name.endswith("vtkhdf"))
        self.assertEqual(found, ["input.a_b_c.vtkhdf"])
        self.write("other.a_b_c.vtkhdf", "somebody's")
        run = self.succeed("input.yaml", "-q", TRIPLES, "--output", "other.h5")
        self.assertIn("'other.a_b_c.vtkhdf' exists and is kept", run.err)
        self.assertIn("'other.a_b_c.1.vtkhdf'", run.err)
        with open(self.path("other.a_b_c.vtkhdf"), encoding="utf-8") as kept:
            self.assertEqual(kept.read(), "somebody's")
        link = self.opened("other.a_b_c.1.vtkhdf").get("VTKHDF", getlink=True)
        self.assertEqual(link.filename, "other.h5")

    def test_several_triples_after_a_restart(self):
        self.write("input.yaml", GROWING)
        vtk = "output.vtk=[[x, y, v], [u, v, x]]"
        self.succeed("input.yaml", "-q", vtk, "--output", "whole.h5")
        limited = self.call("input.yaml", "-q", vtk, "--output", "part.h5", "run.memory_limit=8")
        self.assertNotEqual(limited.status, 0)
        resume = ("input.yaml", "-q", "--output", "part.h5", "--force")
        resume += ("--restart", "part.restart.h5")
        for other in ("[u, v, x]", "[[x, y, v], [v, u, x]]"):
            self.assert_mentions(
                self.call(*resume, f"output.vtk={other}"),
                INPUT,
                "have no joint probabilities of the variables in output.vtk",
            )
        self.succeed(*resume, vtk)
        self.assert_same_bits("whole.h5", "part.h5", ("results", "VTKHDF", "vtk"))

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
        self.assert_rejected(
            WIDE, "[[a, b, c], [a, b]]", "'output.vtk[1]' takes three of more than three variables"
        )
        self.assert_rejected(WIDE, "[[a, b, c], [b, c, c]]", "the variable 'c' is named twice")
        self.assert_rejected(
            WIDE, "[[a, b, c], [b, c, d], [a, b, c]]", "the variables a, b, c are named twice"
        )
        self.assert_rejected(
            SMALL, "[[x, y, z]]", "'output.vtk' takes one list of up to three variables"
        )
        self.assert_rejected(
            WIDE, "[[a, b, c], d]", "expected a list of texts for 'output.vtk[1]', found 'd'"
        )
        self.write("input.yaml", WIDE.replace("[d, a, b]", "[[d, a, b], [a, e, c]]"))
        self.assert_mentions(
            self.call("input.yaml", "--validate"),
            INPUT,
            "input.yaml:9:31: error: unknown variable 'e'; there are a, b, c, d",
        )
        # The names of these triples would be the same.
        alike = WIDE.replace("[a, b, c, d]", "[a, a_a, b, c]").replace(
            "[b, -a, d, -c]", "[a_a, -a, c, -b]"
        )
        self.assert_rejected(
            alike, "[[a, b, c], [a, a_a, b], [a_a, a, b]]", "two triples of variables have the name"
        )
        turned = WIDE.replace("grid: {", "grid: {rotate: true, ").replace(
            "standard_deviation: [0.12, 0.12, 0.1, 0.1]",
            "covariance: [[1, 0.5, 0, 0], [0.5, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]",
        )
        self.assert_rejected(
            turned, "[a, b, c]", "a turned grid has no joint probability along three of them"
        )

    @unittest.skipUnless(VTK >= (9, 1), "needs VTK 9.1 with its module IOHDF")
    def test_vtk_follows_a_link(self):
        """The results are replaced by an image without steps, which VTK reads before 9.3 too."""
        values = np.arange(60.0).reshape(5, 4, 3)
        self.run_with(WIDE, TRIPLES).close()
        with h5py.File(self.path("input.h5"), "w") as file:
            file["values"] = values
            group = file.create_group("vtk/a_b_c")
            group.attrs["Version"] = np.array([1, 0])
            group.attrs.create("Type", np.bytes_("ImageData"))
            group.attrs["WholeExtent"] = np.array([0, 2, 0, 3, 0, 4])
            group.attrs["Origin"], group.attrs["Spacing"] = np.zeros(3), np.ones(3)
            group.attrs["Direction"] = np.eye(3).ravel()
            layout = h5py.VirtualLayout(values.shape, values.dtype)
            layout[...] = h5py.VirtualSource(".", "/values", values.shape)
            group.create_group("PointData").create_virtual_dataset("probability", layout)
        reader = vtkHDFReader()
        reader.SetFileName(self.path("input.a_b_c.vtkhdf"))
        reader.Update()
        seen = reader.GetOutputDataObject(0).GetPointData().GetArray("probability")
        np.testing.assert_array_equal(vtk_to_numpy(seen), values.ravel())

    @unittest.skipUnless(VTK >= (9, 3), "needs VTK 9.3 with its module IOHDF")
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

    @unittest.skipUnless(VTK >= (9, 3), "needs VTK 9.3 with its module IOHDF")
    def test_vtk_reads_volumes(self):
        file = self.run_with(WIDE, TRIPLES)
        for name, group in (("input.h5", "VTKHDF"), ("input.a_b_c.vtkhdf", "vtk/a_b_c")):
            for step, seen in self.seen_by_vtk(file, name):
                np.testing.assert_array_equal(
                    vtk_to_numpy(seen.GetPointData().GetArray("probability")),
                    file[group]["PointData/probability"][step].ravel(),
                )

    def seen_by_vtk(self, file, name="input.h5"):
        """Each step and what VTK's reader makes of it."""
        reader = vtkHDFReader()
        reader.SetFileName(self.path(name))
        reader.UpdateInformation()
        times = reader.GetOutputInformation(0).Get(vtkStreamingDemandDrivenPipeline.TIME_STEPS())
        self.assertEqual(len(times), len(file["results/time"]))
        for step, when in enumerate(times):
            reader.UpdateTimeStep(when)
            yield step, reader.GetOutputDataObject(0)


if __name__ == "__main__":
    run_cases.main()
