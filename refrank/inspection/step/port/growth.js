// Growing a tree on a residual (refrank/trees/growth), and sums of other quantities over its leaves.
import { addUp, ldexp, quotient, toGrid, weigh } from "./numbers.js";
import { bestSplit, compareCuts, histogram, weightOf } from "./splitting.js";

/** Add a node to those of a tree; sums are in units of the grids, [residuals, rows] or [residuals, rows, weights]. */
export function makeNode(nodes, rows, depth, sums) {
  const node = { number: nodes.length, rows, depth, sums, cut: null };
  nodes.push(node);
  return node;
}

/** Cut a node: its children are the next two, left before right. */
export function cutNode(nodes, node, cut, binned) {
  const goesLeft = (i) => binned.codes[cut.feature][i] <= cut.bin;
  const left = makeNode(nodes, node.rows.filter(goesLeft), node.depth + 1, cut.left);
  const right = makeNode(nodes, node.rows.filter((i) => !goesLeft(i)), node.depth + 1, cut.right);
  Object.assign(node, { cut, left: left.number, right: right.number, threshold: binned.cuts[cut.feature][cut.bin] });
  return [left, right];
}

/** Sums over rows of the columns of a histogram: residuals, counts of rows, and weights. */
export const sumRows = (rows, columns) => columns.map((values) => addUp(rows.map((i) => values[i])));

/** Scale sums and gains back from the grids; the value of a leaf is its mean. */
export function finishTree(nodes, exponent, weightExponent) {
  for (const node of nodes) {
    node.residualSum = ldexp(node.sums[0], -exponent);
    node.weightSum = ldexp(weightOf(node.sums), -weightExponent);
    node.gain = node.cut ? ldexp(node.cut.gain, weightExponent - 2 * exponent) : 0;
    node.value = node.cut ? 0 : quotient(node.residualSum, node.weightSum);
  }
  return nodes;
}

/** The residual and the weights of the rows on their grids; 1 for each row without weights. */
export function putOnGrids(residual, weight) {
  const weighed = weigh(residual, weight), grid = toGrid(weighed), weightGrid = weight && toGrid(weight);
  const counts = residual.map(() => 1), columns = [grid.integers, counts, ...(weight ? [weightGrid.integers] : [])];
  return { weighed, grid, columns, weightExponent: weight ? weightGrid.exponent : 0 };
}

/** Grow best first to nLeaves (McRank Alg. 1, line 5), or node after node without it; tell `see` each stage. */
export function growTree(binned, residual, limits, see) {
  const { weight = null, nLeaves = null, maxDepth = null, minSamplesLeaf = 1 } = limits;
  const { weighed, grid, columns, weightExponent } = putOnGrids(residual, weight);
  const all = residual.map((_, i) => i), nodes = [], searched = [], cutNodes = [];
  see?.("residual", { residual: weighed });
  see?.("grid", grid);
  const waiting = new Map();
  let children = [makeNode(nodes, all, 0, sumRows(all, columns))];
  for (let leaves = 1; leaves !== nLeaves; leaves++) {
    if (children[0].depth !== maxDepth) {
      for (const node of [...children].reverse()) { // the left one waits last
        const sumBins = (code, f) => histogram(code, binned.cuts[f].length + 1, node.rows, columns);
        const histograms = binned.codes.map(sumBins);
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
  searched.sort((a, b) => a.node.number - b.node.number);
  see?.("growth", { searched, cutNodes, leaves: leavesOf(nodes), shift: weightExponent - 2 * grid.exponent });
  return finishTree(nodes, grid.exponent, weightExponent);
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

/** The leaves of a tree from left to right. */
export const leavesOf = (nodes, node = nodes[0]) =>
  node.cut ? [...leavesOf(nodes, nodes[node.left]), ...leavesOf(nodes, nodes[node.right])] : [node];

/** Sum of a quantity over the rows of each leaf, on a grid of its own. */
export function sumOverLeaves(leaves, values) {
  const { integers, exponent } = toGrid(values);
  return leaves.map((leaf) => ldexp(addUp(leaf.rows.map((i) => integers[i])), -exponent));
}
