// iGBRT Algorithm 1: random forests (refrank/igbrt/random_forest.py).
import { evaluateTree } from "./boosting.js";
import { bootstrapCounts, FEATURES, treeKey } from "./draws.js";
import { growForestTree } from "./forest_growth.js";

/** Algorithm 1, one tree at a time; nCandidates is the paper's K. */
export function* randomForest(binned, target, settings) {
  const { nTrees, seed, weight = null, nCandidates, minSamplesLeaf } = settings;
  for (let t = 0; t < nTrees; t++) { // iGBRT Alg. 1, line 1
    const counts = bootstrapCounts(seed, t, target.length); // iGBRT Alg. 1, line 2
    const key = treeKey(seed, t, FEATURES);
    const limits = { key, nCandidates, minSamplesLeaf };
    const nodes = growForestTree(binned, target, weight, counts, limits); // iGBRT Alg. 1, line 3
    yield { t, counts, nodes };
  }
}

/** iGBRT Alg. 1, line 5: the mean over the trees. */
export const averageTrees = (trees, X) =>
  X.map((x) => trees.reduce((sum, nodes) => sum + evaluateTree(nodes, x), 0) / trees.length);

/** Each training row by the trees that did not draw it; NaN where every tree drew it. */
export function predictOutOfBag(trees, X, seed) {
  const counts = trees.map((_, t) => bootstrapCounts(seed, t, X.length));
  return X.map((x, i) => averageTrees(trees.filter((_, t) => counts[t][i] === 0), [x])[0]);
}
