"""docs/papers.md and the source hold each other together: no reference without a row, no row that is not true."""

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]

PLACE = r"(?:Alg\. \d+(?:, line \d+)?|(?:Eq\.|Sec\.|Lemma|Theorem|Definition|Table|Fig\.) \d+(?:\.\d+)*|App\. [A-Z]+)"
REFERENCE = re.compile(rf"(Departs from )?((?:McRank|iGBRT|COCR) {PLACE})")
DEPARTURE = re.compile(r"Departs from ([^:]+):")
SILENCE = re.compile(r"(?:Paper is|Papers are) silent")
ROW = re.compile(r"\| ([^|]+) \| `([^`]+)::([^`]+)` \| `([^`]+)::([^`]+)` \|")
NOT_CODE = re.compile(rf"\| (McRank {PLACE}) \| ([^|`]+) \|")

McRANK = (
    *(f"McRank Alg. 1, line {line}" for line in range(10)),
    *(f"McRank Alg. 2, line {line}" for line in range(7)),
    *(f"McRank Eq. {number}" for number in range(1, 9)),
)


class Comment(NamedTuple):
    """One comment: the number of its line, and what it says after the #."""

    line: int
    text: str


@dataclass(frozen=True)
class Row:
    """A line of docs/papers.md: reference | `file::name` | `test file::test`."""

    reference: str
    file: str
    name: str
    test_file: str
    test: str


class Sources:
    """The texts the map speaks of: a folder, or, in the tests of the checker, a few made-up files."""

    def __init__(self, read: Callable[[str], str], code: list[str]) -> None:
        self.read, self.code = read, code

    def comments(self, file: str) -> Iterator[Comment]:
        """All comments of a file, in .pyx files too, whose words are those of Python."""
        for token in tokenize.generate_tokens(io.StringIO(self.read(file)).readline):
            if token.type == tokenize.COMMENT:
                yield Comment(token.start[0], token.string.lstrip("# "))

    def named(self, file: str) -> dict[str, range]:
        """The lines of every function, class, method and module-level name of a file, with the comments above it."""
        found: dict[str, range] = {}
        if file.endswith(".pyx"):
            lines = self.read(file).splitlines()
            top = [i for i, line in enumerate(lines) if re.match(r"(c?p?def\b|class\b|ctypedef\b|[A-Z]\w* =)", line)]
            for start, stop in zip(top, [*top[1:], len(lines)], strict=True):
                if match := re.search(r"(\w+)\s*(?:\(|=)", lines[start]):
                    found[match[1]] = range(start + 1, stop + 1)
            return found

        text = self.read(file).splitlines()

        def visit(body: list[ast.stmt], prefix: str, inside_function: bool = False) -> None:
            for node in body:
                start = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))])
                while start > 1 and text[start - 2].lstrip().startswith("#"):
                    start -= 1
                lines = range(start, (node.end_lineno or node.lineno) + 1)
                if isinstance(node, ast.FunctionDef | ast.ClassDef):
                    found[prefix + node.name] = lines
                    visit(node.body, f"{prefix}{node.name}.", isinstance(node, ast.FunctionDef))
                elif isinstance(node, ast.Assign | ast.AnnAssign) and not inside_function:
                    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                    found.update({prefix + target.id: lines for target in targets if isinstance(target, ast.Name)})

        visit(ast.parse("\n".join(text)).body, "")
        return found

    def enclosing(self, file: str, line: int) -> str:
        """The innermost name around a line, "" outside of all."""
        around = {name: lines for name, lines in self.named(file).items() if line in lines}
        return min(around, key=lambda name: len(around[name]), default="")


def rows_of(papers: str) -> list[Row]:
    """The rows of the map."""
    return [Row(*match.groups()) for match in map(ROW.fullmatch, papers.splitlines()) if match]


def carries(text: str, reference: str) -> bool:
    """Whether a text holds a reference; "Alg. 1" is not in "Alg. 10", and is in "Alg. 1, line 5" as its whole."""
    return re.search(rf"(?<!\w){re.escape(reference)}(?!\.?\d)", " ".join(text.replace("#", " ").split())) is not None


def faults(sources: Sources, papers: str, departures: str, required: tuple[str, ...] = ()) -> list[str]:
    """What does not hold, one line each."""
    found: list[str] = []
    rows = rows_of(papers)
    # Lines that look like rows are rows.
    for number, line in enumerate(papers.splitlines(), 1):
        if "::" in line and not ROW.fullmatch(line):
            found.append(f"docs/papers.md:{number} is no row: | reference | `file::name` | `test file::test` |")
    # (a) Each reference at the head of a comment has a row, whose name holds the comment.
    # (d) Each departure, and each silence, has its entry.
    for file in sources.code:
        named = sources.named(file)
        for comment in sources.comments(file):
            at = f"{file}:{comment.line}"
            if match := REFERENCE.match(comment.text):
                here = [row for row in rows if row.file == file and comment.line in named.get(row.name, ())]
                if match[2] not in [row.reference for row in here]:
                    name = sources.enclosing(file, comment.line)
                    found.append(f"{at}: docs/papers.md has no row | {match[2]} | `{file}::{name}` |")
            if (match := DEPARTURE.match(comment.text)) and not carries(departures, match[1]):
                found.append(f"{at}: docs/departures.md has no entry for {match[1]}")
            if SILENCE.match(comment.text):
                name = f"`{file}::{sources.enclosing(file, comment.line)}`"
                if name not in departures:
                    found.append(f"{at}: the paper is silent, and docs/departures.md does not name {name}")
    for row in rows:
        # (b) The name exists, and carries the reference.
        try:
            lines, body = sources.named(row.file), sources.read(row.file).splitlines()
        except FileNotFoundError:
            found.append(f"{row.reference}: there is no {row.file}")
        else:
            if row.name not in lines:
                found.append(f"{row.reference}: {row.file} has no {row.name}")
            elif not carries("\n".join(body[lines[row.name].start - 1 : lines[row.name].stop - 1]), row.reference):
                found.append(f"{row.reference}: {row.file}::{row.name} does not carry it")
        # (c) The test exists.
        try:
            tests = sources.named(row.test_file)
        except FileNotFoundError:
            found.append(f"{row.reference}: there is no {row.test_file}")
        else:
            if not row.test.split(".")[-1].startswith("test_") or row.test not in tests:
                found.append(f"{row.reference}: {row.test_file} has no test {row.test}")
    # (e) Every line and equation is mapped, or said not to be code, and not both.
    not_code = {match[1] for match in map(NOT_CODE.fullmatch, papers.splitlines()) if match}
    mapped = {row.reference for row in rows}
    found += [f"docs/papers.md lacks {reference}" for reference in required if reference not in mapped | not_code]
    found += [f"docs/papers.md maps {reference}, and says that it is not code" for reference in mapped & not_code]
    return found


def test_map_and_source_hold_each_other():
    code = sorted(
        str(path.relative_to(ROOT)) for path in ROOT.glob("refrank/**/*.py*") if path.suffix in (".py", ".pyx")
    )
    sources = Sources(lambda file: (ROOT / file).read_text(), code)
    papers, departures = ((ROOT / "docs" / name).read_text() for name in ("papers.md", "departures.md"))
    assert len(rows_of(papers)) >= len(McRANK) / 2
    assert faults(sources, papers, departures, McRANK) == []


# The checker itself, on small made-up sources: one that holds, and one broken copy for each rule.

HOLDS = {
    "refrank/a.py": '''
def boost(y):
    """Algorithm 9."""
    # McRank Alg. 9, line 1
    scores = 0
    # Departs from McRank Alg. 9, line 2: a reason
    # Paper is silent: about this
    return scores


LENGTH = 1e-8  # McRank App. I: "e.g., 10^-8"
# McRank Table 7
TABLE = ()


def proof():
    """McRank Eq. 99."""
''',
    "tests/test_a.py": "def test_boost():\n    assert True\n",
    "papers": """
| McRank Alg. 9, line 1 | `refrank/a.py::boost` | `tests/test_a.py::test_boost` |
| McRank Alg. 9, line 2 | `refrank/a.py::boost` | `tests/test_a.py::test_boost` |
| McRank App. I | `refrank/a.py::LENGTH` | `tests/test_a.py::test_boost` |
| McRank Table 7 | `refrank/a.py::TABLE` | `tests/test_a.py::test_boost` |
| McRank Eq. 99 | `refrank/a.py::proof` | `tests/test_a.py::test_boost` |
| McRank Alg. 9, line 3 | End of the loop |
""",
    "departures": "McRank Alg. 9, line 2: a reason. `refrank/a.py::boost`: about this.",
}


def faults_of(files: dict[str, str]) -> list[str]:
    def read(file: str) -> str:
        if file not in files:
            raise FileNotFoundError(file)
        return files[file]

    required = tuple(f"McRank Alg. 9, line {line}" for line in (1, 2, 3))
    return faults(Sources(read, ["refrank/a.py"]), files["papers"], files["departures"], required)


def test_a_map_that_holds_has_no_fault():
    assert faults_of(HOLDS) == []


@pytest.mark.parametrize(
    ("file", "old", "new", "fault"),
    [
        # (a)
        (
            "papers",
            "| McRank App. I | `refrank/a.py::LENGTH` | `tests/test_a.py::test_boost` |\n",
            "",
            "no row | McRank App. I",
        ),
        (
            "refrank/a.py",
            "    scores = 0",
            "    scores = 0  # McRank Eq. 4: b",
            "no row | McRank Eq. 4 | `refrank/a.py::boost`",
        ),
        (
            "refrank/a.py",
            "    scores = 0",
            "    # iGBRT Alg. 1, line 2\n    scores = 0",
            "no row | iGBRT Alg. 1, line 2",
        ),
        ("refrank/a.py", "    scores = 0", "    # COCR Sec. 4.1\n    scores = 0", "no row | COCR Sec. 4.1"),
        (
            "refrank/a.py",
            '    """McRank Eq. 99."""',
            "    # McRank Eq. 99\n    # McRank Alg. 9, line 1\n    return 0",
            "no row | McRank Alg. 9",
        ),
        # (b)
        ("refrank/a.py", "# McRank Alg. 9, line 1", "# Alg. 9", "boost does not carry it"),
        ("refrank/a.py", "# McRank Alg. 9, line 1", "# McRank Alg. 9, line 11", "boost does not carry it"),
        ("refrank/a.py", "def proof", "def prove", "has no proof"),
        ("papers", "refrank/a.py::proof", "refrank/b.py::proof", "there is no refrank/b.py"),
        ("refrank/a.py", "McRank Eq. 99", "McRank Eq. 9", "proof does not carry it"),
        # (c)
        ("tests/test_a.py", "test_boost", "test_bost", "has no test test_boost"),
        ("papers", "tests/test_a.py", "tests/test_b.py", "there is no tests/test_b.py"),
        ("papers", "::test_boost", "::boost", "has no test boost"),
        # (d)
        ("departures", "McRank Alg. 9, line 2", "McRank Alg. 9, line 22", "no entry for McRank Alg. 9, line 2"),
        ("refrank/a.py", "Paper is silent", "Papers are silent", None),
        ("departures", "`refrank/a.py::boost`", "boost", "does not name `refrank/a.py::boost`"),
        # (e)
        ("papers", "| McRank Alg. 9, line 3 | End of the loop |\n", "", "lacks McRank Alg. 9, line 3"),
        ("papers", "| McRank Alg. 9, line 3 | End", "| McRank Alg. 9, line 2 | End", "and says that it is not code"),
        # the form of rows
        ("papers", "| `tests/test_a.py::test_boost` |", "| tests/test_a.py::test_boost |", "is no row"),
    ],
)
def test_a_broken_map_is_found(file, old, new, fault):
    broken = HOLDS | {file: HOLDS[file].replace(old, new)}
    assert broken != HOLDS
    found = faults_of(broken)
    if fault is None:
        assert found == []
    else:
        assert any(fault in line for line in found), found


def test_comments_and_names_of_a_pyx_file():
    text = """GROUP = 8

cdef inline int up(int a) noexcept nogil:
    # McRank App. I
    return a


def f(int b):
    return b
"""
    sources = Sources(lambda file: text, ["a.pyx"])
    assert list(sources.comments("a.pyx")) == [Comment(4, "McRank App. I")]
    assert sources.enclosing("a.pyx", 4) == "up"
    assert set(sources.named("a.pyx")) == {"GROUP", "up", "f"}
