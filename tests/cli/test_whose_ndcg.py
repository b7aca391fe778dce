"""`refrank whose-ndcg`: the figures of the library by every convention, and the files that commands write."""

import csv
import json
import math
from html.parser import HTMLParser

import numpy as np
import pytest

from refrank.datasets import judge_run, load_letor, read_qrels, read_run
from refrank.metrics import PRESETS, ndcg, parse_measure
from refrank.models import load_model
from tests.cli.command_line import DATA, read_json, run, write_pairs

RUN = "q1 Q0 d1 1 3.5 t\nq1 Q0 d2 2 2 t\nq1 Q0 d3 3 2 t\nq2 Q0 d4 1 1 t\nq9 Q0 d1 1 1 t\n"
QRELS = "q1 0 d2 1\nq1 0 d3 0\nq1 0 d7 2\nq2 0 d4 0\nq3 0 d1 1\n"
NAMES = ("ndcg@10", "err", "map", "mrr", "p@10", "r@10")


@pytest.fixture
def files(tmp_path):
    (tmp_path / "run").write_text(RUN)
    (tmp_path / "qrels").write_text(QRELS)
    return tmp_path / "run", tmp_path / "qrels"


def read_table(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_every_figure_is_that_of_the_library(capsys, files, tmp_path):
    document = read_json(capsys, "whose-ndcg", *files, "--per-query", tmp_path / "table.csv")
    judged = judge_run(read_run(files[0]), read_qrels(files[1]))
    table = read_table(tmp_path / "table.csv")
    assert [row["query"] for row in table] == ["q1", "q2", "q3"]
    assert tuple(document["measures"]) == NAMES
    for name in NAMES:
        assert set(document["measures"][name]) == set(PRESETS) - {"mslr"}
        for preset in ("trec", "ir_measures", *(["trec_eval"] if name != "err" else [])):
            values = parse_measure(f"{name} {preset}")(judged.y, judged.score, judged.qid, judged.doc_id)
            entry = document["measures"][name][preset]
            counted = values[~np.isnan(values)]
            assert (entry["value"], entry["n_counted"]) == (math.fsum(counted) / len(counted), len(counted))
            assert [row[f"{name} {preset}"] for row in table] == ["" if v != v else repr(v) for v in values.tolist()]
    assert document["measures"]["err"]["trec_eval"] == {
        **{"value": None, "n_counted": 0, "problem": "no highest grade is stated for ERR", "needed": []},
        "alone": {
            "max_grade": None,
            "ties": document["measures"]["err"]["trec"]["alone"]["ties"],
            "unranked": 0.0625 / 4,
        },
    }
    assert "err trec_eval" not in table[0]


def test_the_table_says_what_leads_from_one_figure_to_another(capsys, files):
    code, lines, errors = run(capsys, "whose-ndcg", *files, "--measures", "P@2", "AP", "--spec", "ranklib")
    assert (code, errors) == (0, [])
    assert lines[:3] == [
        f"{files[0]} by {files[1]}: 3 queries",
        "1 ranked query without judgments left out, as by every tool",
        "1 judged query without a ranked document: trec and trec_eval leave it out, the others count it",
    ]
    assert lines[4].split() == ["convention", "p@2", "map", "queries"]
    rows = {line.split()[0]: line.split()[1:] for line in lines[5:20]}
    assert rows["paper"] == ["0.1667", "0.0833", "3"]
    assert rows["trec_eval"] == ["0.0000", "0.0833", "2"]
    start = lines.index("p@2: from 0.1667 (ranklib) to")
    assert "  trec_eval       0.0000   ties document id descending" in lines[start:]
    assert "  trec            0.1667   ties document id descending (alone 0.0556) and no_relevant skip" not in lines
    assert lines[lines.index("map: from 0.0833 (ranklib) to") - 2].startswith("  the same: paper, ")


def test_a_letor_file_gives_the_figures_of_evaluate(capsys, folder):
    by_scores = "--letor", folder / "train.txt", "--scores", folder / "scores.txt"
    document = read_json(capsys, "whose-ndcg", *by_scores)
    assert read_json(capsys, "whose-ndcg", "--letor", folder / "train.txt", "--model", folder / "m.refrank")["measures"]
    theirs = read_json(capsys, "evaluate", folder / "train.txt", "--scores", folder / "scores.txt", "--compare")[
        "compare"
    ]
    for name, entry in theirs.items():
        ours = document["measures"]["ndcg@10"][name]
        assert (ours["value"], ours["n_counted"], ours["alone"]) == (
            entry["ndcg@10"],
            entry["n_counted"],
            entry["alone"],
        )
        assert document["measures"]["err"][name]["value"] == entry["err"]
    assert document["notes"] == []


def test_a_threshold_and_a_highest_grade(capsys, files):
    low, high = (read_json(capsys, "whose-ndcg", *files, "--relevant", level)["measures"] for level in (1, 2))
    assert low["ndcg@10"] == high["ndcg@10"]
    assert (low["mrr"]["paper"]["value"], high["mrr"]["paper"]["value"]) == (1 / 6, 0.0)
    of_two = read_json(capsys, "whose-ndcg", *files, "--max-grade", 2)["measures"]["err"]
    assert of_two["paper"]["value"] == 4 * low["err"]["paper"]["value"]


class Page(HTMLParser):
    """A page, read by the rules of HTML."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.words = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.words.append(data)


def test_the_page_has_no_script_and_names_are_only_names(capsys, tmp_path):
    hostile = '<script>alert("1")</script>&amp;'
    (tmp_path / "<i>run").write_text(f"{hostile} Q0 d1 1 2 t\n" + RUN)
    (tmp_path / "qrels").write_text(f"{hostile} 0 d1 1\n" + QRELS)
    code, _, errors = run(
        capsys, "whose-ndcg", tmp_path / "<i>run", tmp_path / "qrels", "--html", tmp_path / "page.html"
    )
    assert (code, errors) == (0, [])
    page = Page((tmp_path / "page.html").read_text(encoding="utf-8"))
    allowed = "html head meta title style body h1 h2 p br b table tr th td ul li"
    assert set(page.tags) == {*allowed.split()}
    assert hostile in page.words
    assert page.words.count("trec_eval") == 7  # of the figures, and of five measures; ERR has no figure, and a reason
    for text in ("ndcg@10: from ", "Each query, by paper"):
        assert any(words.startswith(text) for words in page.words)


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["run"], "whose-ndcg needs RUN and QRELS, or --letor FILE with --model or --scores"),
        (["run", "qrels", "--letor", "run"], "whose-ndcg needs RUN and QRELS"),
        (["--letor", "rows.txt"], "whose-ndcg needs RUN and QRELS"),
        (["run", "qrels", "--scores", "run"], "whose-ndcg needs RUN and QRELS"),
        (
            ["qrels", "run"],
            "qrels, line 1: 'q1 0 d2 1': a line must be 'query Q0 document rank score tag'; it looks like",
        ),
        (["run", "qrels", "--measures", "auc"], "measure is 'auc': it must be one of 'ndcg', "),
        (["run", "qrels", "--measures", "map trec_eval"], "--measures map trec_eval: --spec names the convention"),
        (["run", "qrels", "--html", "qrels"], "--html qrels: it is qrels, which is read"),
        (["run", "qrels", "--html", "x", "--per-query", "x"], "--per-query x: it is written twice"),
        (["run", "qrels", "--relevant", "0"], "relevant is 0: it must be an integer from 1 to 53"),
        (["run", "qrels", "--html", "none/x"], "none/x: its folder does not exist"),
        (["-", "-"], "- is given twice"),
    ],
)
def test_what_is_refused(capsys, files, monkeypatch, words, fault):
    monkeypatch.chdir(files[0].parent)
    code, out, errors = run(capsys, "whose-ndcg", *words)
    assert code in (1, 2)
    assert out == []
    assert fault in errors[0]


def test_evaluate_and_predict_write_runs_that_give_the_same_figures(capsys, folder, tmp_path):
    """Under the preset whose ties are by document id, as those of a run are."""
    rows, model = folder / "train.txt", folder / "m.refrank"
    names = ("evaluated", "qrels", "table.csv", "predicted")
    evaluated, qrels, table, predicted = (tmp_path / name for name in names)
    outputs = "--run", evaluated, "--qrels", qrels, "--per-query", table
    document = read_json(capsys, "evaluate", rows, "--model", model, *outputs)
    words = "--run", predicted, "--per-query", tmp_path / "again.csv"
    code, printed, errors = run(capsys, "predict", rows, "--model", model, *words)
    assert (code, errors) == (0, [])
    assert (tmp_path / "again.csv").read_bytes() == table.read_bytes()
    assert predicted.read_bytes() == evaluated.read_bytes()
    judged = judge_run(read_run(predicted), read_qrels(qrels))
    assert sorted(judged.score.tolist()) == sorted(map(float, printed))
    measured = read_json(capsys, "whose-ndcg", predicted, qrels)["measures"]
    score = load_model(model).predict(DATA.X)
    assert len({*zip(DATA.qid.tolist(), score.tolist(), strict=True)}) < len(score)  # some are tied
    by_id = ndcg(DATA.y, score, DATA.qid, spec="trec_eval")
    assert measured["ndcg@10"]["trec_eval"]["value"] == pytest.approx(by_id, rel=1e-15)
    columns = read_table(table)
    assert [row["query"] for row in columns] == [str(query) for query in dict.fromkeys(DATA.qid.tolist())]
    for name, entry in document["metrics"].items():
        assert math.fsum(float(row[name]) for row in columns) / len(columns) == entry["mean"]


def test_documents_of_a_run_have_the_ids_of_their_comments(capsys, tmp_path):
    rows, flag, scores = write_pairs(tmp_path, (1, 0))
    rows.write_text("1 qid:7 1:1 # docid = GX1 inc = 1\n0 qid:7 1:0\n")
    assert run(capsys, "evaluate", rows, flag, scores, "--run", tmp_path / "out")[0] == 0
    assert (tmp_path / "out").read_text() == "7 Q0 GX1 1 2.0 refrank\n7 Q0 1 2 1.0 refrank\n"
    code, _, errors = run(capsys, "evaluate", rows, flag, scores, "--run", rows)
    assert (code, len(errors)) == (2, 1)
    assert "which is read" in errors[0]
    assert len(load_letor(rows).y) == 2


def test_a_page_of_many_queries_shows_the_first(capsys, tmp_path):
    (tmp_path / "run").write_text("".join(f"q{n} Q0 d 1 1 t\n" for n in range(1002)))
    (tmp_path / "qrels").write_text("".join(f"q{n} 0 d 1\n" for n in range(1002)))
    words = tmp_path / "run", tmp_path / "qrels", "--html", tmp_path / "page", "--measures", "mrr"
    assert json.loads(run(capsys, "whose-ndcg", *words, "--json")[1][0])["n_queries"] == 1002
    page = (tmp_path / "page").read_text()
    assert "The first 1000 of 1002; --per-query writes all." in page
    assert ("q999<" in page, "q1000<" in page) == (True, False)
