// Toy data: number fields, arrow keys, dragging a value, rows of documents, and lines in the format of LETOR.
import { plural } from "./format.js";

export const MOST_ROWS = 26,
  MOST_FEATURES = 6,
  HIGHEST_GRADE = 4;
const LINE = /^(\S+)((?:\s+\S+:\S*)*)$/;

const fail = (number, text) => {
  throw new RangeError(`line ${number} ${text}`);
};

function readPair(pair, number) {
  const [name, text] = pair.split(":"),
    feature = Number(name),
    value = Number(text);
  if (!Number.isInteger(feature) || feature < 1) fail(number, `has feature ${name}: features are numbered from 1`);
  if (feature > MOST_FEATURES) fail(number, `has feature ${feature}: this page draws at most ${MOST_FEATURES}`);
  if (text === "" || !Number.isFinite(value)) fail(number, `has ${pair}: after the colon there must be a number`);
  return [feature, value];
}

/** Rows from lines such as "2 qid:1 1:0.5 2:3 # words"; an error says which line is wrong, and why. */
export function parseLetor(text) {
  const lines = text
    .split("\n")
    .map((line, i) => [i + 1, line.replace(/#.*/, "").trim()])
    .filter(([, line]) => line);
  if (lines.length < 2)
    throw new RangeError(`the text has ${plural(lines.length, "document")}: a ranking needs at least 2`);
  if (lines.length > MOST_ROWS)
    throw new RangeError(`the text has ${lines.length} documents: this page draws at most ${MOST_ROWS}`);
  let query = null;
  const rows = lines.map(([number, line]) => {
    const match = LINE.exec(line);
    if (!match) fail(number, `is “${line.slice(0, 40)}”: it must read like “2 qid:1 1:0.5 2:3”`);
    const grade = Number(match[1]),
      pairs = match[2].trim().split(/\s+/).filter(Boolean);
    if (!Number.isInteger(grade) || grade < 0 || grade > HIGHEST_GRADE)
      fail(number, `has grade ${match[1]}: it must be 0, 1, 2, 3 or 4`);
    const qid = pairs.find((pair) => pair.startsWith("qid:"));
    query ??= qid;
    if (qid && query && qid !== query)
      fail(number, `is of ${qid}, and the lines before it of ${query}: this page ranks one query`);
    const values = pairs.filter((pair) => pair !== qid).map((pair) => readPair(pair, number));
    if (!values.length) fail(number, "has no features: it must read like “2 qid:1 1:0.5 2:3”");
    return { grade, values: new Map(values) };
  });
  const n = Math.max(...rows.flatMap(({ values }) => [...values.keys()]));
  const X = rows.map(({ values }) => Array.from({ length: n }, (_, f) => values.get(f + 1) ?? 0));
  const y = rows.map(({ grade }) => grade);
  if (new Set(y).size < 2)
    throw new RangeError(`all documents have grade ${y[0]}: there must be two grades, or there is nothing to learn`);
  return { X, y };
}

export const writeLetor = ({ X, y }) =>
  X.map((row, i) => `${y[i]} qid:1 ${row.map((x, f) => `${f + 1}:${x}`).join(" ")}`).join("\n");

/** Why a value cannot be taken; null if it can. */
export function judgeValue(state, kind, i, text) {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) return `“${text}” is not a number: the value before it is kept.`;
  if (kind === "x") return null;
  if (!Number.isInteger(value) || value < 0 || value > HIGHEST_GRADE)
    return `A grade is a whole number from 0 to ${HIGHEST_GRADE}: the one before it is kept.`;
  const y = state.y.with(i, value);
  return new Set(y).size < 2
    ? `All documents would have grade ${value}, and there would be nothing to learn: the grade before it is kept.`
    : null;
}

/** Fields of values take arrow keys and are dragged sideways; `change(kind, row, feature,
  text)` takes what comes of it. */
export function listenToFields(box, change) {
  const send = (field, text) => change(field.dataset.kind, +field.dataset.row, +field.dataset.feature, text);
  const move = (field, from, by) => send(field, String(Number((from + by).toFixed(3))));
  box.addEventListener(
    "change",
    (event) => event.target.matches("input.value") && send(event.target, event.target.value),
  );
  box.addEventListener("keydown", (event) => {
    const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!by || !event.target.matches("input.value")) return;
    event.preventDefault();
    move(event.target, Number(event.target.value), event.shiftKey && event.target.dataset.kind === "x" ? by / 10 : by);
  });
  let drag = null;
  box.addEventListener("pointerdown", (event) => {
    if (event.target.matches("input.value"))
      drag = { ...event.target.dataset, x: event.clientX, from: Number(event.target.value), by: 0 };
  });
  addEventListener("pointermove", (event) => {
    const by = drag ? Math.trunc((event.clientX - drag.x) / 14) : 0;
    if (!drag || by === drag.by) return;
    event.preventDefault();
    drag.by = by;
    change(drag.kind, +drag.row, +drag.feature, String(Number((drag.from + by).toFixed(3))));
  });
  for (const name of ["pointerup", "pointercancel"])
    addEventListener(name, () => {
      drag = null;
    });
}
