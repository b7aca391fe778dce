"""The frame of the papers' figures: three files, labels at the ends of lines, and nothing cut off."""

import re
from itertools import pairwise

import numpy as np
import pytest

from refrank.reproduce.figures import LABEL, draw_panels
from tests.reproduce.looks import DRAWINGS, catch


def test_a_figure_is_three_files_with_its_note_and_its_labels(tmp_path):
    with draw_panels(tmp_path / "a.png", "a", (4, 3), "a title", "a note\nof two lines") as (panel,):
        panel.plot([1, 2], [3, 4], label="rises")
        panel.plot([1, 2], [4, 3], label="_hidden")
    assert {path.name for path in tmp_path.iterdir()} == {"a.png", "a.svg", "a_dark.svg"}
    words = re.findall(r">([^<>\n]+)</text>", (tmp_path / "a.svg").read_text())
    assert {"a title", "a note", "of two lines", "rises"} < {*words}
    assert "_hidden" not in words


@pytest.mark.parametrize("name", DRAWINGS)
def test_no_word_is_cut_off_or_written_over_another(name):
    """Of titles, notes, labels and ticks, within a pixel."""
    figure = catch(name)
    figure.draw_without_rendering()
    axes = [axis for panel in figure.axes for axis in (panel.xaxis, panel.yaxis)]
    texts = [*figure.texts, *(panel._left_title for panel in figure.axes), *(axis.label for axis in axes)]
    for text in (text for text in texts if text.get_text()):
        box = text.get_window_extent()
        assert -1 <= box.x0 < box.x1 <= figure.bbox.x1 + 1, text
        assert -1 <= box.y0 < box.y1 <= figure.bbox.y1 + 1, text
    for panel in figure.axes:
        labels = [text for text in panel.texts if hasattr(text, "xy")]
        heights = np.sort([text.get_position()[1] for text in labels]) * panel.get_window_extent().height
        assert (np.diff(heights) > 1.1 * LABEL * figure.dpi / 72).all()
        lines = [line for line in panel.lines if not line.get_label().startswith("_")]
        assert sorted(text.get_text() for text in labels) == sorted(line.get_label() for line in lines)
        for text in labels:
            assert text.get_tightbbox().x1 <= figure.bbox.x1 + 1, text
    for panel in figure.axes:
        low, high = sorted(panel.get_xlim())
        ticks = [tick.label1 for tick in panel.xaxis.get_major_ticks() if low <= tick.get_loc() <= high]
        places = sorted(text.get_window_extent().intervalx.tolist() for text in ticks if text.get_visible())
        assert all(left[1] <= right[0] for left, right in pairwise(places))
