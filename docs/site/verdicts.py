"""Pages of the findings of proofs_check, by paper and statement: what is proved, tested, refuted.

The findings are those of proofs_check/tests/verdicts.json. A test settles every row anew and requires them in every
field, so the pages need not compute for minutes.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from docs.site.corrections import carries
from docs.site.corrections import make_anchor as make_heading_anchor
from docs.site.places import CONTENTS, name_anchor
from docs.site.source import ROOT, find_line, find_page
from proofs_check import place
from proofs_check.engine.records import count_kinds
from proofs_check.formal.theorems import FOLDER, read_statements

PINNED = ROOT / "proofs_check" / "tests" / "verdicts.json"
PAGES = {  # prefix of the statements -> title
    "mcrank": "McRank",
    "igbrt": "iGBRT",
    "cocr": "COCR",
    "trees": "Trees of all three papers",
    "cossock_zhang": "Cossock and Zhang",
    "lin_li": "Lin and Li",
    "new": "Bounds proved here",
    "losses": "Losses",
    "ndcg": "NDCG, pairs and sequences",
    "regret": "Noisy labels",
}
PRINTED = ("printed", "cited", "implied")
LISTS = {  # heading of the first page -> what its rows have in common
    "Printed, and false": lambda row: row["source"] in PRINTED and row["counterexample"],
    "Printed, true, and without a message": lambda row: row["source"] in PRINTED and row["verdict"] == "holds, vacuous",
    "False as soon as a premise is dropped": lambda row: row["source"] == "ours" and row["counterexample"],
}
HEAD = """# What is proved, tested, refuted

`python -m proofs_check` settles every statement of the papers and every step of its proof. These pages have its
findings as they are kept in `proofs_check/tests/verdicts.json`; a test settles each row anew and requires the same.

- *holds*, *identity*: an inequality, an equation; no case contradicts it, and there is a proof.
- *holds, vacuous*: true, but the right side exceeds whatever the left side can be.
- *refuted*: printed or cited, and false; the smallest counterexample is beside it.
- *fails*: a control, a claim that is false and shows why a premise is needed; or a reading, an example or an
  approximation of the paper, taken literally.

*For every n* means that the kernel of Coq has checked a proof for every number of documents and all real numbers; the
statement that it proves is printed below the row, and `proofs_check/formal/check` checks all of them anew. *Every case
up to n = 5* means all labels, predictions and orders of up to five documents, in exact arithmetic. *For all reals*
means that an SMT solver finds no real numbers against the row. *Random cases* are those of Hypothesis, in the tests of
the statement.
"""
SUPPORT = {  # kind of count_kinds -> its line on the first page
    "formal": "true for every n: the kernel of Coq checks the proof",
    "smt": "true for every n: an SMT solver finds nothing against it",
    "smt up to n": "true: a proof in prose, and at small sizes an SMT solver finds nothing against it",
    "prose": "true: a proof in prose, and tests",
    "computed": "false: Coq computes the counterexample",
    "enumerated": "false: the enumeration finds the counterexample",
}
Row = Mapping[str, Any]


def write(folder: Path) -> None:
    """Write the page of totals, and a page for each group of statements."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = sorted(json.loads(PINNED.read_text(encoding="utf-8")), key=lambda row: place(row["id"])[0])
    groups = {prefix: [row for row in rows if row["id"].split(".")[0] == prefix] for prefix in PAGES}
    (folder / "verdicts.md").write_text("\n".join(write_totals(groups)), encoding="utf-8")
    for prefix, group in groups.items():
        (folder / f"verdicts_{prefix}.md").write_text("\n".join(write_group(prefix, group)), encoding="utf-8")


def write_totals(groups: Mapping[str, Sequence[Row]]) -> Iterator[str]:
    """Yield the lines of the first page: numbers of verdicts, and lists of what is false."""
    counts = {prefix: Counter(row["verdict"] for row in group) for prefix, group in groups.items()}
    verdicts = sorted({verdict for count in counts.values() for verdict in count})
    support = count_kinds(row for group in groups.values() for row in group)
    yield from (HEAD, "| rows | |", "|---:|---|", *(f"| {n} | {SUPPORT[kind]} |" for kind, n in support.items() if n))
    yield from ("", f"| | {' | '.join(verdicts)} |", f"|---|{'---:|' * len(verdicts)}")
    for prefix, count in counts.items():
        yield f"| [{PAGES[prefix]}](verdicts_{prefix}.md) | {' | '.join(str(count[verdict]) for verdict in verdicts)} |"
    for heading, belongs in LISTS.items():
        yield from ("", f"## {heading}", "")
        for row in (row for group in groups.values() for row in group if belongs(row)):
            address = f"verdicts_{row['id'].split('.')[0]}.md#{make_anchor(row['id'])}"
            finding = f": {quote(row['counterexample'])}" if row["counterexample"] else ""
            yield f"- [{row['id']}]({address}), {quote(row['statement'])}{finding}"
    yield from ("", "```{toctree}", ":hidden:", "", *(f"verdicts_{prefix}" for prefix in groups), "```", "")


def write_group(prefix: str, group: Sequence[Row]) -> Iterator[str]:
    """Yield the lines of the page of a group, statement by statement."""
    yield from (f"# {PAGES[prefix]}: verdicts", "")
    printed = read_statements()
    statement = ""
    for row in group:
        if (of := ".".join(row["id"].split(".")[:2])) != statement:
            statement = of
            yield from (f"## {statement}", "", *name_tests(statement), "")
        yield from (f"({make_anchor(row['id'])})=", f"### {row['verdict'].capitalize()}: {row['id']}", "")
        yield from (quote(row["statement"]), "")
        if row["counterexample"]:
            yield from (
                "```{admonition} Counterexample",
                ":class: warning",
                "",
                quote(row["counterexample"]),
                "```",
                "",
            )
        yield from (f"- {line}" for line in list_evidence(row))
        yield ""
        for name in (theorem.split()[1] for theorem in filter(None, row["formal"].split(", "))):
            yield from ("```coq", name, printed[name].rstrip(), "```", "") if name in printed else ()


def list_evidence(row: Row) -> Iterator[str]:
    """Yield what is known of a row, point by point."""
    if row["where"]:
        yield f"{row['source'].capitalize()}: {escape(row['where'])}{link_place(row)}"
    else:
        yield ": ".join(filter(None, ("Ours", escape(row["step"]))))
    if row["exhaustive_n"]:
        looked = "Found among" if row["counterexample"] else "Checked:"
        yield f"{looked} every case up to n = {row['exhaustive_n']}, {row['instances']:,} in all"
    if row["formal"]:
        held = "Computed by Coq" if row["counterexample"] else "For every n, by the kernel of Coq"
        yield f"{held}: {', '.join(link_theorem(*theorem.split()) for theorem in row['formal'].split(', '))}"
    if row["kind"].startswith("smt"):
        yield f"For all reals, by an SMT solver{row['kind'].removeprefix('smt')}"
    if not row["counterexample"]:
        yield f"Proof: {link_proof(row['proof'])}"
    if isinstance(row["max_ratio"], float):
        yield f"Largest left side over right side: {row['max_ratio']:.4f}"


def link_theorem(file: str, name: str) -> str:
    """Link a theorem in the page of its file; files that `check` generates have no page."""
    path = FOLDER / file
    if not path.exists():
        return f"`{name}`"
    page, line = find_page(path.relative_to(ROOT)), find_line(path.read_text(encoding="utf-8"), name)
    return f'<a href="../{page}#L{line}"><code>{file} {name}</code></a>'


def link_place(row: Row) -> str:
    """Link the place of its paper that a row names, in the annotated papers."""
    paper = row["id"].split(".")[0]
    for name in CONTENTS.get(paper, ()):
        within = name.partition(" ")[2]
        if not within.startswith("Sec. ") and (carries(row["where"], within) or carries(row["step"], within)):
            return f" ([annotated](annotated_{paper}.md#{name_anchor(name)}))"
    return ""


def link_proof(proof: str) -> str:
    """Link a proof: a chapter, or the docstring of a module."""
    if match := re.match(r"docs/([\w/]+\.md), (.*)", proof):
        titles = re.findall(r"(?m)^#+ (.*)$", (ROOT / "docs" / match[1]).read_text(encoding="utf-8"))
        anchor = f"#{make_heading_anchor(match[2])}" if match[2] in titles else ""
        return f"[{escape(match[2])}](../{match[1]}{anchor})"
    if match := re.match(r"docstring of (proofs_check[\w.]+)", proof):
        page = find_page(f"{match[1].replace('.', '/')}.py")
        return f'<a href="../{page}">docstring of <code>{match[1]}</code></a>'
    return escape(proof)


def name_tests(statement: str) -> Iterator[str]:
    """Yield a line on the tests that name a statement and draw random cases."""
    files = sorted((ROOT / "proofs_check" / "tests").glob("test_*.py"))
    texts = {file: file.read_text(encoding="utf-8") for file in files}
    drawn = [file.relative_to(ROOT) for file, text in texts.items() if f'"{statement}' in text and "hypothesis" in text]
    if drawn:
        links = (f'<a href="../{find_page(file)}"><code>{file}</code></a>' for file in drawn)
        yield f"Random cases: {', '.join(links)}."


def quote(text: str) -> str:
    """Write a text as code."""
    return f"`{text}`" if "`" not in text else f"`` {text} ``"


def escape(text: str) -> str:
    r"""Escape what Markdown would read in a text.

    >>> escape("y_i < 4")
    'y\\_i \\< 4'
    """
    return re.sub(r"([\\`*_\[\]<>$|#~^{}])", r"\\\1", text)


def make_anchor(id: str) -> str:
    """Make the anchor of a row."""
    return "verdict-" + re.sub(r"\W+", "-", id.lower())
