// The modules of the port in the order in which they are read, and put together.
export const ORDER = [
  "checks.js", "numbers.js", "draws.js", "binning.js", "splitting.js", "growth.js", "forest_growth.js", "boosting.js",
  "softmax_boosting.js", "ordinal_boosting.js", "ls_boosting.js", "expected_relevance.js", "random_forest.js",
  "gbrt.js", "reduction.js", "logarithms.js", "conventions.js", "ordering.js", "metrics.js", "records.js",
  "ranking_records.js", "trace.js",
];
