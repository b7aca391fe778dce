// The panels of a step: the line, the sentence, the documents, the cut, the tree and the ranking; one is in focus.
import { putNumbers } from "./live.js";
import { drawGrowing } from "./panel_growth.js";
import { markLine } from "./paper.js";
import { redraw } from "./patch.js";
import { askForCut, judgeGuess } from "./predicting.js";
import { drawMeasures, drawRows } from "./ranking.js";
import { saySentence } from "./sentences.js";
import { drawTable } from "./table.js";

const PANEL_OF = { documents: "table", cut: "histogram", tree: "tree", leaves: "tree", ranking: "ranking" };
const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

function nameStep({ frames, scene }, frame, step) {
  const parts = [`Step ${step + 1} of ${frames.length}`];
  if (frame.question) parts.push(`question ${frame.question}`);
  if (frame.round) parts.push(`round ${frame.round}`);
  if (frame.tree !== undefined) parts.push(`tree ${frame.tree}`);
  if (frame.output !== null && scene.algorithm === "softmax") parts.push(`grade ${frame.output}`);
  else if (frame.output !== null && scene.algorithm === "ordinal") parts.push(`tree ${frame.output}`);
  return parts.join(" · ");
}

function composeSentence(page, frame, asks) {
  const { scene } = page.shown,
    guess = page.guesses.get(page.state.step);
  if (asks) return askForCut(scene, frame);
  if (page.state.predict && guess) return judgeGuess(scene, frame, guess).text;
  return saySentence(scene, frame);
}

function countGuesses(page) {
  const judged = [...page.guesses].map(
    ([step, guess]) => judgeGuess(page.shown.scene, page.shown.frames[step], guess).right,
  );
  return judged.length
    ? `${judged.filter(Boolean).length} of ${judged.length} guesses right`
    : "";
}

export function drawPanels(byId, page, frame) {
  const { state, shown } = page,
    { scene, frames } = shown,
    chosen = Math.min(state.document, scene.data.n - 1);
  const asks = drawGrowing(byId, page, frame);
  markLine(byId("lines"), frame, asks ? "" : putNumbers(scene, frame, chosen));
  byId("say").innerHTML = composeSentence(page, frame, asks);
  byId("score").textContent = state.predict ? countGuesses(page) : "";
  byId("where").textContent = nameStep(shown, frame, state.step);
  byId("seek").value = state.step;
  byId("seek").setAttribute("aria-valuetext", byId("where").textContent);
  redraw(byId("table"), drawTable(scene, frame, chosen, !document.documentElement.classList.contains("fixed")));
  drawRows(byId("ranking"), scene, frame, state.preset);
  byId("measures").innerHTML = drawMeasures(scene, frame, frames, state.preset);
  for (const panel of ["table", "histogram", "tree", "ranking"])
    byId(`panel-${panel}`).classList.toggle("now", PANEL_OF[frame.focus] === panel);
  byId("predict").setAttribute("aria-pressed", String(state.predict));
  byId("first").disabled = byId("previous").disabled = byId("previousRound").disabled = state.step === 0;
  byId("next").disabled = byId("nextRound").disabled = state.step === frames.length - 1;
}

export function scrollToFocus(byId, frame) {
  byId(`panel-${PANEL_OF[frame.focus]}`).scrollIntoView({ block: "nearest", behavior: still() ? "auto" : "smooth" });
}
