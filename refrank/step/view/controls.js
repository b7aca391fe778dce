// The controls of the page, and its start.
import { stopAtDifference, takeDropped } from "./drawers.js";
import { attempt, byId, currentFrame, go, page, render, say, update } from "./main.js";
import { writePython } from "./python.js";
import { ALGORITHMS, defaultsOf, readOption } from "./settings.js";

export function goRound(by) {
  const { frames } = page.shown,
    m = currentFrame().round + by,
    at = frames.findIndex((other) => other.round === m);
  go(at >= 0 ? at : by < 0 ? 0 : frames.length - 1);
}

function takeGuess(mark) {
  const [feature, bin] = mark.dataset.guess.split(",").map(Number);
  page.guesses.set(page.state.step, { feature, bin });
  render();
}

export function listenToModes() {
  byId("predict").addEventListener("click", () => {
    page.guesses.clear();
    update({ predict: !page.state.predict });
  });
  for (const name of ["data", "challenges", "break"])
    byId(`open-${name}`).addEventListener("click", () => {
      page.state.drawer = page.state.drawer === name ? null : name;
      render();
    });
  byId("fault").addEventListener("change", (event) => {
    page.dropped = null;
    update({ fault: event.target.value || null });
    stopAtDifference();
  });
  byId("trace").addEventListener("change", (event) =>
    event.target.files[0]?.text().then((text) => attempt(() => takeDropped(text))),
  );
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    event.dataTransfer.files[0]?.text().then((text) => attempt(() => takeDropped(text)));
  });
  byId("python").addEventListener("click", () => {
    byId("code").textContent = writePython({ scene: page.shown.scene, frame: currentFrame() });
    byId("lines-of-python").showModal();
    navigator.clipboard?.writeText(byId("code").textContent).then(
      () => say("The lines are copied."),
      () => {},
    );
  });
  byId("close").addEventListener("click", () => byId("lines-of-python").close());
}

export function listenToPanels() {
  document.addEventListener("click", ({ target }) => {
    const picked = target.closest("[data-pick], .ranked [data-doc]"),
      mark = target.closest("[data-guess]"),
      place = target.closest("[data-place]");
    if (picked) {
      page.state.document = Number(picked.dataset.pick ?? picked.dataset.doc);
      render();
    }
    if (mark) takeGuess(mark);
    if (place) {
      const after = page.shown.frames.findIndex(({ line }, i) => i > page.state.step && line === place.dataset.place);
      const at = after >= 0 ? after : page.shown.frames.findIndex(({ line }) => line === place.dataset.place);
      if (at >= 0) go(at);
    }
  });
  byId("histogram").addEventListener("keydown", (event) => {
    const mark = event.target.closest("[data-guess]");
    if (mark && ["Enter", " "].includes(event.key)) {
      event.preventDefault();
      takeGuess(mark);
    }
  });
  byId("settings").addEventListener("change", ({ target }) => {
    const setting = ALGORITHMS[page.state.algorithm].settings.find(({ key }) => key === target.dataset.setting);
    update({ chosen: { ...page.state.chosen, [setting.key]: readOption(setting, target.value) } });
    byId("settings").querySelector(`[data-setting="${setting.key}"]`).focus();
  });
  byId("algorithm").addEventListener("change", ({ target }) =>
    update({ algorithm: target.value, chosen: defaultsOf(target.value), step: 0 }),
  );
  byId("convention").addEventListener("change", ({ target }) => update({ preset: target.value }));
}
