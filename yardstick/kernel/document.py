"""A verdict as JSON, and as lines for people.

    {"function": "exp", "offered": true, "cases": 5, "passed": 4, "first": {"case": "edges", "told": null,
     "output": "result", "place": [3], "specification": {...}, "library": {...}, "ulps": 1, "wrong": 7, "entries": 40,
     "hint": null}}

Numbers are objects of `yardstick/numbers/encoding.py`: in decimal, and floats also in hexadecimal. `first` is
absent if all cases pass; if a call failed, `told` gives the reason, and the numbers are absent.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from yardstick.kernel.verdict import Verdict
from yardstick.numbers.encoding import encode

Document = dict[str, Any]


def as_document(verdict: Verdict) -> Document:
    """Write a verdict as an object of JSON."""
    document: Document = {"function": verdict.function, "offered": True, "cases": verdict.n_cases}
    document["passed"] = verdict.n_passed
    if verdict.first is not None:
        fault, difference = verdict.first, verdict.first.difference
        document["first"] = {"case": fault.case, "told": fault.refusal, "hint": fault.hint}
        if difference is not None:
            document["first"] |= {
                "output": difference.output,
                "place": list(difference.place),
                "specification": encode(difference.ours),
                "library": encode(difference.theirs),
                "ulps": difference.ulps,
                "wrong": difference.n_wrong,
                "entries": difference.n_entries,
            }
    return document


def agrees(document: Document) -> bool:
    """Return whether a function passes all its cases, or is not offered."""
    return not document["offered"] or document["passed"] == document["cases"]


def as_lines(documents: Sequence[Document]) -> Iterator[str]:
    """Yield a table of all functions, and below it the first difference of each function that fails."""
    yield f"{'function':<18} {'cases':>6}  verdict"
    for verdict in documents:
        yield f"{verdict['function']:<18} {verdict['cases']:>6}  {summarize(verdict)}"
    for verdict in documents:
        if not agrees(verdict):
            yield ""
            yield from describe_first(verdict["function"], verdict["first"])


def summarize(verdict: Document) -> str:
    """Describe the result of a function in a word or two."""
    if not verdict["offered"]:
        return "not offered"
    return "passed" if agrees(verdict) else f"{verdict['cases'] - verdict['passed']} of {verdict['cases']} differ"


def describe_first(function: str, first: Document) -> Iterator[str]:
    """Yield the lines that describe a first difference."""
    yield f"{function}, first in the case '{first['case']}':"
    if first["told"] is not None:
        yield f"  {first['told']}"
    elif first["ulps"] is None and first["specification"] == first["library"]:
        yield f"  the argument {first['output']} was changed"
    else:
        place = f"[{', '.join(map(str, first['place']))}]" if first["place"] else ""
        ulps = "" if first["ulps"] is None else f", {first['ulps']} ulp(s) apart"
        some = f", {first['wrong']} of {first['entries']} entries differ" if first["entries"] > 1 else ""
        yield f"  {first['output']}{place}{ulps}{some}"
        yield f"    specification  {show_number(first['specification'])}"
        yield f"    library        {show_number(first['library'])}"
    if first["hint"] is not None:
        yield f"  hint: {first['hint']}"


def show_number(encoded: Document) -> str:
    """Show a number in decimal and in hexadecimal."""
    [decimal] = encoded["values"]
    return f"{decimal}  {encoded['hex'][0]}" if "hex" in encoded else f"{decimal}  {decimal:#x}"
