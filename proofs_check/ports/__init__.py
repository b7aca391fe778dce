"""What the statements say of another implementation: its functions, on instances that Hypothesis draws.

    module    checks on
    mcrank    dcg, expected_relevance, class_proba
    igbrt     err
    cocr      err, absolute, squared, oerr
    trees     tree, random_forest, ls_boosting
    new       dcg, err

A check is a record (check.py); `run_port_checks` (run.py) runs them all. To add one, write the function that yields its
claims, and put a record into the `CHECKS` of its module. The functions are described in
`proofs_check.engine.implementation`.
"""

from proofs_check.ports import cocr, igbrt, mcrank, new, trees

PORT_CHECKS = (*mcrank.CHECKS, *igbrt.CHECKS, *cocr.CHECKS, *trees.CHECKS, *new.CHECKS)
