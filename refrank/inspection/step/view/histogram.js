// Where to cut a node: the sums in the bins of each feature, the documents in them, and the gain of every cut.
import { contest, describeCut } from "./cuts.js";
import { escapeHtml, gradeClass, show } from "./format.js";
import { drawCuts } from "./histogram_cuts.js";
import { slotsOf } from "./replay.js";

export const WIDTH = 380,
  LEFT = 64,
  RIGHT = 12,
  ZERO = 36,
  HALF = 30,
  DOCS = 86,
  BASE = 164,
  RISE = 44,
  MOST_DOCS = 3;

const tag = (
  data,
  i,
  x,
  y,
) => `<g class="${gradeClass(data.y[i])}"><rect class="tag" x="${x - 9}" y="${y - 13}" width="18" height="17" rx="3"/>
  <text class="tag-text" x="${x}" y="${y}" text-anchor="middle">${data.names[i]}</text></g>`;

function drawBins(data, node, growth, feature, most) {
  const [from, to] = slotsOf(growth.bins, feature),
    w = (WIDTH - LEFT - RIGHT) / (to - from);
  return node.slots
    .slice(from, to)
    .map(([q], bin) => {
      const sum = growth.sumUnits(q),
        h = (Math.abs(sum) / most) * HALF,
        x = LEFT + bin * w;
      const rows = node.rows.filter((i) => growth.bins.codes[i][feature] === bin).sort((a, b) => a - b);
      const tags = w < 18 ? [] : rows.slice(0, MOST_DOCS).map((i, j) => tag(data, i, x + w / 2, DOCS + 18 * j));
      const more =
        w >= 18 && rows.length > MOST_DOCS
          ? `<text class="soft" x="${x + w / 2}" y="${DOCS + 19 * MOST_DOCS}"
          text-anchor="middle">+${rows.length - MOST_DOCS}</text>`
          : "";
      return `<rect class="${sum > 0 ? "plus" : "minus"}" x="${x + w * 0.14}" width="${w * 0.72}"
        y="${sum > 0 ? ZERO - h : ZERO}" height="${h}" rx="1"/>${tags.join("")}${more}`;
    })
    .join("");
}

function drawFeature(scene, growth, node, fight, feature, most, guess) {
  const { cuts, slots } = fight.features[feature],
    won = fight.winner.feature === feature && !guess.open,
    name = scene.data.features[feature];
  const w = (WIDTH - LEFT - RIGHT) / slots.length,
    label = won ? `the best cut is ${describeCut(scene.data.features, fight.winner)}` : "";
  const spoken = guess.open ? "" : `: the largest gain is ${show(Math.max(0, ...cuts.map(({ gain }) => gain)))}`;
  return `<figure class="feature${won ? " won" : ""}">
    <figcaption>${escapeHtml(name)}${label ? `: ${escapeHtml(label)}` : ""}</figcaption>
    <svg viewBox="0 0 ${WIDTH} ${BASE + 10}" role="${guess.open ? "group" : "img"}"
      aria-label="${escapeHtml(`Sums of residuals by ${name}, and the gain of each cut${spoken}`)}">
    <text class="soft" x="0" y="${ZERO - 6}">sum of</text><text class="soft" x="0" y="${ZERO + 9}">residuals</text>
      <line class="axis" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${ZERO}" y2="${ZERO}"/>
    ${drawBins(scene.data, node, growth, feature, most)}<text class="soft" x="0" y="${DOCS}">docs</text>
    <text class="soft" x="0" y="${BASE - 4}">gain</text><line class="axis" x1="${LEFT}" x2="${WIDTH - RIGHT}"
      y1="${BASE}" y2="${BASE}"/>${drawCuts(scene, cuts, fight, guess, w)}</svg></figure>`;
}

/** The features shown: all of a few, else the winner's and the runner-up's. */
export function drawHistogram(scene, frame, guess) {
  const { growth } = frame,
    node = growth.nodes[frame.node],
    fight = contest(growth, node);
  const all = fight.features.map((_, f) => f),
    two = [...new Set([fight.winner.feature, fight.runnerUp?.feature ?? fight.winner.feature])];
  const shown =
    all.length <= 3
      ? all
      : guess.open
        ? all
            .slice(0, 3)
            .concat(two)
            .filter((f, at, list) => list.indexOf(f) === at)
            .sort((a, b) => a - b)
        : two;
  const most = Math.max(...node.slots.map(([q]) => Math.abs(growth.sumUnits(q))), 1e-300);
  const rest = all.length - shown.length;
  return `<div class="features">${shown.map((f) => drawFeature(scene, growth, node, fight, f, most,
    guess)).join("")}</div>${rest ? `<p class="soft">${rest} further features have smaller gains.</p>` : ""}`;
}
