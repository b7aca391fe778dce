"""Statements about another implementation: its functions, on instances that Hypothesis draws.

    module      checks on
    metrics     dcg, dcg_at, ndcg_at, err, err_at: values, exchanges, attained bounds
    costs       absolute, squared, oerr, weights, hard_rank, soft_rank: values
    boosting    tree, ls_boosting, softmax_boosting, ordinal_boosting: values
    wholes      tree_at, gbrt, igbrt, cocr, lambdas, dcg_tied, fill_values, tree_missing: values
    mcrank      dcg, expected_relevance, class_proba
    igbrt       err
    cocr        err, absolute, squared, oerr
    trees       tree, random_forest, ls_boosting
    new         dcg, err

A bound holds from one side: a port with other metrics may pass it. The first four say what the numbers are.

A check is a record (check.py); `run_port_checks` (run.py) runs them all. To add one, write the function that yields its
claims, and put a record into the `CHECKS` of its module. The functions are described in
`proofs_check.engine.implementation`.
"""

from proofs_check.ports import boosting, cocr, costs, igbrt, mcrank, metrics, new, trees, wholes

PORT_CHECKS = tuple(
    check for module in (metrics, costs, boosting, wholes, mcrank, igbrt, cocr, trees, new) for check in module.CHECKS
)
