// McRank Eq. 5: documents are ranked by their expected relevance (refrank/mcrank/expected_relevance.py).
import { checkInteger, refuse } from "./checks.js";
import { ldexp } from "./numbers.js";

export const TRANSFORMS = { k: (k) => k, "2^k": (k) => ldexp(1, k), "2^k-1": (k) => ldexp(1, k) - 1 };

/** T(0), ..., T(K - 1), given by a name, or as the table itself. */
export function tabulateRelevance(transform, nClasses) {
  if (!Array.isArray(transform) && !(transform in TRANSFORMS))
    refuse("relevance", transform, `one of ${Object.keys(TRANSFORMS).join(", ")}, or a table`);
  const levels = Array.from({ length: nClasses }, (_, k) => k);
  const table = Array.isArray(transform) ? transform : levels.map(TRANSFORMS[transform]);
  checkInteger("length of relevance", table.length, nClasses, nClasses);
  for (const [k, value] of table.entries()) {
    if (!Number.isFinite(value)) refuse(`relevance of class ${k}`, value, "finite");
    if (k > 0 && !(value > table[k - 1])) refuse(`relevance of class ${k}`, value, "above that of the class before");
  }
  return table;
}

/** Sum over k of p_k T(k), in the order of the classes, of rows of class probabilities. */
export const expectedRelevance = (proba, relevance) =>
  proba.map((row) => row.reduce((S, p, k) => S + p * relevance[k], 0));
