// DCG, NDCG and ERR of one query under a convention (refrank/metrics/cumulative_gain.py, reciprocal_rank.py).
import { checkInteger } from "./checks.js";
import { discount } from "./logarithms.js";
import { addExactly, addUp, ldexp } from "./numbers.js";
import { checkDocuments, evaluateQuery, groupTies, HIGHEST_LABEL, PAPER_SPEC, rankDocuments } from "./ordering.js";

/** The gain of a label in DCG: 2^y - 1, or as the convention has it. */
export function gainOf(label, spec = PAPER_SPEC) {
  if (spec.gain === "2^y-1") return ldexp(1, label) - 1;
  if (spec.gain === "y") return label;
  checkInteger("label", label, 0, spec.gain.length - 1); // where the table of gains ends
  return spec.gain[label];
}

/** The gain at each position; of averaged ties, the mean gain of the documents that share a score. */
function gatherGains(y, score, order, spec) {
  const gains = order.map((i) => gainOf(y[i], spec));
  return groupTies(score, order, spec).flatMap(([from, to]) => {
    const total = addUp(gains.slice(from, to));
    return Array(to - from).fill(total / (to - from));
  });
}

/** McRank Eq. 1: what each position adds to DCG, c_i (2^y - 1). */
export function dcgTerms(y, score, k = 10, spec = PAPER_SPEC, ids = null) {
  const order = rankDocuments(y, score, spec, ids), gains = gatherGains(y, score, order, spec).slice(0, k ?? y.length);
  return gains.map((gain, at) => gain * discount(at + 1, spec.discount));
}

const idealDcg = (y, k, spec) => addUp(dcgTerms(y, y, k, { ...spec, ties: "stable" }));

/** McRank Eq. 1; null where the convention leaves out a query without a relevant document. */
export function dcg(y, score, k = 10, spec = PAPER_SPEC, ids = null) {
  checkDocuments(y, score, k);
  const isRelevant = gainOf(Math.max(...y), spec) > 0;
  return evaluateQuery(y, k, spec, isRelevant, () => addUp(dcgTerms(y, score, k, spec, ids)));
}

/** McRank Eq. 3: DCG over the largest possible one. */
export function ndcg(y, score, k = 10, spec = PAPER_SPEC, ids = null) {
  checkDocuments(y, score, k);
  const ideal = idealDcg(y, k, spec), reach = () => addUp(dcgTerms(y, score, k, spec, ids)) / ideal;
  return evaluateQuery(y, k, spec, ideal > 0, ideal > 0 ? reach : () => spec.noRelevant);
}

/** Means, over all orders of tied documents, of the probability of passing the first j of them, j = 0..m. */
function averageExaminationProbability(stops) {
  const stopping = stops.filter((stop) => stop > 0), nPassed = stops.length - stopping.length;
  let average = Array.from({ length: stops.length + 1 }, (_, j) => (j <= nPassed ? 1 : 0));
  for (const [at, stop] of stopping.entries()) {
    const n = nPassed + at + 1;
    average = average.map((a, j) => (j < 1 || j > n ? a : ((n - j) * a + j * (1 - stop) * average[j - 1]) / n));
  }
  return average;
}

/** COCR Eq. 8: the reader stops at a document with probability R = (2^y - 1) / 2^K, or else reads on. */
export function err(y, score, k = null, maxGrade = 4, spec = PAPER_SPEC, ids = null) {
  checkDocuments(y, score, k);
  const highest = Math.max(...y), order = rankDocuments(y, score, spec, ids);
  checkInteger("max_grade", maxGrade, Math.max(1, highest), HIGHEST_LABEL);
  const stop = order.map((i) => ldexp(ldexp(1, y[i]) - 1, -maxGrade)), stopsHere = [];
  let examination = 1;
  for (const [from, to] of groupTies(score, order, spec)) {
    const own = stop.slice(from, to), average = to - from > 1 ? averageExaminationProbability(own) : null;
    const start = examination;
    for (const [j, probability] of own.entries()) {
      stopsHere.push(average ? start * (average[j] - average[j + 1]) : examination * probability);
      examination *= 1 - probability;
    }
  }
  const terms = stopsHere.slice(0, k ?? y.length).map((probability, at) => probability / (at + 1));
  return evaluateQuery(y, k, spec, highest > 0, () => addUp(terms));
}

/** McRank Eq. 3: the mean over the queries that count, those that are not null; their sum is exact. */
export function meanOfQueries(values) {
  const counted = values.filter((value) => value !== null);
  if (counted.length === 0) throw new RangeError("every query is skipped: there is no mean");
  return addExactly(counted) / counted.length;
}
