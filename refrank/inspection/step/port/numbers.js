// Powers of two, rounding, exp, softmax, and the grid on which sums are exact (refrank/trees/numbers).
// ECMAScript asks for one IEEE 754 operation at a time: nothing is fused, nothing is wider. What it leaves to an engine
// (exp, log, powers, rounding of halves) is spelled out here or not used.

import { refuse } from "./checks.js";

const bits = new DataView(new ArrayBuffer(8));
const SHIFT = 4503599627370496; // 2^52
const INVERSE_LN_2 = 1.4426950408889634;
const LN_2_HIGH = 0.6931471805598903, LN_2_LOW = 5.497923018708371e-14; // their sum is ln 2
const FACTORIALS = [87178291200, 6227020800, 479001600, 39916800, 3628800, 362880, 40320, 5040, 720, 120, 24, 6, 2];

/** 2^e, -1022 <= e <= 1023, made from its bits. */
function powerOfTwo(e) {
  bits.setBigUint64(0, BigInt(e + 1023) << 52n);
  return bits.getFloat64(0);
}

/** x 2^e, rounded once even where the result is subnormal. */
export function ldexp(x, e) {
  for (; e > 1023; e -= 1023) x *= powerOfTwo(1023);
  for (; e < -1022; e += 969) x *= powerOfTwo(-969); // 53 bits are left for the last product, which alone rounds
  return x * powerOfTwo(e);
}

/** The E with |x| = m 2^E, 1/2 <= m < 1, of a finite x other than 0. */
export function exponentOf(x) {
  bits.setFloat64(0, x);
  const biased = (bits.getUint16(0) >> 4) & 0x7ff;
  return biased === 0 ? exponentOf(x * powerOfTwo(54)) - 54 : biased - 1022;
}

/** The nearest integer, halves to the even one. */
export function rint(x) {
  const size = Math.abs(x);
  if (!(size < SHIFT)) return x;
  const near = size + SHIFT - SHIFT;
  return x < 0 || Object.is(x, -0) ? -near : near;
}

/** exp(x) by a fixed sequence of operations: x = k ln 2 + r, and a series in r. */
export function exp(x) {
  x = Math.min(Math.max(x, -746), 710);
  const k = rint(x * INVERSE_LN_2);
  const high = x - k * LN_2_HIGH, low = k * LN_2_LOW, r = high - low;
  let series = 1 / FACTORIALS[0];
  for (const factorial of FACTORIALS.slice(1)) series = series * r + 1 / factorial;
  return ldexp(1 + (high + (r * r * series - low)), k);
}

/** p of one document: exp(F_k) / sum_s exp(F_s); the highest score is taken off first. */
export function softmax(scores) {
  const highest = Math.max(...scores);
  const terms = scores.map((F) => exp(F - highest));
  const total = terms.reduce((sum, term) => sum + term, 0);
  return terms.map((term) => term / total);
}

/** e of the grid of a quantity: 53 - L - E, n <= 2^L, max |value| < 2^E; 0 where all values are 0. */
export function gridExponent(values) {
  let largest = 0;
  for (const [i, value] of values.entries()) {
    if (!Number.isFinite(value)) refuse(`value at row ${i}`, value, "finite");
    largest = Math.max(largest, Math.abs(value));
  }
  if (largest === 0) return 0;
  const L = values.length > 1 ? 32 - Math.clz32(values.length - 1) : 0;
  return 53 - L - exponentOf(largest);
}

/** Each value as an integer of the grid; a sum of them is below 2^53, and exact in any order. */
export const roundToGrid = (values, exponent) => values.map((value) => rint(ldexp(value, exponent)) + 0);

export function toGrid(values) {
  const exponent = gridExponent(values);
  return { integers: roundToGrid(values, exponent), exponent };
}

export const addUp = (values) => values.reduce((total, value) => total + value, 0);

export function exactSum(values) {
  const { integers, exponent } = toGrid(values);
  return ldexp(addUp(integers), -exponent);
}

export const weigh = (values, weight) => (weight ? values.map((value, i) => weight[i] * value) : values);

export const exactMean = (values, weight) =>
  weight ? exactSum(weigh(values, weight)) / exactSum(weight) : exactSum(values) / values.length;

/** The quotient, and 0 where the denominator is 0. */
export const quotient = (numerator, denominator) => (denominator === 0 ? 0 : numerator / denominator);

/** A sum of non-negative floats that is rounded once, as math.fsum is: in whole multiples of 2^-1074. */
export function addExactly(values) {
  const total = values.reduce((sum, value) => sum + toWhole(value), 0n);
  if (total === 0n) return 0;
  const shift = BigInt(Math.max(0, total.toString(2).length - 64)), rest = total & ((1n << shift) - 1n);
  const top = (total >> shift) | (rest ? 1n : 0n); // the last bit is sticky; Number() rounds to nearest, ties to even
  return ldexp(Number(top), Number(shift) - 1074);
}

/** The value in whole multiples of 2^-1074. */
function toWhole(value) {
  if (value === 0) return 0n;
  const e = Math.max(exponentOf(value) - 53, -1074);
  return BigInt(ldexp(value, -e)) << BigInt(e + 1074);
}
