// The papers' lines: id, depth, place, our words, formula, and the line of code that carries it out with its home.
import { FORMULAS } from "./formulas.js";
import { COCR_LINES, GBRT_LINES, IGBRT_LINES } from "./lines_cocr.js";
import { ORDINAL_LINES, SOFTMAX_LINES } from "./lines_mcrank.js";
import { FOREST_LINES, LS_LINES } from "./lines_regression.js";

function readLines(algorithm, text) {
  return text.trim().split(/\n\s*\n/).map((block) => {
    const [head, words, home, ...code] = block.trim().split("\n");
    const [, id, depth, place] = /^(\S+) (\d) (.*)$/.exec(head), formula = FORMULAS[algorithm][id] ?? "";
    return { id, depth: Number(depth), place, words, home, code: code.join("\n"), formula };
  });
}

const TEXTS = { softmax: SOFTMAX_LINES, ordinal: ORDINAL_LINES, ls: LS_LINES, rf: FOREST_LINES, gbrt: GBRT_LINES,
  igbrt: IGBRT_LINES, cocr: COCR_LINES };

export const LINES = Object.fromEntries(Object.entries(TEXTS).map(([name, text]) => [name, readLines(name, text)]));

const COST_EQUATIONS = { absolute: "COCR Eq. 3", squared: "COCR Eq. 4", oerr: "COCR Eq. 13" };
const COST_CODE = { absolute: "return np.abs(grades - predicted)", squared: "return (grades - predicted) ** 2" };

/** The lines of an algorithm; those of COCR are of the cost that was chosen, and of GBRT where this learns. */
export function listLines(algorithm, { cost, base } = {}) {
  if (algorithm !== "cocr") return LINES[algorithm];
  const lines = LINES.cocr.filter(({ depth }) => depth < 2 || (base?.algorithm ?? "gbrt") === "gbrt");
  if (!(cost in COST_CODE)) return lines;
  const [first, ...rest] = lines, formula = FORMULAS.cocr[cost];
  return [{ ...first, place: COST_EQUATIONS[cost], code: COST_CODE[cost], formula }, ...rest];
}
