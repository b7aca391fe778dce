// Predict first: whether the cut that was clicked is the best one, and by how much it falls short.
import { contest, describeCut } from "./cuts.js";
import { chips, escapeHtml, show } from "./format.js";

export const askForCut = (scene, frame) =>
  `Which cut of ${chips(
    scene.data,
    [...frame.growth.nodes[frame.node].rows].sort((a, b) => a - b),
  )} takes most off the squared error? <b>Click it.</b>`;

const tell = (scene, cut) => `<b>${escapeHtml(describeCut(scene.data.features, cut))}</b>`;
const apart = (cut) => Math.abs(cut.sumLeft / cut.n - cut.sumRight / cut.right);

/** What the guess gains against what the winner gains, and why. */
export function judgeGuess(scene, frame, guess) {
  const { features, winner, tied } = contest(frame.growth, frame.growth.nodes[frame.node]),
    cut = features[guess.feature].cuts.find(({ bin }) => bin === guess.bin);
  const counts = ({ n, right }) => `${show(n)} and ${show(right)}`;
  if (cut.tied) {
    const first = cut.feature === winner.feature && cut.bin === winner.bin;
    const more = first
      ? tied
        ? "It ties with another, and comes first."
        : `No other gains as much.`
      : `It parts with the same gain as ${tell(scene, winner)}, which is taken: the lowest feature wins,
        then the lowest bin.`;
    return { right: true, text: `Right: ${tell(scene, cut)} gains ${show(cut.gain)}. ${more}` };
  }
  const why =
    apart(cut) < apart(winner)
      ? `The means of its two sides are ${show(apart(cut))} apart;
        those of the best cut are ${show(apart(winner))} apart.`
      : `The means of its sides are further apart, ${show(apart(cut))} to ${show(apart(winner))},
        but it parts ${counts(cut)}, the best cut ${counts(winner)}.`;
  return {
    right: false,
    text: `Not quite: ${tell(scene, cut)} gains ${show(cut.gain)}, and ${tell(scene,
      winner)} gains <b>${show(winner.gain)}</b>. ${why}`,
  };
}
