// Formulas as MathML, from short texts: "p_i,k = 1" has its parts between spaces, and a_b is a with the index b.

const OPERATORS = /^([=+−·×<>≤≥(),∑←≈|{}\[\]/]|≠|∈)$/u;

const token = (text) => {
  if (/^[−+]?[\d.]+(e.*)?$/.test(text) || text === "∞" || text === "–") return `<mn>${text}</mn>`;
  if (OPERATORS.test(text)) return `<mo>${text.replace("<", "&lt;").replace(">", "&gt;")}</mo>`;
  return `<mi>${text}</mi>`;
};

const symbol = (text) => {
  const [base, index] = text.length > 1 ? text.split("_") : [text];
  if (index === undefined) return token(base);
  return `<msub>${token(base)}<mrow>${index
    .split(/(?<=,)|(?=,)/)
    .map(token)
    .join("")}</mrow></msub>`;
};

/** Parts between spaces; what begins with < is MathML already. */
export const group = (...texts) =>
  `<mrow>${texts.map((text) => (text.startsWith("<") && text.length > 1 ? text :
    text.split(" ").map(symbol).join(""))).join("")}</mrow>`;

export const frac = (above, below) => `<mfrac>${group(above)}${group(below)}</mfrac>`;
export const power = (base, exponent) => `<msup>${group(base)}${group(exponent)}</msup>`;
export const sumOver = (index) => `<munder><mo>∑</mo>${group(index)}</munder>`;
export const math = (...parts) => `<math display="block">${group(...parts)}</math>`;

/** Lines of one display, set below each other. */
export const mathLines = (...lines) => lines.map((line) => math(...line)).join("");
