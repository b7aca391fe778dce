// The scores and columns of McRank's Algorithm 2, and of iGBRT's Algorithms 2 and 3.
import { makeBase, makeColumn, residualColumn } from "./columns.js";
import { unranked } from "./scene.js";

/** One score a document: McRank's Algorithm 2; and iGBRT's, whose record holds y - F, to which trees are fitted. */
export const makeRegression = (kind) => (scene, start, first) => {
  const { data, parameters } = scene,
    base = makeBase(scene, start),
    least = kind === "ls";
  const target = least ? scene.targets : data.y;
  const forest = kind === "igbrt" && first ? target.map((y, i) => y - first[i]) : null;
  if (!least && first) base.F[0] = first;
  const sum = () => (least ? base.F[0] : target.map((y, i) => y - base.F[0][i]));
  const [symbol, rest] = least ? ["S", "ỹ − S"] : ["T", "r"];
  const scheme = {
    ...base,
    target,
    score: sum,
    columns: (output, hot) => [
      makeColumn("X2", least ? "ỹ" : "y", target, hot === "Y"),
      ...(forest ? [makeColumn("G", "F", forest, hot === "G")] : []),
      makeColumn("F", symbol, sum(), hot === "F"),
      residualColumn(rest, least ? scheme.residual : base.F[0], hot === "R" || (!least && hot === "F")),
    ],
    *beginning(ranked) {
      if (least)
        yield {
          ranked: unranked(scene),
          line: "0",
          focus: "documents",
          columns: scheme.columns(null, "Y"),
          uses: [["data", {}]],
        };
      const line = kind === "igbrt" ? "2" : "1";
      yield {
        ranked,
        line,
        focus: "documents",
        columns: scheme.columns(null, least ? "F" : "R"),
        uses: [["start", {}]],
      };
    },
    *ending(round, ranked) {
      const line = { ls: "rank", gbrt: "8", igbrt: "9" }[kind];
      yield {
        ranked,
        line,
        round,
        focus: "ranking",
        columns: scheme.columns(null, "F"),
        uses: [
          ["prediction", { round }],
          ["prediction", {}],
        ],
      };
    },
  };
  return scheme;
};
