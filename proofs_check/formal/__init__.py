"""Theorems for every n and all real numbers, checked by the kernel of Coq: `proofs_check/formal/check`.

The files, in the order to read them:

    Metrics.v    DCG, ERR, costs and McRank's leaf, as they are computed; the operations are parameters
    Fields.v     the same over any ordered field: what the theorems are about
    Rationals.v  the same over the rational numbers: what is computed
    Bridge.v     why the two are the same

    theorems.py     the theorems and the rows of the table that they settle, read from the comments of the .v files
    Claims*.v       what the false rows claim, over the rational numbers; examples.py refutes them: Refuted.v
    trust.py        what Coq is asked about them
    check           compiles all of it from nothing, and prints each statement and what it rests on
    statements.txt  the statements as Coq prints them

It needs Debian 12's packages coq, libcoq-mathcomp-algebra and libcoq-mathcomp-algebra-tactics.
"""
