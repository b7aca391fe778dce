"""Draw where COCR's reduction fails, for docs/prove/bounds.md: `python -m proofs_check.figure_reduction DIRECTORY`.

For one document of grade 3 or 4, the figure shows the oERR cost of rank r, and the smallest weighted binary errors of
answers that add up to r. The reduction promises that the cost does not exceed the errors.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from proofs_check.cocr.lin_li_reduction import FOURTHS
from proofs_check.new.end_to_end import ANY, EVERY, GRADES, SOFT, K, convex_weights, least_errors, weights
from refrank.cocr.costs import oerr

# label, weights, answers, colour, line: the least errors are linear between the integers
LINES = (
    ("convex weights w', any h in [0, 1]", convex_weights(), EVERY, "#0072b2", "-"),
    ("weights w, rank-monotone h in [0, 1]", weights(), SOFT, "#009e73", "--"),
    ("weights w, any answers", weights(), ANY, "#d55e00", ":"),
)


def main(directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    plt.rcParams.update({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False})
    figure, panels = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
    for y, panel in zip((3, 4), panels, strict=True):
        for label, w, answers, colour, line in LINES:
            errors = least_errors(w, answers)[y] / FOURTHS
            panel.plot(GRADES, errors, color=colour, linestyle=line, linewidth=2, label=f"errors: {label}")
        costs = oerr([y], K)[0]
        panel.plot(GRADES, costs, "o", color="black", label="oERR cost")
        panel.set_title(f"grade y = {y}, costs {tuple(costs.tolist())}", loc="left")
        panel.set_xlabel("answers add up to r")
        panel.set_xticks(GRADES)
    panels[0].set_ylabel("cost, weighted binary errors")
    panels[1].legend(frameon=False, fontsize=8)
    figure.savefig(directory / "bounds_reduction.png", dpi=130)
    plt.close(figure)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images"))
