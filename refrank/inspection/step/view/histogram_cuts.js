// The marks of the cuts of a feature.
import { describeCut } from "./cuts.js";
import { escapeHtml, show } from "./format.js";
import { BASE, LEFT, RISE, WIDTH } from "./histogram.js";

/** The cuts of a feature as marks: to be clicked while they are guessed, with their gains after that. */
export function drawCuts(scene, cuts, fight, guess, w) {
  const { winner, runnerUp } = fight,
    top = winner.gain || 1,
    y = (gain) => BASE - (gain / top) * RISE;
  const points = cuts.map((cut) => ({ ...cut, x: LEFT + (cut.bin + 1) * w, y: y(cut.gain) }));
  const is = (cut, other) => other && cut.feature === other.feature && cut.bin === other.bin;
  if (guess.open)
    return points
      .map(
        (cut) => `<g role="button" tabindex="0" class="guess" data-guess="${cut.feature},${cut.bin}"
    aria-label="Cut at ${escapeHtml(describeCut(scene.data.features, cut))}"><rect class="hit" x="${cut.x - w / 2}"
      y="4" width="${w}" height="${BASE}"/>
    <line class="offer" x1="${cut.x}" x2="${cut.x}" y1="6" y2="${BASE}"/><circle class="dot" cx="${cut.x}"
      cy="${BASE - RISE / 2}" r="7"/></g>`,
      )
      .join("");
  const lines = points
    .filter((cut) => is(cut, winner) || is(cut, guess.cut))
    .map(
      (cut) =>
        `<line class="cutline ${is(cut, winner) ? "" : "guessed"}" x1="${cut.x}" x2="${cut.x}" y1="6" y2="${BASE}"/>`,
    );
  const dots = points.map(
    (cut) =>
      `<circle class="dot ${is(cut, winner) ? "best" : is(cut, runnerUp) ? "second" : ""}" cx="${cut.x}" cy="${cut.y}"
        r="${is(cut, winner) ? 6 : 4}"/>`,
  );
  const labels = points
    .filter((cut) => is(cut, winner) || is(cut, runnerUp))
    .map((cut) => {
      const left = cut.x > WIDTH - 70;
      return `<text class="${is(cut, winner) ? "strong" : "soft"}" x="${cut.x + (left ? -9 : 9)}"
        y="${Math.max(cut.y - 5, 100)}" text-anchor="${left ? "end" : "start"}">${show(cut.gain)}</text>`;
    });
  return `${lines.join("")}<polyline class="curve" points="${points.map((cut) => `${cut.x},${cut.y}`).join(" ")}"
    />${dots.join("")}${labels.join("")}`;
}
