"""The section "Speed" of docs/use/other_tools.md, time and quality in one table, from the run.json of each CPU.

    python -m benchmarks.speed.page RUN [RUN ...]     # keeps what it shows in docs/use/speed.json
    python -m benchmarks.speed.page                   # the section again, from speed.json

A run takes the place of an earlier one on the same CPU; those on other CPUs stay, after it. A row stands for a work and
a peer; the ratios of each run have a column. Peers that are refrank itself, or a goal, are left out.
"""

import argparse
import json
import re
from pathlib import Path
from typing import Any

from benchmarks.speed.report import name_family, name_machine, write_amount

DOCS = Path(__file__).parents[2] / "docs" / "use"
HEADING = "## Speed\n"
HEAD = """
`python -m benchmarks.speed.run` runs each task beside its peers ([how to read the table](../../benchmarks/README.md)).
`python -m benchmarks.speed.page` writes this section from its run.json, which [speed.json](speed.json) keeps in short.

A ratio is the time of refrank divided by that of the peer: the median of the turns, and the smallest and the largest.
All sides have the parameters of the task, and otherwise their defaults. NDCG@10, refrank's and the peer's, is that of
held-out queries after this work. Each is one training set, on which .01 may be chance: for intervals, see
[quality beside other libraries](quality.md).

"""
NAMES = {"lightgbm": "LightGBM", "xgboost": "XGBoost", "scikit-learn": "scikit-learn", "catboost": "CatBoost"}
SHOWN = {"lightgbm", "xgboost", "scikit-learn", "catboost"}  # whose versions the section names


def shorten(run: dict[str, Any]) -> dict[str, Any]:
    """Keep what the section shows of a run."""
    machine = run["machine"]
    versions = {name: number for name, number in machine["versions"].items() if name in SHOWN}
    rows = []
    for row in run["comparisons"]:
        if name_family(row["peer"]) not in ("goal", "refrank"):
            texts = {key: row[key] for key in ("work", "what", "peer", "quality", "quality_name")}
            ratios = [row["ratio"], min(row["ratios"]), max(row["ratios"])]
            numbers = {"ratio": [round(ratio, 4) for ratio in ratios], "ours": write_amount(row["ours"], row["unit"])}
            rows.append(texts | numbers)
    return {"machine": name_machine(machine), "versions": versions, "rows": rows}


def replace_runs(kept: list[dict[str, Any]], runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put runs in short before those that were kept of other CPUs."""
    renewed = {name_cpu(run) for run in runs}
    return runs + [run for run in kept if name_cpu(run) not in renewed]


def name_cpu(run: dict[str, Any]) -> str:
    return str(run["machine"]).partition(",")[0]


def name_peer(peer: str) -> str:
    """Name a peer without its version and its threads.

    >>> name_peer("lightgbm 4.7.0, quantised"), name_peer("HGB (scikit-learn 1.9.1) on 2 threads")
    ('LightGBM, quantised', 'HGB (scikit-learn)')
    """
    bare = re.sub(r" on \d+ threads?$", "", re.sub(r" v?\d[\w.]*", "", peer, count=1))
    return re.sub("|".join(NAMES), lambda name: NAMES[name[0]], bare)


def write_section(runs: list[dict[str, Any]]) -> str:
    """Write the section from runs in short; the first gives quality, and the order of the rows."""
    lines = [HEAD]
    for number, run in enumerate(runs, start=1):
        versions = ", ".join(f"{NAMES[name]} {version}" for name, version in run["versions"].items())
        lines.append(f"- CPU {number}: {run['machine']}; {versions}.")
    titles = ["task", "peer", *(f"CPU {n}: refrank | ratio" for n in range(1, 1 + len(runs))), "NDCG@10"]
    lines += ["", f"| {' | '.join(titles)} |", "|---" * (3 + 2 * len(runs)) + "|"]
    by_key = [{(row["what"], name_peer(row["peer"])): row for row in run["rows"]} for run in runs]
    last = None
    for (what, peer), row in by_key[0].items():
        cells = ["" if what == last else f"{row['work']}: {what}", peer]
        for rows in by_key:
            of_run = rows.get((what, peer))
            cells += ["", ""] if of_run is None else [of_run["ours"], write_ratio(*of_run["ratio"])]
        has_quality = row["quality"] and row["quality_name"] == "NDCG@10"
        cells.append("{:.4f}, {:.4f}".format(*row["quality"]) if has_quality else "")
        lines.append(f"| {' | '.join(cells)} |")
        last = what
    return "\n".join(lines) + "\n"


def write_ratio(median: float, smallest: float, largest: float) -> str:
    return f"{median:.2f} ({smallest:.2f}, {largest:.2f})"


def main(arguments: list[str] | None = None) -> None:
    """Write docs/use/speed.json, and the section from it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path, nargs="*", help="files run.json, one for each CPU")
    parser.add_argument("--docs", type=Path, default=DOCS, help="folder of other_tools.md")
    given = parser.parse_args(arguments)
    kept, page = given.docs / "speed.json", given.docs / "other_tools.md"
    earlier = json.loads(kept.read_text()) if kept.exists() else []
    runs = replace_runs(earlier, [shorten(json.loads(path.read_text())) for path in given.runs])
    kept.write_text(json.dumps(runs, indent=1) + "\n")
    before, heading, _ = page.read_text(encoding="utf-8").partition(HEADING)
    page.write_text(before + heading + write_section(runs), encoding="utf-8")


if __name__ == "__main__":
    main()
