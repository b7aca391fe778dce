// One sentence per step, with its live values.
import { chips, plural, show } from "./format.js";
import { largest, sayCut, sayExamine, sayLeaves, sayProba, sayResidual, sayStep } from "./sentences_growth.js";

function sayRanking(scene, frame) {
  const moved = frame.ranking.order.filter((i, at) => frame.previous.order[at] !== i),
    top = frame.ranking.order[0];
  const when = frame.round ? `After round ${frame.round}` : "In the end";
  return `${when}, ${moved.length ? `${plural(moved.length, "document")} change${moved.length === 1 ? "s" :
    ""} places` : "no document changes places"}: ${chips(scene.data, [top])} is first,
    with <b>${show(frame.ranking.score[top])}</b>.`;
}

function sayDraws(scene, frame) {
  const out = frame.counts.flatMap((count, i) => (count === 0 ? [i] : [])),
    twice = largest(frame.counts);
  return `Tree ${frame.tree} draws ${plural(frame.counts.length, "row")} with replacement: ${chips(scene.data,
    [twice])} ${plural(frame.counts[twice], "time")}, ${out.length ? `${chips(scene.data, out)} not at all` :
    "and every document"}.`;
}

function sayTree(scene, frame) {
  const leaves = frame.growth.nodes.filter(({ cutBy }) => cutBy === null).length;
  return `Tree ${frame.tree} is grown until its leaves agree: ${leaves} leaves,
    each with the mean grade of the rows that were drawn into it.`;
}

const first = (scene) => ({
  softmax: () =>
    `${plural(scene.data.n, "document")}, grades 0 to ${scene.data.n_classes - 1}. The tree of grade k learns ỹ:
      1 where a document has grade k.`,
  ls: () =>
    `${plural(scene.data.n, "document")}: each grade y becomes its gain ỹ = 2<sup>y</sup> − 1,
      which a sum of trees learns.`,
  rf: () =>
    `${plural(scene.data.n, "document")}: every tree learns the grades from its own draw of them,
      and the forest is their mean.`,
});

const sayAnswers = (scene, { question, h }) =>
  `A regression on the weighted answers gives h<sub>${question}</sub>,
    from <b>${show(Math.min(...h))}</b> to <b>${show(Math.max(...h))}</b>; it is not clipped.`;

const COST_WORDS = {
  absolute: "|y − k|, the distance of the grades", squared: "(y − k)², the squared distance of the grades",
  oerr: "(2<sup>y</sup> − 2<sup>k</sup>)², whose sum bounds what ERR loses",
};

const SAY = {
  1: (scene, frame) =>
    ({
      softmax: `All scores are 0, so each grade has probability <b>${show(1 / scene.data.n_classes)}</b>.`,
      ls: `All scores start at the mean gain,
        <b>${show(frame.columns.find(({ group }) => group === "F").values[0])}</b>.`,
    })[scene.algorithm] ?? "The sum of trees starts at 0, so the residuals are the grades themselves.",
  2: (scene, frame) =>
    scene.algorithm === "rf"
      ? sayDraws(scene, frame)
      : "Boosting starts from the forest: the residuals are what its mean leaves.",
  3: sayTree, f2: sayDraws, f3: sayTree,
  s4: (scene) =>
    `Each k below ${scene.data.n_classes - 1} parts the ${plural(scene.data.n, "document")} into two groups;
      Algorithm 1 learns Pr(y ≤ k) for each.`,
  "5h": sayExamine, "3h": sayExamine, "4h": sayExamine,
  "5c": sayCut, "3c": sayCut, "4c": sayCut,
  "5r": sayResidual, "3r": sayResidual, "4r": sayResidual,
  "3v": sayLeaves, "4v": sayLeaves, 7: sayStep,
  eq8: (scene, frame) => {
    const lowest = frame.grades
      .map((values, k) => ({ k, i: values.indexOf(Math.min(...values)), value: Math.min(...values) }))
      .sort((a, b) => a.value - b.value)[0];
    return lowest.value < 0
      ? `Two problems cross: p<sub>${lowest.k}</sub> of ${chips(scene.data,
        [lowest.i])} is <b>${show(lowest.value)}</b>, below 0. It is left as it is.`
      : `The probability of a grade is a difference of two; none is negative,
        the least is <b>${show(lowest.value)}</b>.`;
  },
  cost: (scene) =>
    `A wrong grade costs ${COST_WORDS[scene.parameters.cost]};
      ${scene.data.n_classes - 1} yes-or-no questions will pay for it.`,
  eq1: (scene, frame) =>
    `Question ${frame.question}: is the grade ${frame.question} or higher?
      <b>${frame.b.filter(Boolean).length}</b> of ${plural(scene.data.n, "document")} say yes.`,
  alg1: (scene, frame) =>
    frame.h
      ? sayAnswers(scene, frame)
      : `Each weighted yes is 1, each no 0: <b>${plural(frame.trees, "tree")}</b> learn the answers to
        question ${frame.question}.`,
  eq2: (scene, frame) =>
    `Counting the answers of one half or more gives whole ranks, with ties:
      <b>${new Set(frame.hard).size}</b> different ones for ${plural(scene.data.n, "document")}.`,
  eq6: sayRanking, rank: sayRanking,
  8: (scene, frame) => (scene.algorithm === "cocr" ? sayAnswers : sayRanking)(scene, frame),
  9: sayRanking,
  0: (scene) => first(scene)[scene.algorithm](),
  4: (scene, frame) => (scene.algorithm === "ls" ? sayLeaves : sayProba)(scene, frame),
  5: (scene, frame) => (scene.algorithm === "rf" ? sayRanking : sayStep)(scene, frame),
  6: (scene, frame) => (scene.algorithm === "igbrt" ? sayStep : sayLeaves)(scene, frame),
  eq5: (scene, frame) => {
    if (scene.algorithm !== "cocr") return sayRanking(scene, frame);
    const i = largest(frame.w);
    const { question: k } = frame, most = `most for ${chips(scene.data, [i])}, <b>${show(frame.w[i])}</b>`;
    return `A wrong answer to question ${k} costs the step of the cost from ${k - 1} to ${k}: ${most}.`;
  },
};

export const saySentence = (scene, frame) => SAY[frame.line](scene, frame);
