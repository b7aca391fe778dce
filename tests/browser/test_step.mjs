// The step-through page in Chromium, every control of it:
// node tests/browser/test_step.mjs [--out FOLDER for screenshots]
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";
import { FAULTS } from "../../refrank/inspection/step/faults.js";
import { findDifference } from "../../refrank/inspection/step/view/records.js";
import { instantiate } from "../../refrank/inspection/step/view/instantiate.js";
import { LINES } from "../../refrank/inspection/step/view/lines.js";
import { ALGORITHMS as SETTINGS, parametersOf } from "../../refrank/inspection/step/view/settings.js";
import { layOut } from "../../refrank/inspection/step/view/tree_layout.js";
import {
  address,
  browser,
  check,
  count,
  folder,
  goTo,
  goToPanel,
  html,
  note,
  open,
  out,
  python,
} from "./step_page.mjs";
import { reopen, ROOT, runTests, say, source, verdict, walk, where, writePage } from "./step_page.mjs";

const ALGORITHMS = [
  "softmax&M=2",
  "softmax&p=simultaneous&M=1",
  "ordinal&M=1",
  "ordinal&p=simultaneous&M=1",
  "ls&M=2",
  "rf",
  "gbrt&M=2",
  "igbrt&M=2",
  "cocr",
  "cocr&cost=absolute",
];

/** The code of each line stands in its home. */
async function testLines() {
  const texts = {},
    missed = [];
  for (const { place, home, code } of Object.values(LINES).flat()) {
    const path = home.split(",")[0];
    texts[path] ??= readFileSync(join(ROOT, path), "utf8");
    for (const line of code.split("\n")) if (!texts[path].includes(line.trim())) missed.push(`${place}: ${line}`);
  }
  check("the code of every line is that of its home", missed.length === 0, missed.join(" | "));
}

async function testSteps() {
  const page = await open();
  for (const algorithm of ALGORITHMS) {
    await reopen(page, `#algorithm=${algorithm}`);
    const bad = await walk(page);
    check(
      `${algorithm}: every step has numbers, a sentence and one panel in focus`,
      bad.length === 0,
      bad.slice(0, 3).join(" | "),
    );
    check(
      `${algorithm}: no request, no error`,
      page.outside.length + page.errors.length === 0,
      [...page.outside, ...page.errors].join(),
    );
  }
  await page.close();
}

/** The trees of COCR's questions grow as all others do: what each of the steps of a tree shows. */
async function testQuestions() {
  const page = await open("#algorithm=cocr"),
    seen = new Map(),
    learned = new Map();
  const total = await count(page);
  for (let step = 1; step <= total; step++) {
    await goTo(page, step);
    const place = (await where(page)).replace(/^.*? · /, ""),
      line = await page.locator('#lines [aria-current="step"]').getAttribute("data-line");
    const question = place.slice(0, 10),
      column = async (name) =>
        (await page.locator(`#table td.col-${name}`).allInnerTexts()).map((text) => Number(text.replace("−", "-")));
    if (line === "5") learned.set(question, { T: await column("F") });
    if (line === "8") learned.get(question).h = await column("H");
    if (!place.includes("round")) continue;
    const nodes = await page.locator("#tree .node").count(),
      bins = await page.locator("#histogram .plus, #histogram .minus").count();
    const tree = seen.get(place) ?? seen.set(place, { lines: [], nodes: [], bins: 0 }).get(place);
    tree.lines.push(line);
    tree.nodes.push(nodes);
    tree.bins = Math.max(tree.bins, bins);
  }
  const grows = ({ lines, nodes, bins }) =>
    lines[0] === "3r" &&
    lines.at(-2) === "3v" &&
    lines.at(-1) === "5" &&
    lines.includes("3h") &&
    bins > 4 &&
    nodes.at(-1) >= 5 &&
    nodes.filter(Boolean).every((n, i, all) => i === 0 || n >= all[i - 1]);
  check(
    "six trees of COCR's two questions grow, from a root to leaves",
    [...seen.keys()].join() ===
      [1, 2].flatMap((question) => [1, 2, 3].map((round) => `question ${question} · round ${round}`)).join() &&
      [...seen.values()].every(grows),
    JSON.stringify([...seen].find(([, tree]) => !grows(tree)) ?? [...seen.keys()]),
  );
  const isNear = (x, other) => Math.abs(x - other) < 0.0015; // b − r is rounded once more than a sum
  check(
    "the answers to a question are the sums of its trees",
    learned.size === 2 &&
      [...learned.values()].every(({ T, h }) => new Set(h).size > 3 && h.every((x, i) => isNear(x, T[i]))),
    JSON.stringify([...learned]),
  );
  await goTo(page, 6);
  const text = (await page.locator("#lines [aria-current] .live").innerText()).replace(/\s/g, ""),
    [, gain] = /gains ([\d.]*\d)/.exec(await say(page));
  check("the gain of a weighted cut follows from its sums", text.includes("6.500") && text.endsWith(`=${gain}`), text);
  for (const [key, place] of [
    ["PageDown", "question 1 · round 2"],
    ["PageDown", "question 1 · round 3"],
    ["PageDown", "question 1"],
    ["PageDown", "question 2"],
    ["PageDown", "question 2 · round 1"],
    ["PageUp", "question 2"],
  ]) {
    await page.keyboard.press(key);
    check(`${key} leads to ${place}`, (await where(page)).endsWith(` · ${place}`), await where(page));
  }
  await page.close();
}

async function testKeys() {
  const page = await open("#algorithm=softmax"),
    total = await count(page),
    starts = async (text) => (await where(page)).startsWith(text);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  check("right arrow", await starts("Step 3 "));
  await page.keyboard.press("ArrowLeft");
  check("left arrow", await starts("Step 2 "));
  await page.keyboard.press("PageDown");
  await page.keyboard.press("PageDown");
  check("page down", (await where(page)).includes("round 2"));
  await page.keyboard.press("PageUp");
  check("page up", (await where(page)).includes("round 1"));
  await page.keyboard.press("End");
  check("end", await starts(`Step ${total} `));
  await page.keyboard.press("Home");
  check("home", await starts("Step 1 "));
  await page.keyboard.press("Space");
  check("space plays", (await page.locator("#play").getAttribute("aria-label")) === "Pause");
  await page.keyboard.press("Space");
  check("space pauses", (await page.locator("#play").getAttribute("aria-label")) === "Play");
  for (const [button, text] of [
    ["next", "Step 2 "],
    ["previous", "Step 1 "],
    ["nextRound", "Step 3 "],
    ["next", "Step 4 "],
    ["previousRound", "Step 1 "],
    ["next", "Step 2 "],
    ["first", "Step 1 "],
  ]) {
    await page.locator(`#${button}`).click();
    check(`button ${button}`, await starts(text), await where(page));
  }
  await page.locator('#lines [data-line="6"] .line').click();
  check(
    "a line leads to its step",
    (await page.locator('#lines [aria-current="step"]').getAttribute("data-line")) === "6",
  );
  await page.close();
}

async function testData() {
  const page = await open("#algorithm=softmax&step=20"),
    text = () => page.locator("#measures").innerText(),
    before = await text();
  const field = page.locator('input.value[data-kind="y"][data-row="0"]');
  await field.fill("2");
  await field.press("Enter");
  check("a changed grade changes the measures", (await text()) !== before);
  const value = page.locator('input.value[data-kind="x"][data-row="1"][data-feature="0"]');
  await value.press("ArrowUp");
  check(
    "an arrow key changes a value, and the field keeps the focus",
    (await value.inputValue()) === "7" && (await value.evaluate((element) => element === document.activeElement)),
  );
  const other = page.locator('input.value[data-kind="x"][data-row="3"][data-feature="1"]'),
    place = await other.boundingBox();
  await value.fill("6");
  await page.mouse.click(place.x + 10, place.y + 8);
  await page.keyboard.press("Control+A");
  await page.keyboard.type("4.5");
  await page.locator('[data-pick="2"]').click();
  check(
    "a field that is clicked while another is changed takes what is typed, and so does what is clicked after it",
    [await value.inputValue(), await other.inputValue()].join() === "6,4.5" &&
      (await page.locator('[data-pick="2"]').getAttribute("aria-pressed")) === "true",
    page.url(),
  );
  await value.fill("7");
  await value.press("Enter");
  const box = await value.boundingBox();
  await page.mouse.move(box.x + 10, box.y + 8);
  await page.mouse.down();
  await page.mouse.move(box.x + 55, box.y + 8, { steps: 6 });
  await page.mouse.up();
  check("a value can be dragged", (await value.inputValue()) === "10", await value.inputValue());
  await value.fill("many");
  await value.press("Enter");
  check("a kind sentence for a text that is no number", (await note(page)).includes("“many” is not a number"));
  await page.locator("#open-data").click();
  await page.locator("#letor").fill("2 qid:7 1:0.5 2:3 # best\n0 qid:7 1:1.5 2:1\n1 qid:7 1:4 2:2\n0 qid:7 1:2 2:2");
  await page.locator("#use").click();
  check("lines of LETOR are read", (await page.locator("#table tr").count()) === 5);
  for (const [lines, words] of [
    ["2 qid:1 1:0.5", "at least 2"],
    ["9 1:1\n0 1:2", "line 1 has grade 9"],
    ["0 1:1\n0 1:2", "nothing to learn"],
    ["0 1:x\n1 1:2", "there must be a number"],
    ["0 qid:1 1:1\n1 qid:2 1:2", "one query"],
  ]) {
    await page.locator("#letor").fill(lines);
    await page.locator("#use").click();
    check(
      `a kind sentence: ${words}`,
      (await note(page)).toLowerCase().includes(words.toLowerCase()),
      await note(page),
    );
  }
  await page.locator("#add").click();
  check("a document is added", (await page.locator("#table tr").count()) === 6);
  await page.locator("#remove").click();
  check("a document is removed", (await page.locator("#table tr").count()) === 5);
  await page.locator("#reset").click();
  check("reset", (await page.locator("#table tr").count()) === 9 && (await where(page)).startsWith("Step 1 "));
  await page.close();
}

async function testSettings() {
  const page = await open("#algorithm=softmax&step=20");
  for (const [algorithm, { settings }] of Object.entries(SETTINGS)) {
    await page.locator("#algorithm").selectOption(algorithm);
    check(
      `algorithm ${algorithm} has its lines`,
      (await page.locator("#lines li").count()) === LINES[algorithm].length,
    );
    for (const { key, options, value } of settings)
      for (const option of options.filter((own) => own !== value)) {
        await goTo(page, await count(page));
        const text = async () => (await page.locator("#panel-ranking").innerText()) + (await where(page)),
          before = await text();
        await page.locator(`[data-setting="${key}"]`).selectOption(String(option));
        await goTo(page, await count(page));
        const after = await text();
        await page.locator(`[data-setting="${key}"]`).selectOption(String(value));
        await goTo(page, await count(page));
        check(`${algorithm}: ${key} ${option}, and back`, before !== after && before === (await text()));
      }
  }
  await page.locator("#algorithm").selectOption("softmax");
  const figures = new Set();
  const names = await page.locator("#convention option").allInnerTexts();
  for (const name of names) {
    await page.locator("#convention").selectOption(name);
    figures.add(await page.locator("#measures .numbers").innerText());
  }
  check(
    "fifteen conventions, of several figures",
    names.length === 15 && figures.size >= 5,
    `${names.length} ${figures.size}`,
  );
  await page.locator('[data-pick="3"]').click();
  check(
    "a document is chosen for the formula",
    (await page.locator('[data-pick="3"]').getAttribute("aria-pressed")) === "true",
  );
  for (const [algorithm, lines] of Object.entries(LINES)) {
    const places = [...new Set(lines.map(({ place }) => place))],
      missed = [];
    for (const place of places.filter((name) => !(algorithm === "ordinal" && name.startsWith("McRank Alg. 1")))) {
      await page.evaluate(
        (hash) => {
          location.hash = hash;
        },
        `#place=${encodeURIComponent(place)}`,
      );
      await page.waitForFunction(() => location.hash.includes("algorithm="));
      const line = await page.locator('#lines [aria-current="step"]').getAttribute("data-line"),
        owner = await page.locator("#algorithm").inputValue();
      const at = LINES[owner].findIndex(({ id }) => id === line),
        from = LINES[owner].findIndex((own) => own.place === place);
      if (from < 0 || at < from) missed.push(`${place}: ${owner}, ${line}`);
    }
    check(`places of ${algorithm} can be linked to`, missed.length === 0, missed.join());
  }
  await page.close();
}

async function testPrediction() {
  const page = await open("#algorithm=softmax&predict=1");
  await goToPanel(page, "histogram");
  check(
    "the winner is hidden, and the cuts are offered",
    (await page.locator(".cutline").count()) === 0 && (await page.locator(".guess").count()) > 5,
  );
  const marks = await page.locator("[data-guess]").evaluateAll((all) => all.map((mark) => mark.dataset.guess)),
    verdicts = [];
  for (const mark of marks) {
    await page.locator(`[data-guess="${mark}"]`).press("Enter");
    verdicts.push(await say(page));
    await page.locator("#predict").click();
    await page.locator("#predict").click();
    if (verdicts.some((text) => text.startsWith("Right")) && verdicts.some((text) => text.startsWith("Not quite")))
      break;
  }
  const wrong = verdicts.find((text) => text.startsWith("Not quite"));
  check(
    "a guess is judged with its gain against the winner's",
    /gains [\d.]+, and x.* gains [\d.]+/.test(wrong),
    wrong,
  );
  check(
    "the best cut is right",
    verdicts.some((text) => text.startsWith("Right")),
    verdicts.join(" | "),
  );
  await page.locator(".hit").first().click({ force: true });
  check("guesses are counted", (await page.locator("#score").innerText()).includes("0 of 1 guesses right"));
  await page.locator("#predict").click();
  check("without guesses the winner is shown", (await page.locator(".cutline").count()) > 0);
  await page.close();
}

const SOLUTIONS = {
  updates: "y=0,1,2,0,0,1,1,2",
  tie: "y=0,0,0,0,0,1,1,2",
  fall: "y=0,0,2,0,3,1,1,2",
  crossing: "y=0,0,2,1,0,1,1,2",
  forest: "X=4,6;6,2;1,1;8,5;2,3;5,1;3,6;7,4;3,3&y=0,0,2,0,0,1,1,2,2",
};

async function testChallenges() {
  const done = (page, name) => page.locator(`[data-challenge="${name}"].done`).count();
  const fresh = await open("#algorithm=softmax&open=challenges");
  check(
    "no challenge is met at the beginning",
    (await fresh.locator(".challenges .done").count()) === 0,
    await fresh.locator("#tasks").innerText(),
  );
  check(
    "there are at least four challenges, each with a solution",
    (await fresh.locator("[data-challenge]").count()) === Object.keys(SOLUTIONS).length &&
      Object.keys(SOLUTIONS).length >= 4,
  );
  for (const [name, hash] of Object.entries(SOLUTIONS)) {
    await reopen(fresh, `#algorithm=softmax&open=challenges&${hash}`);
    check(
      `challenge ${name} can be met`,
      (await done(fresh, name)) === 1,
      await fresh.locator(`[data-challenge="${name}"]`).innerText(),
    );
  }
  await fresh.close();
}

const PYTHON = [...Object.keys(LINES), "softmax&p=simultaneous&J=2", "ordinal&p=simultaneous", "cocr&cost=absolute"];
const toy = JSON.parse(readFileSync(join(ROOT, "refrank", "inspection", "step", "toy.json"), "utf8"));
const train = (port, algorithm, chosen = {}) =>
  port.recordTraining(algorithm, parametersOf(algorithm, chosen), {
    X: toy.X,
    y: toy.y,
    qid: toy.y.map(() => 0),
    weight: null,
  });

async function testFaults() {
  const right = instantiate(source),
    page = await open();
  for (const fault of FAULTS) {
    const broken = instantiate(source, fault);
    const at = Object.keys(LINES)
      .map((algorithm) => [algorithm, findDifference(train(right, algorithm), train(broken, algorithm))])
      .find(([, difference]) => difference);
    if (!at) continue; // that of exp, which a test of its own breaks in each browser
    const [algorithm, { record, field, a, b, index }] = at;
    await reopen(page, `#algorithm=${algorithm}&open=break`);
    await page.locator("#fault").selectOption(fault.name);
    const text = await page.locator("#difference").innerText(),
      said = await verdict(page);
    const digits = (x) => String(x).replace("-", "−");
    const stops =
      said.includes(`${record.stage}.${field}`) && said.includes(digits(a[index])) && said.includes(digits(b[index]));
    check(
      `fault ${fault.name} stops at ${record.stage}.${field} of ${algorithm}`,
      stops && text.includes(fault.broken.trim().split("\n")[0]) && !page.errors.length,
      said + page.errors,
    );
    if (fault.name === "ties-to-the-last")
      check(
        "the page stops at the node that ties, and says with what",
        said.includes("of node 2, feature") && /b\s*d\s*h .*parts them alike, and comes later/s.test(await say(page)),
        `${said} ${await say(page)}`,
      );
    if (out) await page.screenshot({ path: join(out, `fault_${fault.name}.png`) });
  }
  for (const fault of FAULTS.filter(({ module }) => module === "softmax_boosting.js")) {
    await reopen(page, `#algorithm=rf&open=break&fault=${fault.name}`);
    const text = await page.locator("#difference").innerText();
    check(
      `fault ${fault.name}, which a forest has not, changes no number, and is not said to`,
      /No number differs: all \d+ .*McRank Alg. 1 shows this fault/.test(text) && !text.includes(fault.shows),
      text,
    );
  }
  await page.close();
}

const INSTANTIATE = `(text) => {
  const names = [...text.matchAll(/^(?:function\\*? |const )(\\w+)/gm)].map((match) => match[1]);
  return new Function(text + "; return { " + names.join(", ") + " };")();
}`;

/** Whether the fault of exp changes a number in a browser: computed there, and as its page says. */
const judgeExp = (page, fault) =>
  page.evaluate(
    ([make, own]) => {
      const instantiateIn = new Function(`return ${make}`)(),
        text = document.getElementById("port").textContent,
        rows = {
          X: [
            [4, 6],
            [6, 2],
            [1, 1],
            [8, 5],
            [2, 3],
            [5, 1],
            [3, 6],
            [7, 4],
          ],
          y: [0, 0, 2, 0, 0, 1, 1, 2],
        };
      const [right, broken] = [text, text.replace(own.line, () => own.broken)].map((port) =>
        JSON.stringify(instantiateIn(port).recordTraining("softmax", {}, rows)),
      );
      const { innerText } = document.getElementById("difference");
      const says = /The first number that differs: p,/.test(innerText)
        ? "p"
        : /No number differs/.test(innerText)
          ? "none"
          : innerText;
      return { differs: right !== broken, says, explains: innerText.includes("last bit may differ"), innerText };
    },
    [INSTANTIATE, fault],
  );

/** Math.exp differs in some browsers, and not in others: a page must say what is true in its own. */
async function testExp() {
  const fault = FAULTS.find(({ name }) => name === "exp-of-the-platform"),
    hash = `#open=break&fault=${fault.name}`;
  const firefox = await puppeteer.launch({
      browser: "firefox",
      executablePath: "/usr/bin/firefox-esr",
      headless: true,
    }),
    foreign = await firefox.newPage();
  await foreign.goto(address + hash);
  const alike = await open(hash, { before: `Math.exp = new Function(${JSON.stringify(`${source}\nreturn exp;`)})();` });
  for (const [name, page] of [
    ["Chromium", await open(hash)],
    ["Firefox", foreign],
    ["an engine that rounds alike", alike],
  ]) {
    const { differs, says, explains, innerText } = await judgeExp(page, fault);
    check(
      `fault ${fault.name} in ${name}: ${differs ? "stops at p" : "no number differs, which is said"}`,
      says === (differs ? "p" : "none") && explains === differs && (name.length < 9 || !differs),
      innerText,
    );
    if (page !== foreign) await page.close();
  }
  await firefox.close();
}

/** Drop a file on the page with the mouse, as the browser itself does it. */
async function dropFile(page, name, text) {
  const path = join(folder, name);
  writeFileSync(path, text);
  const session = await page.context().newCDPSession(page),
    data = { items: [], files: [path], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"])
    await session.send("Input.dispatchDragEvent", { type, x: 400, y: 400, data });
  await session.detach();
}

async function testDropping() {
  const fault = FAULTS.find(({ name }) => name === "factor-missing"),
    made = train(instantiate(source, fault), "softmax");
  const lines = (document) => document.records.map((record) => JSON.stringify(record)).join("\n");
  const page = await open("#algorithm=softmax"),
    said = (words) => page.waitForFunction((text) => document.body.innerText.includes(text), words);
  const whole = {
    manifest: { algorithm: "ls", parameters: { n_rounds: 2 } },
    records: train(instantiate(source), "ls", { n_rounds: 2 }).records,
  };
  for (const [name, text, words] of [
    ["records.jsonl", lines(made), "leaf_values.values"],
    ["document.json", JSON.stringify(whole), "No number differs"],
  ]) {
    await dropFile(page, name, text);
    await said(words);
    check(`${name} is dropped, and compared: ${words}`, (await verdict(page)).includes(words), await verdict(page));
  }
  const chosen = [
    await page.locator("#algorithm").inputValue(),
    await page.locator('[data-setting="n_rounds"]').inputValue(),
  ];
  check("a document brings its algorithm and its settings", chosen.join() === "ls,2", chosen.join());
  await dropFile(
    page,
    "other.jsonl",
    '{"stage": "answers", "at": {"output": 0}, "fields": {"values": {"shape": [0], "values": []}}}',
  );
  await said("Nothing was compared");
  check("a trace that shares no record is not said to agree", !(await verdict(page)).includes("No number"));
  await page.locator("#reset").dispatchEvent("click");
  await page.locator("#algorithm").selectOption("softmax");
  for (const [name, text, words] of [
    ["notes.txt", "no trace", "Line 1 is not JSON"],
    ["null.json", "null", "Line 1 has no stage"],
    ["list.json", '{"records": [null, 3]}', "Line 1 has no stage"],
    ["empty.jsonl", " \n", "The file is empty"],
    ["broken.jsonl", '{"stage": "data", "fields": {}}', "Its records are not those of a trace"],
    ["bent.jsonl", '{"stage": "data", "fields": {"X": {"shape": [30, 1], "values": []}}}', "30 documents: this page"],
    ["image.png", Buffer.from([137, 80, 78, 71, 13, 10, 26, 10, 0, 0]), "Line 1 is not JSON"],
    ["wrong.txt", "9 qid:1 1:1\n0 qid:1 1:2\n", "Line 1 has grade 9"],
  ]) {
    const look = async () => (await page.locator("main").innerText()) + (await page.locator("#difference").innerText()),
      before = await look();
    await dropFile(page, name, text);
    await said(words);
    check(`a kind sentence for ${name}: ${words}`, (await note(page)).includes(words), await note(page));
    await goTo(page, 1);
    check(`${name} leaves the page as it was`, before === (await look()));
  }
  await dropFile(page, "letor.txt", "2 qid:7 1:0.5 2:3 # best\n0 qid:7 1:1.5 2:1\n1 qid:7 1:4 2:2\n");
  await page.waitForFunction(() => document.querySelectorAll("#table tr").length === 4);
  check(
    "a file of LETOR lines becomes the data",
    (await page.locator("#letor").inputValue()).startsWith("2 qid:1 1:0.5"),
  );
  await page.locator("#open-break").click();
  await page
    .locator("#trace")
    .setInputFiles({ name: "a.jsonl", mimeType: "text/plain", buffer: Buffer.from(lines(made)) });
  await page.waitForFunction(() => document.querySelectorAll("#table tr").length === 9);
  check("a chosen file is taken like a dropped one", (await page.locator("#table tr").count()) === 9);
  const text = await page.evaluate(() => {
    const data = new DataTransfer(),
      letor = document.getElementById("letor");
    data.setData("text/plain", "0 1:1");
    return letor.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  });
  check("a text that is dragged is left to the field", text);
  check("no error on the way", page.errors.length === 0, page.errors.join());
  await page.close();
}

/** All that the address holds, brought back in another page; and with no key but those of the keyboard. */
async function testAddress() {
  const page = await open("#algorithm=softmax"),
    look = (other) => other.locator("main").innerText();
  await page.locator("#algorithm").selectOption("gbrt");
  await page.locator('[data-setting="max_depth"]').selectOption("1");
  await page.locator('input.value[data-kind="y"][data-row="0"]').fill("2");
  await page.locator('input.value[data-kind="x"][data-row="0"][data-feature="1"]').fill("2.5");
  await page.locator('input.value[data-kind="x"][data-row="0"][data-feature="1"]').press("Enter");
  await page.locator("#convention").selectOption("lightgbm");
  await page.locator('[data-pick="2"]').click();
  await page.locator("#predict").click();
  await page.locator("#open-break").click();
  await page.locator("#fault").selectOption("ties-to-the-last");
  await goTo(page, 12);
  const other = await open("", { url: page.url() }),
    values = (own) => own.locator("select, input.value").evaluateAll((all) => all.map(({ value }) => value).join());
  const parts = new URLSearchParams(new URL(page.url()).hash.slice(1));
  check(
    "the address has every choice",
    [...parts.keys()].join() === "algorithm,d,nu,M,X,y,step,convention,document,predict,fault,open",
    [...parts.keys()].join(),
  );
  check(
    "the address brings the page back",
    (await look(other)) === (await look(page)) && (await where(other)) === (await where(page)),
  );
  check("and its controls", (await values(other)) === (await values(page)), await values(other));
  check(
    "and its drawer",
    (await verdict(other)) === (await verdict(page)) &&
      (await other.locator("#predict").getAttribute("aria-pressed")) === "true",
  );
  await other.evaluate(() => {
    location.hash = "#algorithm=ls&convention=trec&step=3";
  });
  await other.waitForFunction(() => document.getElementById("algorithm").value === "ls");
  check(
    "a changed address changes the page",
    (await other.locator("#convention").inputValue()) === "trec" && (await where(other)).startsWith("Step 3 "),
  );
  await reopen(other, "#algorithm=none&step=x&X=1,2;3&y=9&convention=none&document=99&fault=none&open=none&J=7");
  check(
    "a wrong address is one of the beginning",
    (await where(other)).startsWith("Step 1 of 136") && !other.errors.length,
    other.errors.join(),
  );
  await other.close();
  await page.close();
}

/** Reach an element with the key Tab alone; false if it is never reached. */
async function tabTo(page, selector, most = 90) {
  for (let i = 0; i < most; i++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate((own) => document.activeElement.matches(own), selector)) return true;
  }
  return false;
}

async function testKeyboard() {
  const page = await open("#algorithm=softmax");
  check("a question is reached with Tab", await tabTo(page, "#predict"));
  await page.keyboard.press("Enter");
  for (let step = 1; step < 5; step++) await page.keyboard.press("ArrowRight");
  check("and its cuts", await tabTo(page, ".guess"));
  await page.keyboard.press("Enter");
  check("a cut is guessed with Enter", /^(Right|Not quite)/.test(await say(page)), await say(page));
  await page.keyboard.press("Enter");
  check("and Enter goes on", (await where(page)).startsWith("Step 6 "), await where(page));
  await page.keyboard.press("Shift+Tab");
  check("a document is reached", await tabTo(page, '[data-pick="3"]'));
  await page.keyboard.press("Enter");
  check(
    "and put into the formula, and keeps the focus",
    await page.evaluate(() => document.activeElement.matches('[data-pick="3"][aria-pressed="true"]')),
  );
  check("the drawer of faults is reached", await tabTo(page, "#open-break"));
  await page.keyboard.press("Enter");
  check("and its list", await tabTo(page, "#fault"));
  for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowDown");
  check("a fault is chosen with the arrows", (await verdict(page)).includes("leaf_values"), await verdict(page));
  check("the lines of Python are reached", await tabTo(page, "#python"));
  await page.keyboard.press("Space");
  check("and shown", await page.locator("#lines-of-python").isVisible());
  await page.keyboard.press("Escape");
  check("and closed, and the focus is back", await page.evaluate(() => document.activeElement.id === "python"));
  const focused = page.locator(":focus");
  check(
    "what has the focus has a ring",
    (await focused.evaluate((own) => getComputedStyle(own).outlineStyle)) === "solid",
  );
  await page.close();
}

/** What the lines of Python of some steps print, against the records of the page's port; texts of what differs. */
async function comparePython(url = address, hashes = PYTHON) {
  const codes = [],
    wanted = [],
    page = await open("", { url });
  for (const hash of hashes) {
    await reopen(page, `#algorithm=${hash}`, url);
    const [algorithm, ...rest] = hash.split("&"),
      chosen = Object.fromEntries(rest.map((part) => part.split("="))),
      own = Object.fromEntries(
        SETTINGS[algorithm].settings.flatMap(({ key, short, options }) =>
          options.filter((option) => String(option) === chosen[short]).map((option) => [key, option]),
        ),
      );
    const document = train(instantiate(await page.locator("#port").textContent()), algorithm, own),
      total = await count(page);
    for (const step of new Set([5, 8, Math.trunc(total / 2), total].map((at) => Math.min(at, total)))) {
      await goTo(page, step);
      await page.locator("#python").click();
      const code = await page.locator("#code").innerText(),
        [, stage, place] = /records\["(\w+)", Place\((.*)\)\]/.exec(code);
      await page.locator("#close").click();
      const parts = place
          .split(", ")
          .filter(Boolean)
          .map((part) => part.split("=")),
        at = Object.fromEntries(parts.map(([name, value]) => [name, Number(value)]));
      const { fields } = document.records.find(
        (record) =>
          record.stage === stage && Object.keys({ ...at, ...record.at }).every((name) => at[name] === record.at[name]),
      );
      codes.push(code);
      wanted.push({ name: `${hash}, ${stage} ${place}`, fields });
    }
  }
  await page.close();
  const script = join(folder, `lines_${codes.length}.py`);
  writeFileSync(script, JSON.stringify(codes));
  const printed = JSON.parse(
    await python(
      "import contextlib, io, json",
      "printed = []",
      `for code in json.load(open(${JSON.stringify(script)})):`,
      "    with contextlib.redirect_stdout(io.StringIO()) as text:",
      "        exec(code, {})",
      "    printed.append(text.getvalue())",
      "print(json.dumps(printed))",
    ),
  );
  return printed.flatMap((text, i) =>
    text
      .trim()
      .split("\n")
      .flatMap((line) => {
        const [name, ...rest] = line.split(" "),
          values = JSON.parse(rest.join(" ")),
          own = wanted[i].fields[name]?.values;
        return own && JSON.stringify(own) === JSON.stringify(values)
          ? []
          : [`${wanted[i].name}: ${name} ${values.slice(0, 4)} against ${own?.slice(0, 4)}`];
      }),
  );
}

async function testPython() {
  const differences = await comparePython();
  check(
    "the lines of Python give the numbers of the page",
    differences.length === 0,
    differences.slice(0, 3).join(" | "),
  );
  const page = await open("#algorithm=ls&step=4", { permissions: ["clipboard-read", "clipboard-write"] });
  await page.locator("#python").click();
  await page.locator("#copied").filter({ hasText: "copied" }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  check("the lines of Python are copied", copied === (await page.locator("#code").textContent()), copied);
  await page.close();
}

async function testDocument() {
  const document = train(instantiate(source), "ls"),
    given = `<script type="application/json" id="document">${JSON.stringify(document)}`;
  const url = writePage(
    "given",
    html.replace('<script type="application/json" id="document">null', () => given),
  );
  const bases = { gbrt: "GBRTRanker(n_rounds=2, max_depth=2)", rf: "RandomForestRanker(n_trees=2)" };
  await python(
    "import numpy as np",
    "from refrank import GBRTRanker, RandomForestRanker",
    "from refrank.estimators import COCRRanker",
    "rng = np.random.default_rng(0)",
    "X, y, qid = rng.normal(size=(90, 5)).round(1), rng.integers(0, 3, 90), np.arange(90) % 3",
    ...Object.entries(bases).map(
      ([name, base]) =>
        `COCRRanker(${base}).step(X, y, qid, query=1, out=${JSON.stringify(join(folder, name))} + ".html")`,
    ),
  );
  const page = await open("#step=9", { url });
  for (const name of ["given", ...Object.keys(bases)]) {
    await reopen(page, "#step=9", url.replace("given", name));
    const bad = await walk(page);
    check(
      `a page with a document shows it, and is not editable: ${name}`,
      bad.length === 0 && (await page.locator("input.value").count()) === 0 && !page.errors.length,
      bad.slice(0, 3) + page.errors,
    );
    const trees = await goToPanel(page, "tree");
    check(`its trees are shown if they were recorded cut by cut: ${name}`, (trees === null) === (name === "rf"), trees);
  }
  const hidden = () => page.locator("#ranked").evaluate((list) => list.scrollHeight - list.clientHeight);
  check("a ranking of 30 documents scrolls beside its measures", (await hidden()) > 0);
  await page.emulateMedia({ media: "print" });
  check("it is printed whole", (await hidden()) === 0);
  await page.close();
}

/** A forest's tree has hundreds of leaves: what is drawn of it is what this query's documents meet. */
async function testForest() {
  const path = join(folder, "forest.html");
  await python(
    "import numpy as np",
    "from refrank import RandomForestRanker",
    "rng = np.random.default_rng(0)",
    "X, y, qid = rng.normal(size=(400, 5)), rng.integers(0, 5, 400), np.arange(400) // 8",
    `RandomForestRanker(n_trees=2).step(X, y, qid, query=1, out=${JSON.stringify(path)})`,
  );
  const page = await open("", { url: pathToFileURL(path).href }),
    tree = page.locator("#tree svg");
  for (let step = 0; !(await tree.count()); step++) await page.keyboard.press("ArrowRight");
  const words = await tree.getAttribute("aria-label"),
    leaves = [...words.matchAll(/leaf \d+: ([^;]*)/g)].map(([, names]) => names);
  check("every document is in a leaf that is drawn", leaves.join(" ").split(" ").sort().join() === "1,2,3,4,5,6,7,8");
  check("every leaf that is drawn has documents", leaves.every(Boolean) && leaves.length > 1, words);
  check("cuts that are passed over are counted", /\+\d+ cut/.test(await tree.innerHTML()));
  check("the page says so", (await page.locator("#tree").innerText()).includes("counted, not drawn"));
  const fits = await page.locator("#tree").evaluate((panel) => panel.scrollWidth <= panel.clientWidth);
  check("a forest's tree fits its panel", fits);
  await page.close();
}

/** Of a chain of cuts whose last parts two documents, that cut is drawn, and the others are counted. */
async function testLayout() {
  const chain = (n) => [
    ...Array.from({ length: n }, (_, i) => [
      { left: 2 * i + 1, right: 2 * i + 2, cutBy: i, rows: [0, 1] },
      { cutBy: null, rows: i < n - 1 ? [] : [0] },
    ]).flat(),
    { cutBy: null, rows: [1] },
  ];
  const places = (n, upTo = Infinity) => [...layOut(chain(n), upTo).places.entries()];
  const [left, right, root] = places(13);
  check("of 13 cuts, 12 are passed over", places(13).length === 3 && root[0] === 24 && root[1].passed === 12);
  check("both sides are drawn below the last", left[0] === 25 && right[0] === 26 && left[1].y === right[1].y);
  check("the first of two is to the left", left[1].x < root[1].x && root[1].x < right[1].x);
  check("of 12 cuts, all are drawn", places(12).length === 25);
  check("of 13 cuts, of which 12 are made, all are drawn", places(13, 12).length === 25);
}

/** What must turn the checks above red. */
async function testControls() {
  const image = '<img src="http://127.0.0.1:9/x.png" alt=""><main>',
    request = await open("", { url: writePage("request", html.replace("<main>", image)) });
  check("control: a planted request is seen", request.outside.length === 1);
  await request.close();
  const [fault] = FAULTS,
    faulty = writePage(
      "fault",
      html.replaceAll(fault.line, () => fault.broken),
    );
  check("control: a planted fault in the port is seen", (await comparePython(faulty, ["softmax"])).length > 0);
  const planted = await open("", {
    url: writePage("text", html.replace(/"takes a Newton step"/g, '"takes a NaN step"')),
  });
  check("control: a NaN in a sentence is seen", (await walk(planted)).length > 0);
  await planted.close();
}

await runTests([
  testSteps,
  testPython,
  testSettings,
  testControls,
  testDropping,
  testFaults,
  testExp,
  testQuestions,
  testChallenges,
  testData,
  testPrediction,
  testAddress,
  testKeyboard,
  testKeys,
  testDocument,
  testForest,
  testLayout,
  testLines,
]);
