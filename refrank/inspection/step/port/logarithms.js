// Logarithms of whole numbers, each the nearest float64, by integers alone (refrank/metrics/logarithms.py).
import { ldexp } from "./numbers.js";

/** log(n), n = 2..highest, to base 2 or e; with more bits where the rounding is in doubt. */
export function roundLogarithms(highest, base = "2", precision = 128n) {
  const rounded = [];
  let low = 0n, slack = 0n, low2 = 0n, high2 = 0n;
  for (let n = 2; n <= highest; n++) {
    // ln(n) = ln(n - 1) + 2 (z + z^3/3 + ...), z = 1/(2n - 1)
    const odd = BigInt(2 * n - 1), square = odd * odd;
    let power = (2n << precision) / odd;
    for (let k = 1n; power; k += 2n, power /= square, slack += 1n) low += power / k;
    slack += 1n;
    if (n === 2) [low2, high2] = [low, low + slack];
    const [below2, above2] = base === "2" ? [high2, low2] : [1n << precision, 1n << precision];
    const ends = [divideOnce(low, below2), divideOnce(low + slack, above2)];
    if (ends[0] !== ends[1]) return roundLogarithms(highest, base, 2n * precision);
    rounded.push(ends[0]);
  }
  return rounded;
}

/** a / b, a >= b / 2 > 0, rounded once to float64: 64 bits of the quotient, the last of them sticky. */
function divideOnce(a, b) {
  const shifted = a << 66n, whole = shifted / b;
  return ldexp(Number(whole | (whole * b === shifted ? 0n : 1n)), -66); // Number() rounds to nearest, ties to even
}

const tables = {};

/** Divisors of the positions 1, 2, ... as weights: 1 / log2(1 + i), or as `rule` says. */
export function discount(position, rule = "log2(1+i)") {
  if (rule === "letor" && position < 3) return 1;
  const base = rule === "ln(1+i)" ? "e" : "2", number = rule === "letor" ? position : position + 1;
  if (!(number - 2 < (tables[base]?.length ?? 0))) tables[base] = roundLogarithms(Math.max(2 * number, 64), base);
  return 1 / tables[base][number - 2];
}
