// Sentences of the steps within a round: what is fitted, searched, cut and added.
import { contest, describeCut, showCut } from "./cuts.js";
import { chips, escapeHtml, plural, show } from "./format.js";

const cutText = (scene, cut) => escapeHtml(describeCut(scene.data.features, cut));
const sorted = (rows) => [...rows].sort((a, b) => a - b);
export const largest = (values) =>
  values.reduce((best, value, i) => (Math.abs(value) > Math.abs(values[best]) ? i : best), 0);
const problemOf = (scene, frame) => (scene.algorithm === "ordinal" ? `tree ${frame.output}` : `grade ${frame.output}`);

export function sayProba(scene, frame) {
  if (frame.output === null)
    return `Round ${frame.round}: p is computed once, and all trees of the round are fitted to it.`;
  const anew =
    frame.round === 1 && frame.output === 0
      ? "all scores are equal, and so are the probabilities"
      : "p is computed anew, so this tree sees those before it";
  return `Round ${frame.round}, ${problemOf(scene, frame)}: ${anew}.`;
}

export function sayResidual(scene, frame) {
  const column = frame.columns.findLast(({ group, values }) => group === "R" && values),
    i = largest(column.values);
  const value = column.values[i],
    far = `The largest is that of ${chips(scene.data, [i])}, <b>${show(value)}</b>`;
  if (frame.labels) return `The tree is fitted to ỹ − p: what each probability still lacks. ${far}.`;
  const weighed = frame.question ? ", each as heavy as its w, whose mean is made 1" : "";
  return `Tree ${frame.round} is fitted to what the sum still lacks${weighed}. ${far}.`;
}

export function sayExamine(scene, frame) {
  const node = frame.growth.nodes[frame.node],
    { winner, twin, runnerUp, tied } = contest(frame.growth, node);
  const alike = twin ? ` ${cutText(scene, twin)} parts them alike, and comes later.` : "";
  const best = `The best cut of ${chips(scene.data, sorted(node.rows))} is <b>${cutText(scene, winner)}</b>:
    it gains <b>${show(winner.gain)}</b>.${alike}`;
  if (!runnerUp) return `${best} No other cut parts them otherwise.`;
  if (tied) return `${best} It ties with ${cutText(scene, runnerUp)}; the lowest feature wins, then the lowest bin.`;
  return `${best} The runner-up is ${cutText(scene, runnerUp)}, ${show(runnerUp.gain)}.`;
}

export function sayCut(scene, frame) {
  const node = frame.growth.nodes[frame.node],
    { nodes } = frame.growth;
  const cut = escapeHtml(`${scene.data.features[node.feature]} < ${showCut(node.threshold)}`);
  return `Node ${node.number} is cut at <b>${cut}</b>: ${chips(scene.data, sorted(nodes[node.left].rows))} go left,
    ${chips(scene.data, sorted(nodes[node.right].rows))} go right.`;
}

export function sayLeaves(scene, frame) {
  const leaves = frame.growth.nodes.filter(({ cutBy }) => cutBy === null),
    top = leaves[largest(leaves.map(({ value }) => value))];
  const what = ["softmax", "ordinal"].includes(scene.algorithm)
    ? "takes a Newton step"
    : `answers the ${scene.algorithm === "cocr" ? "weighted " : ""}mean of its residuals`;
  return `Each of the ${plural(leaves.length, "leaf").replace("leafs", "leaves")} ${what}.
    The largest is <b>${show(top.value)}</b>, for ${chips(scene.data, sorted(top.rows))}.`;
}

export function sayStep(scene, frame) {
  const rate = scene.limits.learning_rate,
    leaves = frame.step ? frame.step.length : 0;
  const symbol = ["gbrt", "igbrt"].includes(scene.kind) ? "α" : "ν";
  return `${symbol} is ${rate}: each document moves ${rate} of the way that its leaf asks for,
    by one of ${plural(leaves, "value")}.`;
}
