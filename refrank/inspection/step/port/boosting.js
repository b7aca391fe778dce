// The leaves of a tree in a booster: what they add to the scores of their rows, told stage by stage; and new rows.

/** Add `step` of each leaf to the scores of its rows, in place; `scores` of a class are a column of F. */
export function addToLeaves(scores, leaves, steps) {
  for (const [j, leaf] of leaves.entries()) for (const i of leaf.rows) scores[i] += steps[j];
}

/** Tell the sums of leaves whose values are means. */
export const tellLeafSums = (leaves, see) =>
  see?.("leaf_sums", {
    leaves,
    numerators: leaves.map((leaf) => leaf.residualSum),
    denominators: leaves.map((leaf) => leaf.weightSum),
  });

/** The value of the leaf that x falls into: left where x < cut. */
export function evaluateTree(nodes, x) {
  let node = nodes[0];
  while (node.cut) node = nodes[x[node.cut.feature] < node.threshold ? node.left : node.right];
  return node.value;
}
