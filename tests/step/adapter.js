// The functions of refrank-vectors by the port's, and the cases run on them; without imports, for a browser too.

const SPECIAL_VALUES = { inf: Infinity, "-inf": -Infinity, nan: NaN };

class NotOffered extends Error {}

/** An array of the vectors as nested lists; integers beyond 2^53 as BigInt. */
function decodeArray(value) {
  if (value === null || typeof value === "string" || Array.isArray(value)) return value;
  const flat = value.text ? value.text.map(BigInt) : value.values.map((x) => SPECIAL_VALUES[x] ?? x);
  value.hex?.forEach((hex, i) => (flat[i] = hex === "-0x0.0p+0" ? -0 : flat[i]));
  const nest = ([length, ...inner], from) => {
    const size = inner.reduce((product, n) => product * n, 1);
    return length === undefined ? flat[from] : Array.from({ length }, (_, i) => nest(inner, from + i * size));
  };
  return nest(value.shape, 0);
}

const refuse = (wrong, sentence) => {
  if (wrong) throw new RangeError(sentence);
};
const leavesAt = (leaf) =>
  Array.from({ length: Math.max(...leaf) + 1 }, (_, j) => ({ rows: leaf.flatMap((own, i) => (own === j ? [i] : [])) }));
const settingsOf = (a) => ({
  nClasses: a.n_classes, nLeaves: a.n_leaves, nRounds: a.n_rounds, learningRate: a.learning_rate, weight: a.weight,
  maxDepth: a.max_depth, minSamplesLeaf: a.min_samples_leaf, nTrees: a.n_trees, nCandidates: a.n_candidates,
  seed: a.seed,
  update: a.update ?? (a.trees === "one" ? "simultaneous" : "sequential"), start: a.start,
});

/** The functions that are offered, by name: each takes the inputs of a case, and returns its outputs. */
function offerFunctions(port) {
  const { BINNINGS, COSTS, CONVENTIONS, TRANSFORMS } = port;
  const bin = ({ X, n_bins, binning, weight }) => port.binFeatures(X, n_bins, BINNINGS[binning], weight ?? null);
  const nameFields = (nodes) => {
    const fields = Object.entries(port.writeTree(nodes)), read = (x) => SPECIAL_VALUES[x] ?? x;
    return Object.fromEntries(fields.map(([name, { values }]) => [name, values.map(read)]));
  };
  const joinTrees = (grown) => {
    const flat = grown.map(nameFields), all = (name) => flat.flatMap((tree) => tree[name]);
    const roots = flat.map((_, t) => flat.slice(0, t).reduce((n, tree) => n + tree.feature.length, 0));
    const names = ["feature", "cut", "left", "right", "value"];
    return { roots, ...Object.fromEntries(names.map((name) => [name, all(name)])) };
  };
  const stepLeaves = (residual, proba, leaf, K, weight) => {
    const leaves = leavesAt(leaf), sums = port.sumOverLeaves(leaves, port.weigh(residual, weight));
    return { leaves, values: port.computeLeafValues(leaves, sums, proba, K, weight) };
  };
  const addRound = (a, y, k, proba, leaf, scores, K) => {
    const { leaves, values } = stepLeaves(port.computeResidual(y, k, proba), proba, leaf, K, a.weight ?? null);
    const column = scores.map((row) => row[k]);
    port.addToLeaves(column, leaves, values.map((value) => a.learning_rate * value));
    scores.forEach((row, i) => (row[k] = column[i]));
  };
  const probaOf = (scores, k) => scores.map((row) => port.softmax(row)[k]);
  const shareRanges = (rows, starts) => starts.slice(1).map((end, j) => ({ rows: rows.slice(starts[j], end) }));
  const readSpec = (a) => ({
    ...CONVENTIONS[0], gain: a.gain, discount: a.discount, ties: a.ties, short: a.short, noRelevant: a.no_relevant,
  });
  const byConvention = (measure) => (a) => {
    refuse(a.y.length !== a.score.length, "y and score must be of one length");
    const values = port.groupRows(a.qid ?? a.y.map(() => 0)).map((rows) => {
      const [y, score, ids] = [a.y, a.score, a.doc_id ?? a.y.map((_, i) => i)].map((all) => rows.map((i) => all[i]));
      return measure(y, score, a, readSpec(a), ids);
    });
    return { values: values.map((value) => value ?? NaN), mean: port.meanOfQueries(values) };
  };
  const tabulate = (y, maxGrade, cost) => {
    if (maxGrade > port.LARGEST_MAX_GRADE && maxGrade <= 31) throw new NotOffered(); // not exact in float64
    return port.tabulateCosts(y, maxGrade, COSTS[cost]);
  };
  const grow = (a) => {
    if (a.cut_at !== "bins" || a.three_way) throw new NotOffered();
    return bin(a);
  };
  return {
    exp: ({ x }) => ({ exp: x.map(port.exp) }),
    softmax: ({ scores }) => ({ proba: scores.map(port.softmax) }),
    grid_exponent: ({ value }) => ({ exponent: port.gridExponent(value) }),
    to_grid: ({ value }) => port.toGrid(value),
    round_to_grid: ({ value, exponent }) => ({ integers: port.roundToGrid(value, exponent) }),
    grid_sum: ({ value }) => ({ sum: port.exactSum(value) }),
    grid_mean: ({ value, weight }) => ({ mean: port.exactMean(value, weight) }),
    splitmix64: ({ key, n }) => ({ numbers: Array.from({ length: n }, (_, i) => port.draw(key, i)) }),
    below: ({ bits, n }) => ({ drawn: bits.map((own) => port.below(BigInt(own), n)) }),
    tree_key: ({ seed, tree, stream }) => ({ key: port.treeKey(seed, tree, stream) }),
    child_key: ({ key, child }) => ({ key: port.childKey(key, child) }),
    bootstrap: (a) => ({ rows: port.bootstrapRows(a.seed, a.tree, a.n_samples) }),
    bootstrap_counts: (a) => ({ counts: port.bootstrapCounts(a.seed, a.tree, a.n_samples) }),
    feature_subset: (a) => ({ features: port.featureSubset(a.key, a.n_candidates, a.n_features) }),
    cuts_app_i: (a) => ({ cuts: port.findCuts(a.values, a.n_bins, port.equalLengths(a.growth)) }),
    cuts_quantile: ({ values, n_bins, weight }) => ({
      cuts: port.findCuts(values, n_bins, port.quantiles, weight && port.toGrid(weight).integers),
    }),
    cuts_exact: ({ values, n_bins }) => ({ cuts: port.findCuts(values, n_bins, port.everyValue) }),
    bin_starts: ({ values, length, n_bins }) => ({ starts: port.binStarts(values, length, n_bins) }),
    quantize: ({ x, cuts }) => ({ codes: x.map((own) => port.quantize(own, cuts)) }),
    bin_features: (a) => {
      const { offsets, cuts, codes } = port.writeBins(bin(a));
      return { codes: codes.values, offsets: offsets.values, cuts: cuts.values };
    },
    histogram: ({ codes, offsets, rows, integers, weights }) => {
      const columns = [integers, integers.map(() => 1), ...(weights ? [weights] : [])];
      const code = (f) => codes.map((row) => row[f]);
      return { sums: offsets.slice(1).map((end, f) => port.histogram(code(f), end - offsets[f], rows, columns)) };
    },
    split_gain: ({ left, right }) => ({ split_gain: left.map((side, i) => port.computeGains(side, right[i])) }),
    best_split: ({ sums, offsets, min_samples_leaf, missing }) => {
      if (missing?.some((flag) => flag > 0)) throw new NotOffered();
      const best = port.bestSplit(offsets.slice(1).map((end, f) => sums.slice(offsets[f], end)), min_samples_leaf);
      const [left_sum, left_count, left_weight] = best ? [...best.left, best.left.at(-1)] : [0, 0, 0];
      const { feature, bin: last, gain: split_gain } = best ?? { feature: -1, bin: -1, gain: 0 };
      return { feature, bin: last, split_gain, left_sum, left_count, left_weight };
    },
    partition: ({ codes, rows, feature, bin: last }) => {
      const nodes = [], root = port.makeNode(nodes, rows, 0, [0]);
      const columns = codes[0].map((_, f) => codes.map((row) => row[f]));
      const cut = { feature, bin: last, left: [0], right: [0] };
      const [left, right] = port.cutNode(nodes, root, cut, { codes: columns, cuts: columns });
      return { rows: [...left.rows, ...right.rows], n_left: left.rows.length };
    },
    leaf_sums: ({ value, exponent, rows, starts }) => {
      const columns = [port.roundToGrid(value, exponent)];
      return { sums: shareRanges(rows, starts).map((leaf) => port.sumRows(leaf.rows, columns)) };
    },
    add_to_leaves: ({ scores, rows, starts, values }) => {
      port.addToLeaves(scores, shareRanges(rows, starts), values);
      return { scores };
    },
    add_trees: ({ X, roots, feature, cut, left, right, value, scores }) => {
      const trees = roots.map((root, t) => {
        const at = Array.from({ length: (roots[t + 1] ?? feature.length) - root }, (_, n) => root + n);
        return at.map((n) => ({
          cut: feature[n] < 0 ? null : { feature: feature[n] }, threshold: cut[n],
          left: left[n], right: right[n], value: value[n],
        }));
      });
      return { scores: port.addTrees(trees, X, 1, scores) };
    },
    grow_tree: (a) => nameFields(port.growTree(grow(a), a.residual, settingsOf(a))),
    grow_forest_tree: (a) => {
      const limits = { ...settingsOf(a), key: a.key };
      return nameFields(port.growForestTree(grow(a), a.residual, a.weight, a.counts, limits));
    },
    leaf_values: (a) => stepLeaves(a.residual, a.proba, a.leaf, a.n_classes, a.weight),
    softmax_round: (a) => {
      const scores = a.scores, K = scores[0].length;
      for (let k = 0; k < K; k++) addRound(a, a.y, k, probaOf(scores, k), a.leaf.map((row) => row[k]), scores, K);
      return { scores };
    },
    ordinal_round: (a) => {
      const constants = port.findOneSidedConstants(a.y, a.n_classes);
      const outputs = constants.map((constant, k) => {
        if (constant !== null) return null;
        const labels = a.y.map((label) => (label > k ? 1 : 0)), scores = labels.map(() => [0, 0]);
        for (const c of [0, 1]) addRound(a, labels, c, probaOf(scores, c), a.leaf.map((row) => row[k]), scores, 2);
        return scores;
      });
      return { cumulative_proba: port.cumulativeProbaOf(outputs, constants, a.y) };
    },
    ls_start: ({ y, weight }) => ({ start: port.exactMean(y.map(TRANSFORMS["2^k-1"]), weight) }),
    ls_round: (a) => {
      const residual = port.weigh(a.target.map((t, i) => t - a.scores[i]), a.weight), leaves = leavesAt(a.leaf);
      const sums = port.sumOverLeaves(leaves, residual);
      const totals = port.sumOverLeaves(leaves, a.weight ?? residual.map(() => 1));
      port.addToLeaves(a.scores, leaves, sums.map((sum, j) => a.learning_rate * port.quotient(sum, totals[j])));
      return { scores: a.scores };
    },
    class_proba: ({ cumulative_proba }) => ({ class_proba: port.classProba(cumulative_proba) }),
    expected_relevance: ({ class_proba, transform }) => ({
      scores: port.expectedRelevance(class_proba, port.tabulateRelevance(transform ?? "k", class_proba[0].length)),
    }),
    transform_table: ({ transform, n_classes }) => ({ relevance: port.tabulateRelevance(transform, n_classes) }),
    softmax_boosting: (a) => {
      const turns = [...port.softmaxBoosting(bin(a), a.y, settingsOf(a))];
      return { scores: turns.at(-1).scores, ...joinTrees(turns.flatMap(({ trees }) => trees)) };
    },
    ordinal_boosting: (a) => {
      const turns = [...port.ordinalBoosting(bin(a), a.y, settingsOf(a))];
      return { cumulative_proba: turns.at(-1).cumulativeProba, ...joinTrees(turns.flatMap(({ trees }) => trees)) };
    },
    ls_boosting: (a) => {
      const [first, ...turns] = port.lsBoosting(bin(a), a.target, settingsOf(a));
      const { scores } = turns.at(-1) ?? first;
      return { initial: first.initial, scores, ...joinTrees(turns.map(({ nodes }) => nodes)) };
    },
    cumulative_proba: ({ scores, constants }) => {
      const learned = constants.filter(Number.isNaN).length, isMirrored = scores[0].length === learned;
      let at = 0;
      const outputs = constants.map((constant) => {
        if (!Number.isNaN(constant)) return null;
        const first = isMirrored ? at++ : (at += 2) - 2;
        return scores.map((row) => (isMirrored ? [row[first], -row[first]] : [row[first], row[first + 1]]));
      });
      return { cumulative_proba: port.cumulativeProbaOf(outputs, constants, scores) };
    },
    random_forest: (a) => {
      const trees = [...port.randomForest(bin(a), a.target, settingsOf(a))].map(({ nodes }) => nodes);
      const out_of_bag = port.predictOutOfBag(trees, a.X, a.seed);
      return { scores: port.averageTrees(trees, a.X), out_of_bag, ...joinTrees(trees) };
    },
    gbrt: (a) => {
      const turns = [...port.gbrt(bin(a), a.target, settingsOf(a))];
      return { residual: turns.at(-1).residual, ...joinTrees(turns.map(({ nodes }) => nodes)) };
    },
    igbrt: (a) => {
      const turns = [...port.igbrt(bin(a), a.target, a.forest_scores, settingsOf(a))];
      return { residual: turns.at(-1).residual, ...joinTrees(turns.map(({ nodes }) => nodes)) };
    },
    costs: ({ y, max_grade, cost }) => ({ costs: tabulate(y, max_grade, cost) }),
    oerr_weights: ({ y, max_grade }) => ({ weights: port.costWeights(tabulate(y, max_grade, "oerr")) }),
    reduction: ({ y, max_grade, cost, sample_weight }) => {
      const weights = port.costWeights(tabulate(y, max_grade, cost));
      const own = (row, i) => row.map((weight) => weight * (sample_weight?.[i] ?? 1));
      return { answers: port.encodeAnswers(y, max_grade), weights: weights.map(own) };
    },
    to_mean_one: ({ weight, sample_weight }) => ({ weight: port.toMeanOne(weight, sample_weight) }),
    hard_rank: ({ answers }) => ({ rank: port.hardRank(answers) }),
    soft_rank: ({ answers }) => ({ rank: port.softRank(answers) }),
    grade_proba: ({ answers }) => ({ grade_proba: port.gradeProba(answers) }),
    dcg: ({ y, score, k }) => ({ dcg: port.dcg(y, score, k) }),
    ndcg: ({ y, score, k }) => ({ ndcg: port.ndcg(y, score, k) }),
    err: ({ y, score, k, max_grade }) => ({ err: port.err(y, score, k, max_grade) }),
    dcg_by_convention: byConvention((y, score, { k }, spec, ids) => port.dcg(y, score, k, spec, ids)),
    ndcg_by_convention: byConvention((y, score, { k }, spec, ids) => port.ndcg(y, score, k, spec, ids)),
    err_by_convention: byConvention((y, score, a, spec, ids) => port.err(y, score, a.k, a.max_grade, spec, ids)),
    discounts: ({ n_positions, k, discount: rule }) => ({
      discounts: Array.from({ length: n_positions }, (_, i) => (k !== null && i >= k ? 0 : port.discount(i + 1, rule))),
    }),
    logarithms: ({ highest, base }) => ({ logarithms: port.roundLogarithms(highest, base) }),
  };
}

/** The distance from a number to the next larger one. */
function spacing(x) {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  view.setBigInt64(0, view.getBigInt64(0) + 1n);
  return view.getFloat64(0) - x;
}

/** The first number of an answer that differs from the expected ones, as a sentence; null if none does. */
function compareOutput(expected, actual, ulps) {
  for (const [name, value] of Object.entries(expected)) {
    const a = [decodeArray(value)].flat(9), b = [actual[name]].flat(9), isFloat = value.dtype === "float64";
    if (a.length !== b.length) return `${name} has ${b.length} numbers, expected ${a.length}`;
    const most = Math.max(0, ...(isFloat ? a : []).filter(Number.isFinite).map(Math.abs));
    const allowed = ulps * spacing(most);
    const isSame = (x, y) => (isFloat ? Object.is(x, y) || Math.abs(x - y) <= (ulps ? allowed : -1) : x == y);
    const i = a.findIndex((x, at) => !isSame(x, b[at]));
    if (i >= 0) return `${name}[${i}] is ${b[i]}, expected ${a[i]}`;
  }
  return null;
}

/** Run the cases of families on the port: { passed, failed: [sentence], skipped: { function: cases } }. */
function runVectors(port, families) {
  const offered = offerFunctions(port), totals = { passed: 0, failed: [], skipped: {} };
  for (const { cases } of families) {
    const byId = new Map(cases.map((own) => [own.id, own]));
    for (const own of cases) {
      const of = byId.get(own.input_of) ?? own, ulps = own.ulps ?? of.ulps ?? 0;
      const input = Object.fromEntries(Object.entries(of.input).map(([name, value]) => [name, decodeArray(value)]));
      let output = null, fault = offered[own.function] ? null : new NotOffered();
      try {
        output = offered[own.function]?.(input);
      } catch (raised) {
        fault = raised;
      }
      if (fault instanceof NotOffered) totals.skipped[own.function] = (totals.skipped[own.function] ?? 0) + 1;
      else {
        const differences = fault ? [] : own.answers.map((answer) => compareOutput(answer.output, output, ulps));
        const isRefused = fault instanceof RangeError, isEqual = differences.includes(null);
        const passes = own.answers.length === 0 ? isRefused : !fault && isEqual === (own.result !== "invalid");
        if (passes) totals.passed += 1;
        else totals.failed.push(`${own.id}: ${fault ? fault.stack : differences[0] ?? "it must not give this answer"}`);
      }
    }
  }
  return totals;
}

/** Totals as lines: what failed, what the port lacks, and the counts. */
function describeTotals({ passed, failed, skipped }) {
  const lacking = Object.entries(skipped).map(([name, n]) => `${name} (${n})`);
  const n = Object.values(skipped).reduce((sum, count) => sum + count, 0);
  const counts = `${passed} passed, ${failed.length} failed, ${n} skipped`;
  return [...failed.slice(0, 40), `skipped: ${lacking.join(", ")}`, counts];
}
