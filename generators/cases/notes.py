"""The flags of the cases, each explained in a sentence: faults, lawful choices, and properties of a case."""

from collections.abc import Mapping

from refrank.metrics import PRESETS
from yardstick.planting import read_table


def explain_mutants() -> dict[str, str]:
    """Explain each flag in a sentence, by the words of its first mutant."""
    words = {flag: mutant.words for mutant in reversed(read_table()) for flag in mutant.find_note("flag").split()}
    return {flag: f"{text[0].upper()}{text[1:]}." for flag, text in words.items()}


FAULTS: Mapping[str, str] = {
    **explain_mutants(),
    "updated-sequential": "p is computed anew before each class.",
    "updated-simultaneous": "p is computed once per round: stale for all classes but the first.",
    "base-best": "All base classes are tried.",
    "base-worst": "The class of largest loss is the base class.",
    "sigma-missing": "sigma is 1, whatever is given.",
    "not-truncated": "Positions below L have discounts, too.",
    "first-order": "Cuts gain as in Algorithm 1, by numbers of rows and not by second derivatives.",
    "bins-of-one-shard": "Bins are those of the rows of the first shard.",
    "grid-of-one-shard": "Each shard puts its rows on a grid of its own.",
    "break-point-missing": "Residuals are not held to the break point.",
}
LAWFUL: Mapping[str, str] = {
    "highest-taken-off": "Lawful: the highest score of a row is taken off before exp, as refrank does.",
    "as-printed": "Lawful: the formula as printed.",
    "gap-halved": "Lawful: a value in a gap belongs to the nearer bin, as in refrank.",
    "gap-to-the-right": "Lawful: all of the gap belongs to the bin on its right.",
    "gap-between-values": "Lawful: the cut lies midway between the values on both sides.",
    "first-of-the-tied": "Lawful: of equal cuts that of the lowest feature, then bin; of equal nodes the first.",
    "ties-to-the-last": "Lawful by the papers, and not by docs/reference/numerics.md: the last of equal cuts.",
    "nodes-to-the-last": "Lawful by the papers, and not in refrank: of nodes that gain the same, the last made is cut.",
    "another-of-the-tied": "Lawful by the papers, and not by docs/reference/numerics.md: another of equal cuts.",
    "sequential": "Lawful: p is computed anew before each class, as printed (refrank's sequential update).",
    "simultaneous": "Lawful: p is computed once per round, as in Friedman's Algorithm 6.",
    "one-tree": "Lawful: one p for both classes of a problem, so the second tree mirrors the first.",
    "negative-kept": "Lawful: a negative probability stays, as in refrank; rows add up to 1.",
    "clipped": "Lawful: a negative probability becomes 0.",
    "clipped-and-scaled": "Lawful: a negative probability becomes 0, and the row is divided by its sum.",
    "sorted": "Lawful: the cumulative probabilities are sorted first.",
    "not-clipped": "Lawful: answers are added as they are, as in refrank.",
    "answers-clipped": "Lawful: answers are clipped to [0, 1] first.",
}
MARKS: Mapping[str, str] = {
    "refuse": "The input breaks a rule: a port must refuse it, and not answer with a number.",
    "tie": "Several cuts, or nodes, gain the same, exactly.",
    "three-way": "Cuts go three ways: the last bin of a feature holds the rows that miss it, and they are parted.",
    "many-bins": "More than 256 bins: labels take two bytes.",
    "order-of-operations": "A formula equal on paper rounds otherwise: docs/reference/numerics.md, rule 3, decides.",
    "float-sums": "Sums of floats, exp and log: compare within the stated units in the last place.",
    **{
        f"preset-{name}": f"The choices of {name}" + (f" ({spec.checked_against})." if spec.checked_against else ".")
        for name, spec in PRESETS.items()
        if name not in ("mslr", "ir_measures")  # the rules of letor, and of trec_eval and trec, on such files
    },
}
NOTES: Mapping[str, str] = {**FAULTS, **LAWFUL, **MARKS}
