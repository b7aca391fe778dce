// The records of a trace: the stages of a training as arrays with their shapes (yardstick/traces/stages.py).
import { ldexp } from "./numbers.js";
import { weightOf } from "./splitting.js";

const SPECIAL = (value) => (Number.isFinite(value) ? value : Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf");
const list = (values) => ({ shape: [values.length], values: values.map(SPECIAL) });
const table = (rows, width) => ({ shape: [rows.length, width], values: rows.flat().map(SPECIAL) });
const single = (value) => ({ shape: [], values: [SPECIAL(value)] });

/** A writer of records: `put(stage, at, fields)`, and `see(at)`, which takes the stages of a tree at a place. */
export function makeWriter() {
  const records = [], put = (stage, at, fields) => records.push({ stage, at: { ...at }, fields });
  const see = (at) => (stage, parts) => {
    for (const [name, fields] of Object.entries(WRITERS[stage](parts))) put(name, at, fields);
  };
  return { records, put, see };
}

/** The queries numbered from 0 in the order in which they come. */
function numberQueries(qid) {
  const queries = [...new Set(qid)];
  return qid.map((query) => queries.indexOf(query));
}

export const writeData = ({ X, y, qid, weight }) => ({
  X: table(X, X[0].length), y: list(y), qid: list(numberQueries(qid ?? y.map(() => 0))),
  ...(weight ? { weight: list(weight) } : {}),
});

export const writeBins = ({ codes, cuts }) => ({
  cuts: list(cuts.flat()),
  offsets: list(cuts.reduce((offsets, own) => [...offsets, offsets[offsets.length - 1] + own.length + 1], [0])),
  codes: table(codes[0].map((_, i) => codes.map((code) => code[i])), codes.length),
});

const WRITERS = {
  proba: ({ proba }) => ({ proba: { values: list(proba) } }),
  residual: ({ residual }) => ({ residual: { values: list(residual) } }),
  grid: ({ integers, exponent }) => ({ grid: { integers: list(integers), exponent: single(exponent) } }),
  growth: writeGrowth,
  leaf_sums: ({ leaves, numerators, denominators }) => ({
    leaf_sums: { nodes: listNumbers(leaves), numerator: list(numerators), denominator: list(denominators) },
  }),
  step: ({ values, steps, scores }) => ({
    leaf_values: { values: list(values) }, step: { values: list(steps) }, scores: { values: list(scores) },
  }),
};

const listNumbers = (nodes) => list(nodes.map(({ number }) => number));
const listCut = (cut) =>
  (cut ? [cut.feature, cut.bin, cut.left[0], cut.left[1], weightOf(cut.left)] : [-1, -1, 0, 0, 0]);

/** The nodes of a tree that were searched, their best cuts, and the nodes that were cut. */
function writeGrowth({ searched, cutNodes, leaves, shift }) {
  const nodes = listNumbers(searched.map(({ node }) => node));
  const sums = searched.map(({ histograms }) => histograms.flat());
  const tied = searched.flatMap(({ node, contest }) => contest.tied.map((run) => [node.number, ...run]));
  return {
    histogram: { nodes, sums: { shape: [sums.length, sums[0].length, sums[0][0].length], values: sums.flat(2) } },
    cut: {
      nodes, cut: table(searched.map(({ best }) => listCut(best)), 5),
      split_gain: list(searched.map(({ best }) => best?.gain ?? 0)),
      reduction: list(searched.map(({ best }) => (best ? ldexp(best.gain, shift) : 0))),
      tied: table(tied, 4), runner_up: table(searched.map(({ contest }) => contest.runnerUp), 2),
      gap: list(searched.map(({ contest }) => contest.gap)),
    },
    partition: {
      nodes: listNumbers(cutNodes), cut: list(cutNodes.map(({ threshold }) => threshold)),
      n_left: list(cutNodes.map((node) => node.cut.left[1])), rows: list(leaves.flatMap((leaf) => leaf.rows)),
    },
  };
}

/** A whole tree. */
export function writeTree(nodes) {
  const of = (read) => list(nodes.map(read));
  return {
    feature: of((node) => (node.cut ? node.cut.feature : -1)), bin: of((node) => (node.cut ? node.cut.bin : 0)),
    cut: of((node) => (node.cut ? node.threshold : 0)),
    left: of((node) => node.left ?? 0), right: of((node) => node.right ?? 0),
    split_gain: of((node) => node.gain), n_node_samples: of((node) => node.sums[1]), value: of((node) => node.value),
  };
}

export const writeList = list;
export const writeSingle = single;
