// Columns of the table of documents.

/** A column: its group, its head, its values (null: empty), whether it is in focus; `more`: signed, bar. */
export const makeColumn = (group, head, values, hot, more = {}) => ({ group, head, values, hot, ...more });

export const indexed = (symbol, k) => `${symbol}<sub>${k}</sub>`;
