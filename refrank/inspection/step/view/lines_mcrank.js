// McRank's lines, a block each: id, depth and place in the paper; our words; the home of the code; the code.
// A test finds the code in its home.

/** Lines of growing that all boosted trees share. */
export const growingLines = (depth, place, [search, cut], words) => `
${search} ${depth} ${place}
Sum the residuals in the bins; the best cut takes most off the squared error
refrank/trees/splitting.py, compute_gains
d = left[..., 0] / n_left - right[..., 0] / n_right
return d * d * (n_left * n_right / n_node)

${cut} ${depth} ${place}
${words}
refrank/trees/growth/grower.py, Grower.grow_in_steps
number = min(waiting, key=lambda node: (-waiting[node][0].split_gain, node))
`;

export const BEST_FIRST = "Cut the waiting node that gains most, until there are J leaves";

const boostingLines = (depth, classes) => `
4 ${depth} McRank Alg. 1, line 4
p: softmax of the ${classes} scores of each document
refrank/mcrank/softmax_boosting.py, softmax_boosting_sequential
proba = proba_of_class(scores, k, grow.engine)

5r ${depth} McRank Alg. 1, line 5
Residual: what p still lacks
refrank/mcrank/softmax_boosting.py, compute_residual
return (y == k) - proba

${growingLines(depth, "McRank Alg. 1, line 5", ["5h", "5c"], BEST_FIRST)}
6 ${depth} McRank Alg. 1, line 6
Each leaf gets a Newton step β
refrank/mcrank/softmax_boosting.py, take_step
values = quotient((n_classes - 1) / n_classes * leaves.residual_sum, denominator)

7 ${depth} McRank Alg. 1, line 7
Add ν times the β of its leaf to the score of each document
refrank/mcrank/softmax_boosting.py, take_step
leaves.add_to(class_scores, learning_rate, values)
`;

const EQUATION_5 = `
eq5 0 McRank Eq. 5
Rank the documents by expected relevance
refrank/mcrank/expected_relevance.py
scores += class_proba[:, k] * relevance[k]
`;

export const SOFTMAX_LINES = `
0 0 McRank Alg. 1, line 0
ỹ is 1 where the document has grade k, else 0
refrank/mcrank/softmax_boosting.py, compute_residual
return (y == k) - proba

1 0 McRank Alg. 1, line 1
All scores F start at 0
refrank/mcrank/softmax_boosting.py, softmax_boosting_sequential
scores = np.zeros((len(y), n_classes), order="F")

2 0 McRank Alg. 1, line 2
For each round m = 1 … M
refrank/mcrank/softmax_boosting.py, softmax_boosting_sequential
for m in range(1, n_rounds + 1):

3 1 McRank Alg. 1, line 3
For each grade k = 0 … K − 1
refrank/mcrank/softmax_boosting.py, softmax_boosting_sequential
for k in range(n_classes):
${boostingLines(2, "K")}${EQUATION_5}`;

export const ORDINAL_LINES = `
s4 0 McRank Sec. 4
For each k, part the documents into y ≤ k and y > k
refrank/mcrank/ordinal_boosting.py, ordinal_boosting
problems = {k: (y > k).astype(np.int8) for k, constant in enumerate(constants) if constant is None}
${boostingLines(1, "two")}
eq8 0 McRank Eq. 8
Probability of a grade: the difference of two
refrank/mcrank/ordinal_boosting.py, class_proba
return np.diff(bounded, axis=1)
${EQUATION_5}`;
