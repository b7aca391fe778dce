// The lines of iGBRT's Algorithms 2 and 3 and of COCR, as in lines_mcrank.js.
import { boostedLines, forestLines } from "./lines_regression.js";

const loopLines = (id, place) => `
${id} 0 ${place}
For each tree t = 1 … M
refrank/igbrt/gbrt.py
for t in range(1, n_rounds + 1):
`;

export const GBRT_LINES = `
1 0 iGBRT Alg. 2, line 1
The residuals start at the grades
refrank/igbrt/gbrt.py
residual = target.astype(np.float64)
${loopLines("2", "iGBRT Alg. 2, line 2")}
${boostedLines(["3r", "3h", "3c", "3v", "5"], "iGBRT Alg. 2, line 3", "iGBRT Alg. 2, line 5")}
8 0 iGBRT Alg. 2, line 8
T: α times the sum of the trees, by which documents rank
refrank/estimators/igbrt.py
return self.model_.staged_scores(X, engine, every, rounds)
`;

export const IGBRT_LINES = `${forestLines("f", 1, "iGBRT Alg. 3, line 1", "iGBRT Alg. 3, line 1")}
2 0 iGBRT Alg. 3, line 2
The residuals start at what the forest F leaves
refrank/igbrt/igbrt.py
yield from gbrt(target - forest_scores, grow, n_rounds, learning_rate, weight, hold)
${loopLines("3", "iGBRT Alg. 3, line 3")}
${boostedLines(["4r", "4h", "4c", "4v", "6"], "iGBRT Alg. 3, line 4", "iGBRT Alg. 3, line 6")}
9 0 iGBRT Alg. 3, line 9
T: the forest plus α times the sum of the trees
refrank/estimators/igbrt.py
yield forest + scores
`;

export const COCR_LINES = `
cost 0 COCR Eq. 13
What it costs to predict grade k for a document of grade y
refrank/cocr/costs.py
return (2**grades - 2**predicted) ** 2

eq1 1 COCR Eq. 1
Question k: is the grade k or higher?
refrank/cocr/reduction.py, make_problems
answer = encode_answers(y, costs).astype(np.float64)

eq5 1 COCR Eq. 5
Its weight: the change of the cost from k − 1 to k
refrank/cocr/reduction.py, weights
return np.abs(np.diff(check_costs(costs), axis=1))

alg1 1 COCR Alg. 1
Train h on the weighted answers, here by iGBRT’s Algorithm 2
refrank/cocr/reduction.py, cocr
return learn(problem.answer, to_mean_one(problem.weight, row_weight), problem.k)
${boostedLines(["3r", "3h", "3c", "3v", "5"], "iGBRT Alg. 2, line 3", "iGBRT Alg. 2, line 5", 2)}
8 2 iGBRT Alg. 2, line 8
h: α times the sum of the trees
refrank/estimators/igbrt.py
return self.model_.staged_scores(X, engine, every, rounds)

eq6 0 COCR Eq. 6
Soft rank: the sum of the answers, by which documents rank
refrank/cocr/rankers.py, soft_rank
total += table[:, k]

eq2 0 COCR Eq. 2
Hard rank: how many answers are one half or more
refrank/cocr/rankers.py, hard_rank
return np.count_nonzero(np.asarray(answers) >= 0.5, axis=1).astype(np.int64)
`;
