// The lines of Python that reproduce the state of the page: the records of a step, by refrank itself.
import { ALGORITHMS } from "./settings.js";

const literal = (value) =>
  typeof value === "string"
    ? JSON.stringify(value)
    : value === null
      ? "None"
      : value === true
        ? "True"
        : value === false
          ? "False"
          : String(value);
const writeRows = (rows) => `[${rows.map((row) => `[${row.join(", ")}]`).join(", ")}]`;

/** Parameters of a manifest that Python can write back: numbers, texts and None. */
const parametersText = (parameters) =>
  Object.entries(parameters)
    .filter(
      ([name, value]) => !["verbose", "warm_start"].includes(name) && (value === null || typeof value !== "object"),
    )
    .map(([name, value]) => `${name}=${literal(value)}`)
    .join(", ");

/** A ranker with its parameters; a base has its own. */
function writeRanker(algorithm, parameters) {
  const { base } = parameters,
    own = parametersText(parameters);
  const nested =
    base?.algorithm in ALGORITHMS ? `${own ? ", " : ""}base=${writeRanker(base.algorithm, base.parameters)}` : "";
  return `${ALGORITHMS[algorithm].ranker}(${own}${nested})`;
}

export function writePython({ scene, frame }) {
  const { data, index, algorithm, parameters } = scene,
    rankers = [algorithm, parameters.base?.algorithm]
      .filter((name) => name in ALGORITHMS)
      .map((name) => ALGORITHMS[name].ranker);
  const uses = frame.uses.filter(([stage, at]) =>
    index.has([stage, at.round ?? "", at.tree ?? "", at.output ?? ""].join("|")),
  );
  const [stage, at] = uses.at(-1) ?? ["data", {}],
    place = Object.entries(at)
      .map(([name, value]) => `${name}=${value}`)
      .join(", ");
  const names = Object.keys(index.get([stage, at.round ?? "", at.tree ?? "", at.output ?? ""].join("|")).fields).filter(
    (name) => name !== "sums",
  );
  const weight = data.weight ? `, np.array([${data.weight.join(", ")}])` : "";
  return `import numpy as np
from refrank import ${rankers.sort().join(", ")}
from yardstick.traces.stages import LabelledRows, Place, make_field
from yardstick.traces.tracing import record_training

X = np.array(${writeRows(data.X)}, float)
y = np.array([${data.y.join(", ")}])
qid = np.array([${data.qid.join(", ")}])
ranker = ${writeRanker(algorithm, parameters)}
records = {}
record_training(ranker, LabelledRows(X, y, qid${weight}), lambda values: make_field(values.copy()),
                lambda record: records.update({record.key: record}))

# ${frame.place}
record = records["${stage}", Place(${place})]
for name in ${JSON.stringify(names)}:
    print(name, record.values(name).ravel().tolist())
`;
}
