// COCR: costs, the reduction to weighted binary problems, and ranks from their answers (refrank/cocr).
import { addTrees, gbrt } from "./forest.js";
import { exponentOf, ldexp } from "./numbers.js";

/** COCR Eq. 3, 4 and 13: the cost of the rank k where y is correct. */
export const COSTS = {
  absolute: (y, k) => Math.abs(y - k),
  squared: (y, k) => (y - k) * (y - k),
  oerr: (y, k) => (ldexp(1, y) - ldexp(1, k)) * (ldexp(1, y) - ldexp(1, k)),
};

export const tabulateCosts = (y, maxGrade, cost) => y.map((label) => Array.from({ length: maxGrade + 1 }, (_, k) => cost(label, k)));

/** COCR Eq. 1: is the grade k or higher? Of rows of answers to k = 1..K. */
export const encodeAnswers = (y, maxGrade) => y.map((label) => Array.from({ length: maxGrade }, (_, k) => (label >= k + 1 ? 1 : 0)));

/** COCR Eq. 5: |c[k] - c[k - 1]|. */
export const costWeights = (costs) => costs.map((row) => row.slice(1).map((cost, k) => Math.abs(cost - row[k])));

/** Weights on the scale of the rows: one on average; their sum is exact. */
export function toMeanOne(weight) {
  const scale = exponentOf(Math.max(...weight)), scaled = weight.map((value) => ldexp(value, -scale));
  const total = addExactly(scaled);
  return scaled.map((value) => value * (weight.length / total));
}

/** A sum of non-negative floats that is rounded once: in whole multiples of 2^-1074. */
export function addExactly(values) {
  const total = values.reduce((sum, value) => sum + toWhole(value), 0n);
  if (total === 0n) return 0;
  const shift = BigInt(Math.max(0, total.toString(2).length - 64)), rest = total & ((1n << shift) - 1n);
  const top = (total >> shift) | (rest ? 1n : 0n); // the last bit is sticky; Number() rounds to nearest, ties to even
  return ldexp(Number(top), Number(shift) - 1074);
}

function toWhole(value) {
  if (value === 0) return 0n;
  const e = Math.max(exponentOf(value) - 53, -1074);
  return BigInt(ldexp(value, -e)) << BigInt(e + 1074);
}

/** Algorithm 1 over GBRT: the answers h_k of the rows to each question, k = 1..K. */
export function* cocr(binned, { X, y }, maxGrade, settings, see) {
  const weights = costWeights(tabulateCosts(y, maxGrade, COSTS[settings.cost])), asked = encodeAnswers(y, maxGrade);
  for (let k = 0; k < maxGrade; k++) {
    const answer = asked.map((row) => row[k]), weight = toMeanOne(weights.map((row) => row[k]));
    if (answer.every((value) => value === answer[0])) { // nothing to learn: the answer is a constant
      yield [...answer];
      continue;
    }
    const own = { ...settings, weight: weight.every((value) => value === 1) ? null : weight };
    const trees = [...gbrt(binned, answer, own, (at) => see({ ...at, output: k }))].map(({ nodes }) => nodes);
    yield addTrees(trees, X, settings.learningRate, y.map(() => 0));
  }
}

/** COCR Eq. 6: the soft rank, the sum of the answers. */
export const softRank = (answers) => answers.map((row) => row.reduce((sum, h) => sum + h, 0));

/** COCR Eq. 2: the hard rank, how many answers are yes. */
export const hardRank = (answers) => answers.map((row) => row.filter((h) => h >= 0.5).length);
