// The steps of a boosting: McRank's Algorithms 1 and 2 and Sec. 4, iGBRT's Algorithms 2 and 3.
import { forestSteps } from "./forest_frames.js";
import { growthSteps } from "./growth_steps.js";
import { readGrowth } from "./growth.js";
import { keyOf, readValues } from "./records.js";
import { readBins } from "./replay.js";
import { rankAt, unranked } from "./scene.js";
import { SCHEMES } from "./schemes.js";

const GBRT = { residual: "3r", examine: "3h", cut: "3c", leaf: "3v", step: "5" };
const MCRANK_1 = { proba: "4", residual: "5r", examine: "5h", cut: "5c", leaf: "6", step: "7" };
const IDS = {
  softmax: MCRANK_1,
  ordinal: MCRANK_1,
  ls: { residual: "3r", examine: "3h", cut: "3c", leaf: "4", step: "5" },
  gbrt: GBRT,
  cocr: GBRT,
  igbrt: { residual: "4r", examine: "4h", cut: "4c", leaf: "4v", step: "6" },
};

/** Lines within the loops, of one tree. */
export function* treeSteps(scene, scheme, round, output) {
  const { index } = scene,
    at = { round, output },
    ids = IDS[scene.algorithm];
  const record = (stage) => index.get(keyOf(stage, at)),
    use = (...stages) => stages.map((stage) => [stage, at]);
  const common = { round, output, labels: scheme.labels(output) };
  const proba = readValues(record("proba"));
  if (proba) scheme.setProba(output, proba);
  const columns = (hot) => scheme.columns(output, hot);
  if (proba && !scheme.simultaneous)
    yield { ...common, line: ids.proba, focus: "documents", columns: columns("P"), uses: use("proba") };
  scheme.residual = readValues(record("residual"));
  if (ids.residual)
    yield { ...common, line: ids.residual, focus: "documents", columns: columns("R"), uses: use("residual", "grid") };
  const growth = readGrowth(index, at, readBins(index, output), scene.limits.min_samples_leaf ?? 1);
  if (growth) {
    for (const { kind, ...step } of growthSteps(growth))
      yield {
        ...common,
        ...step,
        line: ids[kind],
        growth,
        columns: columns(""),
        focus: kind === "cut" ? "tree" : "cut",
        uses: use(...(kind === "cut" ? ["partition"] : ["histogram", "cut"])),
      };
    yield {
      ...common,
      line: ids.leaf,
      growth,
      upTo: Infinity,
      focus: "leaves",
      columns: columns(""),
      uses: use("leaf_sums", "leaf_values"),
    };
  }
  const before = scheme.scoresOf(output),
    scores = readValues(record("scores"));
  if (scores) scheme.setScores(output, scores);
  yield {
    ...common,
    line: ids.step,
    growth,
    upTo: Infinity,
    before,
    step: readValues(record("step")),
    focus: "documents",
    columns: columns("F"),
    uses: use("step", "scores"),
  };
}

/** The start, then round after round. */
export function* walkBoosting(scene) {
  const { index, algorithm } = scene;
  if (algorithm === "igbrt") {
    yield { ranked: unranked(scene) };
    yield* forestSteps(scene);
  }
  const first = index.get(keyOf("residual", { round: 1, output: 0 }));
  const start = readValues(index.get(keyOf("start"))) ?? [0];
  const scheme = SCHEMES[algorithm](scene, start, readValues(first));
  const outputs = [
    ...new Set(
      scene.document.records.filter(({ at }) => at.round === 1 && at.output !== undefined).map(({ at }) => at.output),
    ),
  ].sort((a, b) => a - b);
  yield* scheme.beginning(rankAt(scene, 0, scheme.score()));
  for (let round = 1; round <= scene.n_rounds; round++) {
    if (scheme.simultaneous) {
      for (const output of outputs) scheme.setProba(output, readValues(index.get(keyOf("proba", { round, output }))));
      scheme.residual = null;
      yield {
        line: "4",
        round,
        focus: "documents",
        columns: scheme.columns(null, "P"),
        uses: outputs.map((output) => ["proba", { round, output }]),
      };
    }
    for (const output of outputs) yield* treeSteps(scene, scheme, round, output);
    scheme.residual = null;
    yield* scheme.ending(round, rankAt(scene, round, scheme.score()));
  }
}
