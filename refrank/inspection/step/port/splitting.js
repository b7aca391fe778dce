// The sums of a node's rows in the bins of a feature, what each cut gains, and the best (refrank/trees/splitting.py).
// A bin is [sum of residuals, rows], or [sum, rows, weight], in integers of their grids.

/** McRank App. I, the "bucket sort": the rows of a node in the bins of a feature; a column for each number of a bin. */
export function histogram(code, nBins, rows, columns) {
  const bins = Array.from({ length: nBins }, () => columns.map(() => 0));
  for (const i of rows) for (const [j, values] of columns.entries()) bins[code[i]][j] += values[i];
  return bins;
}

const addSides = (a, b) => a.map((value, j) => value + b[j]);
const subtractSides = (a, b) => a.map((value, j) => value - b[j]);
export const weightOf = (side) => side[side.length - 1];

/** iGBRT Eq. 1: by how much a cut lowers the sum of squared errors; never negative, 0 for equal means. */
export function computeGains(left, right) {
  const nLeft = weightOf(left), nRight = weightOf(right);
  const d = left[0] / nLeft - right[0] / nRight;
  return d * d * ((nLeft * nRight) / (nLeft + nRight));
}

/** Every cut of a node, { feature, bin, left, right, gain }: both sides hold enough rows, and its bin has some. */
export function listCuts(histograms, minSamplesLeaf) {
  const cuts = [];
  for (const [feature, bins] of histograms.entries()) {
    const node = bins.reduce(addSides);
    let left = node.map(() => 0);
    for (const [bin, sums] of bins.slice(0, -1).entries()) {
      left = addSides(left, sums);
      const right = subtractSides(node, left);
      const enough = (side) => side[1] >= minSamplesLeaf && weightOf(side) > 0;
      if (sums.every((value) => value === 0) || !enough(left) || !enough(right)) continue;
      cuts.push({ feature, bin, left, right, gain: computeGains(left, right) });
    }
  }
  return cuts;
}

/** The gain as a fraction [a, b] of integers, for cuts that float64 cannot tell apart. */
function computeExactGain({ left, right }) {
  const [s, n, t, m] = [left[0], weightOf(left), right[0], weightOf(right)].map(BigInt);
  const d = s * m - t * n;
  return [d * d, n * m];
}

const gainsMore = ([a, b], [c, d]) => a * d > c * b;

/** The cuts that gain most, compared as fractions, in order; none where no gain is above 0. */
export function findLargest(cuts) {
  const most = cuts.reduce((largest, { gain }) => Math.max(largest, gain), 0);
  if (most === 0) return [];
  let best = [], exact = null;
  for (const cut of cuts) {
    if (!(cut.gain > 0) || cut.gain < most * (1 - 1e-6) - boundRounding(cut)) continue; // far from the largest
    const gain = computeExactGain(cut);
    if (exact === null || gainsMore(gain, exact)) [best, exact] = [[cut], gain];
    else if (!gainsMore(exact, gain)) best.push(cut);
  }
  return best;
}

/** Far more than the rounding of a gain (docs/reference/numerics.md, rule 3): no contender is left out. */
function boundRounding({ left, right }) {
  const total = left[0] + right[0];
  return (total * total) / (weightOf(left) + weightOf(right)) * 2.220446049250313e-16;
}

/** The best cut; ties go to the lowest feature, then to the lowest bin; null where none gains. */
export const bestSplit = (histograms, minSamplesLeaf) => findLargest(listCuts(histograms, minSamplesLeaf))[0] ?? null;

/** Rivals of the best cut (refrank/trees/contest.py): runs of bins that tie with it, the next best, and the gap. */
export function compareCuts(histograms, minSamplesLeaf) {
  const cuts = listCuts(histograms, minSamplesLeaf), ties = findLargest(cuts), tied = [];
  for (const { feature, bin } of ties) {
    let last = bin;
    while (last + 2 < histograms[feature].length && histograms[feature][last + 1][1] === 0) last += 1;
    const run = tied[tied.length - 1];
    if (run && run[0] === feature && run[2] === bin - 1) run[2] = last;
    else tied.push([feature, bin, last]);
  }
  const second = findLargest(cuts.filter((cut) => !ties.includes(cut)))[0], best = ties.length ? ties[0].gain : 0;
  return { tied, runnerUp: second ? [second.feature, second.bin] : [-1, -1], gap: second ? best - second.gain : best };
}
