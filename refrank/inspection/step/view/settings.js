// What can be chosen: the algorithm and its parameters, named as in Python, with the short names of the address.

const rate = (symbol) => ({
  key: "learning_rate",
  short: "nu",
  label: symbol,
  options: [0.1, 0.3, 0.5, 1],
  value: 0.3,
});
const rounds = (value) => ({ key: "n_rounds", short: "M", label: "rounds", options: [1, 2, 3, 5, 8], value });
const LEAVES = { key: "n_leaves", short: "J", label: "J", options: [2, 3, 4], value: 3 };
const DEPTH = { key: "max_depth", short: "d", label: "d", options: [1, 2, 3], value: 2 };
const TREES = { key: "n_trees", short: "T", label: "trees", options: [1, 3, 5, 8], value: 3 };
const UPDATE = {
  key: "update",
  short: "p",
  label: "p",
  options: ["sequential", "simultaneous"],
  value: "sequential",
  words: { sequential: "as printed", simultaneous: "once a round" },
};
const COST = { key: "cost", short: "cost", label: "cost", options: ["oerr", "absolute", "squared"], value: "oerr" };

export const ALGORITHMS = {
  softmax: { title: "McRank Alg. 1", ranker: "SoftmaxBoostRanker", settings: [UPDATE, LEAVES, rate("ν"), rounds(5)] },
  ordinal: {
    title: "McRank Sec. 4, ordinal",
    ranker: "OrdinalBoostRanker",
    settings: [UPDATE, LEAVES, rate("ν"), rounds(3)],
  },
  ls: { title: "McRank Alg. 2", ranker: "LSBoostRanker", settings: [LEAVES, rate("ν"), rounds(5)] },
  rf: { title: "iGBRT Alg. 1, forest", ranker: "RandomForestRanker", settings: [TREES], fixed: { max_features: 1 } },
  gbrt: { title: "iGBRT Alg. 2, GBRT", ranker: "GBRTRanker", settings: [DEPTH, rate("α"), rounds(5)] },
  igbrt: {
    title: "iGBRT Alg. 3",
    ranker: "IGBRTRanker",
    settings: [TREES, DEPTH, rate("α"), rounds(3)],
    fixed: { max_features: 1 },
  },
  cocr: { title: "COCR, reduction", ranker: "COCRRanker", settings: [COST] },
};

export const defaultsOf = (algorithm) =>
  Object.fromEntries(ALGORITHMS[algorithm].settings.map(({ key, value }) => [key, value]));

/** The parameters of a training, named as in Python. */
export const parametersOf = (algorithm, chosen) => ({
  ...ALGORITHMS[algorithm].fixed,
  ...defaultsOf(algorithm),
  ...chosen,
});

/** A value as its option has it; undefined where it is none. */
export function readOption(setting, text) {
  return setting.options.find((option) => String(option) === text);
}

export function drawSettings(algorithm, chosen) {
  return ALGORITHMS[algorithm].settings
    .map(
      ({ key, label, options, words }) =>
        `<label>${label} <select data-setting="${key}">${options
          .map(
            (option) =>
              `<option value="${option}"${option === chosen[key] ? " selected" : ""}>${words?.[option] ??
          option}</option>`,
          )
          .join("")}</select></label>`,
    )
    .join("");
}
