"""Check refrank as it is installed: its extensions, the bits of its vectors, and README.md's example.

python .ci/check_install.py        with the Python of the environment; every platform's wheel has to pass it
"""

import doctest
import subprocess
import sys
import tempfile
from pathlib import Path

import refrank.datasets
import refrank.mcrank.query_lambdas
import refrank.metrics
import yardstick.numbers.digest
from refrank.kernel import MISSING

ROOT = Path(__file__).resolve().parents[1]
COMMITTED = ROOT / "yardstick" / "vectors" / "data"

for package in (refrank, yardstick):
    if ROOT in Path(package.__file__).parents:
        sys.exit(f"{package.__file__}: this is not an installed package")
if MISSING or refrank.show_config()["splitter"] != "kernel":
    sys.exit(f"refrank runs on its specification: {', '.join(MISSING) or 'REFRANK_SPLITTER is set'}")
with tempfile.TemporaryDirectory() as folder:
    written = Path(folder, "vectors")
    subprocess.run([sys.executable, "-m", "refrank", "vectors", str(written)], check=True, stdout=subprocess.DEVNULL)
    files = {path.name: path.read_bytes() for path in written.iterdir()}
if files != {path.name: path.read_bytes() for path in COMMITTED.iterdir()}:
    sys.exit("the vectors that refrank writes are not those of its sources: it computes other bits")
if doctest.testfile(str(ROOT / "README.md"), module_relative=False).failed:
    sys.exit("README.md's example gives other values")
print(f"refrank {refrank.__version__} on Python {sys.version.split()[0]}: extensions, vectors and README.md are right")
