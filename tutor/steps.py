"""The steps of the exercises that have several: their names and formulas, and those that are exercises themselves."""

from collections.abc import Mapping

STEPS: Mapping[str, Mapping[str, str]] = {  # in order of computation: a step uses those before it
    "softmax_round": {
        "p": "McRank Alg. 1, line 4: p_k = exp(F_k) / sum over s of exp(F_s)",
        "sums": "McRank Alg. 1, line 6: sum over R_j of (y~ - p), and of (1 - p) p",
        "beta": "McRank Alg. 1, line 6: beta_j = (K-1)/K times the first sum over the second",
        "F": "McRank Alg. 1, line 7: F_k += nu beta",
    },
    "ordinal_round": {
        "groups": "McRank Sec. 4: the classes of problem k are {y <= k} and {y > k}",
        "beta": "McRank Alg. 1, line 6, with K = 2: beta_j = 1/2 times the sum of (y~ - p) over that of (1 - p) p",
        "F": "McRank Alg. 1, line 7: F += nu beta",
        "Pr(y <= k)": "McRank Sec. 4: the probability of the group {y <= k}, by softmax of F",
    },
    "ls_round": {
        "beta": "McRank Alg. 2, line 4: beta_j = mean over R_j of (y~ - S)",
        "S": "McRank Alg. 2, line 5: S += nu beta",
    },
    "lad_round": {
        "gamma": "Friedman 2001 Alg. 3, line 5: gamma_j = median over R_j of (y - F)",
        "F": "Friedman 2001 Alg. 3, line 6: F += nu gamma",
    },
    "leaf_values": {
        "the numerator": "McRank Alg. 1, line 6: sum over R_j of (y~ - p)",
        "the denominator": "McRank Alg. 1, line 6: sum over R_j of (1 - p) p",
        "the factor": "McRank Alg. 1, line 6: (K-1)/K",
    },
    "ndcg": {
        "DCG": "McRank Eq. 2: sum over i = 1..k of (2^y_[i] - 1) / log2(1 + i)",
        "the ideal DCG": "McRank Eq. 3: DCG_g, the DCG of all documents sorted by y",
        "the quotient": "McRank Eq. 3: NDCG = DCG / DCG_g; 0 if no document is relevant",
    },
    "reduction": {
        "b": "COCR Eq. 1: b^(k) = 1 if y >= k, else 0",
        "w": "COCR Eq. 5: w^(k) = |c[k] - c[k-1]|",
    },
    "best_split": {
        "sums": "McRank App. I: per side, the sum of residuals and the number of rows",
        "gain": "(S_l/n_l - S_r/n_r)^2 n_l n_r / (n_l + n_r)",
        "the best cut": "the first of the cuts with the highest gain",
    },
    "lambda_gradients": {
        "Delta NDCG": "McRank Sec. 1: how much NDCG changes if i and j swap places",
        "lambda": "Burges 2010 Sec. 4: -|Delta NDCG| / (1 + exp(s_i - s_j)), added to i and taken from j",
    },
}
STAGES: Mapping[str, Mapping[str, str]] = {  # the exercise that a step is, if the file has its function
    "softmax_round": {"softmax": "p", "leaf_values": "beta"},
    "ordinal_round": {"softmax_round": "F"},
    "lad_round": {"median": "gamma"},
    "ndcg": {"dcg": "DCG"},
    "reduction": {"oerr_weights": "w"},
    "best_split": {"histogram": "sums"},
}


def describe_steps(task: str, wrong: str) -> str:
    """Describe the steps up to a wrong one in a sentence.

    >>> describe_steps("softmax_round", "beta")
    'p is right, sums are right, beta is not'
    """
    names = [*STEPS.get(task, {})]
    before = names[: names.index(wrong)] if wrong in names else []
    right = [f"{name} {'are' if name in ('sums', 'groups') else 'is'} right" for name in before]
    return ", ".join([*right, f"{wrong} {'are' if wrong in ('sums', 'groups') else 'is'} not"])
