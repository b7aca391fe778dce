"""Draw docs/images/shap_values.svg: the SHAP values of docs/use/exchange.md, a dot per document and feature.

python docs/images/shap_values.py        (needs lightgbm and shap: pip install 'refrank[exchange]')
"""

from pathlib import Path
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from numpy.typing import NDArray

from refrank import LSBoostRanker
from refrank.inspection.style import BLUE, GREY, ORANGE, follow_style, save_picture
from refrank.models.exchange.lightgbm import write
from refrank.models.exchange.packing import make_portable

FEATURES = ("match", "links", "age", "noise")
SEED = 0
LOW_TO_HIGH = LinearSegmentedColormap.from_list("low to high", [BLUE, GREY, ORANGE])


class Explanation(NamedTuple):
    """SHAP values of a ranker's scores."""

    X: NDArray[np.float64]  # (n_samples, n_features)
    values: NDArray[np.float64]  # (n_samples, n_features)
    expected: float
    scores: NDArray[np.float64]  # (n_samples,), of refrank


def make_data() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Make documents, (600, 4), whose grade 0 to 4 rises with match, and with links where match is high."""
    X = np.random.default_rng(SEED).uniform(0, 1, (600, len(FEATURES)))
    match, links, age, _ = X.T
    return X, np.clip(np.rint(3 * match + 2 * links * (match > 0.5) - age), 0, 4).astype(np.int64)


def explain() -> Explanation:
    """Train a ranker, export it, and explain its scores."""
    import lightgbm
    import shap

    X, y = make_data()
    ranker = LSBoostRanker(n_rounds=100, n_leaves=6, learning_rate=0.1).fit(X, y)
    booster = lightgbm.Booster(model_str=write(make_portable(ranker)).decode())
    explainer = shap.TreeExplainer(booster)
    return Explanation(X, explainer.shap_values(X), float(explainer.expected_value), ranker.predict(X))


def draw_features(axes: Axes, found: Explanation) -> None:
    """Draw a row of dots per feature, the largest mean at the top; the colour is the feature's value."""
    order = np.argsort(np.abs(found.values).mean(axis=0))
    spread = np.random.default_rng(SEED).uniform(-0.3, 0.3, len(found.X))
    for row, feature in enumerate(order):
        looks = {"cmap": LOW_TO_HIGH, "s": 7, "vmin": 0, "vmax": 1, "rasterized": True}
        dots = axes.scatter(found.values[:, feature], row + spread, c=found.X[:, feature], **looks)
    axes.axvline(0, color=GREY, linewidth=1)
    axes.set_yticks(range(len(order)), [FEATURES[feature] for feature in order])
    axes.set_xlabel("SHAP value: what the feature adds to the document's score")
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    bar = axes.figure.colorbar(dots, ax=axes, label="value of the feature", ticks=[0, 0.5, 1])
    bar.solids.set_rasterized(True)


def main() -> None:
    """Draw the picture."""
    with follow_style():
        figure, axes = plt.subplots(figsize=(8, 3.6), layout="constrained")
        draw_features(axes, explain())
        axes.set_title("What each feature adds to the scores of 600 documents, and its value there")
    save_picture(figure, Path(__file__))


if __name__ == "__main__":
    main()
