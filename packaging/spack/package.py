# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
"""Spack's recipe of Tessera, for Spack 1.0 and later. Copy it to packages/tessera in a repository
of your own (spack repo create), and spack install tessera+openmp+python."""

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Tessera(CMakePackage, CudaPackage):
    """Grid, field and special-function computations on GPUs and CPUs: densities through nonlinear
    dynamics, Gaussian processes, gaps in rasters, stable laws, Bessel and Boys functions."""

    homepage = "https://tessera.invalid"
    git = "https://tessera.invalid/tessera.git"

    license("BSD-3-Clause")

    version("main", branch="main")
    version("0.1.0", tag="v0.1.0")

    variant("openmp", default=True, description="Kernels on CPUs with OpenMP")
    variant("mpi", default=True, description="Divide runs among several processes")
    variant("python", default=False, description="The Python package tessera")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:3.31", type="build")
    depends_on("ninja", type="build")
    generator("ninja")

    depends_on("kokkos@3.4:5 +serial cxxstd=20")
    depends_on("kokkos-kernels")
    depends_on("hdf5+hl")
    depends_on("yaml-cpp@0.7:")
    depends_on("cli11@2.1:")
    depends_on("fmt@8:")
    depends_on("spdlog@1.9:")
    depends_on("openblas")  # LAPACKE and CBLAS come with it
    depends_on("random123")
    depends_on("boost")  # headers
    depends_on("nlopt")
    depends_on("fftw")
    depends_on("gdal")
    depends_on("netcdf-c")
    depends_on("pugixml")
    depends_on("googletest@1.11:+gmock", type="test")

    with when("+openmp"):
        depends_on("kokkos+openmp")
        depends_on("kokkos-kernels+openmp")

    with when("+mpi"):
        depends_on("mpi")
        depends_on("nccl", when="+cuda")

    with when("+cuda"):
        depends_on("kokkos+cuda+wrapper")
        depends_on("kokkos-kernels+cuda+cublas")
        for arch in CudaPackage.cuda_arch_values:
            depends_on(f"kokkos cuda_arch={arch}", when=f"cuda_arch={arch}")
            depends_on(f"kokkos-kernels cuda_arch={arch}", when=f"cuda_arch={arch}")
    conflicts("cuda_arch=none", when="+cuda", msg="name the GPU: cuda_arch=90 for an H100")
    conflicts(
        "^cuda@13:",
        when="+cuda ^kokkos@4.6:",
        msg="nvcc 13 needs a Kokkos with Kokkos_ENABLE_IMPL_VIEW_LEGACY=ON, which is no variant",
    )

    with when("+python"):
        extends("python")
        depends_on("python@3.9:")
        depends_on("py-pybind11@2.9:", type=("build", "link"))
        depends_on("py-numpy", type=("build", "run"))
        depends_on("py-numpy@:1", when="^py-pybind11@:2.11", type=("build", "run"))
        depends_on("py-h5py", type="run")
        depends_on("py-matplotlib", type="run")
        # Python's module holds Kokkos.
        depends_on("kokkos+pic")

    def cmake_args(self):
        backends = ["serial"]
        backends += ["openmp"] if self.spec.satisfies("+openmp") else []
        backends += ["cuda"] if self.spec.satisfies("+cuda") else []
        args = [
            self.define("TESSERA_BACKENDS", ";".join(backends)),
            self.define("TESSERA_NATIVE", False),  # Spack names the processor
            self.define("TESSERA_ENABLE_TESTS", self.run_tests),
            self.define("TESSERA_ENABLE_BENCHMARKS", False),
            self.define("TESSERA_ENABLE_GSL", False),
            self.define_from_variant("TESSERA_ENABLE_MPI", "mpi"),
            self.define_from_variant("TESSERA_ENABLE_PYTHON", "python"),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CXX_COMPILER", self.spec["kokkos"].kokkos_cxx))
        if self.spec.satisfies("+python"):
            args.append(self.define("Python_EXECUTABLE", self.spec["python"].command.path))
            args.append(self.define("TESSERA_PYTHON_DIR", python_platlib))
        return args

    def test_version(self):
        """the program says its version"""
        program = which(self.prefix.bin.join("tessera-bessel"), required=True)
        assert str(self.spec.version) in program("--version", output=str.split, error=str.split)

    def test_defaults(self):
        """the program lists its parameters, on a machine without a GPU too"""
        program = which(self.prefix.bin.join("tessera-gbees"), required=True)
        assert "threshold" in program("--print-defaults", output=str.split, error=str.split)
