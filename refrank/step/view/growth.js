// A tree from its records: the nodes in the order in which they are made, each with its rows, histogram and best cut.
import { ldexp, toGrid } from "../port/numbers.js";
import { keyOf, readTable, readValues } from "./records.js";

/** The slots of feature f among all bins, and its cuts. */
export const slotsOf = (bins, f) => [bins.offsets[f], bins.offsets[f + 1]];
export const cutsOf = (bins, f) => bins.cuts.slice(bins.offsets[f] - f, bins.offsets[f + 1] - f - 1);

export function readBins(index, output) {
  const record = index.get(keyOf("bins")) ?? index.get(keyOf("bins", { output }));
  if (!record) return null;
  return { cuts: readValues(record, "cuts"), offsets: readValues(record, "offsets"), codes: readTable(record, "codes") };
}

const startNode = (number, rows, depth, madeBy) => ({ number, rows, depth, madeBy, cutBy: null });

/** The cuts of the nodes as they were made, the i-th of which gives nodes 2i + 1 and 2i + 2. */
function replayCuts(partition, rows, cuts) {
  const nodes = [startNode(0, rows, 0, -1)];
  const [cutNodes, thresholds, nLeft] = ["nodes", "cut", "n_left"].map((name) => readValues(partition, name) ?? []);
  for (const [i, number] of cutNodes.entries()) {
    const node = nodes[number], left = node.rows.slice(0, nLeft[i]), right = node.rows.slice(nLeft[i]);
    Object.assign(node, { cutBy: i, threshold: thresholds[i], left: nodes.length, right: nodes.length + 1 });
    node.feature = cuts.get(number)?.feature;
    nodes.push(startNode(nodes.length, left, node.depth + 1, i), startNode(nodes.length + 1, right, node.depth + 1, i));
  }
  return { nodes, cutNodes };
}

function readCuts(record) {
  const [rows, gains, second, tied] = [
    readTable(record, "cut"), readValues(record, "split_gain"), readTable(record, "runner_up"), readTable(record, "tied"),
  ];
  return new Map((readValues(record, "nodes") ?? []).map((number, i) => [number, {
    feature: rows[i][0], bin: rows[i][1], sum: rows[i][2], count: rows[i][3], gain: gains[i],
    runnerUp: second && second[i][0] >= 0 ? { feature: second[i][0], bin: second[i][1] } : null,
    tied: (tied ?? []).filter((run) => run[0] === number).map(([, feature, first, last]) => ({ feature, first, last })),
  }]));
}

/** The tree that was grown at a place; null if its records are not all there. */
export function readGrowth(index, at, bins, weight, minSamplesLeaf) {
  const of = (stage) => index.get(keyOf(stage, at));
  const [grid, histogram, cut, partition, sums, leaf] =
    ["grid", "histogram", "cut", "partition", "leaf_sums", "leaf_values"].map(of);
  if (!grid || !cut || !partition || !bins) return null;
  const exponent = readValues(grid, "exponent")[0], weightExponent = weight ? toGrid(weight).exponent : 0;
  const cuts = readCuts(cut), { nodes, cutNodes } = replayCuts(partition, readValues(partition, "rows"), cuts);
  const histograms = histogram && readTable(histogram, "sums"), width = histogram?.fields.sums?.shape[2];
  for (const [i, number] of (readValues(histogram ?? cut, "nodes") ?? []).entries()) {
    if (!nodes[number]) continue;
    const flat = histograms?.[i];
    nodes[number].best = cuts.get(number)?.feature >= 0 ? cuts.get(number) : null;
    nodes[number].slots = flat && Array.from({ length: flat.length / width }, (_, s) => flat.slice(s * width, (s + 1) * width));
  }
  for (const [j, number] of (readValues(sums, "nodes") ?? []).entries())
    Object.assign(nodes[number], {
      numerator: readValues(sums, "numerator")[j], denominator: readValues(sums, "denominator")[j],
      value: readValues(leaf)?.[j], leaf: j,
    });
  const [from, to] = slotsOf(bins, 0);
  nodes[0].sum = (nodes[0].slots ?? []).slice(from, to).reduce((total, [sum]) => total + sum, 0);
  for (const number of cutNodes) {
    const { sum, left, right } = nodes[number], own = cuts.get(number).sum;
    [nodes[left].sum, nodes[right].sum] = [own, sum - own];
  }
  return { nodes, cutNodes, bins, minSamplesLeaf,
    toUnits: (gain) => ldexp(gain, weightExponent - 2 * exponent), sumUnits: (q) => ldexp(q, -exponent), weightUnits: (q) => ldexp(q, -weightExponent) };
}

/** A whole tree as a forest's record holds it, with the rows that reach each node. */
export function readTree(record, X) {
  const of = Object.fromEntries(Object.keys(record.fields).map((name) => [name, readValues(record, name)]));
  const nodes = of.feature.map((feature, number) => ({ number, rows: [], depth: 0, madeBy: -1, cutBy: null, feature,
    threshold: of.cut[number], left: of.left[number], right: of.right[number], gain: of.split_gain[number],
    value: of.value[number], drawn: of.n_node_samples[number] }));
  for (const node of nodes) if (node.feature >= 0) {
    node.cutBy = 0;
    nodes[node.left].depth = nodes[node.right].depth = node.depth + 1;
  }
  for (const [i, row] of X.entries())
    for (let node = nodes[0]; node; node = node.feature < 0 ? null : nodes[row[node.feature] < node.threshold ? node.left : node.right])
      node.rows.push(i);
  return { nodes, cutNodes: [], toUnits: (gain) => gain, whole: true };
}
