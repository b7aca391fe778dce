// COCR: costs, the reduction to weighted binary problems, and ranks from their answers (refrank/cocr).
import { checkInteger } from "./checks.js";
import { addTrees, gbrt } from "./gbrt.js";
import { addExactly, exponentOf, ldexp } from "./numbers.js";

export const LARGEST_MAX_GRADE = 26; // (2^26 - 1)^2 is exact in float64

/** COCR Eq. 3, 4 and 13: the cost of the rank k where y is correct. */
export const COSTS = {
  absolute: (y, k) => Math.abs(y - k),
  squared: (y, k) => (y - k) * (y - k),
  oerr: (y, k) => (ldexp(1, y) - ldexp(1, k)) * (ldexp(1, y) - ldexp(1, k)),
};

/** The cost vectors of rows, with a column for each rank 0..K. */
export function tabulateCosts(y, maxGrade, cost) {
  checkInteger("max_grade", maxGrade, 1, LARGEST_MAX_GRADE);
  for (const [i, label] of y.entries()) checkInteger(`y at row ${i}`, label, 0, maxGrade);
  return y.map((label) => Array.from({ length: maxGrade + 1 }, (_, k) => cost(label, k)));
}

/** COCR Eq. 1: is the grade k or higher? Of rows of answers to k = 1..K. */
export const encodeAnswers = (y, maxGrade) =>
  y.map((label) => Array.from({ length: maxGrade }, (_, k) => (label >= k + 1 ? 1 : 0)));

/** COCR Eq. 5: |c[k] - c[k - 1]|. */
export const costWeights = (costs) => costs.map((row) => row.slice(1).map((cost, k) => Math.abs(cost - row[k])));

/** Weights of a problem on the scale of the rows, by default one on average; sums are exact. */
export function toMeanOne(weight, sampleWeight = null) {
  const scale = exponentOf(Math.max(...weight)), scaled = weight.map((value) => ldexp(value, -scale));
  const factor = (sampleWeight ? addExactly(sampleWeight) : weight.length) / addExactly(scaled);
  return scaled.map((value) => value * factor);
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

/** P(y = k) = h_k - h_(k+1), with h_0 = 1 and h_(K+1) = 0, of rows of answers. */
export const gradeProba = (answers) => answers.map((row) => [1, ...row].map((h, k) => h - (row[k] ?? 0)));

/** COCR Eq. 2: the hard rank, how many answers are yes. */
export const hardRank = (answers) => answers.map((row) => row.filter((h) => h >= 0.5).length);
