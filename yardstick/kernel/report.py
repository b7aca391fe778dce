"""Verdicts as lines for people, from the objects of JSON that `refrank conform kernel --json` prints:

    {"function": "exp", "cases": 5, "offered": true, "agrees": 4, "lawful": 0, "differs": 1, "first": {"case": "edges",
     "verdict": "differs", "refusal": null, "hint": null, "difference": {"output": "result", "place": [3],
     "specification": {...}, "library": {...}, "ulps": 1, "wrong": 7, "entries": 40}}}

Numbers are objects of `yardstick/numbers/encoding.py`. `first` is the first case that differs, or else that is lawful,
or null; if a call failed, `refusal` gives the reason, and `difference` is null.
"""

from collections.abc import Iterator, Sequence
from typing import Any

Document = dict[str, Any]


def suffices(verdict: Document, mode: str) -> bool:
    """Return whether a function passes under a mode: bitwise, or tie, which allows for other lawful choices."""
    return verdict["differs"] == 0 and (mode == "tie" or verdict["lawful"] == 0)


def as_lines(verdicts: Sequence[Document]) -> Iterator[str]:
    """Yield a table of all functions, and below it the first case of each function that does not agree."""
    yield f"{'function':<18} {'cases':>6}  verdict"
    for verdict in verdicts:
        yield f"{verdict['function']:<18} {verdict['cases']:>6}  {summarize(verdict)}"
    for verdict in verdicts:
        if verdict["first"] is not None:
            yield ""
            yield from describe_first(verdict["function"], verdict["first"])


def summarize(verdict: Document) -> str:
    """Describe the result of a function in a few words."""
    counts = [f"{verdict[word]} of {verdict['cases']} {said}" for word, said in WORDS.items() if verdict[word]]
    return ", ".join(counts) or ("agrees" if verdict["offered"] else "not offered")


WORDS = {"differs": "differ", "lawful": "lawful"}


def describe_first(function: str, first: Document) -> Iterator[str]:
    """Yield the lines that describe the first case that does not agree."""
    yield f"{function}, first in the case '{first['case']}':"
    difference = first["difference"]
    if difference is None:
        yield f"  {first['refusal']}"
    else:
        place = f"[{', '.join(map(str, difference['place']))}]" if difference["place"] else ""
        ulps = "" if difference["ulps"] is None else f", {difference['ulps']} ulp(s) apart"
        wrong, entries = difference["wrong"], difference["entries"]
        some = f", {wrong} of {entries} entries differ" if entries > 1 else ""
        yield f"  {difference['output']}{place}{ulps}{some}"
        for side in ("specification", "library"):
            yield f"    {side:<13}  {show_number(difference[side])}"
    if first["hint"] is not None:
        yield f"  hint: {first['hint']}"


def show_number(encoded: Document) -> str:
    """Show a number in decimal and in hexadecimal."""
    [decimal] = encoded["values"]
    return f"{decimal}  {encoded['hex'][0]}" if "hex" in encoded else f"{decimal}  {decimal:#x}"
