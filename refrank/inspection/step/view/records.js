// The records of a document by stage and place, and the first number in which two documents differ.

// fields that stages.py names behind "beside": reported, not compared; the sums of a histogram are, by their digests
const BESIDE = { cut: ["reduction", "tied", "runner_up", "gap"] };
const UNWRITABLE = { inf: Infinity, "-inf": -Infinity, nan: NaN };
const PARTS = ["round", "tree", "output"];

export const keyOf = (stage, at = {}) => [stage, ...PARTS.map((part) => at[part] ?? "")].join("|");

/** "round 3, output 0", the place of a record in words. */
export const namePlace = (at) =>
  PARTS.filter((part) => part in at)
    .map((part) => `${part} ${at[part]}`)
    .join(", ");

export const indexRecords = (document) =>
  new Map(document.records.map((record) => [keyOf(record.stage, record.at), record]));

/** The numbers of a field, those that JSON lacks among them; null where there are none. */
export function readValues(record, name = "values") {
  const values = record?.fields[name]?.values;
  if (values === undefined || values === null) return null;
  return values.map((value) => (value in UNWRITABLE ? UNWRITABLE[value] : value));
}

/** The rows of a table that a field holds flat. */
export function readTable(record, name) {
  const values = readValues(record, name);
  if (!values) return null;
  const [n, ...rest] = record.fields[name].shape,
    width = rest.reduce((a, b) => a * b, 1);
  return Array.from({ length: n }, (_, i) => values.slice(i * width, (i + 1) * width));
}

/** The rows that a document was trained on. */
export function readData(document, toy = null) {
  const record = document.records.find(({ stage }) => stage === "data");
  const X = readTable(record, "X"),
    y = readValues(record, "y"),
    weight = readValues(record, "weight");
  const { classes, documents, features } = document.manifest;
  const qid = readValues(record, "qid") ?? y.map(() => 0);
  return { X, y, qid, weight, n_classes: classes ?? Math.max(1, ...y) + 1, toy, documents, features };
}

const areSame = (a, b) => (a === b ? a !== 0 || Object.is(a, b) : Number.isNaN(a) && Number.isNaN(b));

/** The first record of `right` that differs: { record, other, field, index, a, b }; null if none does. */
export function findDifference(right, other) {
  const others = indexRecords(other);
  for (const record of right.records) {
    const against = others.get(keyOf(record.stage, record.at));
    if (!against || record.stage === "data") continue;
    const names = Object.keys(record.fields).filter((name) => !(BESIDE[record.stage] ?? []).includes(name));
    for (const field of names) {
      const [a, b] = [readValues(record, field), readValues(against, field)];
      if (!a || !b) continue;
      const index =
        a.length === b.length ? a.findIndex((value, i) => !areSame(value, b[i])) : Math.min(a.length, b.length);
      if (index >= 0) return { record, other: against, field, index, a, b };
    }
  }
  return null;
}

/** How many compared numbers of each stage differ, in the order of the stages. */
export function countDifferences(right, other) {
  const others = indexRecords(other),
    counts = new Map();
  for (const record of right.records) {
    const against = others.get(keyOf(record.stage, record.at));
    if (!against || record.stage === "data") continue;
    const count = counts.get(record.stage) ?? { differ: 0, all: 0 };
    for (const name of Object.keys(record.fields).filter((field) => !(BESIDE[record.stage] ?? []).includes(field))) {
      const [a, b] = [readValues(record, name), readValues(against, name)];
      if (!a || !b) continue;
      count.all += a.length;
      count.differ += a.filter((value, i) => !areSame(value, b[i])).length;
    }
    counts.set(record.stage, count);
  }
  return counts;
}

const isRecord = (record) => Boolean(record?.stage && record.fields);

/** A document from dropped text: a whole one, or the records of a trace, one a line. */
export function readDropped(text) {
  const lines = text.trim().split("\n").filter(Boolean),
    parsed = [];
  try {
    const whole = JSON.parse(text);
    if (whole.records.every(isRecord)) return whole;
  } catch {
    /* not one document: lines */
  }
  for (const [i, line] of lines.entries()) {
    try {
      parsed.push(JSON.parse(line));
    } catch {
      throw new RangeError(
        `line ${i + 1} is not JSON: a trace has one record a line, as \`refrank trace\` writes them into records.jsonl`,
      );
    }
    if (!isRecord(parsed.at(-1)))
      throw new RangeError(`line ${i + 1} has no stage, or no fields: it is not a record of a trace`);
  }
  if (!parsed.length) throw new RangeError("the file is empty: drop a records.jsonl, or a document of this page");
  return { manifest: null, records: parsed.map((record) => ({ at: {}, ...record })) };
}
