// iGBRT Algorithms 2 and 3: boosted regression trees, from 0 or from a forest (refrank/igbrt/gbrt.py, igbrt.py).
import { addToLeaves, evaluateTree, tellLeafSums } from "./boosting.js";
import { growTree, leavesOf } from "./growth.js";

/** Algorithm 2 from given residuals; a turn has the tree, and the residual after it. */
export function* gbrt(binned, target, settings, see = () => null) {
  const residual = [...target]; // iGBRT Alg. 2, line 1
  for (let m = 1; m <= settings.nRounds; m++) { // iGBRT Alg. 2, line 2
    const seeTree = see({ round: m, output: 0 });
    const nodes = growTree(binned, residual, settings, seeTree); // iGBRT Alg. 2, line 3
    const leaves = leavesOf(nodes), values = leaves.map((leaf) => leaf.value);
    tellLeafSums(leaves, seeTree);
    const steps = values.map((value) => -settings.learningRate * value);
    addToLeaves(residual, leaves, steps); // iGBRT Alg. 2, line 5
    seeTree?.("step", { values, steps, scores: residual });
    yield { nodes, residual: [...residual] };
  }
}

/** Algorithm 3 after its line 1, the forest: boost the residuals that the forest leaves. */
export const igbrt = (binned, target, forestScores, settings, see) =>
  gbrt(binned, target.map((y, i) => y - forestScores[i]), settings, see); // iGBRT Alg. 3, line 2

/** iGBRT Alg. 2, line 8: what boosted trees add to the scores of rows, from `start` on. */
export const addTrees = (trees, X, factor, start) =>
  X.map((x, i) => trees.reduce((sum, nodes) => sum + factor * evaluateTree(nodes, x), start[i]));
