// The documents: feature values and grades, which can be edited, and the columns of the step.
import { chip, escapeHtml, show, showSigned } from "./format.js";

/** The bar of a cell, from its middle to the right or to the left: where it begins and ends, in percent. */
function placeBar(value, most) {
  const end = 50 + (50 * value) / most;
  return `--bar: var(--${value > 0 ? "plus" : "minus"}); --from: ${Math.min(50, end)}%; --to: ${Math.max(50, end)}%`;
}

const field = (
  kind,
  i,
  f,
  value,
  label,
) => `<input class="value" inputmode="decimal" autocomplete="off" data-kind="${kind}"
  data-row="${i}" data-feature="${f}" value="${value}" aria-label="${escapeHtml(label)}">`;

function drawValues(data, i, editable, shown) {
  const cells = shown.map((f) => {
    const value = data.X[i][f],
      label = `${data.features[f]} of document ${data.names[i]}`;
    return `<td class="col-X">${editable ? field("x", i, f, value, label) : show(value)}</td>`;
  });
  const grade = editable ? field("y", i, 0, data.y[i], `grade of document ${data.names[i]}`) : show(data.y[i]);
  return `${cells.join("")}<td class="col-Y">${grade}</td>`;
}

function drawColumn(column, i, most) {
  const value = column.values?.[i],
    style = `col-${column.group}${column.hot ? " hot" : ""}`;
  const text = value === undefined ? "" : column.signed ? showSigned(value) : show(value);
  const bar = column.bar && value !== undefined ? ` style="${placeBar(value, most)}"` : "";
  return `<td class="${style}${column.bar ? " bar" : ""}"${bar}>${text}</td>`;
}

/** Features that have a column: all of a few, else those that the tree of the step cuts on. */
function chooseFeatures(data, frame) {
  if (data.features.length <= 4) return data.features.map((_, f) => f);
  const cut = (frame.growth?.nodes ?? []).map((node) => node.best?.feature ?? node.feature).filter((f) => f >= 0);
  return [...new Set(cut)].sort((a, b) => a - b).slice(0, 4);
}

export function drawTable(scene, frame, selected, editable) {
  const { data } = scene,
    { columns } = frame,
    shown = chooseFeatures(data, frame);
  const inNode = frame.focus === "cut" ? new Set(frame.growth.nodes[frame.node].rows) : null;
  const most = Math.max(
    ...columns.filter(({ bar, values }) => bar && values).flatMap(({ values }) => values.map(Math.abs)),
    1e-300,
  );
  const heads = columns.map(
    ({ group, head, hot }) => `<th scope="col" class="col-${group}${hot ? " hot" : ""}">${head}</th>`,
  );
  const head = `<tr><th scope="col" class="name">doc</th>${shown.map((f) => `<th scope="col"
    class="col-X">${escapeHtml(data.features[f])}</th>`).join("")}
    <th scope="col" class="col-Y">grade</th>${heads.join("")}</tr>`;
  const rows = data.names.map((name, i) => {
    const pressed = i === selected,
      away = inNode && !inNode.has(i);
    const label = `Put the numbers of document ${name} into the formula`;
    return `<tr class="${pressed ? "selected" : ""}${away ? " away" : ""}"><td class="name"><button class="pick"
      data-pick="${i}" aria-pressed="${pressed}"
      aria-label="${escapeHtml(label)}">${chip(data, i)}</button></td>${drawValues(data, i, editable,
        shown)}${columns.map((column) => drawColumn(column, i, most)).join("")}</tr>`;
  });
  return `<table data-hot="${columns.find(({ hot }) => hot)?.group ?? "X"}">${head}${rows.join("")}</table>`;
}
