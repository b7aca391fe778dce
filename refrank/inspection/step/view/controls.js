// The controls of the page, and its start.
import { stopAtDifference, takeDropped } from "./drawers.js";
import { attempt, byId, currentFrame, go, page, render, say, update } from "./main.js";
import { writePython } from "./python.js";
import { ALGORITHMS, defaultsOf, readOption } from "./settings.js";

/** To the first step of the next round, or of the one before; COCR's questions have rounds of their own. */
export function goRound(by) {
  const { frames } = page.shown,
    isStart = ({ round, question }, i) => round !== frames[i - 1]?.round || question !== frames[i - 1].question,
    starts = [...frames.keys()].filter((i) => isStart(frames[i], i));
  const own = starts.findLastIndex((i) => i <= page.state.step);
  go(starts[Math.max(0, own + by)] ?? frames.length - 1);
}

function takeGuess(mark) {
  const [feature, bin] = mark.dataset.guess.split(",").map(Number);
  page.guesses.set(page.state.step, { feature, bin });
  render();
  byId("next").focus({ preventScroll: true }); // the marks are gone
}

const takeFile = (file) =>
  file?.text().then(
    (text) => attempt(() => takeDropped(text)),
    () => say("This cannot be read: drop a file, not a folder."),
  );

export function listenToModes() {
  byId("predict").addEventListener("click", () => {
    page.guesses.clear();
    update({ predict: !page.state.predict });
  });
  for (const name of ["data", "challenges", "break"])
    byId(`open-${name}`).addEventListener("click", () => {
      page.state.drawer = page.state.drawer === name ? null : name;
      render();
      if (page.state.drawer) byId(`drawer-${name}`).scrollIntoView({ block: "nearest" });
    });
  byId("fault").addEventListener("change", (event) => {
    page.dropped = null;
    update({ fault: event.target.value || null });
    stopAtDifference();
  });
  byId("trace").addEventListener("change", (event) => takeFile(event.target.files[0]));
  const isOfFiles = (event) => event.dataTransfer.types.includes("Files"); // else a text, which fields take
  addEventListener("dragover", (event) => isOfFiles(event) && event.preventDefault());
  addEventListener("drop", (event) => {
    if (!isOfFiles(event)) return;
    event.preventDefault();
    takeFile(event.dataTransfer.files[0]);
  });
  byId("python").addEventListener("click", () => {
    byId("code").textContent = writePython({ scene: page.shown.scene, frame: currentFrame() });
    byId("copied").textContent = "";
    byId("lines-of-python").showModal();
    navigator.clipboard?.writeText(byId("code").textContent).then(
      () => (byId("copied").textContent = "They are copied."),
      () => (byId("copied").textContent = "Copy them by hand: the browser does not let the page do it."),
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
  });
  byId("algorithm").addEventListener("change", ({ target }) =>
    update({ algorithm: target.value, chosen: defaultsOf(target.value), step: 0 }),
  );
  byId("convention").addEventListener("change", ({ target }) => update({ preset: target.value }));
}
