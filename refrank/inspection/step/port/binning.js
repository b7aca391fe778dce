// Where the bins of a feature end, and the bin of each value: cuts[b - 1] <= x < cuts[b] (refrank/trees/bins).
import { checkInteger, refuse } from "./checks.js";
import { toGrid } from "./numbers.js";

const INITIAL_LENGTH = 1e-8; // McRank App. I
const SLOWEST_GROWTH = 1.001, MOST_BINS = 65536;

/** First place in ascending values at which value >= x (`left`), or value > x. */
function searchSorted(values, x, left) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (left ? values[middle] < x : values[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** McRank App. I: bins [start, start + length), only where there are data; none if nBins do not suffice. */
export function binStarts(values, length, nBins) {
  const starts = [0];
  for (;;) {
    const start = values[starts[starts.length - 1]];
    const following = Math.max(searchSorted(values, start + length, true), searchSorted(values, start, false));
    if (following === values.length) return starts;
    if (starts.length === nBins) return [];
    starts.push(following);
  }
}

/** The middle between the ends of bins and the next starts, or the next start where float64 has no number between. */
const halveGaps = (ends, highest, following) =>
  following.map((next, i) => {
    const middle = ends[i] / 2 + next / 2;
    return middle > highest[i] ? middle : next;
  });

/** McRank App. I: "we simply increment the bin length and re-do the quantization". */
export function equalLengths(growth = 2) {
  if (!(growth >= SLOWEST_GROWTH)) refuse("growth", growth, `at least ${SLOWEST_GROWTH}`);
  return (values, nBins) => cutEqualLengths(values, nBins, growth);
}

function cutEqualLengths(values, nBins, growth) {
  let length = INITIAL_LENGTH, starts = binStarts(values, length, nBins);
  while (starts.length === 0) starts = binStarts(values, (length *= growth), nBins);
  const start = starts.map((at) => values[at]), rest = starts.slice(1);
  return halveGaps(start.map((x) => x + length), rest.map((at) => values[at - 1]), start.slice(1));
}

/** One bin per value, or where these are too many, quantiles of the rows, or of their weights. */
export function quantiles(values, nBins, weights) {
  let starts = binStarts(values, 0, nBins); // a bin of length 0 holds one value
  if (starts.length === 0) {
    const running = [], following = new Set([0]), B = BigInt(nBins);
    let total = 0n; // b times the total may pass 2^53
    for (let i = 0; i < values.length; i++) running.push((total += BigInt(weights ? weights[i] : 1)));
    for (let b = 1n; b < B; b++) {
      const least = (b * total + B - 1n) / B;
      const next = searchSorted(values, values[searchSorted(running, least, true)], false);
      if (next < values.length) following.add(next);
    }
    starts = [...following].sort((a, b) => a - b);
  }
  const ends = starts.slice(1).map((at) => values[at - 1]);
  return halveGaps(ends, ends, starts.slice(1).map((at) => values[at] + 0));
}

export const everyValue = (values, nBins) => quantiles(values.filter((x, i) => i === 0 || x !== values[i - 1]), nBins);
export const BINNINGS = { "app-i": equalLengths(), quantile: quantiles, exact: everyValue };

/** Cuts of one feature, whose values may have any order. */
export function findCuts(values, nBins, placeCuts, weights) {
  checkInteger("n_bins", nBins, 2, MOST_BINS);
  const order = values.map((_, i) => i).sort((a, b) => (values[a] < values[b] ? -1 : values[a] > values[b] ? 1 : 0));
  return cutSorted(order.map((i) => values[i]), nBins, placeCuts, weights && order.map((i) => weights[i]));
}

/** Cuts of ascending values; -inf and +inf have a bin to themselves. */
function cutSorted(values, nBins, placeCuts, weights) {
  const last = values.length - 1;
  if (values[0] === values[last]) return [];
  if (values[0] === -Infinity) {
    const n = searchSorted(values, -Infinity, false);
    return [-Number.MAX_VALUE, ...cutSorted(values.slice(n), nBins - 1, placeCuts, weights?.slice(n))];
  }
  if (values[last] === Infinity) {
    const n = searchSorted(values, Infinity, true);
    return [...cutSorted(values.slice(0, n), nBins - 1, placeCuts, weights?.slice(0, n)), Infinity];
  }
  return placeCuts(values, nBins, weights);
}

export const quantize = (x, cuts) => searchSorted(cuts, x, false);

/** The bins of a table, feature by feature: { codes[f][i], cuts[f] }. */
export function binFeatures(X, nBins, placeCuts, weight = null) {
  const weights = weight && toGrid(weight).integers;
  const columns = X[0].map((_, f) => X.map((row) => row[f]));
  const cuts = columns.map((column) => findCuts(column, nBins, placeCuts, weights));
  return { cuts, codes: columns.map((column, f) => column.map((x) => quantize(x, cuts[f]))) };
}
