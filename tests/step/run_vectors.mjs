// node run_vectors.mjs FOLDER: the cases of refrank-vectors on the port, in every bit; docs/port/javascript.md.
import { readFileSync, readdirSync } from "node:fs";
import { joinPort, makePort } from "./port.mjs";

/** The families of a folder of vectors. */
export const readFamilies = (folder) =>
  readdirSync(folder).filter((name) => name.endsWith(".json")).sort()
    .map((name) => JSON.parse(readFileSync(`${folder}/${name}`, "utf8"))).filter(({ cases }) => Array.isArray(cases));

export const readAdapter = () => readFileSync(new URL("adapter.js", import.meta.url), "utf8");

if (import.meta.filename === process.argv[1]) {
  const { runVectors, describeTotals } = makePort(readAdapter());
  const totals = runVectors(makePort(joinPort()), readFamilies(process.argv[2]));
  console.log(describeTotals(totals).join("\n"));
  process.exitCode = totals.failed.length ? 1 : 0;
}
