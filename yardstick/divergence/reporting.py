"""A comparison as text for people, as JSON, and as JUnit XML for CI systems."""

import json
from typing import Any
from xml.etree import ElementTree

from numpy.typing import NDArray

from refrank.checks import print_text
from refrank.trees.numbers.ulps import count_ulps, write_number
from yardstick.divergence.comparing import BEYOND, NOT_OFFERED, TraceComparison
from yardstick.divergence.judging import AGREES, DIFFERS, FOLLOWS, LAWFUL, UNCLEAR, Judgement
from yardstick.traces.stages import STAGES

COLUMNS = (AGREES, FOLLOWS, LAWFUL, DIFFERS, UNCLEAR, NOT_OFFERED, BEYOND)
MEANINGS = {
    DIFFERS: "differs from what follows from its own inputs",
    LAWFUL: "is another choice that the papers leave open",
    FOLLOWS: "differs because of an earlier record, and follows from it",
    UNCLEAR: "differs, and the traces do not keep what it should follow from",
}


def write_text(comparison: TraceComparison) -> str:
    """Write a report as text: the first difference in full, a line for each other one, and the table of the stages."""
    first, others = comparison.first, [finding for finding in comparison.findings if finding is not comparison.first]
    lines = [f"No difference in {comparison.n_shared} records."] if first is None else tell_in_full(first)
    if others:
        lines += ["", "Also, the first of each stage:"]
    for finding in others:
        lines.append(f"  {finding.stage:<12} {finding.verdict:<8} {summarize(finding)}")
    lines += ["", *write_table(comparison)]
    lines += [f"incomplete: {gap}" for gap in comparison.besides]
    if comparison.quality is not None:
        lines.append(f"NDCG of the queries: {comparison.quality}")
    mode = comparison.mode.name + (f", {comparison.mode.ulps} ulp" if comparison.mode.ulps else "")
    lines.append(f"{'passes' if comparison.passes else 'fails'} (mode {mode})")
    return "\n".join(print_text(line, 400) for line in lines)


def tell_in_full(first: Judgement) -> list[str]:
    """Describe the first difference: its place, both numbers, their distance, and the hint."""
    what = "First difference" if first.verdict == DIFFERS else "First departure"
    parts = describe(first) | {"verdict": f"{first.verdict}: it {MEANINGS[first.verdict]}"}
    parts["apart"] = "" if parts["ulps"] is None else f"{parts['ulps']} ulp"
    lines = [f"  {name:<9} {parts[name]}" for name in ("expected", "found", "apart", "verdict", "hint") if parts[name]]
    return [f"{what}: {STAGES[first.stage].title}, {first.where}", *lines]


def summarize(finding: Judgement) -> str:
    """Describe a finding in one line."""
    parts = describe(finding)
    numbers = f": {parts['expected']} expected, {parts['found']} found" if parts["expected"] else ""
    return f"{finding.where}{numbers}" + (f"; {finding.hint}" if finding.hint else "")


def write_entry(finding: Judgement, values: NDArray[Any] | None) -> str:
    """Write the entry of an array that a finding points at; of arrays of different shapes, the size."""
    if values is None:
        return ""
    if finding.index is None:
        return f"{' x '.join(map(str, values.shape)) or 1} entries"
    return write_number(values[finding.index])


def write_table(comparison: TraceComparison) -> list[str]:
    """Write the table of stages and verdicts; leave out columns without entries."""
    counts, usual = comparison.counts, {AGREES, LAWFUL, DIFFERS}
    used = [name for name in COLUMNS if name in usual or any(name in of for of in counts.values())]
    rows = [["stage", *used]]
    rows += [[stage, *(str(counts[stage].get(name, "-")) for name in used)] for stage in STAGES if stage in counts]
    return [" ".join([f"{stage:<12}", *(f"{cell:>11}" for cell in cells)]) for stage, *cells in rows]


def as_document(comparison: TraceComparison) -> dict[str, Any]:
    """Return the comparison as JSON."""
    return {
        "format": "refrank-comparison",
        "version": 1,
        "mode": comparison.mode.name,
        "ulps": comparison.mode.ulps,
        "passes": comparison.passes,
        "quality": None if comparison.quality is None else comparison.quality._asdict(),
        "n_shared": comparison.n_shared,
        "stages": comparison.counts,
        "incomplete": list(comparison.besides),
        "findings": [describe(finding) for finding in comparison.findings],
    }


def describe(finding: Judgement) -> dict[str, Any]:
    """Return a finding as JSON."""
    at, both = finding.index, (finding.expected, finding.actual)
    numbers = [values[at].item() for values in both if values is not None and at is not None]
    return {
        "stage": finding.stage,
        "at": finding.place.list_parts(),
        "verdict": finding.verdict,
        "field": finding.field,
        "index": None if at is None else list(at),
        "where": finding.where,
        "expected": write_entry(finding, finding.expected),
        "found": write_entry(finding, finding.actual),
        "ulps": count_ulps(*numbers) if len(numbers) == 2 else None,
        "hint": finding.hint,
    }


def write_json(comparison: TraceComparison) -> str:
    """Write the comparison in JSON."""
    return json.dumps(as_document(comparison), indent=1, allow_nan=False)


def write_junit(comparison: TraceComparison) -> str:
    """Write the comparison as JUnit XML: a test case per stage; skip stages that are not offered, or only follow."""
    suite = ElementTree.Element("testsuite", name="refrank conform diff", tests=str(len(comparison.counts)))
    wrong = [finding for finding in comparison.findings if finding.verdict != FOLLOWS]
    messages = {finding.stage: print_text(summarize(finding), 400) for finding in wrong}
    for stage, of in comparison.counts.items():
        case = ElementTree.SubElement(suite, "testcase", classname="yardstick", name=stage)
        skipped = "not offered" if {*of} == {NOT_OFFERED} else ""
        if FOLLOWS in of and {*of} <= {AGREES, FOLLOWS}:  # the stage that it follows from fails
            skipped = "follows from an earlier difference"
        if skipped:
            ElementTree.SubElement(case, "skipped", message=skipped)
        elif comparison.spoils(stage):
            message = messages.get(stage, "records are missing or too many")
            ElementTree.SubElement(case, "failure", message=message)
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, "unicode")
