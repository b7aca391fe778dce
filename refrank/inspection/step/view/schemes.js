// What the scores of each boosting are, the columns that show them, and the score by which they rank documents.
import { makeOrdinal } from "./scheme_ordinal.js";
import { makeRegression } from "./scheme_regression.js";
import { makeSoftmax } from "./scheme_softmax.js";

export const SCHEMES = {
  softmax: makeSoftmax,
  ordinal: makeOrdinal,
  ls: makeRegression("ls"),
  gbrt: makeRegression("gbrt"),
  igbrt: makeRegression("igbrt"),
};
