// Draws as functions of (seed, tree, node): SplitMix64, in whole integers (refrank/trees/numbers/draws.py).

import { checkInteger } from "./checks.js";

const GOLDEN = 0x9e3779b97f4a7c15n, MASK = 0xffffffffffffffffn;
const BOOTSTRAP = 0, CHILDREN = 2;
export const FEATURES = 1;

/** Number i of the stream of a key, 64 bits. */
export function draw(key, i) {
  let z = (BigInt(key) + (BigInt(i) + 1n) * GOLDEN) & MASK;
  z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
  z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & MASK;
  return z ^ (z >> 31n);
}

/** 64 random bits as one of 0..n-1: the high half of a product. */
export const below = (random, n) => Number((random * BigInt(n)) >> 64n);

/** The key of a stream of a tree: of the rows that it draws, or of the features at its root. */
export const treeKey = (seed, tree, stream) => draw(draw(draw(0, seed), tree), stream);
export const childKey = (key, child) => draw(key, child);

/** The rows that a tree is grown on, in the order drawn: n of n, with replacement. */
export function bootstrapRows(seed, tree, nSamples) {
  checkInteger("n_samples", nSamples, 1);
  const key = treeKey(seed, tree, BOOTSTRAP);
  return Array.from({ length: nSamples }, (_, i) => below(draw(key, i), nSamples));
}

/** How often a tree draws each row. */
export function bootstrapCounts(seed, tree, nSamples) {
  const counts = Array(nSamples).fill(0);
  for (const row of bootstrapRows(seed, tree, nSamples)) counts[row] += 1;
  return counts;
}

/** Features of a node without replacement, ascending: a partial shuffle. */
export function featureSubset(key, nCandidates, nFeatures) {
  checkInteger("n_candidates", nCandidates, 1, nFeatures);
  const order = Array.from({ length: nFeatures }, (_, f) => f);
  for (let j = 0; j < nCandidates; j++) {
    const other = j + below(draw(key, CHILDREN + j), nFeatures - j);
    [order[j], order[other]] = [order[other], order[j]];
  }
  return order.slice(0, nCandidates).sort((a, b) => a - b);
}
