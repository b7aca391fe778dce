"""All goals, and the kinds of proof that they give the rows."""

from __future__ import annotations

from proofs_check.smt import answers, dcg, err, scores
from proofs_check.smt.solve import Goal

GOALS: tuple[Goal, ...] = (*err.GOALS, *dcg.GOALS, *scores.GOALS, *answers.GOALS)
