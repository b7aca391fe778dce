"""docs/use/exchange.md: its sessions print what they show, and its picture has the values of its script."""

import re
import runpy
import shlex
import warnings
from pathlib import Path

import numpy as np
import pytest

from refrank.cli import main
from tests.models.exchange.cases import need

ROOT = Path(__file__).parents[3]
CHAPTER = (ROOT / "docs" / "use" / "exchange.md").read_text(encoding="utf-8")
WHOSE = (ROOT / "docs" / "learn" / "whose_ndcg.md").read_text(encoding="utf-8")  # makes the two files
SHOWN = re.findall(r"^    (.*)$", CHAPTER, re.MULTILINE)


def test_the_sessions_print_what_they_show(tmp_path, monkeypatch, capsys):
    need("lightgbm")
    monkeypatch.chdir(tmp_path)
    exec(compile(re.search(r"^```python\n(.*?)^```$", WHOSE, re.MULTILINE | re.DOTALL)[1], "whose_ndcg.md", "exec"), {})
    commands = [line.removeprefix("$ refrank ") for line in SHOWN if line.startswith("$ refrank ")]
    assert len(commands) == 5
    for command in commands:
        assert main(shlex.split(command)) == 0
        said = capsys.readouterr()
        for line in (said.out + said.err).splitlines():
            line = re.sub(r"^runtime .*", "runtime         lightgbm 4.7.0", line)
            assert line in SHOWN


def test_the_values_of_the_picture_add_up_to_the_scores():
    """Within 600 terms * 31 * 2^-52, as the chapter says; the largest leaves of all trees add up to at most 31."""
    need("lightgbm")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The set_", PendingDeprecationWarning)  # of Matplotlib, in shap's colours
        pytest.importorskip("shap", reason="shap is not installed: pip install 'refrank[exchange]'")
    picture = runpy.run_path(str(ROOT / "docs" / "images" / "shap_values.py"))
    explained = picture["explain"]()
    sums = explained.values.sum(axis=1) + explained.expected
    assert np.abs(sums - explained.scores).max() < 600 * 31 * 2**-52 < 1e-11
    falling = np.argsort(-np.abs(explained.values).mean(axis=0))
    assert falling.tolist() == [*range(len(picture["FEATURES"]))]
    match, links = explained.X[:, 0], np.abs(explained.values[:, 1])
    assert links[match > 0.5].mean() > 2 * links[match <= 0.5].mean()
