// Growing a tree on a residual (refrank/trees/growth), and the sums of other quantities over its leaves.
import { childKey, featureSubset } from "./draws.js";
import { addUp, ldexp, quotient, toGrid, weigh } from "./numbers.js";
import { bestSplit, compareCuts, histogram, weightOf } from "./splitting.js";

const makeNode = (nodes, rows, depth, sums) => nodes[nodes.push({ number: nodes.length, rows, depth, sums, cut: null }) - 1];

/** Cut a node: its children are the next two, left before right. */
function cutNode(nodes, node, cut, binned) {
  const goesLeft = (i) => binned.codes[cut.feature][i] <= cut.bin;
  const left = makeNode(nodes, node.rows.filter(goesLeft), node.depth + 1, cut.left);
  const right = makeNode(nodes, node.rows.filter((i) => !goesLeft(i)), node.depth + 1, cut.right);
  Object.assign(node, { cut, left: left.number, right: right.number, threshold: binned.cuts[cut.feature][cut.bin] });
  return [left, right];
}

/** Sums of a node in units of its grids: [residuals, rows], or [residuals, rows, weights]. */
const sumRows = (rows, integers, weights) => {
  const over = (values) => addUp(rows.map((i) => values[i]));
  return weights ? [over(integers), rows.length, over(weights)] : [over(integers), rows.length];
};

/** Scale sums and gains back from the grids; the value of a leaf is its mean. */
function finish(nodes, exponent, weightExponent) {
  for (const node of nodes) {
    node.residualSum = ldexp(node.sums[0], -exponent);
    node.weightSum = ldexp(weightOf(node.sums), -weightExponent);
    node.gain = node.cut ? ldexp(node.cut.gain, weightExponent - 2 * exponent) : 0;
    node.value = node.cut ? 0 : quotient(node.residualSum, node.weightSum);
  }
  return nodes;
}

/** Grow best first to nLeaves (McRank Alg. 1, line 5), or node after node without it; tell `see` each stage. */
export function growTree(binned, residual, { weight = null, nLeaves = null, maxDepth = null, minSamplesLeaf = 1 }, see) {
  const weighed = weigh(residual, weight), grid = toGrid(weighed), weightGrid = weight && toGrid(weight);
  const weights = weightGrid?.integers ?? null, all = residual.map((_, i) => i), nodes = [], searched = [], cutNodes = [];
  see?.("residual", { residual: weighed });
  see?.("grid", grid);
  const waiting = new Map();
  let children = [makeNode(nodes, all, 0, sumRows(all, grid.integers, weights))];
  for (let leaves = 1; leaves !== nLeaves; leaves++) {
    if (children[0].depth !== maxDepth) {
      for (const node of [...children].reverse()) { // the left one waits last
        const histograms = binned.codes.map((code, f) => histogram(code, binned.cuts[f].length + 1, node.rows, grid.integers, weights));
        const best = bestSplit(histograms, minSamplesLeaf);
        if (see) searched.push({ node, histograms, best, contest: compareCuts(histograms, minSamplesLeaf) });
        if (best) waiting.set(node.number, best);
      }
    }
    if (waiting.size === 0) break;
    const number = chooseNode(waiting, nLeaves), cut = waiting.get(number);
    waiting.delete(number);
    cutNodes.push(nodes[number]);
    children = cutNode(nodes, nodes[number], cut, binned);
  }
  const weightExponent = weightGrid ? weightGrid.exponent : 0;
  see?.("growth", { searched: searched.sort((a, b) => a.node.number - b.node.number), cutNodes, leaves: leavesOf(nodes), shift: weightExponent - 2 * grid.exponent });
  return finish(nodes, grid.exponent, weightExponent);
}

/** The node whose cut gains most, ties to the one made first; without a limit on leaves, the one that waits last. */
function chooseNode(waiting, nLeaves) {
  const numbers = [...waiting.keys()];
  if (nLeaves === null) return numbers[numbers.length - 1];
  return numbers.reduce((best, number) => {
    const more = waiting.get(number).gain - waiting.get(best).gain;
    return more > 0 || (more === 0 && number < best) ? number : best;
  });
}

/** Grow a forest's tree: row i counts counts[i] times, each node chooses among features drawn by its key. */
export function growDeep(binned, residual, counts, { key, nCandidates, weight = null, maxDepth = null, minSamplesLeaf = 1 }) {
  const grid = toGrid(weigh(residual, weight)), weightGrid = weight && toGrid(weight), weights = weightGrid?.integers ?? null;
  const integers = grid.integers.map((value, i) => value * counts[i]), drawn = weights && weights.map((value, i) => value * counts[i]);
  const sumsOf = (rows) => [addUp(rows.map((i) => integers[i])), addUp(rows.map((i) => counts[i])), ...(weights ? [addUp(rows.map((i) => drawn[i]))] : [])];
  const inside = counts.flatMap((count, i) => (count ? [i] : [])), nodes = [];
  const stack = [[makeNode(nodes, inside, 0, sumsOf(inside)), key]];
  while (stack.length) {
    const [node, own] = stack.pop();
    if (node.depth === maxDepth) continue;
    const features = featureSubset(own, nCandidates, binned.cuts.length);
    const cut = bestSplit(features.map((f) => {
      const bins = Array.from({ length: binned.cuts[f].length + 1 }, () => sumsOf([]));
      for (const i of node.rows) [integers[i], counts[i], ...(weights ? [drawn[i]] : [])].forEach((value, j) => (bins[binned.codes[f][i]][j] += value));
      return bins;
    }), minSamplesLeaf);
    if (!cut) continue;
    const [left, right] = cutNode(nodes, node, { ...cut, feature: features[cut.feature] }, binned);
    stack.push([right, childKey(own, 1)], [left, childKey(own, 0)]);
  }
  return finish(nodes, grid.exponent, weightGrid ? weightGrid.exponent : 0);
}

/** The leaves of a tree from left to right. */
export const leavesOf = (nodes, node = nodes[0]) =>
  node.cut ? [...leavesOf(nodes, nodes[node.left]), ...leavesOf(nodes, nodes[node.right])] : [node];

/** Sum of a quantity over the rows of each leaf, on a grid of its own. */
export function sumOverLeaves(leaves, values) {
  const { integers, exponent } = toGrid(values);
  return leaves.map((leaf) => ldexp(addUp(leaf.rows.map((i) => integers[i])), -exponent));
}
