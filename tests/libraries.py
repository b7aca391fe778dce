"""Libraries for the tests: examples/port as it is, with one line changed, or another C source."""

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from yardstick.planting import Mistake
from yardstick.scorecard.adapters import Adapter, load_adapter

ROOT = Path(__file__).parents[1]
PORT = ROOT / "examples" / "port"
COMPILER = shutil.which("cc") or shutil.which("gcc")
NEEDS_COMPILER = pytest.mark.skipif(COMPILER is None, reason="no C compiler: neither cc nor gcc is on the path")


def run_compiler(*arguments: str) -> None:
    """Call the compiler with the flags of the port's Makefile, which make every warning an error: it says nothing."""
    flags = re.search(r"^CFLAGS = (.+)$", (PORT / "Makefile").read_text(), re.MULTILINE)
    assert COMPILER is not None
    assert flags is not None
    command = [COMPILER, *flags[1].split(), f"-I{ROOT / 'refrank' / 'kernel'}", f"-I{PORT}", *arguments]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


@cache
def compile_port() -> dict[str, bytes]:
    """Compile the example port file by file, once for all libraries that one of its files is changed in."""
    objects = {}
    with TemporaryDirectory() as folder:
        for path in sorted(PORT.glob("*.c")):
            run_compiler("-c", "-o", f"{folder}/object", str(path))
            objects[path.name] = Path(folder, "object").read_bytes()
    return objects


def build_port(folder: Path, mistake: Mistake | None = None) -> Path:
    """Build the example port in a folder, with a mistake if one is given; warnings pass."""
    folder.mkdir(exist_ok=True)
    library, sources = folder / "libport.so", []
    for file, content in compile_port().items():
        if mistake and file == mistake.file:
            sources.append(folder / file)
            sources[-1].write_text(mistake.plant((PORT / file).read_text()))
        else:
            sources.append(folder / f"{file}.o")
            sources[-1].write_bytes(content)
    run_compiler("-w", "-shared", "-o", str(library), *map(str, sources), "-lm")
    return library


def load_port(folder: Path, monkeypatch: pytest.MonkeyPatch, mistake: Mistake | None = None) -> Adapter:
    """Load the example port, with a mistake in its library or in its adapter if one is given."""
    adapter = PORT / "adapter.py"
    in_adapter = mistake is not None and mistake.file == adapter.name
    monkeypatch.setenv("REFRANK_PORT", str(build_port(folder, None if in_adapter else mistake)))
    if mistake is None or not in_adapter:
        return load_adapter(str(adapter))
    (folder / adapter.name).write_text(mistake.plant(adapter.read_text()))
    return load_adapter(str(folder / adapter.name))


def change(file: str, old: str, new: str) -> Mistake:
    """Make a mistake of one change."""
    return Mistake((("a change", file, ""),), ((old, new),))


VERSION = "int32_t refrank_splitter_version(void) { return REFRANK_SPLITTER_VERSION; }"
INCLUDES = '#include "refrank_splitter.h"\n#include <stdlib.h>\n#include <string.h>\n'


def build_source(folder: Path, *source: str) -> Path:
    """Build a library of one source."""
    path, library = folder / "source.c", folder / "libsource.so"
    path.write_text("\n".join([INCLUDES, *source, ""]))
    run_compiler("-shared", "-o", str(library), str(path), "-lm")
    return library


def define(function: str, body: str) -> str:
    """Define a function of the header, with its parameters, by another body."""
    header = (ROOT / "refrank" / "kernel" / "refrank_splitter.h").read_text()
    [declared] = re.findall(rf"^int64_t refrank_{function}\(([^)]*)\);", header, re.MULTILINE)
    unused = "".join(f"(void){parameter.split()[-1].lstrip('*')}; " for parameter in declared.split(","))
    return f"int64_t refrank_{function}({declared}) {{ {unused}{body} }}"
