// The rows of a document and their names, how they are ranked, and what follows from scores that no record holds.
import { expectedRelevance, tabulateRelevance, TRANSFORMS } from "../port/expected_relevance.js";
import { nameDocument, nameFeature } from "./format.js";
import { indexRecords, keyOf, readData, readValues } from "./records.js";

/** The rows of a document and all that is needed to draw them. */
export function readScene(document) {
  const index = indexRecords(document),
    data = readData(document),
    { algorithm, parameters } = document.manifest;
  const n = data.y.length,
    names = data.y.map((_, i) => nameDocument(data.documents, i, n));
  const features = data.X[0].map((_, f) => nameFeature(data.features, f));
  if (parameters.n_classes) data.n_classes = parameters.n_classes;
  const rounds = algorithm === "cocr" ? [] : document.records.map(({ at }) => at.round ?? 0);
  const relevance = tabulateRelevance(parameters.relevance ?? "k", data.n_classes);
  return {
    document,
    index,
    algorithm,
    parameters,
    kind: parameters.base?.algorithm ?? algorithm, // of the trees
    limits: parameters.base?.parameters ?? parameters,
    relevance,
    data: { ...data, names, features, n },
    n_rounds: Math.max(0, ...rounds),
    targets: data.y.map(TRANSFORMS[parameters.target ?? "2^k-1"]),
    score: (proba) => expectedRelevance(proba, relevance),
  };
}

/** Rows query after query, best first; equal scores keep the order of the file. */
const rankRows = (data, score) =>
  [...data.y.keys()].sort((a, b) => data.qid[a] - data.qid[b] || score[b] - score[a] || a - b);

/** Before anything is learned: the order of the file. */
export const unranked = ({ data }) => ({
  round: 0,
  score: data.y.map(() => 0),
  order: rankRows(
    data,
    data.y.map(() => 0),
  ),
});

/** The ranking at the end of a round: of the document where it has one, else from the scores. */
export function rankAt(scene, round, score) {
  const last = round === scene.n_rounds,
    places = [...(round ? [{ round }] : []), ...(last ? [{}] : [])];
  const find = (stage, name) => places.map((at) => readValues(scene.index.get(keyOf(stage, at)), name)).find(Boolean);
  const scores = find("prediction", "values") ?? score;
  return { round, score: scores, order: find("order", "rows") ?? rankRows(scene.data, scores) };
}
