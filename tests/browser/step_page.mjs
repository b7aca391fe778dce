// What the tests of the step-through page share: the page's file, opened pages, walks through their steps, and counts.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { chromium } from "playwright-core";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"),
  AT_ONCE = 3; // tests that run side by side
export const folder = mkdtempSync(join(tmpdir(), "step-")),
  out = process.argv.includes("--out") ? process.argv[process.argv.indexOf("--out") + 1] : null;
if (out) mkdirSync(out, { recursive: true });

let passed = 0,
  failed = 0;
export function check(what, ok, more = "") {
  console.log(ok ? `ok    ${what}` : `FAIL  ${what} ${more}`);
  if (ok) passed += 1;
  else failed += 1;
}

/** Run lines of Python; what they print. */
export const python = async (...lines) =>
  (await promisify(execFile)(process.env.PYTHON ?? "python", ["-c", lines.join("\n")], { cwd: ROOT })).stdout;

/** A file of a page; its address. */
export function writePage(name, text) {
  const path = join(folder, `${name}.html`);
  writeFileSync(path, text);
  return pathToFileURL(path).href;
}
const file = join(folder, "step.html");
await python("from refrank.inspection.step.page import write_page", `write_page(None, ${JSON.stringify(file)})`);
export const html = readFileSync(file, "utf8"),
  address = pathToFileURL(file).href,
  source = /<script type="text\/plain" id="port">([^]*?)<\/script>/.exec(html)[1];

export const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });

/** A page with all that it asks for from outside, and all its errors; `before`: a script that runs before its own. */
export async function open(
  hash = "",
  { width = 1600, height = 1000, scale = 1, url = address, before, ...media } = {},
) {
  const page = await browser.newPage({
    viewport: { width: Math.round(width / scale), height: Math.round(height / scale) },
    reducedMotion: "reduce",
    deviceScaleFactor: scale,
    ...media,
  });
  page.setDefaultTimeout(10000);
  page.outside = [];
  page.errors = [];
  page.on("request", (request) => request.url().startsWith("file:") || page.outside.push(request.url()));
  page.on("pageerror", (error) => page.errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && page.errors.push(message.text()));
  if (before) await page.addInitScript(before);
  await page.goto(url + hash);
  return page;
}

/** The same page at another address. */
export async function reopen(page, hash, url = address) {
  await page.goto("about:blank");
  await page.goto(url + hash);
}
export const where = (page) => page.locator("#where").innerText();
export const say = (page) => page.locator("#say").innerText();
export const note = (page) => page.locator("#note").innerText();
export const verdict = (page) => page.locator("#difference .verdict").innerText();
export const count = async (page) => Number(/of (\d+)/.exec(await where(page))[1]);

export const goTo = (page, step) =>
  page.evaluate((at) => {
    const seek = document.getElementById("seek");
    seek.value = at - 1;
    seek.dispatchEvent(new Event("input", { bubbles: true }));
  }, step);

/** The first step that puts a panel into focus; null if none does. */
export async function goToPanel(page, panel) {
  const total = await count(page);
  for (let step = 1; step <= total; step++) {
    await goTo(page, step);
    if (await page.locator(`#panel-${panel}.now`).count()) return step;
  }
  return null;
}

/** Texts of all steps that hold what is no number; widths that the window does not hold. */
export const walk = (page) =>
  page.evaluate(() => {
    const seek = document.getElementById("seek"),
      bad = [];
    for (let step = 0; step <= Number(seek.max); step++) {
      seek.value = step;
      seek.dispatchEvent(new Event("input", { bubbles: true }));
      const labels = [...document.querySelectorAll("[aria-label]")].map((element) =>
        element.getAttribute("aria-label"),
      );
      const text = [document.body.innerText, ...labels].join("\n"),
        match = /.{0,40}(undefined|NaN|Infinity|\[object|null).{0,20}/.exec(text);
      if (match) bad.push(`step ${step + 1}: ${match[0]}`);
      if (!document.getElementById("say").innerText.trim()) bad.push(`step ${step + 1}: no sentence`);
      if (document.querySelectorAll(".panel.now").length !== 1) bad.push(`step ${step + 1}: not one panel in focus`);
      const over = document.documentElement.scrollWidth - innerWidth;
      if (over > 0) bad.push(`step ${step + 1}: ${over}px too wide`);
    }
    return bad;
  });

/** By how much the window is too narrow for the page. */
export const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

export async function findViolations(page) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.length} x ${nodes[0].target} ${nodes[0].any[0]?.message ?? ""}`,
  );
}

/** Run tests, some at a time; the first ones take longest. */
export async function runTests(tests) {
  const waiting = [...tests];
  const work = async () => {
    for (let test = waiting.shift(); test; test = waiting.shift()) {
      const start = Date.now();
      await test().catch((error) => check(test.name, false, error.stack));
      console.log(`      ${test.name}: ${((Date.now() - start) / 1000).toFixed(1)} s`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  await browser.close();
  rmSync(folder, { recursive: true });
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed ? 1 : 0;
}
