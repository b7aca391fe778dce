// A training as a document, { manifest, records }: what `refrank trace` writes, stage by stage (yardstick/traces).
import { BINNINGS, binFeatures } from "./binning.js";
import { expectedRelevance, tabulateRelevance, TRANSFORMS } from "./expected_relevance.js";
import { addTrees, gbrt, igbrt } from "./gbrt.js";
import { lsBoosting } from "./ls_boosting.js";
import { softmax } from "./numbers.js";
import { classProba, findOneSidedConstants, ordinalBoosting } from "./ordinal_boosting.js";
import { averageTrees, randomForest } from "./random_forest.js";
import { putRanking } from "./ranking_records.js";
import { makeWriter, writeBins, writeData, writeList, writeTree } from "./records.js";
import { cocr, softRank } from "./reduction.js";
import { softmaxBoosting } from "./softmax_boosting.js";

const DEFAULTS = {
  softmax: { n_rounds: 5, n_leaves: 3, learning_rate: 0.3, update: "sequential", relevance: "k" },
  ordinal: { n_rounds: 5, n_leaves: 3, learning_rate: 0.3, update: "sequential", relevance: "k" },
  ls: { n_rounds: 5, n_leaves: 3, learning_rate: 0.3, target: "2^k-1" },
  gbrt: { n_rounds: 5, max_depth: 2, learning_rate: 0.3 },
  rf: { n_trees: 3, max_features: 1, random_state: 0 },
  igbrt: { n_rounds: 3, max_depth: 2, learning_rate: 0.3, n_trees: 3, max_features: 1, random_state: 0 },
  cocr: { cost: "oerr", base: { algorithm: "gbrt", parameters: { n_rounds: 3, max_depth: 2, learning_rate: 0.3 } } },
};

/** The settings of the algorithms, by the names of the parameters in Python. */
const readSettings = (parameters, weight) => ({
  nRounds: parameters.n_rounds, nLeaves: parameters.n_leaves ?? null, maxDepth: parameters.max_depth ?? null,
  learningRate: parameters.learning_rate, update: parameters.update, minSamplesLeaf: parameters.min_samples_leaf ?? 1,
  nTrees: parameters.n_trees, nCandidates: parameters.max_features, seed: parameters.random_state, weight,
});

const BOOSTERS = {
  *softmax({ rows, binned, settings, nClasses, see, start, parameters }) {
    start(Array(nClasses).fill(0));
    const relevance = tabulateRelevance(parameters.relevance, nClasses);
    for (const { scores } of softmaxBoosting(binned, rows.y, { ...settings, nClasses }, see))
      yield expectedRelevance(scores.map(softmax), relevance);
  },
  *ordinal({ rows, binned, settings, nClasses, see, start, parameters }) {
    const learned = findOneSidedConstants(rows.y, nClasses).filter((constant) => constant === null).length;
    start(Array(learned * (settings.update === "simultaneous" ? 1 : 2)).fill(0));
    const relevance = tabulateRelevance(parameters.relevance, nClasses);
    for (const { cumulativeProba } of ordinalBoosting(binned, rows.y, { ...settings, nClasses }, see))
      yield expectedRelevance(classProba(cumulativeProba), relevance);
  },
  *ls({ rows, binned, settings, see, start, parameters }) {
    for (const { initial, scores } of lsBoosting(binned, rows.y.map(TRANSFORMS[parameters.target]), settings, see)) {
      if (initial === undefined) yield scores;
      else start([initial]);
    }
  },
  *gbrt({ rows, binned, settings, see, start }, base = null) {
    start([0]);
    let sums = rows.y.map(() => 0);
    const turns = base ? igbrt(binned, rows.y, base, settings, see) : gbrt(binned, rows.y, settings, see);
    for (const { nodes } of turns) {
      sums = addTrees([nodes], rows.X, settings.learningRate, sums);
      yield base ? sums.map((sum, i) => base[i] + sum) : sums;
    }
  },
  *rf({ rows, binned, settings, put, rank }) {
    const trees = [];
    for (const { t, counts, nodes } of randomForest(binned, rows.y, settings)) {
      put("draws", { tree: t, output: 0 }, { counts: writeList(counts) });
      put("tree", { tree: t, output: 0 }, writeTree(nodes));
      trees.push(nodes);
      const scores = averageTrees(trees, rows.X);
      rank({ tree: t }, scores);
      yield scores;
    }
  },
  *igbrt(training) {
    training.start([0]);
    let base = null;
    for (const scores of BOOSTERS.rf(training)) base = scores;
    yield* BOOSTERS.gbrt({ ...training, start: () => null }, base);
  },
};

/** COCR: the stages of its problems, an output each; the answers, and their sum. */
function recordReduction({ rows, binned, nClasses, see, put, parameters }) {
  const base = readSettings(parameters.base.parameters, null);
  const answers = [...cocr(binned, rows, nClasses - 1, { ...base, cost: parameters.cost }, see)];
  for (const [k, values] of answers.entries()) put("answers", { output: k }, { values: writeList(values) });
  return softRank(rows.y.map((_, i) => answers.map((values) => values[i])));
}

/** Train on rows { X, y, qid, weight }, and record every stage. */
export function recordTraining(algorithm, given, rows) {
  const parameters = { ...DEFAULTS[algorithm], ...given }, { records, put, see } = makeWriter();
  const weight = rows.weight ?? null, nClasses = parameters.n_classes ?? Math.max(1, ...rows.y) + 1;
  const rank = (at, scores) => putRanking(put, at, scores, rows), settings = readSettings(parameters, weight);
  put("data", {}, writeData(rows));
  const binned = binFeatures(rows.X, parameters.n_bins ?? 256, BINNINGS[parameters.binning ?? "quantile"], weight);
  put("bins", {}, writeBins(binned));
  const start = (values) => put("start", {}, { values: writeList(values) });
  const training = { rows, binned, settings, nClasses, see, start, put, rank, parameters };
  let scores = null, m = 0;
  if (algorithm === "cocr") scores = recordReduction(training);
  else for (scores of BOOSTERS[algorithm](training)) if (algorithm !== "rf") rank({ round: (m += 1) }, scores);
  rank({}, scores);
  const sizes = { n_samples: rows.y.length, n_features: rows.X[0].length };
  const manifest = { format: "refrank-trace", version: 1, algorithm, parameters, ...sizes, convention: "paper" };
  return { manifest, records };
}
