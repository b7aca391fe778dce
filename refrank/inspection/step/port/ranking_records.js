// What rows are ranked by, their order and its quality, as records (yardstick/traces/ranking.py).
import { refuse } from "./checks.js";
import { err, meanOfQueries, ndcg } from "./metrics.js";
import { rankDocuments } from "./ordering.js";
import { writeList, writeSingle } from "./records.js";

/** The rows of each query, in the order in which queries come. */
export function groupRows(qid) {
  for (const [i, query] of qid.entries()) if (query !== query) refuse(`qid at row ${i}`, query, "a number or a text");
  return [...new Set(qid)].map((query) => qid.flatMap((own, i) => (own === query ? [i] : [])));
}

/** Rank rows query after query, and measure each ranking. */
export function putRanking(put, at, scores, { y, qid }) {
  const queries = groupRows(qid ?? y.map(() => 0)), pick = (values, rows) => rows.map((i) => values[i]);
  const orders = queries.map((rows) => pick(rows, rankDocuments(pick(y, rows), pick(scores, rows))));
  put("prediction", at, { values: writeList(scores) });
  put("order", at, { rows: writeList(orders.flat()) });
  if (!y.every((label) => Number.isInteger(label) && label >= 0)) return;
  const of = (measure) => orders.map((rows) => measure(pick(y, rows), rows.map((_, at) => -at)));
  const values = of((labels, places) => ndcg(labels, places));
  const fields = { ndcg: writeList(values), mean: writeSingle(meanOfQueries(values)) };
  if (Math.max(...y) <= 4) fields.err = writeList(of((labels, places) => err(labels, places)));
  put("metric", at, fields);
}
