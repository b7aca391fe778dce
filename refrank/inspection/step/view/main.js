// The page: a state, the document that follows from it, its frames, and the panels of one of them.
import { writeAddress } from "./address.js";
import { drawDrawer } from "./drawers.js";
import { judgeValue } from "./editing.js";
import { findPlace, makeFrames } from "./frames.js";
import { instantiate } from "./instantiate.js";
import { drawPanels, scrollToFocus } from "./panels.js";
import { drawPaper } from "./paper.js";
import { redraw } from "./patch.js";
import { drawSettings, parametersOf } from "./settings.js";

export const byId = (id) => document.getElementById(id);
export const given = JSON.parse(byId("document").textContent),
  source = byId("port").textContent;
export const page = { state: null, shown: null, guesses: new Map(), dropped: null, preset: "paper" };

/** The document of an algorithm on rows, by the port as it is or broken. */
export function train(algorithm, chosen, X = page.state.X, y = page.state.y, fault = null) {
  const { recordTraining } = instantiate(source, fault),
    names = y.length === TOY.y.length && X[0].length === TOY.X[0].length ? TOY : {};
  const made = recordTraining(algorithm, parametersOf(algorithm, chosen), { X, y, qid: y.map(() => 0), weight: null });
  return { ...made, manifest: { ...made.manifest, documents: names.documents, features: names.features } };
}

export function compute() {
  const { state } = page;
  page.right = given ?? train(state.algorithm, state.chosen);
  page.shown = makeFrames(page.right);
  page.guesses.clear();
  if (state.place) state.step = Math.max(0, findPlace(page.shown, state.place));
  state.place = null;
  state.step = Math.min(state.step, page.shown.frames.length - 1);
  byId("seek").max = page.shown.frames.length - 1;
  redraw(byId("lines"), drawPaper(page.shown.scene));
  redraw(byId("settings"), given ? "" : drawSettings(state.algorithm, state.chosen));
  byId("algorithm").value = page.shown.scene.algorithm;
  byId("convention").value = state.preset;
}

export const currentFrame = () => page.shown.frames[page.state.step];
export const render = () => {
  drawPanels(byId, page, currentFrame());
  drawDrawer();
  history.replaceState(null, "", writeAddress(page.state, TOY, Boolean(given)));
};

export function update(changes) {
  Object.assign(page.state, changes);
  compute();
  render();
}

export function go(step) {
  say("");
  page.state.step = Math.max(0, Math.min(page.shown.frames.length - 1, step));
  render();
  scrollToFocus(byId, currentFrame());
}

export const say = (text) => {
  byId("note").textContent = text;
};

export function changeValue(kind, i, f, text) {
  const { state } = page,
    problem = judgeValue(state, kind, i, text);
  say(problem ?? "");
  if (problem) return render();
  if (kind === "y") return update({ y: state.y.with(i, Number(text)) });
  return update({ X: state.X.map((row, at) => (at === i ? row.with(f, Number(text)) : row)) });
}

/** Run an action, and say kindly what is wrong with its input. */
export function attempt(action) {
  try {
    say("");
    action();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    say(`${error.message[0].toUpperCase()}${error.message.slice(1)}.`);
  }
}
