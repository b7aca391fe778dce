"""The documents: every example in docs/*.md and README.md runs, every path and link they name exists."""

import doctest
import os
import re
import tomllib
import warnings
from pathlib import Path

import pytest

import refrank

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
FENCE = re.compile(r"^```.*$", re.MULTILINE)
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PATH = re.compile(r"`((?:refrank|tests|docs|benchmarks|proofs_check)/[\w./-]+\.\w+)(?:::[\w.]+)?`")
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")


def run_examples(text: str, name: str) -> tuple[int, str]:
    """Run all examples of a document; return how many ran, and what went wrong, "" if nothing did.

    Lines that begin with >>> are doctests and share one namespace; a fenced block of plain Python runs on its own, and
    one that reads REFRANK_DATA runs only if that is set.
    """
    report: list[str] = []
    # A closing fence would count as expected output.
    test = doctest.DocTestParser().get_doctest(FENCE.sub("", text), {"__name__": "__main__"}, name, name, 0)
    doctest.DocTestRunner(optionflags=doctest.REPORT_NDIFF).run(test, out=report.append)
    scripts = [block for block in PYTHON.findall(text) if ">>>" not in block and not lacks_data(block)]
    for script in scripts:
        try:
            exec(compile(script, name, "exec"), {"__name__": "__main__"})
        except Exception as error:
            report.append(f"{name}: {type(error).__name__}: {error}\n{script}")
    return len(test.examples) + len(scripts), "".join(report)


def lacks_data(text: str) -> bool:
    """Say whether an example needs real data that are not there."""
    return "REFRANK_DATA" in text and "REFRANK_DATA" not in os.environ


def missing(text: str, folder: Path) -> list[str]:
    """List the files that a document in a folder names and that do not exist."""
    named = [ROOT / path for path in PATH.findall(text)] + [folder / link for link in LINK.findall(text)]
    return [str(path) for path in named if not path.exists()]


def disorder(text: str) -> list[str]:
    """List what is wrong with the order of a document: a title below the first line, a paragraph printed twice."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    lines = [line for line in prose.splitlines() if line and not line.startswith(("    ", "|"))]
    titles = [line for line in lines if line.startswith("# ")]
    found = [] if titles == lines[:1] else [f"titles {titles}, first line {lines[0]}"]
    return found + sorted({line for line in lines if len(line) > 60 and lines.count(line) > 1})


@pytest.mark.parametrize("document", [*DOCUMENTS, ROOT / "CHANGELOG.md"], ids=lambda path: path.name)
def test_a_document_begins_with_its_title_and_says_a_thing_once(document):
    assert disorder(document.read_text()) == []


def test_disorder_is_found():
    assert disorder("## Part\n\n# Title\n") == ["titles ['# Title'], first line ## Part"]
    line = "A line of a paragraph, long enough not to be some short remark that recurs."
    assert disorder(f"# Title\n\n{line}\nmore\n\n{line}\n") == [line]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_examples_run(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some examples write files
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "refrank runs on its NumPy specification")
        _, wrong = run_examples(document.read_text(), document.name)
    assert wrong == ""
    if any(map(lacks_data, PYTHON.findall(document.read_text()))):
        pytest.skip("its examples ran, except those on real data: REFRANK_DATA is not set")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_what_a_document_names_exists(document):
    assert missing(document.read_text(), document.parent) == []


def test_the_documents_are_found_and_have_examples():
    texts = {path.name: path.read_text() for path in DOCUMENTS}
    assert run_examples(texts["errata.md"], "errata.md")[0] > 20
    assert run_examples(texts["numerics.md"], "numerics.md")[0] > 10


@pytest.mark.parametrize(
    ("text", "n_examples", "fails"),
    [
        ("Text.\n\n    >>> 1 + 1\n    2\n\nText.", 1, False),
        ("Text.\n\n    >>> 1 + 1\n    3\n", 1, True),
        ("```python\n>>> 1 + 1\n2\n```\n", 1, False),
        ("```python\n>>> 1 + 1\n3\n```\n", 1, True),
        ("```python\na = 1\n```\n", 1, False),
        ("```python\nassert 1 == 2\n```\n", 1, True),
        ("    >>> a = 1\n\nText.\n\n    >>> a\n    1\n", 2, False),
        ("    >>> undefined\n    1\n", 1, True),
        ("    pip install . && refrank reproduce mcrank\n", 0, False),
    ],
)
def test_a_wrong_example_fails(text, n_examples, fails):
    counted, wrong = run_examples(text, "made-up")
    assert counted == n_examples
    assert bool(wrong) == fails


def test_examples_on_real_data_run_only_where_these_are(monkeypatch):
    text = "```python\nimport os\n\nassert os.environ['REFRANK_DATA'] == ''\n```\n"
    monkeypatch.delenv("REFRANK_DATA", raising=False)
    assert run_examples(text, "made-up") == (0, "")
    monkeypatch.setenv("REFRANK_DATA", "")
    assert run_examples(text, "made-up") == (1, "")
    monkeypatch.setenv("REFRANK_DATA", "elsewhere")
    assert "AssertionError" in run_examples(text, "made-up")[1]


def test_a_missing_file_is_found():
    assert missing("`refrank/trees/grid.py` `refrank/trees/grid.py::to_grid` [map](papers.md)", ROOT / "docs") == []
    assert len(missing("`refrank/gird.py` and [map](paper.md)", ROOT / "docs")) == 2


def test_one_version_and_one_author_stand_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    citation, changes = ((ROOT / name).read_text() for name in ("CITATION.cff", "CHANGELOG.md"))
    assert re.findall(r"^version: (.+)$", citation, re.MULTILINE) == [project["version"]] == [refrank.__version__]
    assert re.search(r"^## \[(.+?)\]", changes, re.MULTILINE)[1] == project["version"]
    authors = [author["name"] for author in project["authors"]]
    assert re.findall(r"^authors:\n  - name: (.+)$", citation, re.MULTILINE) == authors
    assert f" {authors[0]}" in (ROOT / "LICENSE").read_text()
    assert re.findall(r"^license: (.+)$", citation, re.MULTILINE) == [project["license"]]
