"""Draw docs/images/whose_ndcg.svg: the ranking of docs/learn/whose_ndcg.md under every preset.

python docs/images/whose_ndcg.py
"""

from pathlib import Path

import matplotlib.pyplot as plt

from refrank.inspection.style import BLUE, GREY, INK, follow_style, save_picture
from refrank.metrics import PresetValue, compare_presets

# The example of docs/learn/whose_ndcg.md: three queries, eight documents.
Y = [2, 3, 0, 1, 0, 0, 0, 1]
SCORE = [0.9, 0.6, 0.6, 0.6, 0.5, 0.2, 0.8, 0.4]
QID = ["a", "a", "a", "a", "b", "b", "c", "c"]
K = 3
RULES = {
    "gain": "gain",
    "discount": "discount",
    "ties": "ties",
    "no_relevant": "no relevant",
    "short": "short",
}


def list_rules(value: PresetValue, paper: float) -> str:
    """List the rules of a preset that change this ranking's value, each with its effect alone."""
    changes = [e for e in value.effects if abs(e.value - paper) > 1e-12]
    if not changes:
        return "as the papers"
    return ", ".join(f"{RULES[e.rule]}: {format_choice(e.preset_choice)} ({e.value - paper:+.3f})" for e in changes)


def format_choice(value: object) -> str:
    """Format a field's value as the chapter prints it."""
    return {"document id descending": "by id", "1.0": "1"}.get(str(value), str(value))


def main() -> None:
    """Draw one bar per preset, `paper` on top, and the papers' value as a line."""
    values = compare_presets(Y, SCORE, QID, f"ndcg@{K}")[::-1]
    paper = next(value.value for value in values if value.spec.name == "paper")
    with follow_style():
        figure, axes = plt.subplots(figsize=(9, 5), layout="constrained")
        colors = [GREY if abs(value.value - paper) < 1e-12 else BLUE for value in values]
        names = [value.spec.name for value in values]
        axes.barh(names, [value.value for value in values], color=colors, height=0.7)
        axes.axvline(paper, color=INK, linewidth=1, linestyle="--")
        for row, value in enumerate(values):
            axes.text(0.008, row, f"{value.value:.4f}", va="center", color="white")
            axes.text(0.86, row, list_rules(value, paper), va="center")
        axes.set_xlim(0, 1.65)
        axes.set_xticks([0, 0.2, 0.4, 0.6, 0.8])
        axes.set_xlabel(f"mean NDCG@{K}", loc="left")
        axes.set_title(
            f"NDCG@{K} of one ranking of 8 documents by {len(values)} conventions, and the rules that differ"
        )
        axes.spines["bottom"].set_bounds(0, 0.85)
        axes.tick_params(axis="y", length=0)
    save_picture(figure, Path(__file__))


if __name__ == "__main__":
    main()
