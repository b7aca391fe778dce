// iGBRT Algorithms 1 to 3: random forests, GBRT, and boosting that starts from a forest (refrank/igbrt).
import { addToLeaves, evaluateTree } from "./boosting.js";
import { bootstrapCounts, featuresKey } from "./draws.js";
import { growDeep, growTree, leavesOf } from "./growth.js";

/** Algorithm 1, one tree at a time; nCandidates is the paper's K. */
export function* randomForest(binned, target, { nTrees, nCandidates, seed, weight = null, first = 0 }) {
  for (let t = first; t < nTrees; t++) { // iGBRT Alg. 1, line 1
    const counts = bootstrapCounts(seed, t, target.length); // iGBRT Alg. 1, line 2
    yield { t, counts, nodes: growDeep(binned, target, counts, { key: featuresKey(seed, t), nCandidates, weight }) }; // iGBRT Alg. 1, line 3
  }
}

/** iGBRT Alg. 1, line 5: the mean over the trees. */
export const averageTrees = (trees, X) => X.map((x) => trees.reduce((sum, nodes) => sum + evaluateTree(nodes, x), 0) / trees.length);

/** Algorithm 2 from given residuals; a turn has the tree, and the residual after it. */
export function* gbrt(binned, target, settings, see = () => null) {
  const residual = [...target]; // iGBRT Alg. 2, line 1
  for (let m = 1; m <= settings.nRounds; m++) { // iGBRT Alg. 2, line 2
    const seeTree = see({ round: m, output: 0 }), nodes = growTree(binned, residual, settings, seeTree); // iGBRT Alg. 2, line 3
    const leaves = leavesOf(nodes), values = leaves.map((leaf) => leaf.value);
    seeTree?.("leaf_sums", { leaves, numerators: leaves.map((leaf) => leaf.residualSum), denominators: leaves.map((leaf) => leaf.weightSum) });
    const steps = values.map((value) => -settings.learningRate * value);
    addToLeaves(residual, leaves, steps); // iGBRT Alg. 2, line 5
    seeTree?.("step", { values, steps, scores: residual });
    yield { nodes, residual: [...residual] };
  }
}

/** iGBRT Alg. 2, line 8: what boosted trees add to the scores of rows, from `start` on. */
export const addTrees = (trees, X, factor, start) =>
  X.map((x, i) => trees.reduce((sum, nodes) => sum + factor * evaluateTree(nodes, x), start[i]));
