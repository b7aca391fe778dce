// DCG, NDCG and ERR of a ranking under a convention, by the port.
import { CONVENTIONS, dcg, discount, err, gainOf, ndcg } from "../port/metrics.js";

export const PRESETS = new Map(CONVENTIONS.map((spec) => [spec.name, spec]));
