"""The colours of the house are told apart with every kind of colour vision, and stand out from the page."""

from itertools import combinations

import numpy as np
import pytest

from refrank.inspection.style import COLORS, DARK, GREY, INK

VISIONS = {  # linear RGB as seen; of the blind to a colour by Machado, Oliveira and Fernandes 2009, Table 1
    "normal": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
PAGES = {
    "light": ("#ffffff", [*COLORS, INK]),
    "dark": (DARK["#ffffff"], [DARK[color] for color in (*COLORS, INK)]),
}


def read(color):
    """Linear RGB of a colour."""
    parts = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def see(color, vision):
    """CIELAB of a colour, as seen."""
    x, y, z = np.cbrt(TO_XYZ @ np.clip(VISIONS[vision] @ read(color), 0, 1) / TO_XYZ.sum(axis=1))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def contrast(color, other):
    """The ratio of contrast of WCAG."""
    low, high = sorted(TO_XYZ[1] @ read(either) + 0.05 for either in (color, other))
    return high / low


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("page", PAGES)
def test_no_two_colours_look_alike(page, vision):
    for color, other in combinations(PAGES[page][1], 2):
        assert np.linalg.norm(see(color, vision) - see(other, vision)) > 10, (color, other)


@pytest.mark.parametrize("page", PAGES)
def test_lines_stand_out_from_the_page(page):
    background, colors = PAGES[page]
    greys = {"light": GREY, "dark": DARK[GREY]}
    for color in (*colors, greys[page]):
        assert contrast(color, background) >= 3, color
    assert contrast(colors[-1], background) >= 7  # of words
