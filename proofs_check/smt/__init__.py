"""Statements for all real numbers, by an SMT solver: `python -m proofs_check --smt`.

The rows enumerate grades, and real numbers in fourths or eighths. Here z3 looks for reals against a claim: it finds
some, or shows that there are none, or says "unknown" when its time is up.

    solve.py    a goal, and its outcome
    goals.py    all goals
    err.py      ERR for any relevances in [0, 1]
    dcg.py      DCG for any gains, predictions and discounts
    scores.py   McRank's scores for any class probabilities
    answers.py  the errors of McRank's rankings, and COCR's binary answers

It needs z3: `pip install 'refrank[smt]'`. docs/prove/for_all_reals.md explains the outcomes.
"""

# The kinds of proof in the table; `tests/test_smt.py` asks z3 to confirm them.
KINDS = {
    "new.err_below_rr_dcg.step1": "smt",
    "new.err_below_rr_dcg.variant-any-relevance": "smt n <= 4",
    "new.err_below_rr_dcg.variant-not-negative": "smt n <= 4",
    "igbrt.perfect_ranker.variant-any-R": "smt n <= 4",
    "igbrt.theorem1.step2": "smt n <= 3",
    "cocr.theorem2.variant-chain": "smt n <= 4",
    "new.err_oerr.variant-real-valued": "smt n <= 2",
    "losses.lambdarank.variant-err": "smt n <= 4",
    "mcrank.dcg.variant-exchange": "smt",
    "losses.lambdarank.step1": "smt",
    "cossock_zhang.thm2.step2": "smt n <= 4",
    "cossock_zhang.thm2.variant-sharp": "smt n <= 2",
    "new.one_sided.variant-real": "smt n <= 4",
    "losses.lambdarank": "smt n <= 4",
    "losses.lambdarank.variant-reverse": "smt n <= 4",
    "ndcg.lambda_loss": "smt n <= 4",
    "regret.pairwise.variant-places": "smt n <= 4",
    "mcrank.eq6.step1": "smt n <= 5",
    "mcrank.eq6": "smt n <= 5",
    "mcrank.eq6.variant-expected-gain": "smt n <= 4",
    "mcrank.eq8.variant-sum": "smt n <= 5",
    "mcrank.eq8.variant-abel": "smt n <= 5",
    "mcrank.eq8.variant-bounded": "smt n <= 5",
    "mcrank.eq8.variant-sort": "smt n <= 5",
    "mcrank.eq8.variant-sort-lawful": "smt n <= 5",
    "losses.class_proba": "smt n <= 3",
    "losses.class_proba.variant-expected-relevance": "smt n <= 3",
    "lin_li.reduction.variant-any-cost": "smt n <= 4",
    "lin_li.reduction.variant-convex": "smt n <= 4",
    "lin_li.reduction.variant-soft-absolute": "smt n <= 4",
    "lin_li.reduction.variant-soft-squared": "smt n <= 4",
    "lin_li.reduction.variant-soft-convex": "smt n <= 4",
    "lin_li.reduction.variant-oerr-constant": "smt n <= 4",
    "lin_li.reduction.variant-soft-oerr-constant": "smt n <= 4",
    "cocr.theorem1": "smt n <= 4",
    "regret.lin_li": "smt n <= 4",
}
