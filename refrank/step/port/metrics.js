// DCG, NDCG and ERR of one query under a convention (refrank/metrics).
import { CONVENTIONS } from "./conventions.js";
import { discount } from "./logarithms.js";
import { ldexp } from "./numbers.js";

const [PAPER_SPEC] = CONVENTIONS;

/** The gain of a label in DCG. */
export function gainOf(label, spec = PAPER_SPEC) {
  if (Array.isArray(spec.gain)) return spec.gain[label];
  return spec.gain === "y" ? label : ldexp(1, label) - 1;
}

const SECOND_KEYS = {
  stable: () => () => 0,
  averaged: () => () => 0,
  worst: (y) => (i) => y[i],
  best: (y) => (i) => -y[i],
  "document id descending": (_, ids) => (i) => -(ids ? ids[i] : i),
};

/** Documents from the highest score down; the convention orders those of equal score. */
export function rankDocuments(y, score, spec = PAPER_SPEC, ids = null) {
  const second = SECOND_KEYS[spec.ties](y, ids);
  return y.map((_, i) => i).sort((a, b) => score[b] - score[a] || second(a) - second(b) || a - b);
}

/** The gain at each position; of averaged ties, the mean gain of the documents that share a score. */
function gatherGains(y, score, order, spec) {
  const gains = order.map((i) => gainOf(y[i], spec));
  if (spec.ties !== "averaged") return gains;
  const averaged = [];
  for (let from = 0; from < order.length;) {
    let to = from + 1;
    while (to < order.length && score[order[to]] === score[order[from]]) to += 1;
    const total = gains.slice(from, to).reduce((sum, gain) => sum + gain, 0);
    averaged.push(...Array(to - from).fill(total / (to - from)));
    from = to;
  }
  return averaged;
}

/** McRank Eq. 1: what each position adds to DCG. */
export function dcgTerms(y, score, k = 10, spec = PAPER_SPEC, ids = null) {
  const order = rankDocuments(y, score, spec, ids);
  return gatherGains(y, score, order, spec).slice(0, k ?? order.length).map((gain, at) => gain * discount(at + 1, spec.discount));
}

const isTooShort = (y, k, spec) => spec.short === "zero" && k !== null && y.length < k;

export const dcg = (y, score, k = 10, spec = PAPER_SPEC, ids = null) =>
  isTooShort(y, k, spec) ? 0 : dcgTerms(y, score, k, spec, ids).reduce((sum, term) => sum + term, 0);

/** McRank Eq. 3; null where the convention leaves out a query without a relevant document. */
export function ndcg(y, score, k = 10, spec = PAPER_SPEC, ids = null) {
  const stable = { ...spec, ties: "stable" }, ideal = dcgTerms(y, y, k, stable).reduce((sum, term) => sum + term, 0);
  if (!(ideal > 0) && spec.noRelevant === "skip") return null;
  if (isTooShort(y, k, spec)) return 0;
  return ideal > 0 ? dcg(y, score, k, spec, ids) / ideal : spec.noRelevant;
}

/** COCR Eq. 8: the reader stops at a document with probability (2^y - 1) / 2^K. */
export function err(y, score, k = null, maxGrade = 4, spec = PAPER_SPEC, ids = null) {
  let examination = 1, total = 0;
  for (const [at, i] of rankDocuments(y, score, spec, ids).slice(0, k ?? y.length).entries()) {
    const stop = ldexp(ldexp(1, y[i]) - 1, -maxGrade);
    total += (examination * stop) / (at + 1);
    examination *= 1 - stop;
  }
  return total;
}
