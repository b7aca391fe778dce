// Columns of the table of documents.

/** A column: its group, its head, its values (null: empty), whether it is in focus; `more`: signed, bar. */
export const makeColumn = (group, head, values, hot, more = {}) => ({ group, head, values, hot, ...more });

export const indexed = (symbol, k) => `${symbol}<sub>${k}</sub>`;

export const rowsFrom = (columns) => columns[0].map((_, i) => columns.map((column) => column[i]));
export const residualColumn = (head, values, hot) => makeColumn("R", head, values, hot, { signed: true, bar: true });

/** What all schemes share: columns of F and p by output. */
export function makeBase(scene, start) {
  const { y } = scene.data,
    F = start.map((value) => y.map(() => value));
  return {
    F,
    P: [],
    residual: null,
    simultaneous: false,
    labels: () => null,
    score: () => F[0],
    setProba(output, values) {
      this.P[output] = values;
    },
    scoresOf: (output) => F[output],
    setScores(output, values) {
      F[output] = values;
    },
  };
}
