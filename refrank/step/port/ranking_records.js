// What rows are ranked by, their order and its quality, as records (yardstick/traces/ranking.py).
import { err, ndcg, rankDocuments } from "./metrics.js";
import { writeList, writeSingle } from "./records.js";

/** The rows of each query, in the order in which queries come. */
const groupRows = (qid) => [...new Set(qid)].map((query) => qid.flatMap((own, i) => (own === query ? [i] : [])));

/** Rank rows query after query, and measure each ranking. */
export function putRanking(put, at, scores, { y, qid }) {
  const queries = groupRows(qid ?? y.map(() => 0)), pick = (values, rows) => rows.map((i) => values[i]);
  const orders = queries.map((rows) => pick(rows, rankDocuments(pick(y, rows), pick(scores, rows))));
  put("prediction", at, { values: writeList(scores) });
  put("order", at, { rows: writeList(orders.flat()) });
  if (!y.every((label) => Number.isInteger(label) && label >= 0)) return;
  const of = (measure) => orders.map((rows) => measure(pick(y, rows), rows.map((_, at) => -at)));
  const values = of((labels, places) => ndcg(labels, places));
  put("metric", at, { ndcg: writeList(values), mean: writeSingle(values.reduce((sum, value) => sum + value, 0) / values.length),
    ...(Math.max(...y) <= 4 ? { err: writeList(of((labels, places) => err(labels, places))) } : {}) });
}
