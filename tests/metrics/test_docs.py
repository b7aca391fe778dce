"""docs/whose_ndcg.md: its examples run, and its table says what the presets say."""

import doctest
from pathlib import Path

import pytest

from refrank.metrics import PRESETS

CHAPTER = Path(__file__).parents[2] / "docs" / "whose_ndcg.md"


def test_examples_of_the_chapter_run():
    result = doctest.testfile(str(CHAPTER), module_relative=False)
    assert result.attempted > 8
    assert result.failed == 0


@pytest.mark.parametrize("spec", dict.fromkeys(PRESETS.values()), ids=lambda spec: spec.name)
def test_table_of_the_chapter_says_what_the_preset_says(spec):
    gain = spec.gain if isinstance(spec.gain, str) else ",".join(f"{g:g}" for g in spec.gain)
    cells = [
        f"`{spec.name}`",
        gain,
        spec.discount,
        spec.ties,
        spec.no_relevant if isinstance(spec.no_relevant, str) else f"{spec.no_relevant:g}",
        spec.short,
        "not set" if spec.max_grade is None else str(spec.max_grade),
        spec.checked_against or "-",
    ]
    assert f"| {' | '.join(cells)} |" in CHAPTER.read_text()
