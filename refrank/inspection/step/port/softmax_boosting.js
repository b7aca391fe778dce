// McRank Algorithm 1: boosted trees for multiple classification (refrank/mcrank/softmax_boosting.py).
import { addToLeaves } from "./boosting.js";
import { growTree, leavesOf, sumOverLeaves } from "./growth.js";
import { quotient, softmax, weigh } from "./numbers.js";

const columnOf = (scores, k) => scores.map((row) => softmax(row)[k]);

/** McRank Alg. 1, line 0: y~_k - p_k. */
export const computeResidual = (y, k, proba) => y.map((label, i) => (label === k ? 1 : 0) - proba[i]);

/** McRank Alg. 1, line 6: beta of each leaf. */
export function computeLeafValues(leaves, residualSums, proba, nClasses, weight, see) {
  const curvature = proba.map((p) => (1 - p) * p);
  const denominators = sumOverLeaves(leaves, weigh(curvature, weight));
  see?.("leaf_sums", { leaves, numerators: residualSums, denominators });
  return residualSums.map((sum, j) => quotient(((nClasses - 1) / nClasses) * sum, denominators[j]));
}

/** Lines 5 to 7 for one class; raises its column of F, (n_samples,), in place. */
export function boostClass(binned, y, k, proba, classScores, settings, see) {
  const { nClasses, learningRate, weight = null } = settings;
  const residual = computeResidual(y, k, proba);
  const nodes = growTree(binned, residual, settings, see); // McRank Alg. 1, line 5
  const leaves = leavesOf(nodes);
  const values = computeLeafValues(leaves, leaves.map((leaf) => leaf.residualSum), proba, nClasses, weight, see);
  for (const [j, leaf] of leaves.entries()) leaf.value = values[j]; // McRank Alg. 1, line 6
  const steps = values.map((beta) => learningRate * beta);
  addToLeaves(classScores, leaves, steps); // McRank Alg. 1, line 7
  see?.("step", { values, steps, scores: classScores });
  return nodes;
}

/** Algorithm 1, one round at a time: { trees, scores }; scores[i] holds F of document i. */
export function* softmaxBoosting(binned, y, settings, see = () => null) {
  const { nClasses, nRounds, update = "sequential", start = null } = settings;
  const scores = start ? start.map((row) => [...row]) : y.map(() => Array(nClasses).fill(0)); // McRank Alg. 1, line 1
  for (let m = 1; m <= nRounds; m++) { // McRank Alg. 1, line 2
    const trees = [], before = update === "simultaneous" ? scores.map(softmax) : null;
    for (let k = 0; k < nClasses; k++) { // McRank Alg. 1, line 3
      const proba = before ? before.map((p) => p[k]) : columnOf(scores, k); // McRank Alg. 1, line 4
      const seeTree = see({ round: m, output: k }), column = scores.map((row) => row[k]);
      seeTree?.("proba", { proba });
      trees.push(boostClass(binned, y, k, proba, column, settings, seeTree));
      for (const [i, row] of scores.entries()) row[k] = column[i];
    }
    yield { trees, scores: scores.map((row) => [...row]) };
  }
}
