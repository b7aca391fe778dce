"""The documents: fenced scripts run, paths, links and headings named exist. pytest runs their >>> lines itself."""

import os
import re
import tomllib
import warnings
from importlib.util import find_spec
from pathlib import Path

import pytest

import refrank
from docs.site.documents import list_chapters
from refrank.cli.algorithm_table import ALGORITHMS

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *list_chapters()]
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PACKAGES = "refrank|yardstick|tutor|generators|tests|docs|benchmarks|proofs_check"
PATH = re.compile(rf"`((?:{PACKAGES})/[\w./-]*)(?:::[\w.]+)?`")
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)")
HEADING = re.compile(r"^##* (.+)$", re.MULTILINE)
ERRATUM = re.compile(r"docs/reference/errata\.md, ((?:McRank|iGBRT|COCR) [A-Z][a-z]+\.? \d+(?:\.\d+)*)")


def run_scripts(text: str, name: str) -> str:
    """Run the fenced Python of a document, each block on its own; return what went wrong, "" if nothing did.

    A block that reads REFRANK_DATA runs only if that is set, and one that imports a program of an extra if it is there.
    """
    report = []
    for script in PYTHON.findall(text):
        if lacks_data(script) or find_lacking(script):
            continue
        try:
            exec(compile(script, name, "exec"), {"__name__": "__main__"})
        except Exception as error:
            report.append(f"{name}: {type(error).__name__}: {error}\n{script}")
    return "".join(report)


def lacks_data(text: str) -> bool:
    """Return whether an example needs real data that are not there."""
    return "REFRANK_DATA" in text and "REFRANK_DATA" not in os.environ


def find_lacking(text: str) -> list[str]:
    """List the programs of the extras that an example imports and that are not installed."""
    return [
        name for name in re.findall(r"^import (lightgbm|pandas|shap)$", text, re.MULTILINE) if find_spec(name) is None
    ]


def find_fenced_doctests(text: str) -> list[str]:
    """List the doctests inside a fence, whose last line would count as expected output."""
    return [block for block in FENCED.findall(text) if ">>>" in block]


NOTEBOOK = "---\nfile_format: mystnb\nkernelspec:\n  name: python3\n---\n"  # stands above the title of a story


def find_missing(text: str, document: Path) -> list[str]:
    """List the files and headings that a document names and that do not exist."""
    found = [path for path in PATH.findall(text) if not (ROOT / path).exists()]
    for link, anchor in LINK.findall(text):
        target = document.parent / link
        if not target.exists() or (anchor and anchor not in list_anchors(target.read_text() if link else text)):
            found.append(f"{link}#{anchor}" if anchor else link)
    return found


def list_anchors(text: str) -> list[str]:
    """List the anchors of a document's headings, as GitHub makes them."""
    headings = HEADING.findall(FENCED.sub("", text))
    return [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]


def find_disorder(text: str) -> list[str]:
    """List what is wrong with the order of a document: a title below the first line, a paragraph printed twice."""
    prose = FENCED.sub("", text.removeprefix(NOTEBOOK))
    lines = [line for line in prose.splitlines() if line and not line.startswith(("    ", "|"))]
    titles = [line for line in lines if line.startswith("# ")]
    found = [] if titles == lines[:1] else [f"titles {titles}, first line {lines[0]}"]
    return found + sorted({line for line in lines if len(line) > 60 and lines.count(line) > 1})


@pytest.mark.parametrize("document", [*DOCUMENTS, ROOT / "CHANGELOG.md"], ids=lambda path: path.name)
def test_a_document_begins_with_its_title_says_a_thing_once_and_names_what_exists(document):
    assert find_disorder(document.read_text()) == []
    assert find_missing(document.read_text(), document) == []


def test_disorder_is_found():
    line = "A line of a paragraph, long enough not to be some short remark that recurs."
    assert find_disorder("## Part\n\n# Title\n") == ["titles ['# Title'], first line ## Part"]
    assert find_disorder(f"# Title\n\n{line}\nmore\n\n{line}\n") == [line]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_scripts_run(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some write files
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "refrank runs on its NumPy specification")
        warnings.filterwarnings("ignore", "The set_", PendingDeprecationWarning)  # of Matplotlib, in shap's colours
        assert run_scripts(document.read_text(), document.name) == ""
    if any(map(lacks_data, PYTHON.findall(document.read_text()))):
        pytest.skip("its scripts ran, except those on real data: REFRANK_DATA is not set")
    if lacking := find_lacking(document.read_text()):
        pytest.skip(f"its scripts ran, except those with {', '.join(lacking)}: pip install 'refrank[exchange]'")


def test_pytest_runs_the_documents():
    options = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    assert "--doctest-glob=*.md" in options["addopts"].split()
    assert {"docs", "README.md"} <= set(options["testpaths"])
    texts = {path.name: path.read_text() for path in DOCUMENTS}
    assert [name for name, text in texts.items() if find_fenced_doctests(text)] == []
    for name, more_than in (("errata.md", 20), ("numerics.md", 10), ("whose_ndcg.md", 8)):
        assert texts[name].count(">>> ") > more_than
    assert find_fenced_doctests("```python\n>>> 1 + 1\n2\n```\n") == ["```python\n>>> 1 + 1\n2\n```"]
    assert find_fenced_doctests("    >>> 1 + 1\n    2\n\n```python\na = 1\n```\n") == []


ON_DATA = "```python\nimport os\n\nassert os.environ['REFRANK_DATA'] == ''\n```\n"
SCRIPTS = [  # the text, the folder of real data, whether the script fails
    ("```python\na = 1\n```\n", None, False),
    ("```python\nassert 1 == 2\n```\n", None, True),
    ("```python\na = 1\n```\n\n```python\na\n```\n", None, True),  # each on its own
    ("```\nassert 1 == 2\n```\n", None, False),
    ("    pip install . && refrank reproduce mcrank\n", None, False),
    *((ON_DATA, None, False), (ON_DATA, "", False), (ON_DATA, "elsewhere", True)),
]


@pytest.mark.parametrize(("text", "folder", "fails"), SCRIPTS)
def test_a_wrong_script_fails_where_its_data_are_there(monkeypatch, text, folder, fails):
    monkeypatch.delenv("REFRANK_DATA", raising=False)
    if folder is not None:
        monkeypatch.setenv("REFRANK_DATA", folder)
    assert bool(run_scripts(text, "made-up")) == fails


NAMED = {
    "`refrank/trees/numbers/grid.py` `refrank/trees/numbers/grid.py::to_grid` [map](papers.md)": [],
    "`refrank/gird.py`, `refrank/tree/` and [map](paper.md)": ["refrank/gird.py", "refrank/tree/", "paper.md"],
    "[trees](errata.md#trees) [here](#the-part)\n\n## The part": [],
    "[trees](errata.md#tree) [here](#the-parts)\n\n## The part": ["errata.md#tree", "#the-parts"],
    "```\n# comment\n```\n[here](#comment)": ["#comment"],
}


@pytest.mark.parametrize(("text", "missing"), NAMED.items())
def test_what_is_missing_is_found(text, missing):
    assert find_missing(text, ROOT / "docs" / "reference" / "made-up.md") == missing


def test_the_errata_that_the_sources_cite_have_a_heading():
    folders = ("refrank", "yardstick", "tutor", "proofs_check", "tests", "docs")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.*")]
    texts = [path.read_text() for path in files if path.suffix in (".py", ".pyx", ".pxi", ".md")]
    cited = {place for text in texts for place in ERRATUM.findall(" ".join(text.replace("#", " ").split()))}
    headings = HEADING.findall((ROOT / "docs" / "reference" / "errata.md").read_text())
    assert len(cited) > 5
    assert [place for place in sorted(cited) if not any(heading.startswith(place) for heading in headings)] == []


def test_one_version_and_one_author_stand_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    citation, changes = ((ROOT / name).read_text() for name in ("CITATION.cff", "CHANGELOG.md"))
    assert re.findall(r"^version: (.+)$", citation, re.MULTILINE) == [project["version"]] == [refrank.__version__]
    assert re.search(r"^## \[(.+?)\]", changes, re.MULTILINE)[1] == project["version"]
    authors = [author["name"] for author in project["authors"]]
    assert re.findall(r"^authors:\n  - name: (.+)$", citation, re.MULTILINE) == authors
    assert f" {authors[0]}" in (ROOT / "LICENSE").read_text()
    assert re.findall(r"^license: (.+)$", citation, re.MULTILINE) == [project["license"]]


def test_the_table_of_rankers_is_complete():
    rows = (ROOT / "docs" / "use" / "rankers.md").read_text().partition("|---")[2]
    names = {*ALGORITHMS} | {algorithm.ranker for algorithm in ALGORITHMS.values()}
    assert {*re.findall(r"`([\w-]+)`", rows)} >= names
