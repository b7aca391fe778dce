"""Show that each row of docs/reference/papers.md fails when its line is broken: `python -m tests.meta.break_lines`.

Each file of tests/meta/breaks/, and each `BREAKS` of a module of tests, is a catalogue of planted mistakes
(yardstick/planting.py): its places are rows of the map, REFERENCE at FILE::NAME. A mistake of `beside.txt` breaks what
no row names, and has its tests in notes `by`.

The changes are made one by one in a temporary copy of the tree, on the specification (REFRANK_NO_EXTENSION=1), so that
nothing is compiled. Each test that the map names for a row must pass before, and fail with the change. Without
arguments, a fixed sample runs; a REFERENCE is how those to run begin ("McRank Alg."); `--all` runs every one.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.meta.papers_map import ROOT, Row, make_rows, read_project
from yardstick.planting import Mistake, read_mistakes

FOLDER = ROOT / "tests" / "meta" / "breaks"
TREE = ("refrank", "yardstick", "tutor", "generators", "proofs_check", "tests", "conftest.py", "pyproject.toml")
SAMPLE = {"mcrank": 1, "igbrt": 1, "cocr": 1}  # breaks of each file


def read_breaks() -> dict[str, list[Mistake]]:
    """Read the breaks, by file: those of the folder, and `BREAKS` of a module of tests, beside the tests that fail."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.txt"))}
    for path in sorted((ROOT / "tests").glob("*/test_*.py")):
        if block := re.search(r'^BREAKS = """\n(.*?)^"""', path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
            texts[path.stem] = block[1]
    return {stem: read_mistakes(text) for stem, text in texts.items()}


def choose_sample(breaks: dict[str, list[Mistake]]) -> list[Mistake]:
    """Choose a few breaks of each paper, evenly spaced."""
    return [breaks[stem][(2 * i + 1) * len(breaks[stem]) // (2 * n)] for stem, n in SAMPLE.items() for i in range(n)]


def find_tests(broken: Mistake, rows: Iterable[Row]) -> list[str]:
    """Find the tests of a break: its own, or those that the map names for its places."""
    own = broken.find_note("by").split()
    return own or sorted({f"{row.test_file}::{row.test}" for row in rows if row[:3] in broken.places})


def copy_tree(folder: Path) -> None:
    """Copy what the tests need, without what is compiled."""
    for name in TREE:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("*.so", "*.pyd", "*.c", ".*"))
        else:
            shutil.copy2(ROOT / name, folder / name)


def run_tests(folder: Path, tests: list[str]) -> dict[str, str]:
    """Run tests in a copy, and return for each that runs "passes", "fails" or "stops at" an error of Python.

    A test fails if one of its cases does; of one test alone, the first that fails is enough.
    """
    unbuilt = {"REFRANK_NO_EXTENSION": "1", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(folder), "COLUMNS": "999"}
    options = ["-q", "--no-header", "--tb=line", "-rA", "-p", "no:cacheprovider", "-p", "tests.meta.no_shrinking"]
    command = [sys.executable, "-m", "pytest", *options, *(["-x"] if len(tests) == 1 else []), *tests]
    ran = subprocess.run(command, cwd=folder, env=os.environ | unbuilt, capture_output=True, text=True, check=False)
    ends: dict[str, str] = {}
    for outcome, test, why in re.findall(r"^(PASSED|FAILED|ERROR) (\S+?::\w+)(.*)", ran.stdout, re.M):
        broke = re.search(r" - (?:\w+\.)*(NameError|TypeError|AttributeError|ImportError)\b", why)
        end = "passes" if outcome == "PASSED" else f"stops at {broke[1]}" if broke else "fails"
        if ends.get(test) != "fails":
            ends[test] = end if end != "passes" else ends.get(test, end)
    return ends


def find_survivors(breaks: list[Mistake], folder: Path, rows: list[Row]) -> Iterator[str]:
    """Make each change in turn, and yield a line for each test that does not fail, or that fails without it."""
    tests = {broken: find_tests(broken, rows) for broken in breaks}
    sound = run_tests(folder, sorted({test for of in tests.values() for test in of}))
    for broken, named in tests.items():
        if not named:
            yield f"{broken.words} at {broken.file}: no test"
            continue
        path = folder / broken.file
        text = path.read_text(encoding="utf-8")
        path.write_text(broken.plant(text), encoding="utf-8")
        ends = run_tests(folder, named)
        path.write_text(text, encoding="utf-8")
        for test in named:
            if sound.get(test) != "passes":
                yield f"{test} does not pass unbroken"
            elif ends.get(test) != "fails":
                end, [(_, new), *_] = ends.get(test, "does not run"), broken.changes
                yield f"{broken.words}: {test} {end} with {new.strip()!r}"


def main(arguments: list[str] | None = None) -> int:
    """Run breaks, and print those that survive."""
    parser = argparse.ArgumentParser(prog="python -m tests.meta.break_lines", description=__doc__.split("\n")[0])
    parser.add_argument("reference", nargs="*", help="how the references of the breaks to run begin")
    parser.add_argument("--all", action="store_true", help="run every break (minutes)")
    given = parser.parse_args(arguments)
    breaks = read_breaks()
    chosen = choose_sample(breaks)
    if given.all or given.reference:
        begins = tuple(given.reference) or ("",)
        chosen = [broken for of in breaks.values() for broken in of if broken.words.startswith(begins)]
    with tempfile.TemporaryDirectory() as folder:
        copy_tree(Path(folder))
        survivors = 0
        for survivor in find_survivors(chosen, Path(folder), make_rows(read_project())):
            survivors += 1
            print(survivor, flush=True)
    print(f"{len(chosen)} breaks, {survivors} not found")
    return survivors > 0


if __name__ == "__main__":
    sys.exit(main())
