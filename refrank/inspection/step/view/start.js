// The start of the page.
import { FAULTS } from "../faults.js";
import { readAddress } from "./address.js";
import { listenToData } from "./controls_data.js";
import { goRound, listenToModes, listenToPanels } from "./controls.js";
import { stopAtDifference } from "./drawers.js";
import { byId, compute, given, go, page, render } from "./main.js";
import { PRESETS } from "./measures.js";
import { listenToSteps } from "./player.js";
import { ALGORITHMS } from "./settings.js";

const OPTIONS = (pairs) => pairs.map(([value, text]) => `<option value="${value}">${text}</option>`).join("");

/** The page as its address has it. */
function restore() {
  page.state = readAddress(location.hash, TOY);
  compute();
  render();
  if (page.state.fault && page.state.stops) stopAtDifference();
}

function startPage() {
  byId("algorithm").innerHTML = OPTIONS(Object.entries(ALGORITHMS).map(([name, { title }]) => [name, title]));
  byId("convention").innerHTML = OPTIONS([...PRESETS.keys()].map((name) => [name, name]));
  byId("fault").innerHTML =
    `<option value="">nothing is broken</option>${OPTIONS(FAULTS.map(({ name, title }) => [name, title]))}`;
  document.documentElement.classList.toggle("fixed", Boolean(given));
  byId("algorithm").disabled = Boolean(given);
  listenToSteps(byId, { step: () => page.state.step, count: () => page.shown.frames.length, round: goRound, go });
  listenToData();
  listenToModes();
  listenToPanels();
  addEventListener("hashchange", restore);
  restore();
  byId("python").hidden = Boolean(given) && given.manifest.n_samples !== page.shown.scene.data.n; // rows of one query
}

startPage();
