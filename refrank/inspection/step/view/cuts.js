// Every cut of a node, from its histogram: what it gains, which wins, and which runs up.
import { findLargest, listCuts, weightOf } from "../port/splitting.js";
import { cutsOf, slotsOf } from "./replay.js";

/** The rows that a cut sends left, as a text; two cuts with one text, or with that of the other side, are one. */
const nameParts = (growth, node, { feature, bin }) => {
  const sides = [[], []];
  for (const i of node.rows) sides[growth.bins.codes[i][feature] <= bin ? 0 : 1].push(i);
  return sides
    .map((side) => side.sort((a, b) => a - b).join())
    .sort()
    .join("|");
};

/** All cuts of a node by feature, in units of the residual; the winner; the best that parts the rows otherwise; and
  the twin: the first that parts them as the winner does. */
export function contest(growth, node) {
  const { bins, toUnits, sumUnits, weightUnits } = growth,
    n = bins.offsets.length - 1;
  const histograms = Array.from({ length: n }, (_, f) => node.slots.slice(...slotsOf(bins, f)));
  const cuts = listCuts(histograms, growth.minSamplesLeaf),
    ties = new Set(findLargest(cuts));
  const listed = cuts.map((cut) => ({
    feature: cut.feature,
    bin: cut.bin,
    value: cutsOf(bins, cut.feature)[cut.bin],
    grid: cut.gain,
    gain: toUnits(cut.gain),
    tied: ties.has(cut),
    n: weightUnits(weightOf(cut.left)),
    right: weightUnits(weightOf(cut.right)),
    sumLeft: sumUnits(cut.left[0]),
    sumRight: sumUnits(cut.right[0]),
  }));
  const winner = listed.find(({ feature, bin }) => feature === node.best.feature && bin === node.best.bin) ?? listed[0];
  const own = nameParts(growth, node, winner),
    isTwin = (cut) => cut.tied && nameParts(growth, node, cut) === own, // gains are of all rows, not of those shown
    rivals = listed.filter((cut) => !isTwin(cut)),
    twin = listed.find((cut) => cut !== winner && isTwin(cut));
  const runnerUp = rivals.reduce((best, cut) => (cut.grid > (best?.grid ?? -1) ? cut : best), null);
  const features = histograms.map((slots, f) => ({ slots, cuts: listed.filter(({ feature }) => feature === f) }));
  return { features, winner, twin, runnerUp, tied: Boolean(runnerUp?.tied) };
}

export const showCut = (value) =>
  (Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)))).replace("-", "−");
export const describeCut = (names, cut) => `${names[cut.feature]}\u00a0<\u00a0${showCut(cut.value)}`;
