"""The page of verdicts, docs/learn/verdicts.md, made from the files of verdicts beside it.

refrank reproduce PAPER --replicate N     writes refrank-out/PAPER/verdicts.json
python -m tests.reproduce.verdict_page    writes the page from docs/learn/verdicts/PAPER.json
"""

import json
from pathlib import Path
from typing import Any

LEARN = Path(__file__).parents[2] / "docs" / "learn"
PAGE, FILES = LEARN / "verdicts.md", LEARN / "verdicts"
TITLES = {"mcrank": "McRank", "igbrt": "iGBRT", "cocr": "COCR"}
TABLE_HEAD = "| claim | mean | over queries | over training sets | p by Holm | verdict |\n|---|---|---|---|---|---|"
HEAD = """\
# Verdicts on several training sets

One training set decides little: another one may reverse the difference of two rankers. Each claim here was measured
on eight artificial training sets or more, each with test queries of its own. There are two 95% intervals about the mean
difference, both by Student's t. The one over queries says what other test queries would give, with these training
sets. The one over training sets says what other training data would give. A claim *holds*, or *does not hold*, only
where both leave out 0 on the same side, and the p-value over the training sets, by Holm's method over the claims of a
table, is below .05. `refrank reproduce PAPER --replicate N` remakes a table on N sets, and `--against
docs/learn/verdicts/PAPER.json --seed S` fails if a verdict's interval over its sets and those from seed S on together
no longer leaves out 0. That happened once: on eight sets, iGBRT was below GBRT in NDCG@10, both as regression; eight
others had it above by .0004, and the sixteen together did not decide. So iGBRT has 24 sets.
MQ2008 and the other real collections have one set of training queries: no verdict here is about them.
"""


def write_page() -> str:
    """Write the page from the files."""
    sections = [write_section(json.loads((FILES / f"{paper}.json").read_text())) for paper in TITLES]
    return "\n".join([HEAD, *sections])


def write_section(record: dict[str, Any]) -> str:
    """Write the table of a paper."""
    digits = 2 if record["paper"] == "mcrank" else 4

    def show(number: float) -> str:
        return f"{number:+.{digits}f}"

    def bracket(low: float, high: float) -> str:
        return f"[{show(low)}, {show(high)}]"

    rows = [
        f"| {claim['claim']} | {show(claim['mean'])} | {bracket(*claim['queries'])} | {bracket(*claim['sets'])} "
        f"| {claim['p']:.2g} | {claim['verdict']} |"
        for claim in record["claims"]
    ]
    seeds = f"Seeds {record['seeds'][0]} to {record['seeds'][-1]}"
    title = f"## {TITLES[record['paper']]}\n\n{seeds}; {record['setting']}.\n"
    return "\n".join([title, TABLE_HEAD, *rows, ""])


if __name__ == "__main__":
    PAGE.write_text(write_page(), encoding="utf-8")
