// DCG, NDCG and ERR of a ranking under a convention, by the port.
import { CONVENTIONS } from "../port/conventions.js";
import { discount } from "../port/logarithms.js";
import { dcg, err, ndcg } from "../port/metrics.js";
import { rankDocuments } from "../port/ordering.js";

export const PRESETS = new Map(CONVENTIONS.map((spec) => [spec.name, spec]));
const CUT_OFF = 10; // NDCG@10

const describeGain = ({ gain }) => (Array.isArray(gain) ? gain.join(", ") : gain);

/** The choices of a convention in words. */
export const describeConvention = (spec) =>
  `gain ${describeGain(spec)}, discount ${spec.discount}, ties ${spec.ties}, no relevant document ${spec.noRelevant}` +
  `${spec.short === "zero" ? ", fewer than 10 documents 0" : ""}`;

/** A measure; null where it refuses a grade. */
function orNull(compute) {
  try {
    return compute();
  } catch {
    return null;
  }
}

/** The measures of the first query; null where a convention leaves the query out, or has no gain for a grade. */
export function measure(data, score, preset) {
  const spec = PRESETS.get(preset),
    rows = [...data.y.keys()].filter((i) => data.qid[i] === data.qid[0]);
  const y = rows.map((i) => data.y[i]),
    own = rows.map((i) => score[i]),
    order = rankDocuments(y, own, spec);
  const maxGrade = spec.maxGrade ?? Math.max(1, ...y);
  return {
    discounts: order.map((_, at) => discount(at + 1, spec.discount)),
    dcg: orNull(() => dcg(y, own, CUT_OFF, spec)),
    ideal: orNull(() => dcg(y, y, CUT_OFF, { ...spec, ties: "stable" })),
    ndcg: orNull(() => ndcg(y, own, CUT_OFF, spec)),
    err: orNull(() => err(y, own, null, maxGrade, spec)),
    maxGrade,
  };
}
