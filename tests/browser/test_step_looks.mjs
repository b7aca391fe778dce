// How the step-through page looks in Chromium: at every width, printed, moving: node tests/browser/test_step_looks.mjs
// [--out FOLDER for screenshots]
import { join } from "node:path";
import { FAULTS } from "../../refrank/inspection/step/faults.js";
import { LINES } from "../../refrank/inspection/step/view/lines.js";
import {
  check,
  count,
  findViolations,
  goTo,
  goToPanel,
  html,
  open,
  out,
  overflow,
  runTests,
  where,
} from "./step_page.mjs";
import { reopen, writePage } from "./step_page.mjs";

const WIDTHS = [800, 1280, 1366, 1440, 1600]; // of laptops, and of 1600 at 200%

/** What a panel does not hold: of all steps at each width, "width: step, panel, pixels". */
async function measureFit(page) {
  const bad = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    bad.push(
      ...(await page.evaluate(() => {
        const seek = document.getElementById("seek"),
          { offsetHeight } = document.querySelector("header"),
          cut = innerWidth > 1200 && offsetHeight > 60 ? [`${innerWidth}: two rows of controls`] : [];
        for (let step = 0; step <= Number(seek.max); step++) {
          seek.value = step;
          seek.dispatchEvent(new Event("input", { bubbles: true }));
          for (const id of ["table", "histogram", "tree", "panel-ranking"]) {
            const { scrollWidth, clientWidth } = document.getElementById(id);
            if (scrollWidth > clientWidth)
              cut.push(`${innerWidth}: step ${step + 1}, ${id}, ${scrollWidth - clientWidth}px`);
          }
          const formula = document.querySelector("#lines [aria-current] .formula"),
            over = formula.scrollWidth - formula.clientWidth;
          if (over > 0) cut.push(`${innerWidth}: step ${step + 1}, formula, ${over}px`);
        }
        return cut;
      })),
    );
  }
  return bad;
}

async function testFit() {
  for (const algorithm of Object.keys(LINES)) {
    const page = await open(`#algorithm=${algorithm}`),
      bad = await measureFit(page);
    check(
      `${algorithm}: every panel of every step fits laptops, and a zoom of 200%`,
      bad.length === 0,
      bad.slice(0, 3).join(" | "),
    );
    await page.close();
  }
  const wide = html.replace("</style>", 'td[class^="col-"] { min-width: 8em !important; }</style>'),
    page = await open("#algorithm=softmax&M=1", { url: writePage("wide", wide) });
  check("control: a column that is too wide is seen", (await measureFit(page)).length > 0);
  await page.close();
}

async function testAxe() {
  for (const [width, height, colorScheme, scale, algorithms] of [
    [1600, 1000, "light", 1, ["softmax", "igbrt"]],
    [1600, 1000, "dark", 1, ["softmax", "cocr"]],
    [390, 844, "light", 1, ["softmax"]],
    [360, 740, "dark", 1, ["ordinal"]],
    [1600, 1000, "light", 2, ["softmax"]],
    [1024, 768, "dark", 1, ["gbrt"]],
  ]) {
    for (const algorithm of algorithms) {
      const page = await open(`#algorithm=${algorithm}`, { width, height, colorScheme, scale }),
        bad = [],
        total = await count(page);
      for (const step of [1, 5, 29].filter((at) => at <= total)) {
        await goTo(page, step);
        bad.push(...(await findViolations(page)).map((violation) => `step ${step}: ${violation}`));
        const over = await overflow(page);
        if (over > 0) bad.push(`step ${step}: ${over}px too wide`);
        if (out)
          await page.screenshot({ path: join(out, `${algorithm}_${width}_${colorScheme}_${scale}_${step}.png`) });
      }
      check(
        `${algorithm} at ${width}, ${colorScheme}, zoom ${scale}: axe, and no sideways scroll`,
        bad.length === 0,
        bad.slice(0, 3).join(" | "),
      );
      await page.close();
    }
  }
}

/** The drawers open, and the question of a prediction, at the widths of a phone, a tablet and desks. */
async function testDrawers() {
  for (const [width, colorScheme, axe] of [
    [360, "light", true],
    [640, "dark", false],
    [900, "dark", true],
    [1200, "light", false],
  ]) {
    const page = await open("", { width, colorScheme });
    for (const hash of [`open=break&fault=${FAULTS[0].name}`, "open=challenges", "open=data", "predict=1"]) {
      await reopen(page, `#algorithm=softmax&step=5&${hash}`);
      const bad = axe ? await findViolations(page) : [],
        over = await overflow(page);
      check(
        `${hash} at ${width}: ${axe ? "axe, and " : ""}no sideways scroll`,
        over <= 0 && !bad.length,
        `${over} ${bad}`,
      );
      if (out) await page.screenshot({ path: join(out, `${hash.split("&")[0]}_${width}_${colorScheme}.png`) });
    }
    await page.close();
  }
  const label = await open("", { url: writePage("label", html.replace(' aria-label="Step">', ">")) });
  const seen = (await findViolations(label)).some((violation) => violation.startsWith("label"));
  check("control: a removed label is seen", seen);
  await label.close();
}

const shown = (page, selector) =>
  page.locator(selector).evaluateAll((all) => all.filter((element) => element.checkVisibility()).length);

/** What is cut off or missing on paper of A4, and what should not be there. */
async function judgePrint(page) {
  const bad = [];
  for (const control of ["#next", "#seek", "#predict", "#open-data", ".drawer", "#note", "dialog"])
    if (await shown(page, control)) bad.push(`${control} is printed`);
  for (const part of ["#say", "#lines li", "#panel-table", "#panel-histogram", "#panel-tree", "#panel-ranking"])
    if ((await shown(page, part)) !== (await page.locator(part).count())) bad.push(`${part} is not printed`);
  const cut = await page.evaluate(() =>
    [...document.querySelectorAll(".panel, .scroll, .paper, .live, .formula, #lines code")]
      .filter(
        ({ scrollWidth, clientWidth, scrollHeight, clientHeight }) =>
          scrollWidth > clientWidth + 1 || scrollHeight > clientHeight + 1,
      )
      .map((element) => `${element.id || element.className} is cut off`),
  );
  const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  if (paper !== "rgb(255, 255, 255)") bad.push(`the paper is ${paper}`);
  return [...bad, ...cut];
}

async function testPrint() {
  for (const algorithm of ["softmax", "cocr"]) {
    const page = await open(`#algorithm=${algorithm}&open=data`, { width: 718, height: 1000, colorScheme: "dark" });
    await goToPanel(page, "tree");
    await page.emulateMedia({ media: "print" });
    const bad = await judgePrint(page);
    check(`${algorithm}, printed: all panels, no controls, black on white`, bad.length === 0, bad.join(" | "));
    if (out) await page.pdf({ path: join(out, `${algorithm}.pdf`), format: "A4", printBackground: true });
    await page.emulateMedia({ media: "screen" });
    check(`control: the screen of ${algorithm} is no print`, (await judgePrint(page)).length > 3);
    await page.close();
  }
}

/** How many parts of a page move after its documents change places. */
async function countMoving(reducedMotion) {
  const page = await open("#algorithm=softmax&M=1", { reducedMotion });
  await goTo(page, (await count(page)) - 1);
  await page.keyboard.press("ArrowRight");
  const moving = await page.evaluate(() => document.getAnimations().length);
  const ranked = (await where(page)).startsWith(`Step ${await count(page)} `);
  const behavior = await page.evaluate(() => {
    const asked = [];
    Element.prototype.scrollIntoView = (how) => asked.push(how.behavior);
    document.getElementById("previous").click();
    return asked.join();
  });
  await page.close();
  return { moving: ranked ? moving : null, behavior };
}

async function testMotion() {
  const [moved, still] = [await countMoving("no-preference"), await countMoving("reduce")];
  check(
    "documents move to their places, and the page scrolls smoothly",
    moved.moving >= 4 && moved.behavior === "smooth",
    JSON.stringify(moved),
  );
  check(
    "nothing moves for readers who ask for stillness",
    still.moving === 0 && still.behavior === "auto",
    JSON.stringify(still),
  );
}

await runTests([testFit, testAxe, testDrawers, testPrint, testMotion]);
