// The formula of a step with its numbers put in, for one document or one node.
import { show } from "./format.js";
import { bracket, putGain, putLeaf, putResidual, putSoftmax, putStep, valuesAt } from "./live_boosting.js";
import { frac, mathLines, power } from "./mathml.js";

function putMean(scene, frame, i) {
  const answers = frame.all.map((tree) => tree[i]),
    M = answers.length,
    shown = answers.slice(0, 5).map(show).join(" + ");
  return [
    [
      `T ( ${scene.data.names[i]} ) =`,
      frac(M > 5 ? `${shown} + …` : shown, String(M)),
      `= ${show(valuesAt(frame, "S", i)[0])}`,
    ],
  ];
}

function putRelevance(scene, frame, i) {
  const p = valuesAt(frame, "P", i),
    T = scene.relevance,
    terms = p.map((value, k) => `${bracket(value)} · ${show(T[k])}`);
  return [[`S_${scene.data.names[i]} = ${terms.join(" + ")} = ${show(valuesAt(frame, "S", i)[0])}`]];
}

function putQuestion(scene, frame, i) {
  const { question: k, costs, b, w, h } = frame,
    y = scene.data.y[i],
    name = scene.data.names[i];
  if (frame.line === "eq1") return [[`b_${k} = [ ${y} ≥ ${k} ] = ${b[i]}`]];
  if (frame.line === "eq5") return [[`w_${k} = | ${costs[i][k]} − ${costs[i][k - 1]} | = ${w[i]}`]];
  return h ? [[`h_${k} ( ${name} ) = ${show(h[i])}`]] : [];
}

const putSum = (scene, frame, i) => [[`T ( ${scene.data.names[i]} ) = ${show(valuesAt(frame, "F", i)[0])}`]];
const sumOf = (values, total) => `${values.map(bracket).join(" + ")} = ${show(total)}`;

const PUT = {
  0: (scene, frame, i) =>
    scene.algorithm === "ls"
      ? [[`ỹ_${scene.data.names[i]} =`, power("2", String(scene.data.y[i])), `− 1 = ${show(valuesAt(frame, "X2",
        i)[0])}`]]
      : [],
  4: (scene, frame, i) => (scene.algorithm === "ls" ? putLeaf(scene, frame, i) : putSoftmax(scene, frame, i)),
  "5r": putResidual,
  "3r": putResidual,
  "4r": putResidual,
  "5h": putGain,
  "3h": putGain,
  "4h": putGain,
  "3v": putLeaf,
  "4v": putLeaf,
  5: (scene, frame, i) => (scene.algorithm === "rf" ? putMean(scene, frame, i) : putStep(scene, frame, i)),
  6: (scene, frame, i) => (scene.algorithm === "igbrt" ? putStep(scene, frame, i) : putLeaf(scene, frame, i)),
  7: putStep,
  eq8: (scene, frame, i) =>
    valuesAt(frame, "C", i).map((value, k, all) => [
      `p_${k} = ${show(value)} − ${k ? bracket(all[k - 1]) : "0"} = ${show(value - (k ? all[k - 1] : 0))}`,
    ]),
  cost: (scene, frame, i) => [[frame.costs[i].map((cost, k) => `c [ ${k} ] = ${cost}`).join(" , ")]],
  eq1: putQuestion,
  alg1: putQuestion,
  eq5: (scene, frame, i) => (scene.algorithm === "cocr" ? putQuestion : putRelevance)(scene, frame, i),
  eq6: (scene, frame, i) => [[`r_h = ${sumOf(valuesAt(frame, "H", i), valuesAt(frame, "S", i)[0])}`]],
  eq2: (scene, frame, i) => [
    [
      `r_g = ${valuesAt(frame, "H", i)
        .map((h) => `[ ${show(h)} ≥ 0.5 ]`)
        .join(" + ")} = ${frame.hard[i]}`,
    ],
  ],
  8: (scene, frame, i) => (scene.algorithm === "cocr" ? putQuestion : putSum)(scene, frame, i),
  9: putSum,
};

/** MathML of the formula with numbers, and whose they are; empty where a step has none. */
export function putNumbers(scene, frame, i) {
  const lines = PUT[frame.line]?.(scene, frame, i) ?? [];
  return lines.length ? mathLines(...lines) : "";
}
