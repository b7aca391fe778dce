// McRank Algorithm 2: least-squares boosting (refrank/mcrank/ls_boosting.py).
import { addToLeaves, tellLeafSums } from "./boosting.js";
import { growTree, leavesOf } from "./growth.js";
import { exactMean } from "./numbers.js";

/** Algorithm 2, one round at a time; the first turn, without a tree, tells the start. */
export function* lsBoosting(binned, target, settings, see = () => null) {
  const { nRounds, learningRate, weight = null, start = null } = settings;
  const initial = exactMean(target, weight); // McRank Alg. 2, line 1
  const scores = start ? [...start] : target.map(() => initial);
  yield { initial, scores: [...scores] };
  for (let m = 1; m <= nRounds; m++) { // McRank Alg. 2, line 2
    const seeTree = see({ round: m, output: 0 });
    const nodes = growTree(binned, target.map((t, i) => t - scores[i]), settings, seeTree); // McRank Alg. 2, line 3
    const leaves = leavesOf(nodes), values = leaves.map((leaf) => leaf.value); // McRank Alg. 2, line 4
    tellLeafSums(leaves, seeTree);
    const steps = values.map((value) => learningRate * value);
    addToLeaves(scores, leaves, steps); // McRank Alg. 2, line 5
    seeTree?.("step", { values, steps, scores });
    yield { nodes, scores: [...scores] };
  }
}
