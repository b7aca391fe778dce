"""Check the files of a release: that each holds what it should, and a wheel nothing else.

python .ci/check_files.py dist/*        sdists and wheels
"""

import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

LARGEST_WHEEL = 2_000_000  # bytes
ROOT = Path(__file__).resolve().parents[1]


def find_faults(path: Path) -> Iterator[str]:
    """Find what is wrong with a file of a release."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            names = wheel.namelist()
        sources = {name for name in names if name.endswith(".pyx")}
        for name in names:
            package, _, rest = name.partition("/")
            if package.partition("-")[0].removesuffix(".libs") not in ("refrank", "yardstick", "tutor", "proofs_check"):
                yield f"{name} is none of a package's files"
            if "tests/" in rest or name.removesuffix(".c") + ".pyx" in sources:
                yield f"{name} is of use in the sources only"
        for name in sources:
            if "-any" not in path.name and not any(
                other.startswith(name.removesuffix("pyx")) and other != name for other in names
            ):
                yield f"{name} is not compiled"
        if path.stat().st_size > LARGEST_WHEEL:
            yield f"it has {path.stat().st_size:,} bytes: they must be at most {LARGEST_WHEEL:,}"
        return
    with tarfile.open(path) as sdist:
        names = [name.partition("/")[2] for name in sdist.getnames()]
    for name in list_sources():
        if name not in names:
            yield f"{name} is missing"


def list_sources() -> list[str]:
    """List the files that git keeps."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True)
    return listed.stdout.split()


faults = [f"{path}: {fault}" for path in map(Path, sys.argv[1:]) for fault in find_faults(path)]
print("\n".join(faults) or f"{len(sys.argv) - 1} files hold what they should")
sys.exit(bool(faults))
