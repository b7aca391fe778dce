// The tree of a random forest: each node chooses among features drawn for it (refrank/trees/growth/forest_growth.py).
import { childKey, featureSubset } from "./draws.js";
import { cutNode, finishTree, makeNode, putOnGrids, sumRows } from "./growth.js";
import { bestSplit, histogram } from "./splitting.js";

/** iGBRT Alg. 1, line 3: a whole tree; row i counts as counts[i] rows, the features of a node are drawn by its key. */
export function growForestTree(binned, residual, weight, counts, limits) {
  const { key, nCandidates, maxDepth = null, minSamplesLeaf = 1 } = limits;
  const { grid, columns, weightExponent } = putOnGrids(residual, weight);
  const drawn = columns.map((values) => values.map((value, i) => value * counts[i]));
  const inside = counts.flatMap((count, i) => (count > 0 ? [i] : [])), nodes = [];
  const stack = [[makeNode(nodes, inside, 0, sumRows(inside, drawn)), key]];
  while (stack.length > 0) {
    const [node, own] = stack.pop();
    if (node.depth === maxDepth) continue;
    const features = featureSubset(own, nCandidates, binned.cuts.length);
    const sums = features.map((f) => histogram(binned.codes[f], binned.cuts[f].length + 1, node.rows, drawn));
    const cut = bestSplit(sums, minSamplesLeaf);
    if (cut === null) continue;
    const [left, right] = cutNode(nodes, node, { ...cut, feature: features[cut.feature] }, binned);
    stack.push([right, childKey(own, 1)], [left, childKey(own, 0)]);
  }
  return finishTree(nodes, grid.exponent, weightExponent);
}
