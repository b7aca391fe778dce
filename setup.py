"""Build the extensions: with OpenMP where a probe runs, serially where not, or not at all.

Nearly everything else about the package stands in pyproject.toml. REFRANK_NO_EXTENSION=1 skips the extensions; the
package then works on its specifications in NumPy, such as `refrank/trees/splitting.py`, and gives the same bits.

In a wheel, an extension keeps to Python's stable ABI: one file serves 3.11 and every later version. In a checkout, the
file is for one version, as importlib prefers such a file to one of the stable ABI, and so might load an old one.
"""

import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
from glob import glob
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

# Never -ffast-math, and no fused multiply-add: the kernel must round where NumPy rounds (docs/reference/numerics.md).
# Without traps and errno, which change no value, more loops become vector instructions. Without debug symbols, a wheel
# takes a tenth.
EXACT_FLAGS = ["-g0", "-O3", "-ffp-contract=off", "-fno-trapping-math", "-fno-math-errno"]
OPENMP_FLAGS = {
    "gcc and clang": (["-fopenmp"], ["-fopenmp"]),
    "Apple clang with libomp": (["-Xpreprocessor", "-fopenmp"], ["-lomp"]),
}
PROBE = """
#include <omp.h>
int main(void) {
    int threads = 0;
    #pragma omp parallel reduction(+:threads)
    threads += 1;
    return threads == omp_get_max_threads() ? 0 : 1;
}
"""


STABLE_ABI = not sysconfig.get_config_var("Py_GIL_DISABLED")  # free-threaded Python has none
OLDEST = "0x030B0000"  # Python 3.11
EXTENSIONS = {  # module -> what it is compiled from, beside its own .pyx
    "refrank._split": "refrank/kernel/*.[ph]*",
    "refrank.kernel._pages": "refrank/kernel/pages.h",
    "refrank.mcrank._pairs": "refrank/[km]*/*.h",
    "refrank.metrics._order": "refrank/kernel/machine.h",
    "refrank.datasets._letor": "refrank/kernel/machine.h",
    "yardstick.numbers._digest": "yardstick/numbers/digest.h",
}


class BuildOptional(build_ext):
    """Build the extensions with the flags that the compiler was seen to understand."""

    def run(self) -> None:
        """Write one C file after the other; then let the compilers run side by side."""
        packed = not (self.inplace or self.editable_mode)
        for extension in self.extensions if packed and STABLE_ABI else []:
            extension.define_macros, extension.py_limited_api = [("Py_LIMITED_API", OLDEST)], True
        if self.extensions:
            import numpy  # where extensions are built, not where this file is read
            from Cython.Build import cythonize

            written = cythonize(self.extensions, force=self.force)
            for extension, of in zip(self.extensions, written, strict=True):
                extension.sources, extension.include_dirs = of.sources, [numpy.get_include()]
            self.parallel = True
        super().run()

    def build_extensions(self) -> None:
        unix = self.compiler.compiler_type == "unix"
        compile_flags, link_flags = self.openmp_flags() if unix else ([], [])
        for extension in self.extensions:
            extension.extra_compile_args = (EXACT_FLAGS if unix else ["/O2", "/fp:precise"]) + compile_flags
            extension.extra_link_args = link_flags
        super().build_extensions()

    def openmp_flags(self) -> tuple[list[str], list[str]]:
        """Return the first flags under which a small OpenMP program compiles, links and runs."""
        for name, (compile_flags, link_flags) in OPENMP_FLAGS.items():
            with tempfile.TemporaryDirectory() as folder:
                source = Path(folder, "probe.c")
                source.write_text(PROBE)
                try:
                    objects = self.compiler.compile([str(source)], folder, extra_postargs=compile_flags)
                    self.compiler.link_executable(objects, "probe", folder, extra_postargs=link_flags)
                    subprocess.run([str(Path(folder, "probe"))], check=True, timeout=60)
                except Exception as failure:
                    print(f"refrank: no OpenMP with the flags of {name} ({failure})", file=sys.stderr)
                else:
                    return compile_flags, link_flags
        return [], []


def list_extensions() -> list[Extension]:
    if os.environ.get("REFRANK_NO_EXTENSION", "0") not in ("", "0"):
        return []
    return [
        Extension(name, [f"{name.replace('.', '/')}.pyx"], depends=sorted(glob(files)), optional=True)
        for name, files in EXTENSIONS.items()
    ]


def describe() -> str:
    """Return README.md with absolute links, for readers who have nothing beside it."""
    source = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Source"]
    return re.sub(r"\]\((?!https?:)", f"]({source}/blob/main/", Path("README.md").read_text(encoding="utf-8"))


setup(
    ext_modules=list_extensions(),
    cmdclass={"build_ext": BuildOptional},
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if STABLE_ABI else {},
    long_description=describe(),
    long_description_content_type="text/markdown",
)
