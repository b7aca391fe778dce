// The lecture of docs/learn/lecture.md in Chromium, minute by minute:
// node tests/browser/test_lecture.mjs SITE [--out FOLDER]
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", ".."),
  [, , site, ...rest] = process.argv;
const out = join(rest[rest.indexOf("--out") + 1] ?? join(ROOT, "docs", "_build"), "lecture");
const lines = readFileSync(join(ROOT, "docs", "learn", "lecture.md"), "utf8").matchAll(
  /^\| (\d+) \| (.+?) \| (.+?) \|$/gm,
);
const minutes = [...lines].map(([, minute, commands, say]) => ({
  minute: Number(minute),
  say,
  commands: [...commands.matchAll(/`([^`]+)`/g)].map((match) => match[1]),
}));

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" }),
  outside = [],
  errors = [];
page.setDefaultTimeout(5000);
page.on("request", (request) => request.url().startsWith("file:") || outside.push(request.url()));
page.on("pageerror", (error) => errors.push(String(error)));
const first = pathToFileURL(join(site, "index.html")).href;

async function press(key, times) {
  await page.evaluate(() => document.activeElement?.blur());
  for (let i = 0; i < Number(times); i++) await page.keyboard.press(key);
}

const COMMANDS = {
  open: () => page.goto(first),
  follow: async (name) => {
    const href = await page.locator(`a[href*="${name}"]`).first().getAttribute("href");
    await page.goto(new URL(href, page.url()).href);
  },
  next: (times) => press("ArrowRight", times),
  back: (times) => press("ArrowLeft", times),
  round: (times) => press("PageDown", times),
  home: () => press("Home", 1),
  end: () => press("End", 1),
  choose: (name, value) => page.selectOption(`[data-setting="${name}"]`, value),
  predict: () => page.click("#predict"),
  guess: (feature, bin) => page.locator(`[data-guess="${feature},${bin}"]`).press("Enter"),
  grade: async (name, value) => {
    const field = page
      .locator("#table tr", { has: page.locator(`.chip:text-is("${name}")`) })
      .locator('[data-kind="y"]');
    await field.fill(value);
    await field.press("Enter");
  },
  convention: (name) => page.selectOption("#convention", name),
  drawer: (name) => page.click(`#open-${name}`),
  break: (name) => page.selectOption("#fault", name),
  reset: () => page.click("#reset"),
  see: async (...words) => {
    const text = (await page.locator("body").innerText()).replace(/\s+/g, " ").replaceAll(" ,", ",");
    const letters = text.replace(/(?<=\b\w) (?=\w\b)/g, "");
    if (![text, letters].some((shown) => shown.includes(words.join(" "))))
      throw new Error(`"${words.join(" ")}" is not on the screen`);
    if (/\bundefined\b|\bNaN\b/.test(text)) throw new Error("undefined or NaN is on the screen");
  },
};

mkdirSync(out, { recursive: true });
let passed = 0,
  failed = 0;
for (const { minute, commands } of minutes) {
  const faults = [];
  for (const command of commands) {
    const [verb, ...words] = command.split(" ");
    await Promise.resolve(COMMANDS[verb]?.(...words) ?? Promise.reject(new Error("no such command"))).catch((error) =>
      faults.push(`${command}: ${error.message.split("\n")[0]}`),
    );
  }
  await page.screenshot({ path: join(out, `minute_${String(minute).padStart(2, "0")}.png`) });
  if (!page.url().startsWith(first.replace(/index\.html$/, ""))) faults.push("the site was left");
  console.log(faults.length ? `FAIL  minute ${minute}: ${faults.join("; ")}` : `ok    minute ${minute}`);
  if (faults.length) failed += 1;
  else passed += 1;
}
for (const [what, ok] of [
  [
    "every minute from 1 to 45",
    minutes.map(({ minute }) => minute).join() === Array.from({ length: 45 }, (_, i) => i + 1).join(),
  ],
  ["no request outside", outside.length === 0],
  [`no error ${errors.join()}`, errors.length === 0],
]) {
  console.log(ok ? `ok    ${what}` : `FAIL  ${what}`);
  if (ok) passed += 1;
  else failed += 1;
}
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
