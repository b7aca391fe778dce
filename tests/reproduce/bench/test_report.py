"""The files of a bench: numbers are read back to the bit, and every name comes through every format."""

import csv
import io
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from refrank.inspection.style import BLUE, ORANGE
from refrank.reproduce.bench.comparisons import compare_measures
from refrank.reproduce.bench.drawings import LEFT, MOST_NAMED, SIDE, TOP, draw_differences, draw_scatter
from refrank.reproduce.bench.report import write_report
from refrank.reproduce.bench.rows import conclude
from tests.reproduce.bench.made_up import draw_values, make_result

MEASURES = ("ndcg@10", "err")
ODD = "<b>&_%|`*[x](y)$#{}~^\\\"'"
FILES = ("index.html", "pairs.csv", "per_query.csv", "table.csv", "table.md", "table.tex")
VOID = {"meta", "br", "circle", "rect", "polyline", "path"}


def read_csv(text):
    return [*csv.DictReader(io.StringIO(text))]


def read_markdown(text):
    """The tables of a text: rows of cells, whose escapes are undone."""
    blocks = re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE)
    split = [[re.split(r"(?<!\\)\|", line)[1:-1] for line in block.splitlines()] for block in blocks]
    return [[[re.sub(r"\\(.)", r"\1", cell.strip()) for cell in row] for row in rows] for rows in split]


class Page(HTMLParser):
    """The tags and the words of a page; a tag that closes another, or none, is a fault."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.words = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        assert not [name for name, _ in attrs if name.startswith("on") or name in ("href", "src")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The texts of a bench with an odd name, by file, and the result."""
    folder = tmp_path_factory.mktemp("bench")
    result = make_result(systems=("mcrank", ODD, "lightgbm"), measures=MEASURES)
    printed = write_report(result, folder, {"bench.toml": "name = '```<script>'\n"})
    texts = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
    assert sorted(texts) == sorted(FILES)
    assert printed == texts["table.md"]
    return result, texts


def test_values_of_queries_are_read_back_to_the_bit(report):
    result, texts = report
    rows = read_csv(texts["per_query.csv"])
    assert [(row["fold"], row["qid"]) for row in rows] == [(f"Fold{q // 20 + 1}", f"q{q}") for q in range(60)]
    for measure in MEASURES:
        for system, values in zip(result.systems, result.values[measure], strict=True):
            assert [float(row[f"{measure}: {system}"]) for row in rows] == values.tolist()


def test_figures_are_read_back_to_the_bit(report):
    result, texts = report
    systems, pairs = (iter(read_csv(texts[name])) for name in ("table.csv", "pairs.csv"))
    for comparison in compare_measures(result):
        for system in comparison.systems:
            row, summary, pair = next(systems), system.summary, comparison.find_pair(comparison.best, system.name)
            assert (row["measure"], row["system"]) == (str(comparison.measure), system.name)
            ends = [summary.mean, summary.sd, summary.n_queries, system.interval.low, system.interval.high]
            assert [float(row[name]) for name in ("mean", "sd", "n_queries", "low", "high")] == ends
            assert [float(row[f"mean of {fold}"]) for fold in result.folds] == system.fold_means.tolist()
            assert row["difference"] == ("" if pair is None else repr(pair.compared.difference.mean))
        for pair in comparison.pairs:
            row, interval = next(pairs), pair.compared.interval
            numbers = {"difference_low": interval.low, "difference_high": interval.high, "p_t": pair.p_t}
            numbers |= {"p_randomization": pair.p_randomization, "resolved": pair.resolved}
            numbers |= {"p_t_before": pair.compared.t_test.p_value}
            numbers |= dict(zip(("above", "below", "equal"), pair.counts, strict=True))
            assert (row["a"], row["b"]) == (pair.a, pair.b)
            assert {name: float(row[name]) for name in numbers} == numbers
    assert [*systems, *pairs] == []


def test_markdown_has_the_rows_of_every_table(report):
    result, texts = report
    tables = read_markdown(texts["table.md"])
    assert [len(rows) for rows in tables] == [5, 5, 5] * 2 + [11]
    for rows in tables:
        assert {len(row) for row in rows} == {len(rows[0])}
    comparison = compare_measures(result)[0]
    means, pairs, folds = tables[:3]
    assert [row[0] for row in means[2:]] == [row[0] for row in folds[2:]] == [*result.systems]
    assert [(row[0], row[1]) for row in pairs[2:]] == [(pair.a, pair.b) for pair in comparison.pairs]
    assert [row[1] for row in means[2:]] == [f"{system.summary.mean:.4f}" for system in comparison.systems]
    assert [row[-1] for row in means[2:]] == ["best", "yes", "yes"]
    assert [row[-1] for row in folds[2:]] == [f"{system.fold_means.mean():.4f}" for system in comparison.systems]
    assert tables[-1][2] == ["mcrank", "Fold1", "n_leaves=10, learning_rate=0.1", "120", "0.5120", "4"]
    assert texts["table.md"].endswith("## bench.toml\n\n````\nname = '```<script>'\n````\n")


def test_every_text_names_what_a_reader_must_know(report):
    texts = report[1]
    for name in ("table.md", "index.html", "table.tex"):
        text = re.sub(r"\s+", " ", texts[name]).replace("\\", "")
        for words in (
            "Test queries: 60, folds: 3, convention: paper: gain 2",
            "each system tried 4 configurations; the mean of ndcg@10 over the validation queries chose",
            "paired t-test and randomization test, by Holm's method over all 3 pairs",
            "level 0.05/3",
        ):
            assert words in (text.replace("&#x27;", "'") if name == "index.html" else text)


def test_latex_is_balanced_and_marks_the_best_and_those_that_are_not_told_apart(tmp_path):
    near = draw_values(1, 60)[0]
    result = make_result(np.vstack([near, near[::-1], draw_values(2, 60)[1] - 0.2]), ("[x]", ODD, "far"))
    write_report(result, tmp_path)
    text = (tmp_path / "table.tex").read_text()
    plain = re.sub(r"\\[&%$#_{}]", "", text)  # escaped signs
    depths = np.cumsum([(sign == "{") - (sign == "}") for sign in plain])
    assert (depths.min(), depths[-1]) == (0, 0)
    assert re.findall(r"\\begin\{(\w+)\}", text) == [*reversed(re.findall(r"\\end\{(\w+)\}", text))]
    assert not re.search(r"[%#<>|~]", plain)
    rows = [line for line in plain.splitlines() if line.endswith(r"\\") and "multicolumn" not in line]
    assert {row.count("&") for row in rows} == {8}
    best, odd, far = rows[1:4]
    assert re.match(r" +\{\}\[x\] & \\textbf\{0\.\d{4}\} &", best)
    assert r"$^\dagger$" not in far.replace("{", "").replace("}", "")
    assert r"^{\dagger}" in odd


def test_the_page_is_well_formed_without_script_and_shows_each_name(report):
    result, texts = report
    page = Page(texts["index.html"])
    assert "script" not in page.tags
    assert "b" in page.tags  # of the matrix alone: the name makes none
    assert page.tags.count("b") == 2 * 6
    for words in (ODD, "mcrank", "bench.toml", "name = '```<script>'\n"):
        assert words in page.words
    assert page.tags.count("circle") == 2 * (3 * 60 + 2)
    comparison = compare_measures(result)[0]
    above, below, equal = comparison.pairs[0].counts
    assert f"above {above}, below {below}, equal {equal}" in page.words
    difference, interval = comparison.pairs[0].compared.difference, comparison.pairs[0].compared.interval
    cell = page.words.index(f"-{difference.mean:.4f}")  # of b minus a
    assert page.words[cell + 1] == f"[-{interval.high:.4f}, -{interval.low:.4f}]"


def test_a_scatter_has_a_point_for_each_query_at_its_place():
    """The distances of a point from the axes are its values; those that differ least are drawn together."""
    values = draw_values(2, 400)
    pair = compare_measures(make_result(values, "ab"))[0].pairs[0]
    text = draw_scatter(pair, [f"q{query}" for query in range(400)], *values)
    circles = re.findall(
        r'cx="([\d.]+)" cy="([\d.]+)"[^>]*fill="(#\w+)"[^>]*><title>q(\d+): ([\d.]+) against ([\d.]+)<', text
    )
    assert len(circles) == MOST_NAMED
    sizes = np.abs(values[0] - values[1])
    named = {int(query) for *_, query, _, _ in circles}
    assert named == {*np.argsort(-sizes)[:MOST_NAMED].tolist()}
    for x, y, color, query, a, b in circles:
        assert (float(a), float(b)) == pytest.approx(values[:, int(query)], abs=5e-5)
        assert color == (BLUE if float(a) > float(b) else ORANGE)
        assert (LEFT + SIDE * float(b) / values.max()) == pytest.approx(float(x), abs=0.1)
        assert (TOP + SIDE - SIDE * float(a) / values.max()) == pytest.approx(float(y), abs=0.1)
    dots = {place for path in re.findall(r'<path d="([^"]+)"', text) for place in re.findall(r"M(\d+) (\d+)h", path)}
    others = [query for query in range(400) if query not in named]
    places = [(LEFT + SIDE * b / values.max(), TOP + SIDE - SIDE * a / values.max()) for a, b in values[:, others].T]
    assert dots == {(f"{round(x)}", f"{round(y)}") for x, y in places}


def test_a_sentence_names_the_best_and_what_the_queries_resolve():
    near = draw_values(1, 60)[0]
    values = np.vstack([near, near[::-1] - 1e-3, near * 0.5, near * 0.4])
    cases = {
        "abc": "Not told apart from it: b; these queries resolve {}.",
        "ac": "c differs from it.",
        "adc": "Each other system differs from it.",
        "a": "",
    }
    for systems, words in cases.items():
        (comparison,) = compare_measures(make_result(values[["abcd".index(name) for name in systems]], systems))
        resolved = [f"{pair.resolved:.4f}" for pair in comparison.pairs if pair.b == "b"]
        text = f"By ndcg@10, a has the highest mean, {near.mean():.4f}. {words.format(*resolved)}"
        assert conclude(comparison) == text.rstrip()


def test_drawn_differences_are_at_their_places():
    """In units of the axis, from 0: mean, both ends of the interval and of the band of each pair."""
    (comparison,) = compare_measures(make_result(systems="abc"))
    text = draw_differences(comparison)
    lines = [[*map(float, ends)] for ends in re.findall(r'points="([\d.]+),[\d.]+ ([\d.]+),', text)]
    (zero, _), bars = lines.pop(), lines
    means = [float(x) for x in re.findall(r'<circle cx="([\d.]+)"', text)]
    bands = [
        (float(x), float(x) + float(w)) for x, w in re.findall(r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"', text)
    ]
    pairs = [comparison.find_pair("a", name) for name in "bc"]
    scale = (means[1] - zero) / pairs[1].compared.difference.mean
    for pair, mean, bar, band in zip(pairs, means, bars, bands, strict=True):
        interval = pair.compared.interval
        numbers = pair.compared.difference.mean, interval.low, interval.high, -pair.resolved, pair.resolved
        assert [mean, *bar, *band] == pytest.approx([zero + scale * number for number in numbers], abs=0.5)
    assert text.count(f'fill="{BLUE}"') == sum(pair.differs for pair in pairs)


def test_an_odd_id_of_a_query_comes_through(tmp_path):
    write_report(replace(make_result([[0.5, 0.4], [0.3, 0.4]], "ab"), qid=("<i>\udc80", "q")), tmp_path)
    odd = r"<i>\udc80"  # a byte that was no UTF-8
    assert [row["qid"] for row in read_csv((tmp_path / "per_query.csv").read_text())] == [odd, "q"]
    assert f"{odd}: 0.5000 against 0.3000" in Page((tmp_path / "index.html").read_text()).words


@pytest.mark.parametrize(
    ("values", "systems"), [([[0.5, 0.25, 0.25]], ["<b>"]), ([[0.5], [0.25]], "ab"), ([[0.0, 0.0], [0.0, 0.0]], "ab")]
)
def test_few_systems_and_queries_have_a_report(values, systems, tmp_path):
    write_report(make_result(values, systems, n_folds=1, n_rounds=None), tmp_path)
    text = (tmp_path / "table.md").read_text()
    assert "nan" not in text
    tables = read_markdown(text)
    assert [row[-1] for row in tables[0][2:]] == ["best", "no"][: len(systems)]
    assert tables[-1][2][3] == "-"
    Page((tmp_path / "index.html").read_text())


def test_the_same_result_gives_the_same_bytes_and_a_failure_leaves_the_old_files(report, tmp_path):
    result, texts = report
    write_report(result, tmp_path, {"bench.toml": "name = '```<script>'\n"})
    assert {name: (tmp_path / name).read_text(encoding="utf-8") for name in FILES} == texts
    values = draw_values(3, 60)
    values[0, 0] = np.nan
    with pytest.raises(ValueError, match="both must skip"):
        write_report(make_result(values), tmp_path)
    assert {name: (tmp_path / name).read_text(encoding="utf-8") for name in FILES} == texts
