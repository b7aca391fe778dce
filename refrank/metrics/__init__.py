"""DCG, NDCG, ERR, MAP, MRR, precision, recall and RMSE, under the convention of the papers or of another tool.

Reading order: `spec` (the choices that differ), `presets` (the choices of each tool), `queries` (input, checked and
laid out), `one_query` (many rows without ids), `ordering` (ranking and ties), `averaging` (queries without relevant
documents, short queries, the mean), `discounts`, `cumulative_gain` (DCG and NDCG), `reciprocal_rank` (ERR), `binary`
(MAP, MRR, precision and recall), `squared_error` (RMSE), `measures` (a metric, its cut-off and its convention by name),
`explanation` (one query by hand), `conventions` (one ranking under every preset), `significance` (tests between two
systems), `paired_comparison` (the paired tests, and the number of queries that a difference needs).
"""

from refrank.metrics.averaging import weighted_mean_of_queries
from refrank.metrics.binary import mean_average_precision, mean_reciprocal_rank, precision, recall
from refrank.metrics.conventions import PresetValue, RuleEffect, compare_presets
from refrank.metrics.cumulative_gain import dcg, ndcg
from refrank.metrics.explanation import ExplainedPosition, Explanation, explain
from refrank.metrics.measures import Measure, parse_measure
from refrank.metrics.paired_comparison import (
    PairedComparison,
    compare_systems,
    count_needed_queries,
    find_resolved_difference,
)
from refrank.metrics.presets import PRESETS
from refrank.metrics.queries import mean_weight_per_query
from refrank.metrics.reciprocal_rank import err
from refrank.metrics.significance import (
    BootstrapInterval,
    RandomizationTest,
    SignificanceTest,
    Summary,
    bootstrap_interval,
    paired_test,
    randomization_test,
    summarize,
    unpaired_test,
    unpaired_test_of_summaries,
)
from refrank.metrics.spec import MetricSpec
from refrank.metrics.squared_error import rmse

__all__ = [
    "PRESETS",
    "BootstrapInterval",
    "ExplainedPosition",
    "Explanation",
    "Measure",
    "MetricSpec",
    "PairedComparison",
    "PresetValue",
    "RandomizationTest",
    "RuleEffect",
    "SignificanceTest",
    "Summary",
    "bootstrap_interval",
    "compare_presets",
    "compare_systems",
    "count_needed_queries",
    "dcg",
    "err",
    "explain",
    "find_resolved_difference",
    "mean_average_precision",
    "mean_reciprocal_rank",
    "mean_weight_per_query",
    "ndcg",
    "paired_test",
    "parse_measure",
    "precision",
    "randomization_test",
    "recall",
    "rmse",
    "summarize",
    "unpaired_test",
    "unpaired_test_of_summaries",
    "weighted_mean_of_queries",
]
