// The view's modules in reading order.
export const ORDER = [
  "instantiate.js", "format.js", "mathml.js", "records.js", "replay.js", "growth.js", "growth_steps.js", "cuts.js",
  "formulas.js", "lines_mcrank.js", "lines_regression.js", "lines_cocr.js", "lines.js", "scene.js", "columns.js",
  "scheme_softmax.js", "scheme_ordinal.js", "scheme_regression.js", "schemes.js", "forest_frames.js",
  "boosting_frames.js", "reduction_frames.js", "frames.js", "measures.js", "live_boosting.js", "live.js",
  "sentences_growth.js", "sentences.js", "paper.js", "table.js", "histogram_cuts.js", "histogram.js",
  "tree_layout.js", "tree.js", "ranking.js", "predicting.js", "patch.js", "panel_growth.js", "panels.js",
  "settings.js", "address.js", "editing.js", "challenges.js", "entries.js", "breaking.js", "python.js", "player.js",
  "main.js", "drawers.js", "controls_data.js", "controls.js", "start.js",
];
