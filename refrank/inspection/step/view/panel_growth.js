// The panels of the cut and of the tree.
import { drawHistogram } from "./histogram.js";
import { redraw } from "./patch.js";
import { drawTree } from "./tree.js";

/** The frame whose histogram or tree is shown: its own, or the last of the same tree. */
function findLast(frames, step, has) {
  const { round, output, tree } = frames[step];
  for (let i = step; i >= 0 && frames[i].round === round; i--)
    if (frames[i].output === output && frames[i].tree === tree && has(frames[i])) return frames[i];
  return null;
}

export function drawGrowing(byId, page, frame) {
  const { scene, frames } = page.shown,
    { step, predict } = page.state;
  const cut = findLast(frames, step, ({ focus }) => focus === "cut"),
    grown = findLast(frames, step, ({ growth }) => growth);
  const guess = cut && {
    open: predict && cut === frame && !page.guesses.has(step),
    cut: page.guesses.get(frames.indexOf(cut)),
  };
  const histogram = cut ? drawHistogram(scene, cut, guess) : `<p class="empty">No node is searched in this step.</p>`;
  redraw(byId("histogram"), histogram);
  byId("title-histogram").textContent = cut ? `Where to cut node ${cut.node}` : "Where to cut";
  byId("tree").innerHTML = grown
    ? drawTree(scene, grown === frame || frame.focus === "documents" ? grown : { ...grown, node: null })
    : `<p class="empty">No tree is growing in this step.</p>`;
  byId("title-tree").textContent =
    grown?.tree !== undefined
      ? `Tree ${grown.tree}`
      : grown && (grown.question || scene.algorithm === "softmax")
        ? `The tree of ${grown.question ? `question ${grown.question}` : `grade ${grown.output}`}, round ${grown.round}`
        : grown
          ? `Tree ${grown.output ? `${grown.output} ` : ""}of round ${grown.round}`
          : "The tree";
  const searched = frame.tree === undefined && frames.some(({ focus }) => focus === "cut");
  byId("panel-histogram").hidden = !searched;
  byId("panel-tree").hidden = !frames.some(({ growth }) => growth);
  byId("pair").classList.toggle("single", !searched);
  return guess?.open && cut === frame;
}
