// The papers' lines: place, our words, formula, and the line of code that carries it out with its home.
import { frac, math, power, group, sumOver } from "./mathml.js";

const line = (id, depth, place, words, code = "", home = "", formula = "") => ({ id, depth, place, words, code, home, formula });
const SOFTMAX_HOME = "refrank/mcrank/softmax_boosting.py", GROWTH_HOME = "refrank/trees/growth/grower.py";
const GAIN = math("gain =", power("d", "2"), frac("n_L n_R", "n"), ", d =", frac("Σ_L", "n_L"), "−", frac("Σ_R", "n_R"));
const GAIN_CODE = "d = left[..., 0] / n_left - right[..., 0] / n_right\nreturn d * d * (n_left * n_right / n_node)";
const examine = (id, place, depth) => line(id, depth, place, "Sum the residuals in the bins; the best cut takes most off the squared error",
  GAIN_CODE, "refrank/trees/splitting.py, compute_gains", GAIN);
const cut = (id, place, depth, words = "Cut the waiting node that gains most, until there are J leaves") =>
  line(id, depth, place, words, "number = min(waiting, key=lambda node:\n    (-waiting[node][0].split_gain, node))", GROWTH_HOME);
const TO_DEPTH = "Cut node after node, down to depth d";
const EQ5 = line("eq5", 0, "McRank Eq. 5", "Rank the documents by expected relevance", "scores += class_proba[:, k] * relevance[k]",
  "refrank/mcrank/expected_relevance.py", math("S_i =", sumOver("k"), "p_i,k T ( k )"));
const LOOP = "for m in range(1, n_rounds + 1):";

const STEPS_1 = (depth, labels) => [
  line("4", depth, "McRank Alg. 1, line 4", `p: softmax of the ${labels} scores of each document`, "proba = proba_of_class(scores, k, grow.engine)",
    SOFTMAX_HOME, math("p_i,k =", frac(group("exp F_i,k"), group(sumOver("s"), "exp F_i,s")))),
  line("5r", depth, "McRank Alg. 1, line 5", "Residual: what p still lacks", "return (y == k) - proba", `${SOFTMAX_HOME}, compute_residual`, math("ỹ_i,k − p_i,k")),
  examine("5h", "McRank Alg. 1, line 5", depth), cut("5c", "McRank Alg. 1, line 5", depth),
  line("6", depth, "McRank Alg. 1, line 6", "Each leaf gets a Newton step β", "values = quotient((n_classes - 1) / n_classes\n    * leaves.residual_sum, denominator)",
    `${SOFTMAX_HOME}, boost_class`, math("β =", frac("K − 1", "K"), frac("∑ ( ỹ_i,k − p_i,k )", "∑ p_i,k ( 1 − p_i,k )"))),
  line("7", depth, "McRank Alg. 1, line 7", "Add ν times the β of its leaf to the score of each document", "leaves.add_to(class_scores, learning_rate, values)",
    `${SOFTMAX_HOME}, boost_class`, math("F_i,k ← F_i,k + ν β")),
];

const LS_HOME = "refrank/mcrank/ls_boosting.py", GBRT_HOME = "refrank/igbrt/gbrt.py", FOREST_HOME = "refrank/igbrt/random_forest.py", COCR_HOME = "refrank/cocr/reduction.py";
const forest = (prefix, place, depth) => [
  line(`${prefix}2`, depth, place("2"), "Draw n of the n rows with replacement", "counts = bootstrap_counts(seed, t, len(target))", FOREST_HOME, math("D_t")),
  line(`${prefix}3`, depth, place("3"), "Grow a full tree on them; each node’s cut is the best on K features drawn for it",
    "return grow(target, weight, counts,\n    key=tree_key(seed, t, FEATURES))", FOREST_HOME),
];
const boost = (ids, place, depth) => [
  line(ids[0], depth, place[0], "Residual: what the sum of trees still lacks", "tree, leaves = grow(residual, weight)", GBRT_HOME, math("r_i = y_i − T ( x_i )")),
  examine(ids[1], place[0], depth), cut(ids[2], place[0], depth, TO_DEPTH),
  line(ids[3], depth, place[0], "Each leaf answers the mean of its residuals", "values = quotient(residual_sum, weight_sum)", GROWTH_HOME, math("h =", frac("∑ r_i", "n"))),
  line(ids[4], depth, place[1], "Take α times the tree off the residuals", "leaves.add_to(residual, -learning_rate, tree.value[leaves.nodes])",
    GBRT_HOME, math("r_i ← r_i − α h ( x_i )")),
];
const iGBRT = (algorithm) => (number) => `iGBRT Alg. ${algorithm}, line ${number}`;

export const LINES = {
  softmax: [
    line("0", 0, "McRank Alg. 1, line 0", "ỹ is 1 where the document has grade k, else 0", "(y == k)", `${SOFTMAX_HOME}, compute_residual`, math("ỹ_i,k = [ y_i = k ]")),
    line("1", 0, "McRank Alg. 1, line 1", "All scores F start at 0", "scores = np.zeros((len(y), n_classes))", SOFTMAX_HOME, math("F_i,k = 0")),
    line("2", 0, "McRank Alg. 1, line 2", "For each round m = 1 … M", LOOP, SOFTMAX_HOME),
    line("3", 1, "McRank Alg. 1, line 3", "For each grade k = 0 … K − 1", "for k in range(n_classes):", SOFTMAX_HOME),
    ...STEPS_1(2, "K"), EQ5,
  ],
  ordinal: [
    line("s4", 0, "McRank Sec. 4", "For each k, part the documents into y ≤ k and y > k", "problems = {k: (y > k) for k in range(n_classes - 1)}",
      "refrank/mcrank/ordinal_boosting.py", math("{ y ≤ k } , { y > k }")),
    ...STEPS_1(1, "two"),
    line("eq8", 0, "McRank Eq. 8", "Probability of a grade: the difference of two", "return np.diff(bounded, axis=1)", "refrank/mcrank/ordinal_boosting.py, class_proba",
      math("p_k = Pr ( y ≤ k ) − Pr ( y ≤ k−1 )")), EQ5,
  ],
  ls: [
    line("0", 0, "McRank Alg. 2, line 0", "The target ỹ is the gain of the grade", "target = 2**y - 1", "refrank/estimators/mcrank_losses.py", math("ỹ_i =", power("2", "y_i"), "− 1")),
    line("1", 0, "McRank Alg. 2, line 1", "All scores S start at the mean of ỹ", "scores = np.full(len(target), exact_mean(target, weight))", LS_HOME, math("S_i =", frac("∑ ỹ_i", "n"))),
    line("2", 0, "McRank Alg. 2, line 2", "For each round m = 1 … M", LOOP, LS_HOME),
    line("3r", 1, "McRank Alg. 2, line 3", "Residual: what S still lacks", "target - scores", LS_HOME, math("ỹ_i − S_i")),
    examine("3h", "McRank Alg. 2, line 3", 1), cut("3c", "McRank Alg. 2, line 3", 1),
    line("4", 1, "McRank Alg. 2, line 4", "β of a leaf: the mean of its residuals", "values = quotient(leaves.residual_sum, leaves.weight_sum)", LS_HOME, math("β =", frac("∑ ( ỹ_i − S_i )", "n"))),
    line("5", 1, "McRank Alg. 2, line 5", "Add ν times the β of its leaf to the score of each document", "leaves.add_to(scores, learning_rate, values)", LS_HOME, math("S_i ← S_i + ν β")),
    line("rank", 0, "McRank Sec. 5", "Rank the documents by S", "return scores", "refrank/estimators/mcrank_losses.py"),
  ],
  rf: [
    line("0", 0, "iGBRT Alg. 1, line 1", "For each tree t of M", "for t in range(n_trees):", FOREST_HOME), ...forest("", iGBRT(1), 1),
    line("5", 0, "iGBRT Alg. 1, line 5", "T: the mean of the trees", "average_trees(...)", "refrank/estimators/igbrt.py", math("T ( x ) =", frac("1", "M"), sumOver("t"), "h_t ( x )")),
  ],
  gbrt: [
    line("1", 0, "iGBRT Alg. 2, line 1", "The residuals start at the grades", "residual = target.astype(np.float64)", GBRT_HOME, math("r_i = y_i")),
    line("2", 0, "iGBRT Alg. 2, line 2", "For each tree t = 1 … M", "for t in range(1, n_rounds + 1):", GBRT_HOME),
    ...boost(["3r", "3h", "3c", "3v", "5"], ["iGBRT Alg. 2, line 3", "iGBRT Alg. 2, line 5"], 1),
    line("8", 0, "iGBRT Alg. 2, line 8", "T: α times the sum of the trees, by which documents rank", "ensemble.predict(X)", "refrank/estimators/igbrt.py", math("T ( x ) = α", sumOver("t"), "h_t ( x )")),
  ],
  igbrt: [
    ...forest("f", () => "iGBRT Alg. 3, line 1", 1),
    line("2", 0, "iGBRT Alg. 3, line 2", "The residuals start at what the forest F leaves", "target - forest_scores", "refrank/igbrt/igbrt.py", math("r_i = y_i − F ( x_i )")),
    line("3", 0, "iGBRT Alg. 3, line 3", "For each tree t = 1 … M", "for t in range(1, n_rounds + 1):", GBRT_HOME),
    ...boost(["4r", "4h", "4c", "4v", "6"], ["iGBRT Alg. 3, line 4", "iGBRT Alg. 3, line 6"], 1),
    line("9", 0, "iGBRT Alg. 3, line 9", "T: the forest plus α times the sum of the trees", "ensemble.predict(X)", "refrank/estimators/igbrt.py", math("T ( x ) = F ( x ) + α", sumOver("t"), "h_t ( x )")),
  ],
  cocr: [
    line("cost", 0, "COCR Eq. 13", "What it costs to predict grade k for a document of grade y", "(2**grades - 2**predicted) ** 2", "refrank/cocr/costs.py", math("c [ k ] =", power(group("(", power("2", "y"), "−", power("2", "k"), ")"), "2"))),
    line("eq1", 1, "COCR Eq. 1", "Question k: is the grade k or higher?", "answer = encode_answers(y, costs)", COCR_HOME, math("b_k = [ y ≥ k ]")),
    line("eq5", 1, "COCR Eq. 5", "Its weight: the change of the cost from k − 1 to k", "np.abs(np.diff(costs, axis=1))", COCR_HOME, math("w_k = | c [ k ] − c [ k−1 ] |")),
    line("alg1", 1, "COCR Alg. 1", "Train h on the weighted answers", "return learn(problem.answer, to_mean_one(problem.weight), problem.k)", COCR_HOME, math("h_k")),
    line("eq6", 0, "COCR Eq. 6", "Soft rank: the sum of the answers, by which documents rank", "total += table[:, k]", "refrank/cocr/rankers.py", math("r_h =", sumOver("k"), "h_k ( x )")),
    line("eq2", 0, "COCR Eq. 2", "Hard rank: how many answers are one half or more", "np.count_nonzero(answers >= 0.5, axis=1)", "refrank/cocr/rankers.py", math("r_g =", sumOver("k"), "[ h_k ( x ) ≥ 0.5 ]")),
  ],
};
