// Challenges on the toy data: what is asked, and whether the data meet it, which the port decides.
import { contest } from "./cuts.js";
import { plural, show } from "./format.js";
import { makeFrames } from "./frames.js";
import { measure } from "./measures.js";
import { indexRecords, keyOf, readTable, readValues } from "./records.js";

const changedGrades = ({ X, y }, toy) =>
  JSON.stringify(X) === JSON.stringify(toy.X) && y.length === toy.y.length
    ? y.filter((grade, i) => grade !== toy.y[i]).length
    : Infinity;
const rootCuts = (document) =>
  document.records
    .filter(({ stage, at }) => stage === "cut" && at.round === 1)
    .map((record) => readTable(record, "cut")[0].slice(0, 2).join());
const topOf = (document) => readValues(indexRecords(document).get(keyOf("order")), "rows")[0];

function checkUpdates({ train, state, toy }) {
  const [printed, once] = ["sequential", "simultaneous"].map((update) =>
    rootCuts(train("softmax", { ...state.chosen, update })),
  );
  const at = printed.findIndex((cut, k) => cut !== once[k]),
    changed = changedGrades(state, toy);
  if (changed !== 1)
    return {
      done: false,
      text: `${Number.isFinite(changed) ? `${plural(changed, "grade")} changed` : "More than grades changed"}:
        it must be one grade, and no feature value.`,
    };
  return at < 0
    ? { done: false, text: "In round 1 both updates cut the roots of all trees in the same place." }
    : { done: true, text: `In round 1 the tree of grade ${at} is cut elsewhere by the two updates.` };
}

function checkTie({ frames, scene }) {
  const tie = frames.find(
    (frame) => frame.focus === "cut" && contest(frame.growth, frame.growth.nodes[frame.node]).tied,
  );
  if (!tie)
    return { done: false, text: "No node of this training has two best cuts that part its documents differently." };
  const { winner } = contest(tie.growth, tie.growth.nodes[tie.node]);
  return {
    done: true,
    text: `Round ${tie.round}, tree ${tie.output}, node ${tie.node}: two cuts gain ${show(winner.gain)};
      ${scene.data.features[winner.feature]} wins, being first.`,
  };
}

function checkFall({ frames, scene }) {
  const values = frames.at(-1).history.map(({ score }) => measure(scene.data, score, "paper").ndcg),
    at = values.findIndex((value, m) => m && value < values[m - 1]);
  return at < 0
    ? { done: false, text: `NDCG never falls: ${values.map((value) => show(value)).join(", ")}.` }
    : { done: true, text: `In round ${at} NDCG falls from ${show(values[at - 1], 4)} to ${show(values[at], 4)}.` };
}

function checkForest({ train, state, toy }) {
  const kept = toy.X.every((row, i) => row.join() === state.X[i]?.join() && toy.y[i] === state.y[i]);
  if (!kept || state.y.length !== toy.y.length + 1)
    return { done: false, text: "It must be the eight documents of the beginning and one more." };
  const names = "abcdefghi",
    [before, after] = [toy, state].map(({ X, y }) => topOf(train("rf", { n_trees: 3 }, X, y)));
  return before === after
    ? { done: false, text: `Document ${names[after]} is still first.` }
    : {
        done: true,
        text: `Document ${names[after]} is first, no longer ${names[before]}: the draws follow the rows,
          and one more row changes them all.`,
      };
}

function checkCrossing({ train }) {
  const { frames } = makeFrames(train("ordinal", { n_leaves: 3, learning_rate: 1, n_rounds: 3 }));
  const least = ({ grades }) => Math.min(...grades.flat()),
    crossed = frames.find((frame) => frame.line === "eq8" && least(frame) < 0);
  return crossed
    ? { done: false, text: `In round ${crossed.round} a probability is ${show(least(crossed))}.` }
    : { done: true, text: "In all three rounds Pr(y ≤ k) rises with k, for every document." };
}

const CHALLENGES = [
  { name: "updates", check: checkUpdates,
    text: "Change one grade so that “as printed” and “once a round” cut a root of round 1 differently." },
  { name: "tie", text: "Make two cuts of a node tie that part its documents differently.", check: checkTie },
  { name: "fall", text: "Make NDCG fall in a round.", check: checkFall },
  { name: "forest", check: checkForest,
    text: "Add one document so that a forest of three trees ranks another document first." },
  {
    name: "crossing",
    text: "Change the data so that no probability of Eq. 8 is negative: three rounds of Sec. 4, J = 3, ν = 1.",
    check: checkCrossing,
  },
];

export function drawChallenges(context) {
  const items = CHALLENGES.map(({ name, text, check }) => {
    const { done, text: found } = check(context);
    return `<li data-challenge="${name}" class="${done ? "done" : ""}"><span class="mark"
      aria-hidden="true">${done ? "✓" : "○"}</span><div><b>${text}</b>
      <p>${done ? "Done. " : "Not yet. "}${found}</p></div></li>`;
  });
  return `<h2>Challenges</h2>
    <p class="soft">Change the data, by hand or as lines; each is checked after every change.</p>
    <ul class="challenges">${items.join("")}</ul>`;
}
