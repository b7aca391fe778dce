// The state of the page in its address, and back.
import { PRESETS } from "./measures.js";
import { ALGORITHMS, defaultsOf, readOption } from "./settings.js";

const rowsText = (X) => X.map((row) => row.join(",")).join(";");

export function writeAddress(state, toy, fixed) {
  const parts = new URLSearchParams();
  if (!fixed) {
    parts.set("algorithm", state.algorithm);
    for (const { key, short } of ALGORITHMS[state.algorithm].settings) parts.set(short, state.chosen[key]);
    if (rowsText(state.X) !== rowsText(toy.X)) parts.set("X", rowsText(state.X));
    if (state.y.join() !== toy.y.join()) parts.set("y", state.y.join(","));
  }
  parts.set("step", state.step + 1);
  if (state.preset !== "paper") parts.set("convention", state.preset);
  if (state.document) parts.set("document", state.document);
  if (state.predict) parts.set("predict", 1);
  if (state.fault) parts.set("fault", state.fault);
  if (state.drawer) parts.set("open", state.drawer);
  return `#${parts.toString().replaceAll("%2C", ",").replaceAll("%3B", ";")}`;
}

const numbers = (text) => text.split(",").map(Number);

/** Rows of numbers of one length; null if they are not. */
function readRows(parts, toy) {
  const X = parts.has("X") ? parts.get("X").split(";").map(numbers) : structuredClone(toy.X);
  const y = parts.has("y") ? numbers(parts.get("y")) : [...toy.y];
  const whole = X.length === y.length && X.every((row) => row.length === X[0].length && row.every(Number.isFinite));
  return whole && y.every((grade) => Number.isInteger(grade) && grade >= 0 && grade <= 4) ? { X, y } : null;
}

/** The state that an address describes; what it says wrongly is left at its default. */
export function readAddress(hash, toy) {
  const parts = new URLSearchParams(hash.replace(/^#/, "")),
    place = parts.get("place");
  const named = place?.startsWith("COCR")
    ? "cocr"
    : place?.startsWith("iGBRT Alg. 1")
      ? "rf"
      : place?.startsWith("iGBRT Alg. 3")
        ? "igbrt"
        : place?.startsWith("iGBRT")
          ? "gbrt"
          : /^McRank (Alg\. 2|Sec\. 5)/.test(place ?? "")
            ? "ls"
            : /^McRank (Sec\. 4|Eq\. 8)/.test(place ?? "")
              ? "ordinal"
              : "softmax";
  const algorithm = parts.get("algorithm") in ALGORITHMS ? parts.get("algorithm") : named,
    chosen = defaultsOf(algorithm);
  for (const setting of ALGORITHMS[algorithm].settings) {
    const value = readOption(setting, parts.get(setting.short) ?? parts.get(setting.key) ?? "");
    if (value !== undefined) chosen[setting.key] = value;
  }
  const rows = readRows(parts, toy) ?? structuredClone({ X: toy.X, y: toy.y });
  return {
    algorithm,
    chosen,
    ...rows,
    place,
    step: Math.max(0, (parseInt(parts.get("step"), 10) || 1) - 1),
    stops: !parts.has("step"), // at the difference of a fault
    preset: PRESETS.has(parts.get("convention")) ? parts.get("convention") : "paper",
    document: parseInt(parts.get("document"), 10) || 0,
    predict: parts.get("predict") === "1",
    fault: parts.get("fault"),
    drawer: parts.get("open"),
  };
}
