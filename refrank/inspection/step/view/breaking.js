// Break it: the first number in which two trainings differ, side by side, and how the difference reaches the ranking.
import { nameEntry } from "./entries.js";
import { chip, escapeHtml, gradeClass, showWhole } from "./format.js";
import { countDifferences, findDifference, indexRecords, keyOf, namePlace, readValues } from "./records.js";

const MOST = 12;
const SILENT = ": no measure sees it",
  ELSEWHERE = "McRank Alg. 1 shows this fault with the data and the settings of the beginning.";
const STAGES = {
  bins: "bins",
  start: "start",
  draws: "draws",
  proba: "p",
  residual: "residuals",
  grid: "grid",
  histogram: "histograms",
  cut: "cuts",
  partition: "rows of nodes",
  leaf_sums: "leaf sums",
  leaf_values: "leaf values",
  step: "steps",
  scores: "scores F",
  tree: "trees",
  leaves: "leaves",
  answers: "answers h",
  prediction: "ranking scores",
  order: "ranking",
  metric: "NDCG, ERR",
};

const whole = (value) => (typeof value === "number" ? showWhole(value) : escapeHtml(value ?? "none"));

/** The record of the first difference, entry by entry; entries of rows have the chips of their documents. */
function drawEntries({ field, record, index, a, b }, data, [right, other]) {
  const rows = [...Array(Math.max(a.length, b.length)).keys()],
    from = Math.max(0, Math.min(index - 2, rows.length - MOST));
  const entries = rows.slice(from, from + MOST).map(
    (i) => `<tr class="${a[i] === b[i] ? "" : "differs"}"><th scope="row">${nameEntry(record, field, i, data)}</th>
    <td>${whole(a[i])}</td><td>${whole(b[i])}</td></tr>`,
  );
  return `<table class="beside"><tr><td></td><th scope="col">${right}</th>
    <th scope="col">${other}</th></tr>${entries.join("")}</table>`;
}

/** Stage by stage: how many of its numbers differ. */
function drawChain(right, other) {
  const counts = countDifferences(right, other);
  return `<ol class="chain">${[...counts].map(([stage, { differ, all }]) => `<li class="${differ ? "differs" : ""}">
    <span>${STAGES[stage] ?? stage}</span><b>${differ}</b> of ${all}</li>`).join("")}</ol>`;
}

function drawOrders(right, other, data, names) {
  const orders = [right, other].map((document) => readValues(indexRecords(document).get(keyOf("order")), "rows"));
  if (!orders[0] || !orders[1]) return "";
  const line = (order, against, name) =>
    `<p class="order"><span class="soft">${name}</span>${order
      .map((i, at) =>
        i === against[at] ? chip(data, i) : `<span class="chip moved ${gradeClass(data.y[i])}">${data.names[i]}</span>`,
      )
      .join("")}</p>`;
  return line(orders[0], orders[1], names[0]) + line(orders[1], orders[0], names[1]);
}

const measures = (document) =>
  ["ndcg", "err"].map((name) => readValues(indexRecords(document).get(keyOf("metric")), name)?.[0]);

/** Where no number differs: whether any was compared, and where the fault, if there is one, would show. */
function sayNoDifference(right, other, fault) {
  const n = [...countDifferences(right, other).values()].reduce((sum, { all }) => sum + all, 0);
  if (n === 0) return "Nothing was compared: the trace has no record of this training. Choose its algorithm above.";
  const same = `No number differs: all ${n} that were compared are the same to the last bit`;
  return fault ? `${same}, in this browser and on these data. ${fault.unseen ?? ELSEWHERE}` : `${same}.`;
}

/** Everything about the first difference of two documents; `names` are those of the two sides. */
export function drawDifference(right, other, data, names, fault) {
  const difference = findDifference(right, other);
  if (!difference) return { difference, html: `<p class="verdict">${sayNoDifference(right, other, fault)}</p>` };
  const { record, field, index, a, b } = difference,
    at = namePlace(record.at),
    [ndcg, err] = measures(right),
    [otherNdcg, otherErr] = measures(other);
  const same = ndcg === otherNdcg && err === otherErr;
  const ends =
    ndcg === undefined || otherNdcg === undefined
      ? ""
      : `<p>NDCG@10 ${whole(ndcg)} and ${whole(otherNdcg)};
        ERR ${whole(err)} and ${whole(otherErr)}${same ? SILENT : ""}.</p>`;
  return {
    difference,
    html: `<p class="verdict">The first number that differs: <b>${STAGES[record.stage] ?? record.stage}</b>${at ? `,
      ${at}` : ""}, <code>${escapeHtml(record.stage)}.${field}</code> of
    ${nameEntry(record, field, index, data)}:
    <b>${whole(a[index])}</b> ${names[0]}, <b>${whole(b[index])}</b> ${names[1]}.</p><div class="halves">
      <div>${drawEntries(difference, data, names)}</div>
    <div><h3>How it reaches the ranking</h3>
      <p class="soft">Numbers that differ, stage by stage.</p>${drawChain(right, other)}${drawOrders(right, other,
      data, names)}${ends}</div></div>`,
  };
}

/** The line of a fault, and what comes of it where a number differs. */
export function drawFault(fault, difference) {
  return `<div class="change"><p>
    <b>${escapeHtml(fault.title)}</b> <span class="soft">port/${escapeHtml(fault.module)}</span></p>
    <code class="before"><span aria-label="the right line">−</span> ${escapeHtml(fault.line.trim())}</code>
      <code class="after"><span aria-label="the broken line">+</span> ${escapeHtml(fault.broken.trim())}</code>
    ${difference ? `<p class="soft">${escapeHtml(fault.shows)}</p>` : ""}</div>`;
}
