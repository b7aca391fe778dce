"""Verdicts (`yardstick/kernel/verdict.py`) as lines for people."""

from collections.abc import Iterator, Sequence

from yardstick.kernel.case import Document


def suffices(verdict: Document, mode: str) -> bool:
    """Return whether a function passes under a mode: bitwise, or tie, which allows for other lawful choices."""
    return verdict["differs"] == 0 and (mode == "tie" or verdict["lawful"] == 0)


def as_lines(verdicts: Sequence[Document]) -> Iterator[str]:
    """Yield a table of all functions, and below it the first case of each function that does not agree."""
    yield f"{'function':<18} {'cases':>6}  verdict"
    for verdict in verdicts:
        n_cases = verdict["cases"]
        words = {"differ": verdict["differs"], "lawful": verdict["lawful"]}
        counts = [f"{n} of {n_cases} {word}" for word, n in words.items() if n]
        result = ", ".join(counts) or ("agrees" if verdict["offered"] else "not offered")
        yield f"{verdict['function']:<18} {n_cases:>6}  {result}"
    for verdict in verdicts:
        if verdict["first"] is not None:
            yield from ("", *describe_first(verdict["function"], verdict["first"]))


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
            [decimal] = difference[side]["values"]
            [exact] = difference[side].get("hex") or [f"{decimal:#x}"]
            yield f"    {side:<13}  {decimal}  {exact}"
    if first["hint"] is not None:
        yield f"  hint: {first['hint']}"
