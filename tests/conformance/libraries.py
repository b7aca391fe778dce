"""Libraries for the tests: examples/port as it is, with one line changed, or another C source."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PORT = ROOT / "examples" / "port"
COMPILER = shutil.which("cc") or shutil.which("gcc")
NEEDS_COMPILER = pytest.mark.skipif(COMPILER is None, reason="no C compiler: neither cc nor gcc is on the path")


def read_variable(name: str) -> list[str]:
    """The words of a variable of the port's Makefile."""
    found = re.search(rf"^{name} = (.+)$", (PORT / "Makefile").read_text(), re.MULTILINE)
    return found[1].split()


def compile_library(sources: list[Path], library: Path) -> Path:
    """Compile with the Makefile's flags, which make every warning an error."""
    assert COMPILER is not None
    flags = [*read_variable("CFLAGS"), f"-I{ROOT / 'refrank'}", "-shared", "-o", str(library)]
    found = subprocess.run([COMPILER, *flags, *map(str, sources), "-lm"], capture_output=True, text=True)
    assert (found.returncode, found.stdout, found.stderr) == (0, "", "")
    return library


def build_port(folder: Path, changes: dict[str, tuple[str, str]] | None = None) -> Path:
    """Build the example port in a folder; of each file named, a text that occurs once is replaced."""
    shutil.copytree(PORT, folder, ignore=shutil.ignore_patterns("*.so"), dirs_exist_ok=True)
    for file, (old, new) in (changes or {}).items():
        text = (folder / file).read_text()
        assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times in {file}"
        (folder / file).write_text(text.replace(old, new))
    return compile_library(sorted(folder.glob("*.c")), folder / "libport.so")


VERSION = "int32_t refrank_splitter_version(void) { return REFRANK_SPLITTER_VERSION; }"
INCLUDES = '#include "refrank_splitter.h"\n#include <stdlib.h>\n#include <string.h>\n'


def build_source(folder: Path, *source: str) -> Path:
    """Build a library of one source."""
    (folder / "source.c").write_text("\n".join([INCLUDES, *source, ""]))
    return compile_library([folder / "source.c"], folder / "libsource.so")


def define(function: str, body: str) -> str:
    """Define a function of the header, with its parameters, by another body."""
    header = (ROOT / "refrank" / "refrank_splitter.h").read_text()
    [declared] = re.findall(rf"^int64_t refrank_{function}\(([^)]*)\);", header, re.MULTILINE)
    unused = "".join(f"(void){parameter.split()[-1].lstrip('*')}; " for parameter in declared.split(","))
    return f"int64_t refrank_{function}({declared}) {{ {unused}{body} }}"
