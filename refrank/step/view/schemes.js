// What the scores of each boosting are, the columns that show them, and the score by which they rank documents.
import { softmax } from "../port/numbers.js";
import { classProba } from "../port/ordinal_boosting.js";
import { indexed, makeColumn } from "./columns.js";
import { unranked } from "./scene.js";

const rowsFrom = (columns) => columns[0].map((_, i) => columns.map((column) => column[i]));
const residualColumn = (head, values, hot) => makeColumn("R", head, values, hot, { signed: true, bar: true });

/** What all schemes share: columns of F and p by output. */
function makeBase(scene, start) {
  const { y } = scene.data, F = start.map((value) => y.map(() => value));
  return { F, P: [], residual: null, simultaneous: false, labels: () => null, score: () => F[0],
    setProba(output, values) { this.P[output] = values; },
    scoresOf: (output) => F[output],
    setScores(output, values) { F[output] = values; } };
}

function makeSoftmax(scene, start) {
  const { data, parameters } = scene, base = makeBase(scene, start), ks = start.map((_, k) => k);
  const probabilities = () => rowsFrom(base.F).map((row) => softmax(row));
  base.P = rowsFrom(probabilities());
  const scheme = {
    ...base, simultaneous: parameters.update === "simultaneous",
    labels: (output) => data.y.map((label) => (label === output ? 1 : 0)),
    score: () => scene.score(probabilities()),
    setScores(output, values) {
      base.F[output] = values;
      if (!scheme.simultaneous) scheme.P = rowsFrom(probabilities());
    },
    columns: (output, hot) => [
      ...ks.map((k) => makeColumn("F", indexed("F", k), base.F[k], hot === "F" && (output ?? k) === k)),
      ...ks.map((k) => makeColumn("P", indexed("p", k), scheme.P[k], hot === "P" && (output ?? k) === k)),
      residualColumn(output === null ? "ỹ − p" : `${indexed("ỹ", output)} − ${indexed("p", output)}`, scheme.residual, hot === "R"),
    ],
    *beginning(ranked) {
      yield { ranked, line: "0", focus: "documents", columns: scheme.columns(null, ""), uses: [["data", {}]] };
      yield { line: "1", focus: "documents", columns: scheme.columns(null, "F"), uses: [["start", {}]] };
    },
    *ending(round, ranked) {
      scheme.P = rowsFrom(probabilities());
      const columns = [...scheme.columns(null, "P").slice(0, -1), makeColumn("S", "S", ranked.score, true)];
      yield { ranked, line: "eq5", round, focus: "ranking", columns, uses: [["prediction", { round }], ["prediction", {}]] };
    },
  };
  return scheme;
}

function makeOrdinal(scene, start) {
  const { data, parameters } = scene, base = makeBase(scene, start), { y, n_classes: K } = data;
  const mirrored = parameters.update === "simultaneous", per = mirrored ? 1 : 2;
  const problems = [...Array(K - 1).keys()].filter((k) => y.some((label) => label <= k) && y.some((label) => label > k));
  const pair = (at) => [base.F[at * per], mirrored ? base.F[at].map((F) => -F) : base.F[at * per + 1]];
  const cumulative = () => [...Array(K - 1).keys()].map((k) => {
    const at = problems.indexOf(k);
    if (at < 0) return y.map(() => (y.every((label) => label <= k) ? 1 : 0));
    return rowsFrom(pair(at)).map((row) => softmax(row)[0]);
  });
  const classes = () => classProba(rowsFrom(cumulative()));
  const scheme = {
    ...base, problems, per,
    labels: (output) => y.map((label) => (label > problems[Math.trunc(output / per)] ? 1 : 0) === output % per ? 1 : 0),
    score: () => scene.score(classes()),
    columns(output, hot) {
      const at = output === null ? 0 : Math.trunc(output / per), k = problems[at] ?? 0, c = output === null ? null : output % per;
      const [F0, F1] = problems.length ? pair(at) : [null, null], group = c ? `&gt;&#8202;${k}` : `≤&#8202;${k}`;
      return [makeColumn("F", `F<sub>y≤${k}</sub>`, F0, hot === "F" && c !== 1), makeColumn("F", `F<sub>y&gt;${k}</sub>`, F1, hot === "F" && c !== 0),
        makeColumn("P", `p<sub>y${group}</sub>`, output === null ? null : scheme.P[output], hot === "P"),
        residualColumn("ỹ − p", scheme.residual, hot === "R")];
    },
    *beginning(ranked) {
      yield { ranked, line: "s4", focus: "documents", columns: scheme.columns(null, ""), uses: [["data", {}]], problems };
    },
    *ending(round, ranked) {
      const shares = cumulative(), grades = rowsFrom(classes());
      const columns = (hot) => [
        ...shares.map((values, k) => makeColumn("C", `Pr(y≤${k})`, values, hot === "C")),
        ...grades.map((values, k) => makeColumn("P", indexed("p", k), values, hot === "C")), makeColumn("S", "S", ranked.score, hot === "S")];
      yield { line: "eq8", round, focus: "documents", columns: columns("C"), uses: [], shares, grades };
      yield { ranked, line: "eq5", round, focus: "ranking", columns: columns("S"), uses: [["prediction", { round }], ["prediction", {}]], grades };
    },
  };
  return scheme;
}

/** One score a document: Algorithm 2 of McRank; of iGBRT, where the record holds y - F, which the next tree is fitted to. */
const makeRegression = (kind) => (scene, start, first) => {
  const { data, parameters } = scene, base = makeBase(scene, start), least = kind === "ls";
  const target = least ? scene.targets : data.y;
  const forest = kind === "igbrt" && first ? target.map((y, i) => y - first[i]) : null;
  if (!least && first) base.F[0] = first;
  const sum = () => (least ? base.F[0] : target.map((y, i) => y - base.F[0][i]));
  const [symbol, rest] = least ? ["S", "ỹ − S"] : ["T", "r"];
  const scheme = {
    ...base, target, score: sum,
    columns: (output, hot) => [makeColumn("X2", least ? "ỹ" : "y", target, hot === "Y"),
      ...(forest ? [makeColumn("G", "F", forest, hot === "G")] : []), makeColumn("F", symbol, sum(), hot === "F"),
      residualColumn(rest, least ? scheme.residual : base.F[0], hot === "R" || (!least && hot === "F"))],
    *beginning(ranked) {
      if (least) yield { ranked: unranked(scene), line: "0", focus: "documents", columns: scheme.columns(null, "Y"), uses: [["data", {}]] };
      const line = kind === "igbrt" ? "2" : "1";
      yield { ranked, line, focus: "documents", columns: scheme.columns(null, least ? "F" : "R"), uses: [["start", {}]] };
    },
    *ending(round, ranked) {
      const line = { ls: "rank", gbrt: "8", igbrt: "9" }[kind];
      yield { ranked, line, round, focus: "ranking", columns: scheme.columns(null, "F"), uses: [["prediction", { round }], ["prediction", {}]] };
    },
  };
  return scheme;
};

export const SCHEMES = { softmax: makeSoftmax, ordinal: makeOrdinal, ls: makeRegression("ls"), gbrt: makeRegression("gbrt"), igbrt: makeRegression("igbrt") };
