// node tests/browser/test_site.mjs [FOLDER]: the built site in Chromium, from file://. Every page is opened; it asks no
// server, reports no error, is not wider than the window, has no fault that axe finds, and its links lead somewhere.
import { mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SITE = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), "../../docs/_build/html"));
const WIDTHS = [360, 1600];
const SCHEMES = ["light", "dark"];
const DOORS = ["learn", "use", "prove", "port"];
const TABS = 3; // pages that are open at a time
let passed = 0, failed = 0;

function check(name, faults) {
  const ok = faults.length === 0;
  console.log(ok ? "ok  " : "FAIL", name, faults.slice(0, 20).join("\n       "));
  ok ? passed++ : failed++;
}

function listPages(folder) {
  return readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".html")).sort();
}

// Opens a page of a folder and returns its faults, the addresses that it links to, and its anchors.
async function inspect(context, folder, name, scheme, widths, runAxe = true) {
  const page = await context.newPage();
  const faults = [];
  page.on("request", (request) => /^(file|data|blob):/.test(request.url()) || faults.push(`asks ${request.url()}`));
  page.on("requestfailed", (request) => faults.push(`misses ${request.url()}`));
  page.on("console", (message) => message.type() === "error" && faults.push(`says ${message.text()}`));
  page.on("pageerror", (error) => faults.push(`throws ${error.message}`));
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
  await page.setViewportSize({ width: widths[0], height: 900 });
  await page.goto(pathToFileURL(join(folder, name)).href);
  await page.evaluate(() => globalThis.MathJax?.startup?.promise);
  if (await page.locator("mjx-merror").count()) faults.push("has a formula with an error");
  if (runAxe) await page.evaluate(AXE);
  // Of a source page, 30 lines: they have the colours of all others, and axe compares each word with what is below it.
  const violations = !runAxe ? [] : await page.evaluate(async () => {
    const options = { resultTypes: ["violations"], preload: false };
    const { violations } = await axe.run({ exclude: "main > pre > :nth-child(n + 30)" }, options);
    return violations.map(({ id, nodes }) => `${id}: ${nodes.length} x ${nodes[0].html.slice(0, 160)}`);
  });
  faults.push(...violations);
  const bare = await page.locator('[role="region"]:not([aria-label])').count();
  if (bare) faults.push("has a region without a label");
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (over > 0) faults.push(`is ${over} px too wide at ${width}`);
  }
  const [links, anchors] = await page.evaluate(() => [
    [...document.querySelectorAll("a[href], link[href]")].map((link) => link.href),
    [...document.querySelectorAll("[id]")].map((element) => element.id),
  ]);
  await page.close();
  const named = faults.map((fault) => `${name} (${scheme}) ${fault}`);
  return { faults: named, links: new Set(links), anchors: new Set(anchors) };
}

async function inspectAll(context, folder, names) {
  const pages = new Map();
  // The pages of source differ in their lines alone: axe looks at one of ten.
  const left = names.map((name, i) => [
    name, SCHEMES[i % 2], i % 4 < 2 ? WIDTHS : [...WIDTHS].reverse(), !name.startsWith("source/") || i % 10 === 0,
  ]);
  const work = async () => {
    for (let next = left.pop(); next; next = left.pop()) {
      pages.set(next[0], await inspect(context, folder, ...next));
    }
  };
  await Promise.all(Array.from({ length: TABS }, work));
  return pages;
}

function listBroken(folder, pages) {
  const files = new Set(readdirSync(folder, { recursive: true }));
  const broken = [];
  for (const [name, { links }] of pages) {
    for (const link of links) {
      const url = new URL(link);
      if (url.protocol !== "file:") continue;
      const target = relative(folder, fileURLToPath(url.href.split("#")[0].split("?")[0]));
      const anchor = decodeURIComponent(url.hash.slice(1));
      const lacks = anchor && target !== "step.html" && pages.has(target) && !pages.get(target).anchors.has(anchor);
      if (!files.has(target) || lacks) broken.push(`${name} links to ${target}#${anchor}`);
    }
  }
  return broken;
}

async function searches(context) {
  const page = await context.newPage();
  await page.setViewportSize({ width: 1600, height: 900 });
  await page.goto(pathToFileURL(join(SITE, "index.html")).href);
  await page.fill(".sidebar-search", "histogram");
  await page.press(".sidebar-search", "Enter");
  await page.waitForSelector("#search-results li a", { timeout: 10_000 });
  await page.click("#search-results li a");
  await page.waitForLoadState();
  const text = await page.locator("article").innerText();
  await page.close();
  return /histogram/i.test(text) ? [] : ["the first result does not have the word"];
}

async function countChapters(context, door) {
  const page = await context.newPage();
  await page.goto(pathToFileURL(join(SITE, door, "README.html")).href);
  const count = await page.locator(".sidebar-tree li.current-page > ul > li").count();
  const next = await page.locator(".related-pages a.next-page").count();
  await page.close();
  return [...(count >= 5 ? [] : [`has ${count} chapters`]), ...(next ? [] : ["has no next page"])];
}

const PLANTED = {
  "a request": ["</article>", '<img alt="" src="http://127.0.0.1:9/planted.png"></article>', /asks http/],
  "a missing file": ["</article>", '<img alt="" src="planted.png"></article>', /misses file/],
  "an error": ["</article>", "<script>planted()</script></article>", /throws planted/],
  "a button without a name": ["</article>", "<button></button></article>", /button-name/],
  "a faint word": ["</article>", '<p style="color: #ccc; background: #fff">planted</p></article>', /color-contrast/],
  "a removed label": [/aria-label="Table 1[^"]*"/, "", /without a label/],
  "a wide block": ["</article>", '</article><div style="width: 3000px">planted</div>', /too wide/],
  "a broken anchor": ["</article>", '<a href="#planted">planted</a></article>', /links to .*#planted/],
  "a broken link": ["</article>", '<a href="planted.html">planted</a></article>', /links to planted/],
};

// Plants a fault in a copy of a page, beside links to the rest of the site, and returns the faults that are found.
async function plant(context, [text, replacement]) {
  const folder = mkdtempSync(join(tmpdir(), "planted-"));
  try {
    for (const name of readdirSync(SITE)) if (name !== "learn") symlinkSync(join(SITE, name), join(folder, name));
    symlinkSync(join(SITE, "learn"), join(folder, "learn"));
    const source = readFileSync(join(SITE, "index.html"), "utf8");
    const table = '<div tabindex="0" role="region" aria-label="Table 1"><table><tr><td>1</td></tr></table></div>';
    const whole = source.replace("</article>", `${table}</article>`);
    rmSync(join(folder, "index.html"));
    writeFileSync(join(folder, "index.html"), whole.replace(text, replacement));
    const page = await inspect(context, folder, "index.html", "light", WIDTHS);
    return [...page.faults, ...listBroken(folder, new Map([["index.html", page]]))];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const context = await browser.newContext();
const names = listPages(SITE);
const pages = await inspectAll(context, SITE, names);
const faults = [...pages.values()].flatMap((page) => page.faults);
check(`${names.length} pages: no request, no error, no fault of axe, none too wide`, faults);
check("every link and anchor leads somewhere", listBroken(SITE, pages));
check("the search finds a page", await searches(context));
for (const door of DOORS) check(`${door} has five chapters and a next page`, await countChapters(context, door));
for (const [what, change] of Object.entries(PLANTED)) {
  const found = await plant(context, change);
  check(`a plant is found: ${what}`, found.some((fault) => change[2].test(fault)) ? [] : ["it is not found", ...found]);
}
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
