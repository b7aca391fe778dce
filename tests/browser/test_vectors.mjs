// The vectors on the port inside Chromium and Firefox, and a planted fault that they must find:
// node tests/browser/test_vectors.mjs
import { chromium } from "playwright-core";
import puppeteer from "puppeteer-core";
import { FAULTS } from "../../refrank/inspection/step/faults.js";
import { joinPort, makePort } from "../step/port.mjs";
import { readAdapter, readFamilies } from "../step/run_vectors.mjs";

const families = readFamilies(new URL("../../yardstick/vectors/data", import.meta.url).pathname);
const right = joinPort(),
  planted = FAULTS.find(({ name }) => name === "factor-missing");
const broken = joinPort((text, name) => (name === planted.module ? text.replace(planted.line, planted.broken) : text));

let passed = 0,
  failed = 0;
function check(what, ok, more = "") {
  console.log(ok ? `ok    ${what}` : `FAIL  ${what} ${more}`);
  if (ok) passed += 1;
  else failed += 1;
}

/** Run the vectors in a page, which makes the functions from the texts of the port and the adapter. */
const runInPage = (page, port) =>
  page.evaluate(
    ([make, adapter, text, cases]) => {
      const makeFunctions = new Function(`return ${make}`)();
      const { runVectors, describeTotals } = makeFunctions(adapter),
        totals = runVectors(makeFunctions(text), cases);
      return { lines: describeTotals(totals), failed: totals.failed };
    },
    [makePort.toString(), readAdapter(), port, families],
  );

const BROWSERS = {
  Chromium: () => chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] }),
  Firefox: () => puppeteer.launch({ browser: "firefox", executablePath: "/usr/bin/firefox-esr", headless: true }),
};
for (const [name, launch] of Object.entries(BROWSERS)) {
  const browser = await launch(),
    page = await browser.newPage();
  const { lines, failed: wrong } = await runInPage(page, right);
  check(`${name}: ${lines.at(-1)}`, wrong.length === 0 && /^5\d\d passed, 0 failed/.test(lines.at(-1)), wrong[0]);
  const { failed: found } = await runInPage(page, broken);
  check(
    `${name}: the fault ${planted.name} fails ${found.length} cases`,
    found.some((id) => id.includes("leaf_values")),
  );
  await browser.close();
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
