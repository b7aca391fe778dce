// A tree from its records: the nodes in the order in which they are made, each with its rows, histogram and best cut.
import { exponentOf, ldexp } from "../port/numbers.js";
import { keyOf, readTable, readValues } from "./records.js";
import { readCuts, replayCuts, slotsOf } from "./replay.js";

/** The exponent of the grid of the weights, from a gain in both units; 0 where all weights are 1. */
function findWeightExponent(cut, exponent) {
  const [gains, reductions] = ["split_gain", "reduction"].map((name) => readValues(cut, name)),
    at = gains.findIndex((gain) => gain > 0);
  return at < 0 ? 0 : exponentOf(reductions[at]) - exponentOf(gains[at]) + 2 * exponent;
}

/** The tree that was grown at a place; null if its records are not all there. */
export function readGrowth(index, at, bins, minSamplesLeaf) {
  const of = (stage) => index.get(keyOf(stage, at));
  const [grid, histogram, cut, partition, sums, leaf] = [
    "grid",
    "histogram",
    "cut",
    "partition",
    "leaf_sums",
    "leaf_values",
  ].map(of);
  if (!grid || !cut || !partition || !bins) return null;
  const exponent = readValues(grid, "exponent")[0],
    weightExponent = findWeightExponent(cut, exponent);
  const cuts = readCuts(cut),
    { nodes, cutNodes } = replayCuts(partition, readValues(partition, "rows"), cuts);
  const histograms = histogram && readTable(histogram, "sums"),
    width = histogram?.fields.sums?.shape[2];
  for (const [i, number] of (readValues(histogram ?? cut, "nodes") ?? []).entries()) {
    if (!nodes[number]) continue;
    const flat = histograms?.[i];
    nodes[number].best = cuts.get(number)?.feature >= 0 ? cuts.get(number) : null;
    nodes[number].slots =
      flat && Array.from({ length: flat.length / width }, (_, s) => flat.slice(s * width, (s + 1) * width));
  }
  for (const [j, number] of (readValues(sums, "nodes") ?? []).entries())
    Object.assign(nodes[number], {
      numerator: readValues(sums, "numerator")[j],
      denominator: readValues(sums, "denominator")[j],
      value: readValues(leaf)?.[j],
      leaf: j,
    });
  const [from, to] = slotsOf(bins, 0);
  nodes[0].sum = (nodes[0].slots ?? []).slice(from, to).reduce((total, [sum]) => total + sum, 0);
  for (const number of cutNodes) {
    const { sum, left, right } = nodes[number],
      own = cuts.get(number).sum;
    [nodes[left].sum, nodes[right].sum] = [own, sum - own];
  }
  return {
    nodes,
    cutNodes,
    bins,
    minSamplesLeaf,
    toUnits: (gain) => ldexp(gain, weightExponent - 2 * exponent),
    sumUnits: (q) => ldexp(q, -exponent),
    weightUnits: (q) => ldexp(q, -weightExponent),
  };
}

/** A whole tree as a forest's record holds it, with the rows that reach each node. */
export function readTree(record, X) {
  const of = Object.fromEntries(Object.keys(record.fields).map((name) => [name, readValues(record, name)]));
  const nodes = of.feature.map((feature, number) => ({
    number,
    rows: [],
    depth: 0,
    madeBy: -1,
    cutBy: null,
    feature,
    threshold: of.cut[number],
    left: of.left[number],
    right: of.right[number],
    gain: of.split_gain[number],
    value: of.value[number],
    drawn: of.n_node_samples[number],
  }));
  for (const node of nodes)
    if (node.feature >= 0) {
      node.cutBy = 0;
      nodes[node.left].depth = nodes[node.right].depth = node.depth + 1;
    }
  for (const [i, row] of X.entries())
    for (
      let node = nodes[0];
      node;
      node = node.feature < 0 ? null : nodes[row[node.feature] < node.threshold ? node.left : node.right]
    )
      node.rows.push(i);
  return { nodes, cutNodes: [], toUnits: (gain) => gain, whole: true };
}
