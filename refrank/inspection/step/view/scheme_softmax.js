// The scores and columns of McRank's Algorithm 1.
import { softmax } from "../port/numbers.js";
import { indexed, makeBase, makeColumn, residualColumn, rowsFrom } from "./columns.js";

export function makeSoftmax(scene, start) {
  const { data, parameters } = scene,
    base = makeBase(scene, start),
    ks = start.map((_, k) => k);
  const probabilities = () => rowsFrom(base.F).map((row) => softmax(row));
  base.P = rowsFrom(probabilities());
  const scheme = {
    ...base,
    simultaneous: parameters.update === "simultaneous",
    labels: (output) => data.y.map((label) => (label === output ? 1 : 0)),
    score: () => scene.score(probabilities()),
    setScores(output, values) {
      base.F[output] = values;
      if (!scheme.simultaneous) scheme.P = rowsFrom(probabilities());
    },
    columns: (output, hot) => [
      ...ks.map((k) => makeColumn("F", indexed("F", k), base.F[k], hot === "F" && (output ?? k) === k)),
      ...ks.map((k) => makeColumn("P", indexed("p", k), scheme.P[k], hot === "P" && (output ?? k) === k)),
      residualColumn(
        output === null ? "ỹ − p" : `${indexed("ỹ", output)} − ${indexed("p", output)}`,
        scheme.residual,
        hot === "R",
      ),
    ],
    *beginning(ranked) {
      yield { ranked, line: "0", focus: "documents", columns: scheme.columns(null, ""), uses: [["data", {}]] };
      yield { line: "1", focus: "documents", columns: scheme.columns(null, "F"), uses: [["start", {}]] };
    },
    *ending(round, ranked) {
      scheme.P = rowsFrom(probabilities());
      const columns = [...scheme.columns(null, "P").slice(0, -1), makeColumn("S", "S", ranked.score, true)];
      yield {
        ranked,
        line: "eq5",
        round,
        focus: "ranking",
        columns,
        uses: [
          ["prediction", { round }],
          ["prediction", {}],
        ],
      };
    },
  };
  return scheme;
}
