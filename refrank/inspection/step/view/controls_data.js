// The controls of the toy data.
import { listenToFields, parseLetor } from "./editing.js";
import { attempt, byId, changeValue, page, say, update } from "./main.js";
import { defaultsOf } from "./settings.js";

export function listenToData() {
  listenToFields(byId("table"), changeValue);
  byId("use").addEventListener("click", () => attempt(() => update({ ...parseLetor(byId("letor").value), step: 0 })));
  byId("add").addEventListener("click", () =>
    attempt(() => {
      const { X, y } = page.state;
      if (X.length >= 26) throw new RangeError("there are 26 documents: this page draws no more");
      update({ X: [...X, X[0].map((_, f) => Math.max(...X.map((row) => row[f])) / 2)], y: [...y, 0] });
    }),
  );
  byId("remove").addEventListener("click", () =>
    attempt(() => {
      const { X, y } = page.state,
        rest = y.slice(0, -1);
      if (rest.length < 2 || new Set(rest).size < 2)
        throw new RangeError("without its last document there would be nothing to learn");
      update({ X: X.slice(0, -1), y: rest });
    }),
  );
  byId("reset").addEventListener("click", () => {
    say("");
    page.dropped = null;
    update({
      ...structuredClone({ X: TOY.X, y: TOY.y }),
      chosen: defaultsOf(page.state.algorithm),
      step: 0,
      fault: null,
    });
  });
}
