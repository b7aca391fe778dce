// The steps of a random forest: iGBRT's Algorithm 1, and line 1 of Algorithm 3.
import { makeColumn } from "./columns.js";
import { readTree } from "./growth.js";
import { keyOf, readValues } from "./records.js";
import { rankAt, unranked } from "./scene.js";

/** What a whole tree answers for each row. */
function answerRows(growth, n) {
  const answers = Array(n).fill(0);
  for (const node of growth.nodes) if (node.cutBy === null) for (const i of node.rows) answers[i] = node.value;
  return answers;
}

/** Tree after tree: the rows that it draws, and the tree. */
export function* forestSteps(scene) {
  const { index, data } = scene,
    prefix = scene.algorithm === "igbrt" ? "f" : "";
  for (let tree = 0; index.has(keyOf("tree", { tree, output: 0 })); tree++) {
    const at = { tree, output: 0 },
      counts = readValues(index.get(keyOf("draws", at)), "counts");
    const growth = readTree(index.get(keyOf("tree", at)), data.X),
      answers = answerRows(growth, data.n);
    const columns = (hot) => [
      makeColumn("D", `D<sub>${tree}</sub>`, counts, hot === "D"),
      makeColumn("H", `h<sub>${tree}</sub>`, hot === "D" ? null : answers, hot === "H"),
    ];
    yield { line: `${prefix}2`, tree, counts, focus: "documents", columns: columns("D"), uses: [["draws", at]] };
    yield {
      line: `${prefix}3`,
      tree,
      counts,
      growth,
      answers,
      upTo: Infinity,
      focus: "tree",
      columns: columns("H"),
      uses: [["tree", at]],
    };
  }
}

export function* walkForest(scene) {
  const { index, data } = scene,
    prediction = readValues(index.get(keyOf("prediction")));
  yield {
    line: "0",
    focus: "documents",
    columns: [makeColumn("D", "D", null, false), makeColumn("H", "h", null, false)],
    uses: [["data", {}]],
    ranked: unranked(scene),
  };
  const all = [];
  for (const step of forestSteps(scene)) {
    if (step.answers) all.push(step.answers);
    yield step;
  }
  const columns = [
    ...all.map((answers, t) => makeColumn("H", `h<sub>${t}</sub>`, answers, false)).slice(0, 6),
    makeColumn("S", "T", prediction, true),
  ];
  yield { line: "5", focus: "ranking", columns, all, ranked: rankAt(scene, 0, prediction), uses: [["prediction", {}]] };
}
