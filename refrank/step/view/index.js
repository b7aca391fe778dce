// The view's modules in reading order.
export const ORDER = [
  "instantiate.js", "format.js", "mathml.js", "records.js", "growth.js", "cuts.js", "columns.js", "lines.js", "scene.js",
  "schemes.js", "forest_frames.js", "boosting_frames.js", "reduction_frames.js", "frames.js", "measures.js", "live.js",
  "sentences.js", "paper.js", "table.js", "histogram.js", "tree.js", "ranking.js", "predicting.js", "settings.js",
  "address.js", "editing.js", "challenges.js", "breaking.js", "python.js", "player.js", "panels.js", "main.js", "controls.js",
];
