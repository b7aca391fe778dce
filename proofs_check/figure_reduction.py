"""Draw where COCR's reduction fails, for docs/prove/bounds.md: `python -m proofs_check.figure_reduction DIRECTORY`.

For one document of grade 3 or 4, the figure shows the oERR cost of rank r, and the smallest weighted binary errors of
answers that add up to r. The reduction promises that the cost does not exceed the errors.
"""

from __future__ import annotations

import sys
from pathlib import Path

from proofs_check.cocr.lin_li_reduction import FOURTHS
from proofs_check.new.end_to_end import ANY, EVERY, GRADES, SOFT, K, convex_weights, least_errors, weights
from refrank.cocr.costs import oerr
from refrank.inspection.style import BLUE, GREEN, INK, ORANGE
from refrank.reproduce.figures import draw_panels

# label, weights, answers, colour, line: the least errors are linear between the integers
LINES = (
    ("convex weights w', any answers from 0 to 1", convex_weights(), EVERY, BLUE, "-"),
    ("weights w, answers from 0 to 1 that fall with the grade", weights(), SOFT, GREEN, "--"),
    ("weights w, any answers", weights(), ANY, ORANGE, ":"),
)


def main(directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    title = "Where a dot is above a line, weighted errors do not bound the cost of a wrong grade"
    note = "dots: the oERR cost of a rank; lines: the least weighted errors of answers that add up to it"
    with draw_panels(directory / "bounds_reduction.png", "ab", (9, 4.2), title, note) as panels:
        for y, panel in zip((3, 4), panels, strict=True):
            lines = []
            for _, w, answers, colour, line in LINES:
                errors = least_errors(w, answers)[y] / FOURTHS
                lines += panel.plot(GRADES, errors, color=colour, linestyle=line, linewidth=2)
            costs = oerr([y], K)[0]
            panel.plot(GRADES, costs, "o", color=INK)
            panel.set_title(f"Grade {y}, costs {tuple(costs.tolist())}")
            panel.set(xlabel="sum of the answers (r)", xticks=GRADES)
        panels[0].set_ylabel("cost, weighted errors")
        panels[1].set_ylim(top=400)  # room for the legend
        panels[1].legend(lines, [label for label, *_ in LINES], frameon=False, fontsize=8)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images"))
