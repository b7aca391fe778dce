// The choices behind the figures that tools print, one record for each tool (refrank/metrics/presets.py).

const PAPER = { gain: "2^y-1", discount: "log2(1+i)", maxGrade: 4, ties: "stable", noRelevant: 0, short: "as is" };
const choose = (name, choices = {}) => ({ name, ...PAPER, ...choices });

export const CONVENTIONS = [
  choose("paper"),
  choose("yahoo", { discount: "ln(1+i)", noRelevant: 0.5 }),
  choose("letor", { gain: [0, 1, 3, 7, 15], discount: "letor", maxGrade: null, short: "zero" }),
  choose("trec", { ties: "document id descending", noRelevant: "skip" }),
  choose("trec_eval", { gain: "y", maxGrade: null, ties: "document id descending" }),
  choose("ir_measures", { gain: "y", ties: "document id descending" }),
  choose("ranklib"),
  choose("lightgbm", { maxGrade: null, noRelevant: 1 }),
  choose("xgboost", { maxGrade: null, noRelevant: 1 }),
  choose("sklearn", { gain: "y", maxGrade: null, ties: "averaged" }),
  choose("ranx", { gain: "y", maxGrade: null }),
  choose("jforests", { maxGrade: null, ties: "worst", noRelevant: 1 }),
  choose("allrank", { maxGrade: null, noRelevant: 1 }),
  choose("tfranking", { maxGrade: null }),
  choose("catboost", { gain: "y", maxGrade: null, ties: "worst", noRelevant: 1 }),
];
