// The entries of a record's field: of which node, leaf or document each is.
import { chip } from "./format.js";
import { readValues } from "./records.js";

const CUT = ["feature", "bin", "sum on the left", "rows on the left", "weight on the left"]; // the columns of a cut

/** The node of an entry; undefined where entries are not those of nodes. */
export function findNode(record, field, i) {
  const nodes = readValues(record, "nodes"),
    [n, width = 1] = record.fields[field].shape;
  return nodes && n === nodes.length ? nodes[Math.trunc(i / width)] : undefined;
}

/** An entry in words, or the chip of its document. */
export function nameEntry(record, field, i, data) {
  const node = findNode(record, field, i),
    { shape } = record.fields[field];
  if (field === "cut" && shape.length === 2) return `node ${node}, ${CUT[i % CUT.length]}`;
  if (node !== undefined && shape.length === 1) return `node ${node}`;
  if (["leaf_values", "step"].includes(record.stage)) return `leaf ${i}`;
  return shape.length === 1 && shape[0] === data.n ? chip(data, i) : `entry ${i}`;
}
