// The formulas of the papers' lines, by algorithm and line.
import { frac, group, math, mathLines, power, sumOver } from "./mathml.js";

const gainOver = (n) =>
  mathLines(["d =", frac("Σ_L", `${n}_L`), "−", frac("Σ_R", `${n}_R`)],
    ["gain =", power("d", "2"), "·", frac(`${n}_L ${n}_R`, n)]);
const GAIN = gainOver("n");
const square = (inner) => power(group("(", inner, ")"), "2");
const STEPS = {
  4: math("p_i,k =", frac(group("exp F_i,k"), group(sumOver("s"), "exp F_i,s"))),
  "5r": math("ỹ_i,k − p_i,k"), "5h": GAIN,
  6: math("β =", frac("K − 1", "K"), frac("∑ ( ỹ_i,k − p_i,k )", "∑ p_i,k ( 1 − p_i,k )")),
  7: math("F_i,k ← F_i,k + ν β"),
  eq5: math("S_i =", sumOver("k"), "p_i,k T ( k )"),
};
const REST = math("r_i = y_i − T ( x_i )"), MEAN = math("h =", frac("∑ r_i", "n"));
const LESS = math("r_i ← r_i − α h ( x_i )");

export const FORMULAS = {
  softmax: { ...STEPS, 0: math("ỹ_i,k = [ y_i = k ]"), 1: math("F_i,k = 0") },
  ordinal: { ...STEPS, s4: math("{ y ≤ k } , { y > k }"), eq8: math("p_k = Pr ( y ≤ k ) − Pr ( y ≤ k−1 )") },
  ls: {
    0: math("ỹ_i =", power("2", "y_i"), "− 1"), 1: math("S_i =", frac("∑ ỹ_i", "n")), "3h": GAIN,
    "3r": math("ỹ_i − S_i"),
    4: math("β =", frac("∑ ( ỹ_i − S_i )", "n")), 5: math("S_i ← S_i + ν β"),
  },
  rf: { 5: math("T ( x ) =", frac("1", "M"), sumOver("t"), "h_t ( x )") },
  gbrt: {
    1: math("r_i = y_i"), "3r": REST, "3h": GAIN, "3v": MEAN, 5: LESS,
    8: math("T ( x ) = α", sumOver("t"), "h_t ( x )"),
  },
  igbrt: {
    2: math("r_i = y_i − F ( x_i )"), "4r": REST, "4h": GAIN, "4v": MEAN, 6: LESS,
    9: math("T ( x ) = F ( x ) + α", sumOver("t"), "h_t ( x )"),
  },
  cocr: {
    cost: math("c [ k ] =", square(group(power("2", "y"), "−", power("2", "k")))),
    absolute: math("c [ k ] = | y − k |"),
    squared: math("c [ k ] =", square(group("y − k"))), eq1: math("b_k = [ y ≥ k ]"),
    eq5: math("w_k = | c [ k ] − c [ k−1 ] |"),
    "3r": math("r_i = b_i − T ( x_i )"), "3h": gainOver("w"), "3v": math("h =", frac("∑ w_i r_i", "∑ w_i")), 5: LESS,
    8: math("h_k ( x ) = α", sumOver("t"), "h_t ( x )"),
    eq6: math("r_h =", sumOver("k"), "h_k ( x )"), eq2: math("r_g =", sumOver("k"), "[ h_k ( x ) ≥ 0.5 ]"),
  },
};
