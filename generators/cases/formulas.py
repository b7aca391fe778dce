"""The paper's line of each function that a student may code, in plain text: refrank check has a task of each."""

from collections.abc import Mapping

FORMULAS: Mapping[str, str] = {
    "dcg": "DCG = sum over i = 1..k of (2^y_[i] - 1) c_[i], with c_[i] = 1 / log2(1 + i); y_[i] has rank i",
    "ndcg": "NDCG = DCG / DCG_g, where DCG_g is the DCG of all documents sorted by y",
    "err": "ERR = sum over i of 1/i R(y_[i]) times the product over j < i of (1 - R(y_[j])), R(y) = (2^y - 1) / 2^K",
    "softmax": "p_k = exp(F_k) / sum over s of exp(F_s)",
    "expected_relevance": "S_i = sum over k of p_(i,k) T(k)",
    "class_proba": "Pr(y = k) = Pr(y <= k) - Pr(y <= k - 1)",
    "quantize": "bin b holds x where cuts[b - 1] <= x < cuts[b]",
    "histogram": "bucket sort: each row adds its residual, 1, and its weight to the slot of its bin, per feature",
    "best_split": "the cut that takes most off the squared error: (S_l/n_l - S_r/n_r)^2 n_l n_r / (n_l + n_r)",
    "leaf_values": "beta_j = (K-1)/K times sum over R_j of (y~ - p) / sum over R_j of (1 - p) p",
    "softmax_round": "for each class k: p by softmax of F; beta by line 6 in each leaf of its tree; F_k += nu beta",
    "ordinal_round": "for each k = 0..K-2: classes {y <= k} and {y > k}, then Algorithm 1 with two classes",
    "ls_round": "beta_j = mean over R_j of (y~ - S); S += nu beta",
    "median": "the lowest value with half of the weight at or below it; if exactly half, the mean with the next",
    "lad_round": "gamma_j = median over R_j of (y - F); F += nu gamma",
    "bootstrap": "D_t: n of n rows with replacement; row i is (number i of the tree's stream) n / 2^64, rounded down",
    "igbrt_start": "r_i = y_i - F(x_i), where F is the mean of the forest's trees",
    "binary_target": "b^c = 1 if y < c, else 0",
    "oerr_weights": "w^(k) = |c[k] - c[k-1]| for k = 1..K, with c[k] = (2^y - 2^k)^2",
    "reduction": "b^(k) = 1 if y >= k, else 0; w^(k) = |c[k] - c[k-1]|; k = 1..K",
    "hard_rank": "r = sum over k of [h_k >= 1/2]",
    "lambda_gradients": "lambda_ij = -|Delta NDCG_ij| / (1 + exp(s_i - s_j)) for y_i > y_j; add to i, take from j",
}
