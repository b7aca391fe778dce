// A document as the list of frames that the page shows: one per step of the algorithm, in the order of the paper.
import { walkBoosting } from "./boosting_frames.js";
import { walkForest } from "./forest_frames.js";
import { listLines } from "./lines.js";
import { walkReduction } from "./reduction_frames.js";
import { readScene } from "./scene.js";

const WALKS = {
  softmax: walkBoosting,
  ordinal: walkBoosting,
  ls: walkBoosting,
  gbrt: walkBoosting,
  igbrt: walkBoosting,
  rf: walkForest,
  cocr: walkReduction,
};

export function makeFrames(document) {
  const scene = readScene(document),
    frames = [],
    history = [];
  const lines = new Map(listLines(scene.algorithm, scene.parameters).map((line) => [line.id, line]));
  let ranking = null,
    previous = null;
  for (const step of WALKS[scene.algorithm](scene)) {
    if (step.ranked) {
      previous = ranking ?? step.ranked;
      ranking = step.ranked;
      history.push(ranking);
    }
    if (!step.line) continue;
    const line = lines.get(step.line),
      { ranked, ...rest } = step;
    frames.push({
      round: 0,
      output: null,
      columns: [],
      uses: [],
      ...rest,
      place: line.place,
      title: line,
      ranking,
      previous: ranked ? previous : ranking,
      moves: Boolean(ranked),
      history: [...history],
    });
  }
  return { scene, frames };
}

/** The first frame of a place in the paper; of a line that only begins a loop, the first frame within it. */
export function findPlace({ scene, frames }, place) {
  const at = frames.findIndex((frame) => frame.place === place);
  if (at >= 0) return at;
  const lines = listLines(scene.algorithm, scene.parameters),
    from = lines.findIndex((line) => line.place === place);
  if (from < 0) return -1;
  const after = new Set(lines.slice(from).map((line) => line.id));
  return Math.max(
    0,
    frames.findIndex((frame) => after.has(frame.line)),
  );
}
