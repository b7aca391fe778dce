// The scores and columns of McRank's Sec. 4.
import { softmax } from "../port/numbers.js";
import { classProba } from "../port/ordinal_boosting.js";
import { indexed, makeBase, makeColumn, residualColumn, rowsFrom } from "./columns.js";

export function makeOrdinal(scene, start) {
  const { data, parameters } = scene,
    base = makeBase(scene, start),
    { y, n_classes: K } = data;
  const mirrored = parameters.update === "simultaneous",
    per = mirrored ? 1 : 2;
  const problems = [...Array(K - 1).keys()].filter(
    (k) => y.some((label) => label <= k) && y.some((label) => label > k),
  );
  const pair = (at) => [base.F[at * per], mirrored ? base.F[at].map((F) => -F) : base.F[at * per + 1]];
  const cumulative = () =>
    [...Array(K - 1).keys()].map((k) => {
      const at = problems.indexOf(k);
      if (at < 0) return y.map(() => (y.every((label) => label <= k) ? 1 : 0));
      return rowsFrom(pair(at)).map((row) => softmax(row)[0]);
    });
  const classes = () => classProba(rowsFrom(cumulative()));
  const scheme = {
    ...base,
    problems,
    per,
    labels: (output) =>
      y.map((label) => ((label > problems[Math.trunc(output / per)] ? 1 : 0) === output % per ? 1 : 0)),
    score: () => scene.score(classes()),
    columns(output, hot) {
      const at = output === null ? 0 : Math.trunc(output / per),
        k = problems[at] ?? 0,
        c = output === null ? null : output % per;
      const [F0, F1] = problems.length ? pair(at) : [null, null],
        group = c ? `&gt;&#8202;${k}` : `≤&#8202;${k}`;
      return [
        makeColumn("F", `F<sub>y≤${k}</sub>`, F0, hot === "F" && c !== 1),
        makeColumn("F", `F<sub>y&gt;${k}</sub>`, F1, hot === "F" && c !== 0),
        makeColumn("P", `p<sub>y${group}</sub>`, output === null ? null : scheme.P[output], hot === "P"),
        residualColumn("ỹ − p", scheme.residual, hot === "R"),
      ];
    },
    *beginning(ranked) {
      yield {
        ranked,
        line: "s4",
        focus: "documents",
        columns: scheme.columns(null, ""),
        uses: [["data", {}]],
        problems,
      };
    },
    *ending(round, ranked) {
      const shares = cumulative(),
        grades = rowsFrom(classes());
      const columns = (hot) => [
        ...shares.map((values, k) => makeColumn("C", `Pr(y≤${k})`, values, hot === "C")),
        ...grades.map((values, k) => makeColumn("P", indexed("p", k), values, hot === "C")),
        makeColumn("S", "S", ranked.score, hot === "S"),
      ];
      yield { line: "eq8", round, focus: "documents", columns: columns("C"), uses: [], shares, grades };
      yield {
        ranked,
        line: "eq5",
        round,
        focus: "ranking",
        columns: columns("S"),
        uses: [
          ["prediction", { round }],
          ["prediction", {}],
        ],
        grades,
      };
    },
  };
  return scheme;
}
