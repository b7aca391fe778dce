"""Drawings for notebooks are static, well formed and safe with hostile names; plots are matplotlib's axes."""

import re
import sys
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest

from refrank import COCRRanker, GBRTRanker, LambdaRanker, LSBoostRanker, RandomForestRanker, SoftmaxBoostRanker
from refrank.inspection import permutation_importance, plots, style
from refrank.inspection.layout import lay_out
from refrank.inspection.named_tree import choose_depth
from tests.estimators.cases import QID, X, Y, small

HOSTILE = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "a & b", "$x_1$", "l" * 200]
TAGS = {*["div", "p", "b", "svg", "text", "rect", "polyline", "circle", "table", "tr", "td", "details", "summary"]}


class Tags(HTMLParser):
    """The tags and attributes of a page."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes = set(), set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


def check_static(page):
    """It has drawings that are well formed, and nothing that runs or loads."""
    tags = Tags()
    tags.feed(page)
    assert tags.tags <= TAGS
    assert not {name for name in tags.attributes if name.startswith("on")} | tags.attributes & {"src", "href"}
    drawings = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    return [ElementTree.fromstring(drawing) for drawing in drawings]


def list_words(drawing):
    return ["".join(text.itertext()) for text in drawing.iter("{http://www.w3.org/2000/svg}text")]


@pytest.fixture(scope="module")
def frame():
    return pytest.importorskip("pandas").DataFrame(X, columns=HOSTILE)


def test_a_tree_is_drawn(frame):
    ranker = LSBoostRanker(n_rounds=2, n_leaves=5).fit(frame, Y)
    (drawing,) = check_static(ranker.tree(2)._repr_html_())
    words = list_words(drawing)
    assert {"yes", "no"} <= {*words}
    assert sum("row" in word for word in words) == 9
    assert sum(" < " in word for word in words) == 4
    assert len(list(drawing.iter("{http://www.w3.org/2000/svg}rect"))) == 9


def test_a_large_tree_is_drawn_to_some_depth():
    ranker = RandomForestRanker(n_trees=1, max_features=5).fit(X, np.arange(60.0))
    page = ranker.tree(1)._repr_html_()
    (drawing,) = check_static(page)
    assert "the nodes below" in page
    assert len(list(drawing.iter("{http://www.w3.org/2000/svg}rect"))) < 48
    tree = ranker.tree(1).tree
    ends = [sum(place.is_end for place in lay_out(tree, max_depth=depth)) for depth in range(9)]
    depth = choose_depth(tree)
    assert ends[depth] <= 24 < ends[depth + 1]


def test_nodes_of_a_level_do_not_meet():
    tree = small(RandomForestRanker).fit(X, np.arange(60.0)).tree(1).tree
    places = lay_out(tree)
    assert len(places) == len(tree.feature)
    for depth in {place.depth for place in places}:
        level = sorted(place.x for place in places if place.depth == depth)
        assert (np.diff(level) >= 1).all()
    for place in places:
        below = [other.x for other in places if other.above >= 0 and places[other.above] is place]
        assert place.is_end or place.x == pytest.approx(sum(below) / 2)


def test_a_pair_is_drawn(frame):
    ranker = LSBoostRanker(n_rounds=20).fit(frame, Y)
    explained = ranker.explain_pair(X[0], X[1])
    (drawing,) = check_static(explained._repr_html_())
    assert len(list(drawing.iter("{http://www.w3.org/2000/svg}rect"))) == len(explained.list_parts())


@pytest.mark.parametrize("make", [SoftmaxBoostRanker, GBRTRanker, LambdaRanker, lambda: COCRRanker(small(GBRTRanker))])
def test_a_ranker_is_drawn(make, frame):
    ranker = make()
    assert not check_static(ranker._repr_html_())
    ranker = small(type(ranker), **({"base": small(GBRTRanker)} if type(ranker) is COCRRanker else {}))
    page = ranker.fit(frame, Y, QID)._repr_html_()
    drawings = check_static(page)
    assert f"<b>{type(ranker).__name__}" in page
    assert "5 features" in page
    bars = [drawing for drawing in drawings if HOSTILE[0] in list_words(drawing)]
    assert len(bars) == (type(ranker) is not LambdaRanker)
    assert ranker._repr_mimebundle_() == {"text/plain": repr(ranker), "text/html": page}


def test_the_rounds_of_a_ranker_are_drawn():
    ranker = small(LSBoostRanker).fit(X, Y)
    ranker.history_, ranker.best_round_ = np.array([0.5, 0.75, 0.625]), 2
    words = [word for drawing in check_static(ranker._repr_html_()) for word in list_words(drawing)]
    assert any("best 0.75 in round 2 of 3" in word for word in words)


# With matplotlib.


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    if "matplotlib.pyplot" in sys.modules:
        style.load_pyplot().close("all")


def words_of(axes):
    return [text.get_text() for text in axes.texts]


def test_plot_tree(frame):
    pytest.importorskip("matplotlib")
    ranker = LSBoostRanker(n_rounds=1, n_leaves=4).fit(frame, Y)
    axes = plots.plot_tree(ranker.tree(1), [*"abcde"])
    assert len(words_of(axes)) == 7 + 6
    assert sum(word in ("yes", "no") for word in words_of(axes)) == 6
    assert plots.plot_tree(ranker.tree(1).tree, max_depth=1, axes=axes) is axes
    axes.get_figure().canvas.draw()  # a name with dollars is no formula
    plots.plot_tree(ranker.tree(1)).get_figure().canvas.draw()


def test_plot_rounds():
    pytest.importorskip("matplotlib")
    ranker = small(LSBoostRanker).fit(X, Y)
    with pytest.raises(ValueError, match="LSBoostRanker has no history_: fit measures rounds on X_val"):
        plots.plot_rounds(ranker)
    ranker.history_, ranker.best_round_ = np.array([0.5, 0.75, 0.625]), 2
    axes = plots.plot_rounds(ranker)
    curve, best = axes.lines
    assert curve.get_xydata().tolist() == [[1, 0.5], [2, 0.75], [3, 0.625]]
    assert best.get_xydata().tolist() == [[2, 0.75]]
    assert words_of(axes) == ["0.75 in round 2"]
    assert axes.get_ylabel() == "mean of the validation queries"
    assert plots.plot_rounds(ranker, axes=axes) is axes
    assert [line.get_color() for line in axes.lines] == [style.BLUE] * 2 + [style.ORANGE] * 2


def test_plot_rounds_of_a_training():
    pytest.importorskip("matplotlib")
    ranker = small(GBRTRanker).fit(X, Y, QID, X_val=X[::-1], y_val=Y[::-1], qid_val=QID[::-1])
    curve, best = plots.plot_rounds(ranker).lines
    assert curve.get_ydata().tolist() == ranker.history_.tolist()
    assert best.get_xdata().tolist() == [ranker.best_round_]
    assert "ndcg@10: best" in ranker._repr_html_()
    assert [plots.plot_rounds(ranker.at_round(2), *of).get_ylabel() for of in ((), ("err",))] == [
        "ndcg@10 of the validation queries",
        "err of the validation queries",
    ]


def test_plot_importances(frame):
    pytest.importorskip("matplotlib")
    ranker = LSBoostRanker(n_rounds=3).fit(frame, Y, QID)
    axes = plots.plot_importances(ranker, n_most=3)
    expected = np.sort(ranker.feature_importances_)[::-1][:3]
    assert [bar.get_width() for bar in axes.patches] == expected.tolist()
    axes.get_figure().canvas.draw()
    permuted = permutation_importance(ranker, frame, Y, QID, n_repeats=1)
    axes = plots.plot_importances(permuted, feature_names=[*"abcde"])
    best = int(np.argmax(permuted.mean))
    assert next(label.get_text() for label in axes.get_yticklabels()) == "abcde"[best]
    assert len(axes.containers) == 2  # bars, and their intervals


def test_plot_ranking():
    pytest.importorskip("matplotlib")
    axes = plots.plot_ranking([0, 2, 1, 2, 0], [0.5, 0.1, 0.9, 1.5, 0.2])
    assert words_of(axes) == ["2", "1", "0", "0", "2"]
    best, beaten = (line.get_xydata().tolist() for line in axes.lines)
    assert best == [[1, 1.5], [5, 0.1]]  # no better one below: the last is as good as the first
    assert beaten == [[2, 0.9], [3, 0.5], [4, 0.2]]
    with pytest.raises(ValueError, match="score"):
        plots.plot_ranking([0, 1], [0.5])


def test_svg_holds_text_and_has_the_same_bytes_again(tmp_path):
    pytest.importorskip("matplotlib")
    files = []
    for name in ("a.svg", "b.svg"):
        plots.save_svg(plots.plot_ranking([0, 1], [0.5, 0.25]), tmp_path / name)
        files.append((tmp_path / name).read_bytes())
    assert files[0] == files[1]
    assert b">position</text>" in files[0]


def test_a_picture_is_three_files_and_the_dark_one_has_other_colours(tmp_path):
    pytest.importorskip("matplotlib")
    style.save_picture(plots.plot_ranking([0, 1], [0.5, 0.25]).figure, tmp_path / "a.py")
    light, dark = ((tmp_path / name).read_text() for name in ("a.svg", "a_dark.svg"))
    assert (tmp_path / "a.png").read_bytes()[1:4] == b"PNG"
    assert style.BLUE in light
    assert f'<svg fill="{style.INK}"' in light
    assert not any(color in dark for color in style.DARK)
    assert style.make_dark(light) == dark


def test_without_matplotlib_a_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setattr(style, "import_module", lambda name: (_ for _ in ()).throw(ModuleNotFoundError(name)))
    with pytest.raises(ImportError, match="plots need matplotlib, which is not installed; install it with: pip inst"):
        plots.plot_ranking([0, 1], [0.5, 0.25])
