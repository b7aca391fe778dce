// Numbers, names and chips as text: one form everywhere.

const SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉";
const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export const escapeHtml = (text) => String(text).replace(/[&<>"]/g, (sign) => ESCAPES[sign]);

const NOISE = 1e-9;

/** Up to `digits` decimals, with a true minus; a whole number has none, a small one its first digit. */
export function show(x, digits = 3) {
  if (typeof x !== "number")
    return x === undefined || x === null ? "–" : String(x).replace("-", "−").replace("inf", "∞");
  if (Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  if (Number.isInteger(x) && Math.abs(x) < 1e6) return String(x).replace("-", "−");
  const size = Math.abs(x),
    isSmall = size < 0.0005 && size > NOISE,
    text = size >= 1e6 ? size.toExponential(2) : isSmall ? String(Number(size.toPrecision(1))) : size.toFixed(digits);
  return (x < 0 && Number(text) !== 0 ? "−" : "") + text;
}

export const showSigned = (x) => (x > 0 ? "+" : "") + show(x);

/** A number with all its digits. */
export const showWhole = (x) =>
  String(Object.is(x, -0) ? "-0" : x)
    .replace("-", "−")
    .replace("e−", "e-");

export const nameFeature = (names, f) =>
  names?.[f] ?? "x" + [...String(f + 1)].map((digit) => SUBSCRIPTS[digit]).join("");

/** Letters while they last, then numbers. */
export const nameDocument = (names, i, n) => names?.[i] ?? (n <= 26 ? String.fromCharCode(97 + i) : String(i + 1));

export const gradeClass = (y) => `g${Math.max(0, Math.min(4, Math.floor(y)))}`;

export const chip = (data, i) =>
  `<span class="chip ${gradeClass(data.y[i])}" data-doc="${i}"
    title="document ${data.names[i]}, grade ${data.y[i]}">${data.names[i]}</span>`;

/** The chips of rows, as many as a line holds. */
export function chips(data, rows, most = 12) {
  if (rows.length === 0) return "none";
  const more = rows.length > most ? ` and ${rows.length - most} more` : "";
  return rows.slice(0, most).map((i) => chip(data, i)).join("") + more;
}

export const plural = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;
