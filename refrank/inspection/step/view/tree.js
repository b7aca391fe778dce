// A tree as it grows: what was cut so far, the documents in each node, and the steps of its leaves.
import { showCut } from "./cuts.js";
import { escapeHtml, gradeClass, show, showSigned } from "./format.js";
import { layOut, NODE_HEIGHT, NODE_WIDTH } from "./tree_layout.js";

const TAG = 17, IN_ROW = 6;
const SMALLEST = 0.7; // of a tree that is scaled to its panel: below this it is scrolled

function drawTags(data, node) {
  const rows = [...node.rows].sort((a, b) => a - b),
    shown = rows.slice(0, rows.length > IN_ROW ? IN_ROW - 1 : IN_ROW);
  const more = rows.length - shown.length,
    n = shown.length + (more ? 1 : 0),
    from = NODE_WIDTH / 2 - (n * TAG) / 2;
  const tags = shown.map(
    (i, j) => `<g class="${gradeClass(data.y[i])}"><rect class="tag" x="${from + j * TAG}" y="45" width="${TAG - 2}"
      height="19" rx="3"/>
    <text class="tag-text" x="${from + j * TAG + (TAG - 2) / 2}" y="59"
      text-anchor="middle">${data.names[i]}</text></g>`,
  );
  return (
    tags.join("") +
    (more ? `<text class="soft" x="${from + (n - 0.5) * TAG}" y="59" text-anchor="middle">+${more}</text>` : "")
  );
}

function describeNode(scene, frame, node, open) {
  const { growth } = frame,
    feature = scene.data.features[node.feature];
  if (open) {
    const gain = node.best ? growth.toUnits(node.best.gain) : node.gain;
    return [`${feature} < ${showCut(node.threshold)}`, `gain ${show(gain)}`];
  }
  if (growth.whole) return [show(node.value), `${node.drawn} drawn`];
  if (frame.upTo !== Infinity) return [`sum ${showSigned(growth.sumUnits(node.sum))}`, `node ${node.number}`];
  return [
    `${["softmax", "ordinal", "ls"].includes(scene.algorithm) ? "β" : "h"} = ${showSigned(node.value)}`,
    `${showSigned(node.numerator)} / ${show(node.denominator)}`,
  ];
}

/** A line of a node; one that is too long is pressed together. */
function writeLine(text, style, y, most) {
  const press = text.length > most ? `textLength="${NODE_WIDTH - 10}" lengthAdjust="spacingAndGlyphs"` : "";
  return `<text class="${style}" x="${NODE_WIDTH / 2}" y="${y}" text-anchor="middle" ${press}
    >${escapeHtml(text)}</text>`;
}

/** The cuts that are passed over on the way to a node, on the side that its edge leaves free. */
function writePassed({ passed, side }) {
  const [x, anchor] = side ? [NODE_WIDTH - 2, "end"] : [0, "start"];
  return `<text class="soft" x="${x}" y="-4" text-anchor="${anchor}">+${passed} cut${passed > 1 ? "s" : ""}</text>`;
}

function drawNode(scene, frame, number, place) {
  const node = frame.growth.nodes[number],
    [first, second] = describeNode(scene, frame, node, place.open);
  const now = number === frame.node || (frame.focus === "leaves" && !place.open);
  return `<g transform="translate(${place.x + 1},${place.y + 1})"><rect class="node${now ? " now" : ""}"
    width="${NODE_WIDTH - 2}" height="${NODE_HEIGHT - 2}" rx="7"/>
    ${place.passed ? writePassed(place) : ""}
    ${writeLine(first, "strong", 18, 12)}${writeLine(second, "soft", 36, 14)}${drawTags(scene.data, node)}</g>`;
}

function speakTree(scene, nodes, places) {
  const names = (node) => node.rows.map((i) => scene.data.names[i]).join(" ");
  return [...places]
    .map(([number, { open }]) => {
      const node = nodes[number];
      return open
        ? `node ${number}: ${scene.data.features[node.feature]} < ${showCut(node.threshold)}`
        : `leaf ${number}: ${names(node)}`;
    })
    .join("; ");
}

export function drawTree(scene, frame) {
  const { nodes } = frame.growth,
    { places, width, height, brief } = layOut(nodes, frame.upTo);
  const edges = [...places.values()]
    .filter(({ open }) => open)
    .flatMap(({ x, y, children }) =>
      children.map((child, side) => {
        const to = places.get(child),
          from = x + NODE_WIDTH / 2;
        return `<line class="edge" x1="${from}" y1="${y + NODE_HEIGHT}" x2="${to.x + NODE_WIDTH / 2}" y2="${to.y}"/>
          <text class="soft" x="${(from + to.x + NODE_WIDTH / 2) / 2 + (side ? 8 : -8)}" y="${y + NODE_HEIGHT + 16}"
          text-anchor="${side ? "start" : "end"}">${side ? "no" : "yes"}</text>`;
      }),
    );
  const above = brief ? 18 : 0; // for the cuts that are passed over before the first that is drawn
  return `${brief ? `<p class="soft">Cuts that part none of these documents are counted, not drawn.</p>` : ""}
    <svg class="tree" viewBox="-2 ${-above} ${width + 4} ${height + above + 2}" width="${width + 4}"
    height="${height + above + 2}" style="min-width: ${SMALLEST * width}px" role="img"
    aria-label="${escapeHtml(speakTree(scene, nodes, places))}">
    ${edges.join("")}${[...places].map(([number, place]) => drawNode(scene, frame, number, place)).join("")}</svg>`;
}
