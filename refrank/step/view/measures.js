// DCG, NDCG and ERR of a ranking under a convention, by the port.
import { CONVENTIONS } from "../port/conventions.js";
import { discount } from "../port/logarithms.js";
import { dcg, dcgTerms, err, ndcg, rankDocuments } from "../port/metrics.js";

export const PRESETS = new Map(CONVENTIONS.map((spec) => [spec.name, spec]));
const CUT_OFF = 10; // NDCG@10

const describeGain = ({ gain }) => (Array.isArray(gain) ? gain.join(", ") : gain);

/** The choices of a convention in words. */
export const describeConvention = (spec) =>
  `gain ${describeGain(spec)}, discount ${spec.discount}, ties ${spec.ties}, no relevant document ${spec.noRelevant}` +
  `${spec.short === "zero" ? ", fewer than 10 documents 0" : ""}`;

/** The measures of the first query; null where a convention leaves the query out, or has no gain for a grade. */
export function measure(data, score, preset) {
  const spec = PRESETS.get(preset),
    rows = [...data.y.keys()].filter((i) => data.qid[i] === data.qid[0]);
  const y = rows.map((i) => data.y[i]),
    own = rows.map((i) => score[i]),
    order = rankDocuments(y, own, spec);
  const maxGrade = spec.maxGrade ?? Math.max(...y);
  return {
    discounts: order.map((_, at) => discount(at + 1, spec.discount)),
    dcg: dcg(y, own, CUT_OFF, spec),
    ideal: dcgTerms(y, y, CUT_OFF, { ...spec, ties: "stable" }).reduce((sum, term) => sum + term, 0),
    ndcg: ndcg(y, own, CUT_OFF, spec),
    err: err(y, own, null, maxGrade, spec),
    maxGrade,
  };
}
