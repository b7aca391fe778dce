"""Theorems for every n and all real numbers, checked by the kernel of Coq: `proofs_check/formal/check`.

Read Metrics.v, Rankings.v and Bounds.v first; docs/prove/formal.md reads a statement and a proof of them aloud. The
head of each file says what it proves.

    numbers        Metrics.v (DCG, ERR, costs, McRank's leaf: the operations are parameters), Fields.v (over any ordered
                   field: what theorems are about), Rationals.v (over fractions: what is computed), Bridge.v (why both
                   are the same), Sums.v, Norms.v
    rankings       Rankings.v, Bounds.v, Pairings.v, Cutoffs.v, Grades.v, Prefixes.v
    DCG            McRank.v, Regression.v, OneSided.v, Isotonic.v, Thresholds.v, Attained.v, Regret.v, Ndcg.v,
                   NdcgBounds.v
    ERR            Err.v, ErrRoot.v, ErrLinear.v, IgbrtProof.v, IgbrtSharp.v, LogSquares.v, CocrTheorem2.v, Optimism.v,
                   NoisyErr.v
    pairs, tasks   PairSums.v, LambdaRank.v, Zeros.v, LambdaLoss.v, EssentialLoss.v, Wins.v, Concave.v, NoisyPairs.v
    probabilities  Probabilities.v, ClassProba.v, Transforms.v, Cumulative.v, ExpectedDcg.v
    COCR           Costs.v, Answers.v, Constants.v, NoisyGrade.v, EndToEnd.v
    boosting       Leaves.v, Trees.v, Shares.v, Scores.v
    trees          Grown.v, SameTree.v, Orders.v, Histograms.v, Features.v
    false rows     Claims.v and Claims*.v (what the rows claim, over fractions), Growth.v, Bins.v, Binary64.v (what they
                   compute with), LostSums.v, LogRefuted.v
    refrank        Ranked.v (refrank-vectors), Checker.v, Fractions.v, Certificates.v (refrank bounds --certify)

    theorems.py     the theorems and the rows of the table that they settle, read from the comments of the .v files
    claims.py       the claims of false rows; examples.py writes an Example for each: Refuted.v
    vectors.py      writes the answers of refrank-vectors as Examples: Vectors.v
    trust.py        what Coq is asked about all of them
    check           compiles everything from nothing, and prints each statement and what it rests on
    statements.txt  the statements as Coq prints them

It needs Debian 12's packages coq, libcoq-mathcomp-algebra and libcoq-mathcomp-algebra-tactics.
"""
