// The algorithm's lines: where the paper has them, our words, the formula, its live numbers, and the code.
import { escapeHtml } from "./format.js";
import { listLines } from "./lines.js";

const number = (place) => place.replace(/^.*?, line /, "line ").replace(/^(McRank|iGBRT|COCR) /, "");

export function drawPaper(scene) {
  const items = listLines(scene.algorithm, scene.parameters).map(
    ({ id, depth, place, words, formula, code, home }) => `<li data-line="${id}" class="depth-${depth}">
    <button class="line" data-place="${escapeHtml(id)}" title="${escapeHtml(place)}">
      <span class="no">${escapeHtml(number(place))}</span><span class="words">${words}</span></button>
    <div class="more"><div class="formula">${formula}</div><div class="live" role="group" tabindex="0"
      aria-label="The formula with its numbers"></div><code>${escapeHtml(code)}</code>
      <span class="home">${escapeHtml(home)}</span></div></li>`,
  );
  return items.join("");
}

/** Scroll a box, and not the page, until all of an item shows. */
function bringIntoView(box, { offsetTop, offsetHeight }) {
  box.scrollTop = Math.max(Math.min(box.scrollTop, offsetTop), offsetTop + offsetHeight - box.clientHeight);
}

/** Mark the line of the step, and put the numbers into its formula. */
export function markLine(list, frame, live) {
  for (const item of list.children) {
    const current = item.dataset.line === frame.line;
    if (current) item.setAttribute("aria-current", "step");
    else item.removeAttribute("aria-current");
    item.querySelector(".live").innerHTML = current ? live : "";
    if (current) bringIntoView(list.parentElement, item);
  }
}
