// Faults that ports make, each one line of the port; the page and the tests plant them in its text.
// Names are those of yardstick/mutants.txt where it has the fault.

export const FAULTS = [
  { name: "float64-sums", title: "Sums are added as floats, row by row, without a grid", module: "growth.js",
    line: "  return leaves.map((leaf) => ldexp(addUp(leaf.rows.map((i) => integers[i])), -exponent));",
    broken: "  return leaves.map((leaf) => addUp(leaf.rows.map((i) => values[i])));",
    shows: "The last bit of a sum depends on the order of the rows." },
  { name: "exp-of-the-platform", title: "exp is Math.exp, in the precision of float32", module: "numbers.js",
    line: "  const terms = scores.map((F) => exp(F - highest));",
    broken: "  const terms = scores.map((F) => Math.fround(Math.exp(F - highest)));",
    shows: "Its last bit differs between engines, and from the fixed sequence." },
  { name: "ties-to-the-last", title: "The last of tied cuts wins", module: "splitting.js",
    line: "findLargest(listCuts(histograms, minSamplesLeaf))[0] ?? null;",
    broken: "findLargest(listCuts(histograms, minSamplesLeaf)).pop() ?? null;",
    shows: "Where two cuts gain the same, another tree grows." },
  { name: "factor-missing", title: "The factor (K − 1)/K is missing", module: "softmax_boosting.js",
    line: "  return residualSums.map((sum, j) => quotient(((nClasses - 1) / nClasses) * sum, denominators[j]));",
    broken: "  return residualSums.map((sum, j) => quotient(sum, denominators[j]));",
    shows: "Each step of a leaf is K/(K − 1) times as long." },
  { name: "proba-once-a-round", title: "p is computed once a round, not before each tree", module: "softmax_boosting.js",
    line: 'before = update === "simultaneous" ? scores.map(softmax) : null;',
    broken: "before = scores.map(softmax);",
    shows: "The trees of a round no longer see each other: Friedman’s Algorithm 6." },
  { name: "discount-starts-at-2", title: "The discount begins at position 2", module: "logarithms.js",
    line: 'number = rule === "letor" ? position : position + 1;',
    broken: 'number = rule === "letor" ? position : position + 2;',
    shows: "Only the measures see it: the ranking is right, and its figure is wrong." },
];
