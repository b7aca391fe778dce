// The ranking: documents change places, and what a measure says of it under a convention.
import { gainOf } from "../port/metrics.js";
import { chip, show } from "./format.js";
import { describeConvention, measure, PRESETS } from "./measures.js";

const ROW = 36,
  W = 300,
  H = 96;

/** Arrow of a document that has moved. */
function markMove(previous, i, at) {
  const before = previous.order.indexOf(i);
  if (before === at) return "";
  return before > at ? `<span class="up">↑${before - at}</span>` : `<span class="down">↓${at - before}</span>`;
}

/** Rows stay in the page, so that they can move; each is moved to its place. */
export function drawRows(box, scene, frame, preset) {
  const { data } = scene,
    { ranking, previous } = frame,
    order = ranking.order.filter((i) => data.qid[i] === data.qid[0]);
  if (box.childElementCount !== order.length) {
    box.innerHTML = order.map(() => `<div class="ranked" role="listitem"></div>`).join("");
    box.style.height = `${order.length * ROW}px`;
  }
  const scores = order.map((i) => ranking.score[i]),
    low = Math.min(0, ...scores),
    span = Math.max(...scores) - low || 1;
  const { discounts } = measure(data, ranking.score, preset),
    spec = PRESETS.get(preset);
  const rows = [...box.children],
    byDocument = [...order].sort((a, b) => a - b);
  for (const [at, i] of order.entries()) {
    const row = rows[byDocument.indexOf(i)],
      share = (100 * (ranking.score[i] - low)) / span;
    row.style.transform = `translateY(${at * ROW}px)`;
    row.innerHTML = `<span class="position">${at + 1}</span>${chip(data, i)}
      <span class="score">${show(ranking.score[i])}</span>
      <span class="track" aria-hidden="true"><span class="fill" style="width:${share.toFixed(1)}%"></span></span>
      <span class="term">${show(gainOf(data.y[i], spec), 2)} · ${show(discounts[at], 2)}</span>
        <span class="move">${frame.moves ? markMove(previous, i, at) : ""}</span>`;
    row.setAttribute("aria-posinset", at + 1);
    row.setAttribute("aria-setsize", order.length);
  }
  return rows;
}

/** NDCG after each round so far, on a scale that holds all rounds of the training. */
function drawCurve(values, n, all) {
  const low = Math.min(0.9, ...all.filter((value) => value !== null)),
    x = (i) => 8 + (i * (W - 40)) / Math.max(1, n);
  const y = (value) => H - 20 - ((value - low) / (1 - low || 1)) * (H - 34),
    points = values.flatMap((value, i) => (value === null ? [] : [[x(i), y(value), i]]));
  const spoken = values.map((value, i) => `round ${i}: ${value === null ? "none" : value.toFixed(3)}`).join(", ");
  return `<svg viewBox="0 0 ${W} ${H}" role="img" aria-label="NDCG by round. ${spoken}"><line class="axis" x1="0"
    x2="${W - 28}" y1="${y(1)}" y2="${y(1)}"/>
    <text class="soft" x="${W}" y="${y(1) + 4}" text-anchor="end">1</text><line class="axis" x1="0" x2="${W - 28}"
      y1="${y(low)}" y2="${y(low)}"/>
    <text class="soft" x="${W}" y="${y(low) + 4}" text-anchor="end">${low.toFixed(2)}</text>
    <polyline class="curve" points="${points.map(([px, py]) => `${px},${py}`).join(" ")}"
      />${points.map(([px, py, i]) => `<circle class="dot${i === values.length - 1 ? " best" : ""}" cx="${px}"
      cy="${py}" r="${i === values.length - 1 ? 6 : 4}"/>`).join("")}
    <text class="soft" x="0" y="${H - 2}">round 0</text><text class="soft" x="${x(n)}" y="${H - 2}"
      text-anchor="end">${n}</text></svg>`;
}

export function drawMeasures(scene, frame, frames, preset) {
  const { data } = scene,
    now = measure(data, frame.ranking.score, preset),
    spec = PRESETS.get(preset);
  const by = (history) => history.map(({ score }) => measure(data, score, preset).ndcg);
  const value = (x) => (x === null ? "not defined" : show(x, 4));
  const numbers = [
    ["DCG", `${value(now.dcg)} of ${value(now.ideal)}`],
    ["NDCG", value(now.ndcg)],
    ["ERR", value(now.err)],
  ];
  const curve = scene.n_rounds
    ? `<p class="soft">NDCG@10 by round</p>${drawCurve(by(frame.history), scene.n_rounds, by(frames.at(-1).history))}`
    : "";
  return `<dl class="numbers">${numbers.map(([name, text]) => `<dt>${name}</dt><dd>${text}</dd>`).join("")}</dl>
    <p class="soft">${describeConvention(spec)}, highest grade of ERR ${now.maxGrade}</p>${curve}`;
}
