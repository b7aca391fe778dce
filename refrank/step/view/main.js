// The page: a state, the document that follows from it, its frames, and the panels of one of them.
import { FAULTS } from "../faults.js";
import { writeAddress } from "./address.js";
import { drawDifference, drawFault } from "./breaking.js";
import { drawChallenges } from "./challenges.js";
import { judgeValue, MOST_ROWS, writeLetor } from "./editing.js";
import { findPlace, makeFrames } from "./frames.js";
import { instantiate } from "./instantiate.js";
import { drawPanels, scrollToFocus } from "./panels.js";
import { readDropped, readValues } from "./records.js";
import { drawPaper } from "./paper.js";
import { ALGORITHMS, defaultsOf, drawSettings, parametersOf, readOption } from "./settings.js";

export const byId = (id) => document.getElementById(id);
export const given = JSON.parse(byId("document").textContent), source = byId("port").textContent;
export const page = { state: null, shown: null, guesses: new Map(), dropped: null, preset: "paper" };

/** The document of an algorithm on rows, by the port as it is or broken. */
function train(algorithm, chosen, X = page.state.X, y = page.state.y, fault = null) {
  const { recordTraining } = instantiate(source, fault), names = y.length === TOY.y.length && X[0].length === TOY.X[0].length ? TOY : {};
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
  byId("lines").innerHTML = drawPaper(page.shown.scene);
  byId("settings").innerHTML = given ? "" : drawSettings(state.algorithm, state.chosen);
  byId("algorithm").value = page.shown.scene.algorithm;
}

export const frame = () => page.shown.frames[page.state.step];
export const render = () => {
  drawPanels(byId, page, frame());
  drawDrawer();
  history.replaceState(null, "", writeAddress(page.state, TOY, Boolean(given)));
};

export function update(changes) {
  Object.assign(page.state, changes);
  compute();
  render();
}

export function go(step) {
  page.state.step = Math.max(0, Math.min(page.shown.frames.length - 1, step));
  render();
  scrollToFocus(byId, frame());
}

export const say = (text) => { byId("note").textContent = text; };

/** What lies below the sentence: one of data, challenges and break it. */
const DRAWERS = {
  data: () => {
    if (document.activeElement !== byId("letor")) byId("letor").value = writeLetor(page.state);
  },
  challenges: () => {
    const context = { state: page.state, toy: TOY, train, ...page.shown };
    byId("tasks").innerHTML = drawChallenges(context);
  },
  break: () => {
    const fault = FAULTS.find(({ name }) => name === page.state.fault), { data, algorithm } = page.shown.scene;
    byId("fault").value = fault?.name ?? "";
    const other = page.dropped ?? (fault && !given ? train(algorithm, page.state.chosen, page.state.X, page.state.y, fault) : null);
    const { difference, html } = other ? drawDifference(page.right, other, data, page.dropped ? ["here", "dropped"] : ["right", "broken"]) : { html: "" };
    byId("difference").innerHTML = (fault && !page.dropped ? drawFault(fault) : "") + html;
    page.difference = difference;
  },
};

function drawDrawer() {
  for (const name of Object.keys(DRAWERS)) {
    byId(`drawer-${name}`).hidden = page.state.drawer !== name;
    byId(`open-${name}`).setAttribute("aria-expanded", String(page.state.drawer === name));
  }
  DRAWERS[page.state.drawer]?.();
}

/** Go to the first step that uses the record of the first difference. */
export function stopAtDifference() {
  if (!page.difference) return;
  const { stage, at } = page.difference.record, is = ([name, place]) => name === stage && JSON.stringify(place) === JSON.stringify(at);
  const step = page.shown.frames.findIndex(({ uses }) => uses.some(is));
  if (step >= 0) page.state.step = step;
  render();
}

export function changeValue(kind, i, f, text) {
  const { state } = page, problem = judgeValue(state, kind, i, text);
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

export function takeDropped(text) {
  const dropped = readDropped(text), rows = dropped.records.find(({ stage }) => stage === "data");
  if (dropped.manifest && dropped.manifest.algorithm in ALGORITHMS && !given) {
    const { algorithm, parameters } = dropped.manifest, chosen = defaultsOf(algorithm);
    for (const setting of ALGORITHMS[algorithm].settings) chosen[setting.key] = readOption(setting, String(parameters[setting.key])) ?? chosen[setting.key];
    Object.assign(page.state, { algorithm, chosen });
  }
  if (rows && !given) {
    const [n, width] = rows.fields.X.shape, flat = readValues(rows, "X");
    if (n > MOST_ROWS) throw new RangeError(`the trace has ${n} documents: this page computes with at most ${MOST_ROWS}`);
    Object.assign(page.state, { X: Array.from({ length: n }, (_, i) => flat.slice(i * width, (i + 1) * width)), y: readValues(rows, "y") });
  }
  page.dropped = dropped;
  update({ drawer: "break", fault: null });
  stopAtDifference();
}
