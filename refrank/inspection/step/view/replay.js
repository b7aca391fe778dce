// The bins of a document, and the cuts of a tree in the order in which they were made.
import { keyOf, readTable, readValues } from "./records.js";

/** The slots of feature f among all bins, and its cuts. */
export const slotsOf = (bins, f) => [bins.offsets[f], bins.offsets[f + 1]];
export const cutsOf = (bins, f) => bins.cuts.slice(bins.offsets[f] - f, bins.offsets[f + 1] - f - 1);

export function readBins(index, output) {
  const record = index.get(keyOf("bins", { output })) ?? index.get(keyOf("bins"));
  if (!record) return null;
  return {
    cuts: readValues(record, "cuts"),
    offsets: readValues(record, "offsets"),
    codes: readTable(record, "codes"),
  };
}

const startNode = (number, rows, depth, madeBy) => ({ number, rows, depth, madeBy, cutBy: null });

/** The cuts of the nodes as they were made, the i-th of which gives nodes 2i + 1 and 2i + 2. */
export function replayCuts(partition, rows, cuts) {
  const nodes = [startNode(0, rows, 0, -1)];
  const [cutNodes, thresholds, nLeft] = ["nodes", "cut", "n_left"].map((name) => readValues(partition, name) ?? []);
  for (const [i, number] of cutNodes.entries()) {
    const node = nodes[number],
      left = node.rows.slice(0, nLeft[i]),
      right = node.rows.slice(nLeft[i]);
    Object.assign(node, { cutBy: i, threshold: thresholds[i], left: nodes.length, right: nodes.length + 1 });
    node.feature = cuts.get(number)?.feature;
    nodes.push(startNode(nodes.length, left, node.depth + 1, i), startNode(nodes.length + 1, right, node.depth + 1, i));
  }
  return { nodes, cutNodes };
}

export function readCuts(record) {
  const [rows, gains, second, tied] = [
    readTable(record, "cut"),
    readValues(record, "split_gain"),
    readTable(record, "runner_up"),
    readTable(record, "tied"),
  ];
  return new Map(
    (readValues(record, "nodes") ?? []).map((number, i) => [
      number,
      {
        feature: rows[i][0],
        bin: rows[i][1],
        sum: rows[i][2],
        count: rows[i][3],
        gain: gains[i],
        runnerUp: second && second[i][0] >= 0 ? { feature: second[i][0], bin: second[i][1] } : null,
        tied: (tied ?? [])
          .filter((run) => run[0] === number)
          .map(([, feature, first, last]) => ({ feature, first, last })),
      },
    ]),
  );
}
