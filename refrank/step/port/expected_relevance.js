// McRank Eq. 5: documents are ranked by their expected relevance (refrank/mcrank/expected_relevance.py).
import { ldexp } from "./numbers.js";

export const TRANSFORMS = { k: (k) => k, "2^k": (k) => ldexp(1, k), "2^k-1": (k) => ldexp(1, k) - 1 };
export const tabulateRelevance = (transform, nClasses) => Array.from({ length: nClasses }, (_, k) => TRANSFORMS[transform](k));

/** Sum over k of p_k T(k), in the order of the classes, of rows of class probabilities. */
export const expectedRelevance = (proba, relevance) => proba.map((row) => row.reduce((S, p, k) => S + p * relevance[k], 0));
