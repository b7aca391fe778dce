// The steps of COCR's reduction: costs, then question by question the right answers, their weights and what is learned.
import { COSTS, costWeights, encodeAnswers, hardRank, tabulateCosts } from "../port/reduction.js";
import { treeSteps } from "./boosting_frames.js";
import { indexed, makeColumn, residualColumn } from "./columns.js";
import { keyOf, readValues } from "./records.js";
import { rankAt, unranked } from "./scene.js";

/** The scores and columns of a question whose answers trees learn; the residual of a record is weighed. */
function makeQuestion({ question, b, w }) {
  let rest = b;
  const scheme = {
    residual: null,
    labels: () => null,
    scoresOf: () => rest,
    setScores(_, values) {
      rest = values;
      scheme.residual = null;
    },
    columns: (_, hot) => [
      makeColumn("X2", indexed("b", question), b, false),
      makeColumn("W", indexed("w", question), w, false),
      makeColumn("F", "T", b.map((answer, i) => answer - rest[i]), hot === "F"),
      makeColumn("R", "r", rest, hot === "F" || hot === "R", { signed: true }),
      residualColumn("w r", scheme.residual, hot === "R"),
    ],
  };
  return scheme;
}

/** What is learned of a question: a tree after the other, where trees of GBRT learn it, and the answers. */
function* learnSteps(scene, common, columns) {
  const { index, document, kind } = scene,
    { output } = common,
    uses = [["answers", { output }]],
    answered = { ...common, h: readValues(index.get(keyOf(...uses[0]))), columns: columns("H"), uses };
  const trees = document.records.filter(({ stage, at }) => stage === "residual" && at.output === output).length;
  if (kind !== "gbrt" || trees === 0) return yield { ...answered, line: "alg1" };
  yield { ...common, line: "alg1", trees, columns: columns("W"), uses: [] };
  const scheme = makeQuestion(common);
  for (let round = 1; round <= trees; round++)
    for (const step of treeSteps(scene, scheme, round, output)) yield { ...common, ...step };
  yield { ...answered, line: "8" };
}

export function* walkReduction(scene) {
  const { index, data } = scene,
    K = data.n_classes - 1,
    learned = [];
  const costs = tabulateCosts(data.y, K, COSTS[scene.parameters.cost]),
    weights = costWeights(costs),
    right = encodeAnswers(data.y, K);
  const costColumns = (hot) => costs[0].map((_, k) => makeColumn("C", `c[${k}]`, costs.map((row) => row[k]), hot));
  yield {
    line: "cost",
    focus: "documents",
    columns: costColumns(true),
    costs,
    uses: [["data", {}]],
    ranked: unranked(scene),
  };
  for (let k = 1; k <= K; k++) {
    const [b, w] = [right, weights].map((rows) => rows.map((row) => row[k - 1])),
      h = readValues(index.get(keyOf("answers", { output: k - 1 })));
    const common = { output: k - 1, question: k, costs, b, w, focus: "documents" };
    const columns = (hot) => [
      ...costColumns(false),
      makeColumn("B", indexed("b", k), b, hot === "B"),
      makeColumn("W", indexed("w", k), hot === "B" ? null : w, hot === "W"),
      makeColumn("H", indexed("h", k), hot === "H" ? h : null, hot === "H"),
    ];
    yield { ...common, line: "eq1", columns: columns("B"), uses: [] };
    yield { ...common, line: "eq5", columns: columns("W"), uses: [] };
    yield* learnSteps(scene, common, columns);
    learned.push(h);
  }
  const score = readValues(index.get(keyOf("prediction"))),
    ranked = rankAt(scene, 0, score);
  const hard = hardRank(data.y.map((_, i) => learned.map((h) => h[i])));
  const columns = (hot) => [
    ...learned.map((h, k) => makeColumn("H", indexed("h", k + 1), h, hot === "H")),
    makeColumn("S", indexed("r", "h"), score, hot === "S"),
    makeColumn("G", indexed("r", "g"), hot === "G" ? hard : null, hot === "G"),
  ];
  yield { line: "eq6", focus: "ranking", columns: columns("S"), learned, ranked, uses: [["prediction", {}]] };
  yield { line: "eq2", focus: "documents", columns: columns("G"), learned, hard, uses: [] };
}
