// Formulas of the steps within a round with their numbers put in.
import { contest } from "./cuts.js";
import { show } from "./format.js";
import { frac, group, power } from "./mathml.js";

export const bracket = (x) => (x < 0 ? `( ${show(x)} )` : show(x));
const listColumns = (frame, group) => frame.columns.filter((column) => column.group === group && column.values);
export const valuesAt = (frame, group, i) => listColumns(frame, group).map((column) => column.values[i]);

export function putSoftmax(scene, frame, i) {
  const F = valuesAt(frame, "F", i),
    classes = scene.algorithm === "ordinal" ? [frame.output % 2] : F.map((_, k) => k);
  const k = frame.output === null || scene.algorithm === "ordinal" ? classes[0] : frame.output;
  const p = valuesAt(frame, "P", i),
    value = scene.algorithm === "ordinal" ? p[0] : p[k];
  const e = (x) => power("e", show(x));
  return [
    [`p_${scene.data.names[i]},${k} =`, frac(group(e(F[k])), group(F.map(e).join("<mo>+</mo>"))), `= ${show(value)}`],
  ];
}

export function putResidual(scene, frame, i) {
  const name = scene.data.names[i],
    residual = valuesAt(frame, "R", i)[0];
  if (frame.labels) return [[`${frame.labels[i]} − ${show(frame.labels[i] - residual)} = ${show(residual)}`]];
  const [target] = valuesAt(frame, "X2", i),
    [sum] = valuesAt(frame, "F", i);
  return [[`r_${name} = ${show(target)} − ${bracket(sum)} = ${show(residual)}`]];
}

export function putGain(scene, frame) {
  const { winner } = contest(frame.growth, frame.growth.nodes[frame.node]),
    { n, right, sumLeft, sumRight, gain } = winner;
  const d = sumLeft / n - sumRight / right;
  return [
    ["d =", frac(show(sumLeft), show(n)), "−", frac(show(sumRight), show(right)), `= ${show(d)}`],
    ["gain =", power(bracket(d), "2"), "·", frac(`${show(n)} · ${show(right)}`, show(n + right)), `= ${show(gain)}`],
  ];
}

const findLeaf = (frame, i) => frame.growth?.nodes.find((node) => node.cutBy === null && node.rows.includes(i));

export function putLeaf(scene, frame, i) {
  const leaf = findLeaf(frame, i),
    K = scene.algorithm === "ordinal" ? 2 : scene.data.n_classes;
  if (!leaf) return [];
  const newton = ["softmax", "ordinal"].includes(scene.algorithm);
  const factor = newton ? [frac(`${K} − 1`, String(K)), "·"] : [];
  return [
    [newton ? "β =" : "h =", ...factor, frac(show(leaf.numerator), show(leaf.denominator)), `= ${show(leaf.value)}`],
  ];
}

export function putStep(scene, frame, i) {
  const leaf = findLeaf(frame, i),
    name = scene.data.names[i],
    rate = scene.limits.learning_rate;
  if (!leaf || !frame.step) return [];
  const before = frame.before[i],
    step = frame.step[leaf.leaf],
    sign = ["gbrt", "igbrt"].includes(scene.kind) ? "−" : "+";
  const symbol = sign === "−" ? `r_${name}` : frame.output > 0 || scene.algorithm !== "ls" ? `F_${name}` : `S_${name}`;
  return [[`${symbol} ← ${show(before)} ${sign} ${rate} · ${bracket(leaf.value)} = ${show(before + step)}`]];
}
