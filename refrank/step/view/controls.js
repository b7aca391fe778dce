// The controls of the page, and its start.
import { FAULTS } from "../faults.js";
import { readAddress } from "./address.js";
import { listenToFields, parseLetor } from "./editing.js";
import { attempt, byId, changeValue, compute, render, frame, given, go, page, say, stopAtDifference, takeDropped, update } from "./main.js";
import { PRESETS } from "./measures.js";
import { listenToSteps } from "./player.js";
import { writePython } from "./python.js";
import { ALGORITHMS, defaultsOf, readOption } from "./settings.js";

const OPTIONS = (pairs) => pairs.map(([value, text]) => `<option value="${value}">${text}</option>`).join("");

function goRound(by) {
  const { frames } = page.shown, m = frame().round + by, at = frames.findIndex((other) => other.round === m);
  go(at >= 0 ? at : by < 0 ? 0 : frames.length - 1);
}

function guess(mark) {
  const [feature, bin] = mark.dataset.guess.split(",").map(Number);
  page.guesses.set(page.state.step, { feature, bin });
  render();
}

function listenToData() {
  listenToFields(byId("table"), changeValue);
  byId("use").addEventListener("click", () => attempt(() => update({ ...parseLetor(byId("letor").value), step: 0 })));
  byId("add").addEventListener("click", () => attempt(() => {
    const { X, y } = page.state;
    if (X.length >= 26) throw new RangeError("there are 26 documents: this page draws no more");
    update({ X: [...X, X[0].map((_, f) => Math.max(...X.map((row) => row[f])) / 2)], y: [...y, 0] });
  }));
  byId("remove").addEventListener("click", () => attempt(() => {
    const { X, y } = page.state, rest = y.slice(0, -1);
    if (rest.length < 2 || new Set(rest).size < 2) throw new RangeError("without its last document there would be nothing to learn");
    update({ X: X.slice(0, -1), y: rest });
  }));
  byId("reset").addEventListener("click", () => {
    say("");
    page.dropped = null;
    update({ ...structuredClone({ X: TOY.X, y: TOY.y }), chosen: defaultsOf(page.state.algorithm), step: 0, fault: null });
  });
}

function listenToModes() {
  byId("predict").addEventListener("click", () => { page.guesses.clear(); update({ predict: !page.state.predict }); });
  for (const name of ["data", "challenges", "break"])
    byId(`open-${name}`).addEventListener("click", () => { page.state.drawer = page.state.drawer === name ? null : name; render(); });
  byId("fault").addEventListener("change", (event) => {
    page.dropped = null;
    update({ fault: event.target.value || null });
    stopAtDifference();
  });
  byId("trace").addEventListener("change", (event) => event.target.files[0]?.text().then((text) => attempt(() => takeDropped(text))));
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    event.dataTransfer.files[0]?.text().then((text) => attempt(() => takeDropped(text)));
  });
  byId("python").addEventListener("click", () => {
    byId("code").textContent = writePython({ scene: page.shown.scene, frame: frame() });
    byId("lines-of-python").showModal();
    navigator.clipboard?.writeText(byId("code").textContent).then(() => say("The lines are copied."), () => {});
  });
  byId("close").addEventListener("click", () => byId("lines-of-python").close());
}

function listenToPanels() {
  document.addEventListener("click", ({ target }) => {
    const picked = target.closest("[data-pick], .ranked [data-doc]"), mark = target.closest("[data-guess]"), place = target.closest("[data-place]");
    if (picked) { page.state.document = Number(picked.dataset.pick ?? picked.dataset.doc); render(); }
    if (mark) guess(mark);
    if (place) {
      const after = page.shown.frames.findIndex(({ line }, i) => i > page.state.step && line === place.dataset.place);
      const at = after >= 0 ? after : page.shown.frames.findIndex(({ line }) => line === place.dataset.place);
      if (at >= 0) go(at);
    }
  });
  byId("histogram").addEventListener("keydown", (event) => {
    const mark = event.target.closest("[data-guess]");
    if (mark && ["Enter", " "].includes(event.key)) { event.preventDefault(); guess(mark); }
  });
  byId("settings").addEventListener("change", ({ target }) => {
    const setting = ALGORITHMS[page.state.algorithm].settings.find(({ key }) => key === target.dataset.setting);
    update({ chosen: { ...page.state.chosen, [setting.key]: readOption(setting, target.value) } });
    byId("settings").querySelector(`[data-setting="${setting.key}"]`).focus();
  });
  byId("algorithm").addEventListener("change", ({ target }) => update({ algorithm: target.value, chosen: defaultsOf(target.value), step: 0 }));
  byId("convention").addEventListener("change", ({ target }) => update({ preset: target.value }));
}

function start() {
  byId("algorithm").innerHTML = OPTIONS(Object.entries(ALGORITHMS).map(([name, { title }]) => [name, title]));
  byId("convention").innerHTML = OPTIONS([...PRESETS.keys()].map((name) => [name, name]));
  byId("fault").innerHTML = `<option value="">nothing is broken</option>${OPTIONS(FAULTS.map(({ name, title }) => [name, title]))}`;
  page.state = readAddress(location.hash, TOY);
  if (!PRESETS.has(page.state.preset)) page.state.preset = "paper";
  byId("convention").value = page.state.preset;
  document.documentElement.classList.toggle("fixed", Boolean(given));
  byId("algorithm").disabled = Boolean(given);
  listenToSteps(byId, { step: () => page.state.step, count: () => page.shown.frames.length, round: goRound, go });
  listenToData();
  listenToModes();
  listenToPanels();
  addEventListener("hashchange", () => { page.state = readAddress(location.hash, TOY); compute(); render(); });
  compute();
  render();
  if (page.state.fault) stopAtDifference();
}

start();
