// Formulas as MathML, from short texts: "p_i,k = 1" has its parts between spaces, and a_b is a with the index b.

const OPERATORS = /^([=+−·×<>≤≥(),∑←≈|{}\[\]/]|≠|∈)$/u;

const leaf = (text) => {
  if (/^[−+]?[\d.]+(e.*)?$/.test(text) || text === "∞" || text === "–") return `<mn>${text}</mn>`;
  if (OPERATORS.test(text)) return `<mo>${text.replace("<", "&lt;").replace(">", "&gt;")}</mo>`;
  return `<mi>${text}</mi>`;
};

const part = (text) => {
  const [base, index] = text.length > 1 ? text.split("_") : [text];
  if (index === undefined) return leaf(base);
  return `<msub>${leaf(base)}<mrow>${index.split(/(?<=,)|(?=,)/).map(leaf).join("")}</mrow></msub>`;
};

/** Parts between spaces; what begins with < is MathML already. */
export const row = (...texts) =>
  `<mrow>${texts.map((text) => (text.startsWith("<") && text.length > 1 ? text : text.split(" ").map(part).join(""))).join("")}</mrow>`;

export const frac = (above, below) => `<mfrac>${row(above)}${row(below)}</mfrac>`;
export const power = (base, exponent) => `<msup>${row(base)}${row(exponent)}</msup>`;
export const sumOver = (index) => `<munder><mo>∑</mo>${row(index)}</munder>`;
export const math = (...parts) => `<math display="block">${row(...parts)}</math>`;

/** Lines of one display, set below each other. */
export const mathLines = (...lines) => lines.map((line) => math(...line)).join("");
