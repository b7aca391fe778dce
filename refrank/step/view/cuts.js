// Every cut of a node, from its histogram: what it gains, which wins, and which runs up.
import { cutsOf, slotsOf } from "./growth.js";

/** Sum, count and gain of each cut of one feature, in units of the residual; a cut that leaves a side empty gains nothing. */
function listFeature(growth, node, feature) {
  const [from, to] = slotsOf(growth.bins, feature), slots = node.slots.slice(from, to), values = cutsOf(growth.bins, feature);
  const weigh = (slot) => slot.at(-1), count = (part) => part.reduce((total, slot) => total + slot[1], 0);
  const total = slots.reduce((sum, slot) => sum + slot[0], 0), all = slots.reduce((sum, slot) => sum + weigh(slot), 0);
  let sum = 0, weight = 0;
  return slots.slice(0, -1).map((slot, bin) => {
    sum += slot[0];
    weight += weigh(slot);
    const n = count(slots.slice(0, bin + 1)), rest = all - weight, possible = n > 0 && n < count(slots) && weight > 0 && rest > 0;
    const d = possible ? sum / weight - (total - sum) / rest : 0;
    const gain = d * d * ((weight * rest) / all);
    return { feature, bin, value: values[bin], possible, n, right: count(slots) - n, sumLeft: growth.sumUnits(sum),
      sumRight: growth.sumUnits(total - sum), grid: gain, gain: growth.toUnits(gain) };
  });
}

/** Cuts that part the rows in the same way are one; the first of them stands for all. */
const partKey = (node, growth, cut) =>
  node.rows.filter((i) => growth.bins.codes[i][cut.feature] <= cut.bin).sort((a, b) => a - b).join();

/** All cuts of a node by feature, the recorded winner, and the best of the cuts that part the rows otherwise. */
export function contest(growth, node) {
  const features = growth.bins.offsets.slice(1).map((_, f) => listFeature(growth, node, f));
  const { feature, bin, gain } = node.best, winner = features[feature][bin];
  const own = partKey(node, growth, winner), others = features.flat().filter((cut) => cut.possible && cut !== winner);
  const mirrored = node.rows.filter((i) => growth.bins.codes[i][feature] > bin).sort((a, b) => a - b).join();
  const rivals = others.filter((cut) => ![own, mirrored].includes(partKey(node, growth, cut)));
  const runnerUp = rivals.reduce((best, cut) => (cut.grid > (best?.grid ?? -1) ? cut : best), null);
  return { features, winner: { ...winner, grid: gain, gain: growth.toUnits(gain) }, runnerUp, tied: runnerUp?.grid === gain };
}

export const describeCut = (names, cut) => `${names[cut.feature]} < ${showCut(cut.value)}`;
export const showCut = (value) => (Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)))).replace("-", "−");
