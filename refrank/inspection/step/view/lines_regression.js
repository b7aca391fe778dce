// The lines of McRank's Algorithm 2, of iGBRT and of COCR, as in lines_mcrank.js.
import { BEST_FIRST, growingLines } from "./lines_mcrank.js";

export const LS_LINES = `
0 0 McRank Alg. 2, line 0
The target ỹ is the gain of the grade
refrank/estimators/mcrank_losses.py
target = transform_table(self.target, n_classes, "target")

1 0 McRank Alg. 2, line 1
All scores S start at the mean of ỹ
refrank/mcrank/ls_boosting.py
scores = np.full(len(target), exact_mean(target, weight))

2 0 McRank Alg. 2, line 2
For each round m = 1 … M
refrank/mcrank/ls_boosting.py
for m in range(1, n_rounds + 1):

3r 1 McRank Alg. 2, line 3
Residual: what S still lacks
refrank/mcrank/ls_boosting.py
tree, leaves = grow(target - scores, weight)
${growingLines(1, "McRank Alg. 2, line 3", ["3h", "3c"], BEST_FIRST)}
4 1 McRank Alg. 2, line 4
β of a leaf: the mean of its residuals
refrank/mcrank/ls_boosting.py
values = quotient(leaves.residual_sum, leaves.weight_sum)

5 1 McRank Alg. 2, line 5
Add ν times the β of its leaf to the score of each document
refrank/mcrank/ls_boosting.py
leaves.add_to(scores, learning_rate, values)

rank 0 McRank Sec. 5
Rank the documents by S
refrank/mcrank/ls_boosting.py
yield LossRound(m, with_values(tree, leaves, values), read_only(scores))
`;

export const forestLines = (prefix, depth, draws, grows) => `
${prefix}2 ${depth} ${draws}
Draw n of the n rows with replacement
refrank/igbrt/random_forest.py, grow_numbered_tree
counts = bootstrap_counts(seed, t, len(target))

${prefix}3 ${depth} ${grows}
Grow a full tree on them; the cut of a node is the best on K features drawn for it
refrank/igbrt/random_forest.py, grow_numbered_tree
return grow(target, weight, counts, key=tree_key(seed, t, FEATURES))
`;

export const boostedLines = ([residual, search, cut, leaf, step], place, last, depth = 1) => `
${residual} ${depth} ${place}
Residual: what the sum of trees still lacks
refrank/igbrt/gbrt.py
tree, leaves = grow(residual, weight)
${growingLines(depth, place, [search, cut], "Cut node after node, down to depth d")}
${leaf} ${depth} ${place}
Each leaf answers the mean of its residuals
refrank/trees/growth/growing.py
value[numbers] = quotient(leaves.residual_sum, leaves.weight_sum)

${step} ${depth} ${last}
Take α times the tree off the residuals
refrank/igbrt/gbrt.py
leaves.add_to(residual, -learning_rate, tree.value[leaves.nodes])
`;

export const FOREST_LINES = `
0 0 iGBRT Alg. 1, line 1
For each tree t of M
refrank/igbrt/random_forest.py
for t, tree in enumerate(each(grow_one, range(first, n_trees)), start=first):
${forestLines("", 1, "iGBRT Alg. 1, line 2", "iGBRT Alg. 1, line 3")}
5 0 iGBRT Alg. 1, line 5
T: the mean of the trees
refrank/estimators/igbrt.py, average_trees
yield scores / max(1, min(stage * every, n_trees))
`;
