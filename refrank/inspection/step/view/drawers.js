// What lies below the sentence: one of data, challenges and break it.
import { FAULTS } from "../faults.js";
import { drawDifference, drawFault } from "./breaking.js";
import { drawChallenges } from "./challenges.js";
import { findNode } from "./entries.js";
import { MOST_ROWS, parseLetor, writeLetor } from "./editing.js";
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
      ? drawDifference(page.right, other, data, page.dropped ? ["here", "dropped"] : ["right", "broken"], fault)
      : { html: "" };
    byId("difference").innerHTML = (fault && !page.dropped ? drawFault(fault, difference) : "") + html;
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

/** Go to the first step that uses the record of the first difference, if it can be, with its node. */
export function stopAtDifference() {
  if (!page.difference) return;
  const { record, field, index } = page.difference,
    is = ([name, place]) => name === record.stage && JSON.stringify(place) === JSON.stringify(record.at);
  const steps = [...page.shown.frames.keys()].filter((i) => page.shown.frames[i].uses.some(is)),
    node = findNode(record, field, index);
  page.state.step = steps.find((i) => page.shown.frames[i].node === node) ?? steps[0] ?? page.state.step;
  render();
}

/** The state that a dropped trace asks for: its algorithm and its rows, where the page computes. */
function readState(dropped) {
  const state = {},
    rows = dropped.records.find(({ stage }) => stage === "data");
  if (given) return state;
  if (dropped.manifest && dropped.manifest.algorithm in ALGORITHMS) {
    const { algorithm, parameters } = dropped.manifest,
      chosen = defaultsOf(algorithm);
    for (const setting of ALGORITHMS[algorithm].settings)
      chosen[setting.key] = readOption(setting, String(parameters[setting.key])) ?? chosen[setting.key];
    Object.assign(state, { algorithm, chosen });
  }
  if (rows) {
    const [n, width] = rows.fields.X.shape,
      flat = readValues(rows, "X");
    if (n > MOST_ROWS)
      throw new RangeError(`the trace has ${n} documents: this page computes with at most ${MOST_ROWS}`);
    Object.assign(state, {
      X: Array.from({ length: n }, (_, i) => flat.slice(i * width, (i + 1) * width)),
      y: readValues(rows, "y"),
    });
  }
  return state;
}

/** Take a dropped text: lines of LETOR, or a trace, which is compared; the page stays as it was if it is neither. */
export function takeDropped(text) {
  if (/^\s*\d\S*\s+(qid|\d+):/.test(text) && !given) return update({ ...parseLetor(text), drawer: "data", step: 0 });
  const before = { ...page.state },
    dropped = readDropped(text);
  try {
    page.dropped = dropped;
    update({ ...readState(dropped), drawer: "break", fault: null });
  } catch (error) {
    page.dropped = null;
    update(before);
    throw error instanceof RangeError ? error : new RangeError("its records are not those of a trace of refrank");
  }
  stopAtDifference();
}
