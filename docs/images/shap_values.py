"""Draw docs/images/shap_values.png: the SHAP values of docs/use/exchange.md, a dot per document and feature.

python docs/images/shap_values.py        (needs lightgbm and shap: pip install 'refrank[exchange]')
"""

from pathlib import Path
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from refrank import LSBoostRanker
from refrank.models.exchange.lightgbm import write
from refrank.models.exchange.packing import make_portable

FEATURES = ("match", "links", "age", "noise")
SEED = 0


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
        dots = axes.scatter(
            found.values[:, feature], row + spread, c=found.X[:, feature], cmap="viridis", s=7, vmin=0, vmax=1
        )
    axes.axvline(0, color="#444444", linewidth=1)
    axes.set_yticks(range(len(order)), [FEATURES[feature] for feature in order])
    axes.set_xlabel("SHAP value: what the feature adds to the document's score")
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.figure.colorbar(dots, ax=axes, label="value of the feature", ticks=[0, 0.5, 1])


def main() -> None:
    """Draw the picture."""
    figure, axes = plt.subplots(figsize=(8, 3.6), layout="constrained")
    draw_features(axes, explain())
    axes.set_title("What raises a document: 600 documents, gains 2^y - 1, 100 rounds", loc="left", fontsize=11)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=130)


if __name__ == "__main__":
    main()
