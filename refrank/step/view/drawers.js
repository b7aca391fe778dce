// What lies below the sentence: one of data, challenges and break it.
import { FAULTS } from "../faults.js";
import { drawDifference, drawFault } from "./breaking.js";
import { drawChallenges } from "./challenges.js";
import { MOST_ROWS, writeLetor } from "./editing.js";
import { byId, given, page, render, train, update } from "./main.js";
import { readDropped, readValues } from "./records.js";
import { ALGORITHMS, defaultsOf, readOption } from "./settings.js";

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
    const fault = FAULTS.find(({ name }) => name === page.state.fault),
      { data, algorithm } = page.shown.scene;
    byId("fault").value = fault?.name ?? "";
    const other =
      page.dropped ?? (fault && !given ? train(algorithm, page.state.chosen, page.state.X, page.state.y, fault) : null);
    const { difference, html } = other
      ? drawDifference(page.right, other, data, page.dropped ? ["here", "dropped"] : ["right", "broken"])
      : { html: "" };
    byId("difference").innerHTML = (fault && !page.dropped ? drawFault(fault) : "") + html;
    page.difference = difference;
  },
};

export function drawDrawer() {
  for (const name of Object.keys(DRAWERS)) {
    byId(`drawer-${name}`).hidden = page.state.drawer !== name;
    byId(`open-${name}`).setAttribute("aria-expanded", String(page.state.drawer === name));
  }
  DRAWERS[page.state.drawer]?.();
}

/** Go to the first step that uses the record of the first difference. */
export function stopAtDifference() {
  if (!page.difference) return;
  const { stage, at } = page.difference.record,
    is = ([name, place]) => name === stage && JSON.stringify(place) === JSON.stringify(at);
  const step = page.shown.frames.findIndex(({ uses }) => uses.some(is));
  if (step >= 0) page.state.step = step;
  render();
}

export function takeDropped(text) {
  const dropped = readDropped(text),
    rows = dropped.records.find(({ stage }) => stage === "data");
  if (dropped.manifest && dropped.manifest.algorithm in ALGORITHMS && !given) {
    const { algorithm, parameters } = dropped.manifest,
      chosen = defaultsOf(algorithm);
    for (const setting of ALGORITHMS[algorithm].settings)
      chosen[setting.key] = readOption(setting, String(parameters[setting.key])) ?? chosen[setting.key];
    Object.assign(page.state, { algorithm, chosen });
  }
  if (rows && !given) {
    const [n, width] = rows.fields.X.shape,
      flat = readValues(rows, "X");
    if (n > MOST_ROWS)
      throw new RangeError(`the trace has ${n} documents: this page computes with at most ${MOST_ROWS}`);
    Object.assign(page.state, {
      X: Array.from({ length: n }, (_, i) => flat.slice(i * width, (i + 1) * width)),
      y: readValues(rows, "y"),
    });
  }
  page.dropped = dropped;
  update({ drawer: "break", fault: null });
  stopAtDifference();
}
