"""The site's own parts, which need no Sphinx: links, regions, pages of source and of documents, and a kind refusal."""

import re
from pathlib import Path

import pytest

import docs.__main__
from docs.site import api, documents, doors, regions, source
from docs.site.broken import list_broken

ROOT = Path(__file__).parents[2]


def test_a_link_to_a_missing_file_or_anchor_is_found(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "index.html").write_text('<p id="top"><a href="a/b.html#here">b</a> <a href="https://x.org/#y">x</a>')
    (tmp_path / "a" / "b.html").write_text('<p id="here"><a href="../index.html#top">up</a><a href="#here">here</a>')
    assert [*list_broken(tmp_path)] == []
    (tmp_path / "a" / "b.html").write_text(
        '<a href="../index.html#no">up</a><img alt="" src="c.png"><a href="#x">x</a>'
    )
    assert [*list_broken(tmp_path)] == [
        "a/b.html: #x",
        "a/b.html: ../index.html#no",
        "a/b.html: c.png",
        "index.html: a/b.html#here",
    ]


def test_a_page_of_source_has_an_anchor_per_line_and_keeps_what_is_written():
    pytest.importorskip("pygments")
    page = source.render("refrank/x.py", 'a = "<b>"\n\n"""one\ntwo"""\n')
    assert re.findall(r'id="(L\d+)"', page) == ["L1", "L2", "L3", "L4"]
    assert "<b>" not in page
    assert "&lt;b&gt;" in page
    assert 'href="../../_static/source.css"' in page


def test_a_name_leads_to_its_line():
    text = (ROOT / "refrank" / "estimators" / "base.py").read_text()
    assert text.splitlines()[source.find_line(text, "Ranker.fit") - 1].startswith("    def fit(")
    assert source.find_line(text, "Ranker.no_such_method") is None


def test_tables_and_blocks_are_regions_with_labels_that_differ():
    table = '<div class="table-wrapper docutils container"><table></table></div>'
    body = (
        f'<h2>A &lt; B<a class="headerlink" href="#a">#</a></h2>{table}{table}<div class="highlight"><pre>x</pre></div>'
    )
    marked = regions.mark_regions(body)
    assert re.findall(r'aria-label="(.*?)"', marked) == ["Table 1: A &lt; B", "Table 2: A &lt; B"]
    assert marked.count('tabindex="0"') == 3


def test_the_copy_of_a_document_links_to_the_same_files(tmp_path):
    folder = ROOT / "docs" / "generated" / "repository"
    for document in documents.DOCUMENTS:
        for link in documents.LINK.findall((ROOT / document).read_text()):
            moved = documents.move(link, ROOT / document, folder / document)
            assert ((folder / document).parent / moved).resolve() == ((ROOT / document).parent / link).resolve()
    assert documents.find_docname(ROOT / "docs" / "learn" / "mcrank.md") == "learn/mcrank"
    assert documents.find_docname(ROOT / "CHANGELOG.md") == "generated/repository/CHANGELOG"
    assert documents.find_docname(ROOT / "refrank" / "arrays.py") is None


def test_each_door_has_five_chapters_says_for_whom_and_ends_with_its_contents():
    for folder in ("learn", "use", "prove", "port"):
        text = (ROOT / "docs" / folder / "README.md").read_text()
        assert len(doors.LISTED.findall(text)) >= 5
        assert text.split("\n\n")[1].startswith("For ")
        page = doors.complete(folder, text)
        assert page.startswith(text)
        assert page.rstrip().endswith("```")
        assert "../step.html" in page
    chapters = {path.relative_to(ROOT / "docs").as_posix() for path in documents.list_chapters()}
    contents = [text for folder in (*doors.EXTRAS, "stories") for text in list_contents(folder)]
    assert chapters - {*contents, "index.md"} == {f"{door}/README.md" for door in doors.EXTRAS}
    assert len(contents) == len(set(contents))


def list_contents(folder):
    """List the chapters in the contents of a door, or of a chapter that has chapters of its own."""
    text = (ROOT / "docs" / folder / "README.md").read_text()
    return [f"{line[1:]}.md" for line in doors.make_contents(folder, text, ()) if line.startswith("/")]


def test_every_public_name_has_a_page_and_a_line_of_source(tmp_path):
    api.write(tmp_path)
    assert {path.stem for path in tmp_path.iterdir()} == {*api.MODULES, "index"}
    assert "\n   ndcg\n" in (tmp_path / "refrank.metrics.rst").read_text()
    address = api.find_source("py", {"module": "refrank.metrics", "fullname": "ndcg"})
    assert re.fullmatch(r"\.\./\.\./source/refrank/metrics/cumulative_gain\.py\.html#L\d+", address)
    assert api.find_source("py", {"module": "refrank.metrics", "fullname": "PRESETS"}) is None


def test_marks_of_reStructuredText_in_docstrings_are_escaped_outside_of_code_and_examples():
    lines = [
        "the sum of |x| over n_features_in_, `model_` and x_i",
        ">>> ranker.model_ | 1",
        "model_ | 2",
        "",
        "n_rounds_",
    ]
    api.escape_marks(None, "", "", None, None, lines)
    assert lines == [
        r"the sum of \|x\| over n_features_in\_, `model_` and x_i",
        ">>> ranker.model_ | 1",
        "model_ | 2",
        "",
        r"n_rounds\_",
    ]


def test_without_the_extra_the_command_that_installs_it_is_named(monkeypatch, capsys):
    monkeypatch.setattr(docs.__main__, "PROGRAMS", ("json", "no_such_program"))
    assert docs.__main__.main([]) == 2
    assert capsys.readouterr().err.startswith("no_such_program not installed: run pip install -e '.[docs]'")
