// McRank Section 4: multiple ordinal classification (refrank/mcrank/ordinal_boosting.py).
import { softmax } from "./numbers.js";
import { boostClass, softmaxBoosting } from "./softmax_boosting.js";

/** Pr(y <= k) of each k whose problem has an empty group, null for the others. */
export function findOneSidedConstants(y, nClasses) {
  const lowest = Math.min(...y), highest = Math.max(...y);
  return Array.from({ length: nClasses - 1 }, (_, k) => (lowest > k ? 0 : highest <= k ? 1 : null));
}

/** One tree a round where p is computed once: the tree of the second class mirrors it, F_1 = -F_0. */
function* binaryMirrored(binned, labels, settings, see) {
  const scores = settings.start ? settings.start.map((row) => [...row]) : labels.map(() => [0, 0]);
  for (let m = 1; m <= settings.nRounds; m++) {
    const proba = scores.map((row) => softmax(row)[0]), seeTree = see({ round: m, output: 0 });
    seeTree?.("proba", { proba });
    const column = scores.map((row) => row[0]);
    const nodes = boostClass(binned, labels, 0, proba, column, settings, seeTree);
    for (const [i, row] of scores.entries()) [row[0], row[1]] = [column[i], -column[i]];
    yield { trees: [nodes], scores: scores.map((row) => [...row]) };
  }
}

/** Pr(y <= k) of each row, from the F of the problems that are learned, and the constants of the others. */
export const cumulativeProbaOf = (outputs, constants, rows) =>
  rows.map((_, i) => outputs.map((scores, k) => (scores ? softmax(scores[i])[0] : constants[k])));

/** Pr(y <= k), k = 0..K-2, each by Algorithm 1 with two classes: a round of all problems at a time. */
export function* ordinalBoosting(binned, y, settings, see = () => null) {
  const { nClasses, nRounds, update = "sequential", start = null } = settings;
  const [binary, nTrees] = update === "simultaneous" ? [binaryMirrored, 1] : [softmaxBoosting, 2];
  const constants = findOneSidedConstants(y, nClasses), ofProblem = { ...settings, nClasses: 2, update: "sequential" };
  let learned = 0;
  const problems = constants.map((constant, k) => {
    if (constant !== null) return null;
    const labels = y.map((label) => (label > k ? 1 : 0)), number = learned++; // McRank Sec. 4: two groups
    const seeTree = (at) => see({ ...at, output: number * nTrees + at.output });
    return binary(binned, labels, { ...ofProblem, start: start && start[number] }, seeTree);
  });
  for (let m = 1; m <= nRounds; m++) {
    const turns = problems.map((problem) => problem?.next().value);
    const scores = turns.map((turn) => turn?.scores ?? null), trees = turns.flatMap((turn) => turn?.trees ?? []);
    yield { trees, scores, cumulativeProba: cumulativeProbaOf(scores, constants, y) };
  }
}

/** McRank Eq. 8: p_k = Pr(y <= k) - Pr(y <= k - 1), of rows of cumulative probabilities. */
export const classProba = (cumulativeProba) =>
  cumulativeProba.map((row) => [...row, 1].map((p, k) => p - (k ? row[k - 1] : 0)));
