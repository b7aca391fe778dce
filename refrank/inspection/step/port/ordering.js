// The documents of a query in the order of their scores, and the rules for equal scores (refrank/metrics/ordering.py).
import { checkInteger, refuse } from "./checks.js";
import { CONVENTIONS } from "./conventions.js";

export const [PAPER_SPEC] = CONVENTIONS;
export const HIGHEST_LABEL = 53;

/** Refuse labels, scores and cut-offs that no metric takes. */
export function checkDocuments(y, score, k) {
  for (const [i, label] of y.entries()) checkInteger(`y at row ${i}`, label, 0, HIGHEST_LABEL);
  const at = score.findIndex(Number.isNaN);
  if (at >= 0) refuse(`score at row ${at}`, score[at], "a number");
  if (k !== null) checkInteger("k", k, 1);
}

const SECOND_KEYS = {
  stable: () => () => 0,
  averaged: () => () => 0,
  worst: (y) => (i) => y[i],
  best: (y) => (i) => -y[i],
  "document id descending": (_, ids) => (i) => -(ids ? ids[i] : i),
};

/** Documents from the highest score down; the convention orders those of equal score. */
export function rankDocuments(y, score, spec = PAPER_SPEC, ids = null) {
  const second = SECOND_KEYS[spec.ties](y, ids), falls = (i, j) => (score[j] > score[i]) - (score[j] < score[i]);
  return y.map((_, i) => i).sort((i, j) => falls(i, j) || second(i) - second(j) || i - j);
}

/** Runs [from, to) of positions whose documents have one score, where ties are averaged; else of one position each. */
export function groupTies(score, order, spec) {
  const groups = [];
  for (const [at, i] of order.entries()) {
    if (spec.ties === "averaged" && at > 0 && score[i] === score[order[at - 1]]) groups[groups.length - 1][1] = at + 1;
    else groups.push([at, at + 1]);
  }
  return groups;
}

/** The value of a query, or what the convention gives a short one, or one without relevant documents; null: skipped. */
export function evaluateQuery(y, k, spec, isRelevant, value) {
  if (!isRelevant && spec.noRelevant === "error") throw new RangeError("y has no relevant document");
  if (!isRelevant && spec.noRelevant === "skip") return null;
  return spec.short === "zero" && k !== null && y.length < k ? 0 : value();
}
