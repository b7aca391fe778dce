// The formula of a step with its numbers put in, for one document or one node.
import { show } from "./format.js";
import { contest } from "./cuts.js";
import { frac, mathLines, power, group } from "./mathml.js";

const bracket = (x) => (x < 0 ? `( ${show(x)} )` : show(x));
const listColumns = (frame, group) => frame.columns.filter((column) => column.group === group && column.values);
const at = (frame, group, i) => listColumns(frame, group).map((column) => column.values[i]);

function putSoftmax(scene, frame, i) {
  const F = at(frame, "F", i), classes = scene.algorithm === "ordinal" ? [frame.output % 2] : F.map((_, k) => k);
  const k = frame.output === null || scene.algorithm === "ordinal" ? classes[0] : frame.output;
  const p = at(frame, "P", i), value = scene.algorithm === "ordinal" ? p[0] : p[k];
  const e = (x) => power("e", show(x));
  return [[`p_${scene.data.names[i]},${k} =`, frac(group(e(F[k])), group(F.map(e).join("<mo>+</mo>"))), `= ${show(value)}`]];
}

function putResidual(scene, frame, i) {
  const name = scene.data.names[i], residual = at(frame, "R", i)[0];
  if (frame.labels) return [[`${frame.labels[i]} − ${show(frame.labels[i] - residual)} = ${show(residual)}`]];
  const [target] = at(frame, "X2", i), [sum] = at(frame, "F", i);
  return [[`r_${name} = ${show(target)} − ${bracket(sum)} = ${show(residual)}`]];
}

function putGain(scene, frame) {
  const { winner } = contest(frame.growth, frame.growth.nodes[frame.node]), { n, right, sumLeft, sumRight, gain } = winner;
  const d = sumLeft / n - sumRight / right;
  return [["d =", frac(show(sumLeft), String(n)), "−", frac(show(sumRight), String(right)), `= ${show(d)}`],
    ["gain =", power(bracket(d), "2"), "·", frac(`${n} · ${right}`, String(n + right)), `= ${show(gain)}`]];
}

const findLeaf = (frame, i) => frame.growth?.nodes.find((node) => node.cutBy === null && node.rows.includes(i));

function putLeaf(scene, frame, i) {
  const leaf = findLeaf(frame, i), K = scene.algorithm === "ordinal" ? 2 : scene.data.n_classes;
  if (!leaf) return [];
  const newton = ["softmax", "ordinal"].includes(scene.algorithm);
  const factor = newton ? [frac(`${K} − 1`, String(K)), "·"] : [];
  return [[newton ? "β =" : "h =", ...factor, frac(show(leaf.numerator), show(leaf.denominator)), `= ${show(leaf.value)}`]];
}

function putStep(scene, frame, i) {
  const leaf = findLeaf(frame, i), name = scene.data.names[i], rate = scene.parameters.learning_rate;
  if (!leaf || !frame.step) return [];
  const before = frame.before[i], step = frame.step[leaf.leaf], sign = ["gbrt", "igbrt"].includes(scene.algorithm) ? "−" : "+";
  const symbol = sign === "−" ? `r_${name}` : frame.output > 0 || scene.algorithm !== "ls" ? `F_${name}` : `S_${name}`;
  return [[`${symbol} ← ${show(before)} ${sign} ${rate} · ${bracket(leaf.value)} = ${show(before + step)}`]];
}

function putMean(scene, frame, i) {
  const answers = frame.all.map((tree) => tree[i]), M = answers.length, shown = answers.slice(0, 5).map(show).join(" + ");
  return [[`T ( ${scene.data.names[i]} ) =`, frac(M > 5 ? `${shown} + …` : shown, String(M)), `= ${show(at(frame, "S", i)[0])}`]];
}

function putRelevance(scene, frame, i) {
  const p = at(frame, "P", i), T = scene.relevance, terms = p.map((value, k) => `${bracket(value)} · ${show(T[k])}`);
  return [[`S_${scene.data.names[i]} = ${terms.join(" + ")} = ${show(at(frame, "S", i)[0])}`]];
}

function putQuestion(scene, frame, i) {
  const { question: k, costs, b, w, h } = frame, y = scene.data.y[i], name = scene.data.names[i];
  if (frame.line === "eq1") return [[`b_${k} = [ ${y} ≥ ${k} ] = ${b[i]}`]];
  if (frame.line === "eq5") return [[`w_${k} = | ${costs[i][k]} − ${costs[i][k - 1]} | = ${w[i]}`]];
  return [[`h_${k} ( ${name} ) = ${show(h[i])}`]];
}

const sumOf = (values, total) => `${values.map(bracket).join(" + ")} = ${show(total)}`;

const PUT = {
  0: (scene, frame, i) => scene.algorithm === "ls" ? [[`ỹ_${scene.data.names[i]} =`, power("2", String(scene.data.y[i])), `− 1 = ${show(at(frame, "X2", i)[0])}`]] : [],
  4: (scene, frame, i) => scene.algorithm === "ls" ? putLeaf(scene, frame, i) : putSoftmax(scene, frame, i),
  "5r": putResidual, "3r": putResidual, "4r": putResidual, "5h": putGain, "3h": putGain, "4h": putGain,
  "3v": putLeaf, "4v": putLeaf, 5: (scene, frame, i) => scene.algorithm === "rf" ? putMean(scene, frame, i) : putStep(scene, frame, i),
  6: (scene, frame, i) => scene.algorithm === "igbrt" ? putStep(scene, frame, i) : putLeaf(scene, frame, i), 7: putStep,
  eq8: (scene, frame, i) => at(frame, "C", i).map((value, k, all) => [`p_${k} = ${show(value)} − ${k ? bracket(all[k - 1]) : "0"} = ${show(value - (k ? all[k - 1] : 0))}`]),
  cost: (scene, frame, i) => [[frame.costs[i].map((cost, k) => `c [ ${k} ] = ${cost}`).join(" , ")]],
  eq1: putQuestion, alg1: putQuestion,
  eq5: (scene, frame, i) => (scene.algorithm === "cocr" ? putQuestion : putRelevance)(scene, frame, i),
  eq6: (scene, frame, i) => [[`r_h = ${sumOf(at(frame, "H", i), at(frame, "S", i)[0])}`]],
  eq2: (scene, frame, i) => [[`r_g = ${at(frame, "H", i).map((h) => `[ ${show(h)} ≥ 0.5 ]`).join(" + ")} = ${frame.hard[i]}`]],
  8: (scene, frame, i) => [[`T ( ${scene.data.names[i]} ) = ${show(at(frame, "F", i)[0])}`]],
  9: (scene, frame, i) => [[`T ( ${scene.data.names[i]} ) = ${show(at(frame, "F", i)[0])}`]],
};

/** MathML of the formula with numbers, and whose they are; empty where a step has none. */
export function putNumbers(scene, frame, i) {
  const lines = PUT[frame.line]?.(scene, frame, i) ?? [];
  return lines.length ? mathLines(...lines) : "";
}

