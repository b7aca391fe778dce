"""Compute the table of digests on this machine, and compare it with the committed one.

`python -m tests.bits` lists the rankers that differ, each with its first quantity; the exit code is then 1. With
`--print` it prints the table, too. `--write` writes tests/bits/digests.json: only where a bit is meant to change.
"""

import platform
import sys

import numpy as np
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

from refrank.kernel import KERNEL
from tests.bits.table import compute_table, list_differences, read_table, write_table

runs_on = "specification" if KERNEL is None else f"kernel {KERNEL.__file__}"
enabled = " ".join(feature for feature in __cpu_dispatch__ if __cpu_features__[feature]) or "none"
print(f"{platform.machine()}, NumPy {np.__version__}, dispatched features {enabled}, {runs_on}")
table = compute_table()
if "--print" in sys.argv:
    for name, row in table.items():
        print(f"{name:32}", *(f"{quantity} {digest}" for quantity, digest in row.items()))
if "--write" in sys.argv:
    write_table(table)
differences = list_differences(table, read_table())
print("\n".join(differences) or f"{len(table)} lines, all digests agree")
sys.exit(bool(differences))
