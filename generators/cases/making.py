"""Families, functions and cases of the vectors.

    FAMILY = Family("numbers", "exp and softmax ...")                      a file of the vectors
    EXP = FAMILY.function("exp", "exp of each number.", ..., compute)      a function that a port may offer
    EXP.valid("plain", {"x": X}, "One line on it.", faults={...})          its cases; the id becomes numbers/exp/plain

No answer is typed in. `compute` is refrank's own function, run on the specification; a fault is a function with the
same arguments. Where cuts or nodes gain equally, the papers leave the choice open: each is lawful, and an answer.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from generators.cases.formulas import FORMULAS
from generators.cases.notes import NOTES
from yardstick.numbers.difference import find_difference
from yardstick.planting import Mistake, list_mutants, plant
from yardstick.vectors.case import Answer, Case, Result, Signature, Value, name_outputs, thaw, widen

CHOOSING = ("splits", "trees", "boosting", "igbrt")  # families of what chooses cuts
CHOICES = ("ties-to-the-last", "nodes-to-the-last")  # mutants whose choices are lawful
Cases = Iterator[Case]
Compute = Callable[..., Any]
Named = dict[str, Compute]  # flag -> the function that computes its answer: a fault, or a lawful choice


@dataclass(frozen=True, eq=False, kw_only=True)
class Function(Signature):
    """A function of the vectors, and refrank's computation of it."""

    family: str
    compute: Compute  # keyword arguments -> one array, a tuple of them in the order of `outputs`, or a dict
    list_tied: Callable[..., Iterable[Any]] | None = (
        None  # the same arguments -> answers, each with another of equal cuts
    )

    def valid(self, id: str, input: Mapping[str, Any], comment: str, **more: Any) -> Cases:
        """Yield a valid case, and an invalid one for each fault.

        Parameters
        ----------
        id : str
            End of the id, after the names of the family and the function.
        input : mapping of str to array-like, text, tuple of texts or None
        comment : str
            One line.
        compute : function, optional
            Computes the answer instead of the function's own `compute`.
        mutants : str, default ""
            Flags of the table of mutants, each of which computes the answer of a port with that fault.
        faults : mapping of str to function, optional
            More faults, which are changes of the input.
        flags : tuple of str, default ()
        ulps : int, default 0
            Tolerance of floats.

        Yields
        ------
        Case
        """
        yield from self.make("valid", id, input, comment, {"": more.pop("compute", self.compute)}, **more)

    def acceptable(self, id: str, input: Mapping[str, Any], comment: str, lawful: Named, **more: Any) -> Cases:
        """Yield a case with several lawful answers, each under a flag, and an invalid one for each fault."""
        yield from self.make("acceptable", id, input, comment, lawful, **more)

    def refused(self, id: str, input: Mapping[str, Any], comment: str) -> Cases:
        """Yield an invalid case whose input must be refused; refrank itself must refuse it."""
        yield from self.make("invalid", id, input, comment, {}, flags=("refuse",))

    def make(
        self,
        result: Result,
        id: str,
        input: Mapping[str, Any],
        comment: str,
        computes: Named,
        *,
        mutants: str = "",
        faults: Named | None = None,
        flags: tuple[str, ...] = (),
        ulps: int = 0,
    ) -> Cases:
        """Yield a case, and an invalid one for each fault."""
        id, given = self.place(id), {name: freeze(value) for name, value in input.items()}
        if not computes and not self.refuses(given):
            raise ValueError(f"case {id} is answered: refrank must refuse its input")
        answers = tuple(self.answer(compute, given, flag) for flag, compute in computes.items())
        if result == "valid" and (tied := [*self.list_others(given, answers[0])]):
            result, answers = "acceptable", (replace(answers[0], flag="first-of-the-tied"), *tied)
            flags = (*flags, "tie")
        yield Case(id, self.name, given, result, answers, self.paper, comment, flags, ulps)
        wrong = {flag: (flag, compute) for flag, compute in (faults or {}).items()}
        for flag in mutants.split():
            mutant, (first, *others) = find_mutant(flag, self.name), computes
            wrong[flag] = flag, change(computes[first], mutant)
            wrong |= {f"{flag}-{lawful}": (flag, change(computes[lawful], mutant)) for lawful in others}
        for end, (flag, compute) in wrong.items():
            answer, text = self.answer(compute, given, flag), f"A port with the fault {flag} answers this."
            if end == flag or all(find_difference(other.output, answer.output, ulps) for other in answers):
                yield Case(f"{id}/{end}", self.name, given, "invalid", (answer,), self.paper, text, (flag,), of=id)
            answers += (answer,)

    def place(self, id: str) -> str:
        """Prefix an id with the names of the family and the function."""
        return f"{self.family}/{self.name.removesuffix('_by_convention')}/{id}"

    def refuses(self, given: Mapping[str, Value]) -> bool:
        """Return whether refrank refuses an input."""
        try:
            self.compute(**thaw(given))
        except ValueError:
            return True
        return False

    def list_others(self, given: Mapping[str, Value], own: Answer) -> Iterator[Answer]:
        """List the answers to an input that come of another choice among what gains equally."""
        choices = CHOICES if self.family in CHOOSING else ()
        others = [self.answer(change(self.compute, find_mutant(flag, self.name)), given, flag) for flag in choices]
        tied = self.list_tied(**thaw(given)) if self.list_tied is not None else ()
        others += [Answer(name_outputs(self.outputs, output), "another-of-the-tied") for output in tied]
        for number, other in enumerate(others):
            if all(find_difference(before.output, other.output) for before in [own, *others[:number]]):
                yield other

    def answer(self, compute: Compute, given: Mapping[str, Value], flag: str) -> Answer:
        """Compute an answer."""
        return Answer(name_outputs(self.outputs, compute(**thaw(given))), flag)


def freeze(value: Any) -> Value:
    """Convert an input to its form in files: an array of 64-bit numbers, a text, texts, or None.

    >>> freeze([1, 2]), freeze(0.5), freeze("stable")
    (array([1, 2]), array(0.5), 'stable')
    """
    if value is None or isinstance(value, str) or (isinstance(value, tuple) and all(isinstance(t, str) for t in value)):
        return value
    return widen(np.asarray(value))


def change(compute: Compute, mutant: Mistake) -> Compute:
    """Return what a mutant of refrank computes."""

    def compute_changed(**input: Any) -> Any:
        with plant(mutant), np.errstate(all="ignore"):
            return compute(**input)

    return compute_changed


class Family:
    """The functions and cases of one file."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self.text = name, text
        self.functions: list[Function] = []
        self.parts: list[Callable[[], Cases]] = []

    def function(
        self,
        name: str,
        text: str,
        paper: str,
        inputs: Mapping[str, str],
        outputs: Mapping[str, str],
        compute: Compute,
        list_tied: Callable[..., Iterable[Any]] | None = None,
    ) -> Function:
        """Add a function."""
        described = name, text, paper, inputs, outputs, FORMULAS.get(name, "")
        self.functions.append(Function(*described, family=self.name, compute=compute, list_tied=list_tied))
        return self.functions[-1]

    def part(self, make: Callable[[], Cases]) -> Callable[[], Cases]:
        """Add a function that yields cases."""
        self.parts.append(make)
        return make

    def list_cases(self) -> Cases:
        """Yield all cases, in the order of the parts."""
        for make in self.parts:
            yield from make()

    def explain_flags(self, cases: Iterable[Case]) -> dict[str, str]:
        """Explain the flags of cases, in alphabetical order."""
        used = {flag for case in cases for flag in (*case.flags, *(answer.flag for answer in case.answers))} - {""}
        return {flag: NOTES[flag] for flag in sorted(used)}


def find_mutant(flag: str, function: str) -> Mistake:
    """Find the mutant of a function of the vectors that has a flag."""
    flagged = list_mutants("flag", flag)
    return next((mutant for mutant in flagged if mutant in list_mutants("in", function)), flagged[0])
