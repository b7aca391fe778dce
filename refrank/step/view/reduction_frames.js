// The steps of COCR's reduction: costs, then question by question the right answers, their weights and what is learned.
import { COSTS, costWeights, encodeAnswers, hardRank, tabulateCosts } from "../port/reduction.js";
import { indexed, makeColumn } from "./columns.js";
import { keyOf, readValues } from "./records.js";
import { rankAt, unranked } from "./scene.js";

export function* walkReduction(scene) {
  const { index, data } = scene,
    K = data.n_classes - 1,
    learned = [];
  const costs = tabulateCosts(data.y, K, COSTS[scene.parameters.cost]),
    weights = costWeights(costs),
    right = encodeAnswers(data.y, K);
  const costColumns = (hot) =>
    costs[0].map((_, k) =>
      makeColumn(
        "C",
        `c[${k}]`,
        costs.map((row) => row[k]),
        hot,
      ),
    );
  yield {
    line: "cost",
    focus: "documents",
    columns: costColumns(true),
    costs,
    uses: [["data", {}]],
    ranked: unranked(scene),
  };
  for (let k = 1; k <= K; k++) {
    const b = right.map((row) => row[k - 1]),
      w = weights.map((row) => row[k - 1]),
      at = { output: k - 1 };
    const h = readValues(index.get(keyOf("answers", at))),
      common = { output: k - 1, question: k, costs, b, w, h, focus: "documents" };
    const columns = (hot) => [
      ...costColumns(false),
      makeColumn("B", indexed("b", k), b, hot === "B"),
      makeColumn("W", indexed("w", k), hot === "B" ? null : w, hot === "W"),
      makeColumn("H", indexed("h", k), hot === "H" ? h : null, hot === "H"),
    ];
    yield { ...common, line: "eq1", columns: columns("B"), uses: [] };
    yield { ...common, line: "eq5", columns: columns("W"), uses: [] };
    yield { ...common, line: "alg1", columns: columns("H"), uses: [["answers", at]] };
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
