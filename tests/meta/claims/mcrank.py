"""Claims of McRank, in the order of the paper."""

from tests.meta.claims import PaperClaim

ERRATA, CHAPTER = "errata.md#mcrank", "../learn/mcrank.md"
TABLE_1 = (
    "tests/reproduce/test_mcrank_claims.py::test_a_claim_has_its_mean_and_the_intervals_over_queries_and_over_runs",
    "refrank reproduce mcrank --replicate 8",
)
STUDIES = (
    "tests/reproduce/test_mcrank_studies.py::test_the_tables_hold_the_figures_of_the_cells",
    "refrank reproduce mcrank --studies",
)
TARGETS = (
    "tests/reproduce/test_mcrank_studies.py::test_the_differences_are_paired_over_the_queries_of_all_runs",
    "refrank reproduce mcrank --studies",
)
VERDICTS = "[verdicts on eight training sets](../learn/verdicts.md#mcrank)"
BINNING = "tests/trees/test_binning.py"

CLAIMS = (
    PaperClaim(
        "Abstract, Sec. 3, 3.3, 7",
        "perfect classification gives a perfect DCG",
        "depends",
        f"True of a ranking by classes, false of one by the Expected Relevance: "
        f"[errata]({ERRATA}-abstract-sec-33-sec-7-perfect-classification).",
        ("tests/bounds/test_bounds.py::test_dcg_bounds_are_the_exact_right_sides",),
    ),
    PaperClaim(
        "Abstract, Sec. 3.1, 7",
        "classification errors bound the DCG error",
        "holds",
        "Proved: Lemma 1, and [bounds with less room](../prove/bounds.md#number-of-errors).",
        (
            "proofs_check/tests/test_mcrank_lemma1.py::test_lemma1_for_any_discount",
            "python -m proofs_check --statement mcrank.lemma1",
        ),
    ),
    PaperClaim(
        "Sec. 3",
        "a perfect DCG does not need a perfect classification: every label may be taken one level lower",
        "holds",
        "Proved for every number of grades.",
        ("python -m proofs_check --statement mcrank.cushion",),
    ),
    PaperClaim(
        "Sec. 1, 3, 7",
        "classification is more direct than regression, and possibly more accurate",
        "depends",
        "As printed, classification on k is above regression on 2^k - 1; on the same target, it is level with "
        f"regression or below it: [loss or target]({CHAPTER}#loss-or-target).",
        TARGETS,
    ),
    PaperClaim(
        "Sec. 3.3",
        "a ranking by the most likely class is highly unstable",
        "holds",
        f"Measured between the best and the worst order of equal classes: [chapter]({CHAPTER}#on-the-artificial-data).",
        STUDIES,
    ),
    PaperClaim(
        "Sec. 3.3, 7",
        "a ranking by the Expected Relevance is highly stable",
        "not examined",
        "The paper does not say against what change.",
    ),
    PaperClaim(
        "Sec. 3.3, App. II",
        "T(k) = k is slightly and consistently better than T(k) = 2^k or 2^k - 1; the difference is small",
        "depends",
        "Small on MQ2008; larger than that on the artificial data, where T(k) = 2^k - 1 leads on the training queries: "
        f"[figure 3]({CHAPTER}#figure-3-and-the-side-studies).",
        STUDIES,
    ),
    PaperClaim(
        "Sec. 3.3",
        "a monotone transformation of the score does not change the ranking",
        "depends",
        f"True if it is strictly increasing: [errata]({ERRATA}-sec-33-any-monotone-transformation-on-s_i).",
        (
            "tests/mcrank/test_expected_relevance.py::test_by_equation_6_the_ranking_sees_no_scale_and_no_shift",
            "python -m proofs_check --statement mcrank.eq6",
        ),
    ),
    PaperClaim(
        "Sec. 3.4",
        "Alg. 1 is Algorithm 6 of Friedman 2001, presented slightly differently",
        "does not hold",
        "Line 4 stands inside the loop over the classes: "
        f"[errata]({ERRATA}-alg-1-line-4-and-taken-from-9-algorithm-6).",
        ("tests/mcrank/test_softmax_boosting.py::test_scores_equal_the_transcription_of_algorithm_1",),
    ),
    PaperClaim(
        "Sec. 3.4, 6.2",
        "the performance is not sensitive to M, J and nu within reasonable ranges",
        "depends",
        "Two leaves cannot rank some data at any M: "
        f"[errata]({ERRATA}-sec-34-and-62-not-sensitive-to-these-parameters). "
        f"Otherwise it needs many rounds: [the grid]({CHAPTER}#on-the-artificial-data).",
        (
            "tests/reproduce/test_mcrank_studies.py::test_the_grid_shows_each_quarter_of_the_rounds",
            "refrank reproduce mcrank --studies",
        ),
    ),
    PaperClaim(
        "Sec. 4",
        "ordinal classification improves slightly on classification",
        "depends",
        f"It does on eight polynomials: {VERDICTS}. MQ2008 does not decide: "
        f"[Table 1]({CHAPTER}#table-1-on-real-folds).",
        TABLE_1,
    ),
    PaperClaim(
        "Sec. 4",
        "differences of the cumulative probabilities are class probabilities",
        "does not hold",
        "They may be negative, since the problems are learned separately: "
        f"[errata]({ERRATA}-sec-4-eq-8-need-not-give-probabilities).",
        ("python -m proofs_check --statement mcrank.eq8",),
    ),
    PaperClaim(
        "Sec. 5",
        "boosting of the least absolute deviation is considerably worse than that of least squares",
        "depends",
        "On MQ2008 it is, and after few rounds; not after 1,000 rounds on the artificial data: "
        f"[LAD]({CHAPTER}#table-1-artificial-data).",
        (
            "tests/reproduce/test_mcrank_claims.py::"
            "test_lad_is_considerably_worse_from_the_lead_that_the_paper_calls_considerable",
            "refrank reproduce mcrank --full",
        ),
    ),
    PaperClaim(
        "Sec. 6",
        "LambdaRank improves on RankNet by about 1 point on the artificial data (cited)",
        "does not hold",
        "Nets of equal size are level, or RankNet is ahead: [measured](../learn/lambdarank.md#measured).",
        ("python -m benchmarks.accuracy.lambdarank artificial",),
    ),
    PaperClaim(
        "Sec. 6",
        "LambdaRank is about 1 point above RankNet on Web-1; FRank is above RankNet, RankSVM and RankBoost on Web-2; "
        "LambdaRank is about 0.9 above FRank there",
        "not examined",
        "Web-1 and Web-2 are not public, and the last three methods are not in refrank.",
    ),
    PaperClaim(
        "Sec. 6.1",
        "the artificial data have no variance by the quality of features or labels",
        "holds",
        "A label is a function of the features. But two polynomials differ: "
        f"[Table 1]({CHAPTER}#table-1-artificial-data).",
        ("tests/datasets/test_cubic.py::test_target_is_the_recipe_term_by_term",),
    ),
    PaperClaim(
        "Sec. 6.2",
        "a rate of at most 0.1 avoids over-fitting (cited)",
        "not examined",
        "The grid of the studies has no larger rate.",
    ),
    PaperClaim(
        "Sec. 6.2",
        "J must be large enough for interactions of features",
        "holds",
        "Proved for J = 2, which is blind to any interaction: "
        f"[errata]({ERRATA}-sec-34-and-62-not-sensitive-to-these-parameters).",
        STUDIES,
    ),
    PaperClaim(
        "Sec. 6.2",
        "there is no obvious over-fitting even after very many rounds",
        "holds",
        f"On the artificial data, up to 1,000 rounds: [the grid]({CHAPTER}#on-the-artificial-data). "
        "Larger M is not tried.",
        STUDIES,
    ),
    PaperClaim(
        "Abstract, Sec. 1, 6.3, 7",
        "McRank considerably improves the regression-based ranker",
        "depends",
        f"It does on eight polynomials: {VERDICTS}; the target explains it for classification: "
        f"[errata]({ERRATA}-sec-63-and-sec-7-classification-is-confounded-with-its-target).",
        TABLE_1,
    ),
    PaperClaim(
        "Abstract, Sec. 1, 6.3, 7",
        "McRank considerably improves LambdaRank, on the artificial data by very much",
        "depends",
        "The number of hidden units decides, which the paper does not give: "
        f"[errata]({ERRATA}-sec-63-why-lambdarank-is-behind-on-the-artificial-data).",
        (*TABLE_1[:1], "refrank reproduce mcrank --full"),
    ),
    PaperClaim(
        "Sec. 6.3",
        "the reason is that the data have no noise and that trees have a high capacity",
        "does not hold",
        "A net of 100 units fits these data better than the boosters do: "
        f"[errata]({ERRATA}-sec-63-why-lambdarank-is-behind-on-the-artificial-data).",
        (*TABLE_1[:1], "refrank reproduce mcrank --full"),
    ),
    PaperClaim(
        "Sec. 6.3",
        "the improvements are significant at about the 98% level",
        "depends",
        "True of the printed p-values; by the same test, classification on Web-1 and Web-3 is not: "
        f"[errata]({ERRATA}-sec-63-what-is-significant).",
        ("tests/reproduce/test_mcrank_printed.py::test_printed_p_values_follow_from_printed_means",),
    ),
    PaperClaim(
        "Sec. 6.3, 7",
        "ordinal classification is significantly above classification on the artificial data alone",
        "depends",
        f"It is on eight polynomials: {VERDICTS}; it is not on MQ2008: "
        f"[Table 1]({CHAPTER}#table-1-on-real-folds). The Web collections are not public.",
        TABLE_1,
    ),
    PaperClaim(
        "Sec. 6.4",
        "the improvements hold, essentially, at the truncation levels 1 to 9, too",
        "depends",
        f"Those of ordinal classification do, and regression leads classification at L = 1: {VERDICTS}.",
        (
            ""
            "tests/reproduce/test_mcrank_claims.py::test_regression_s_lead_at_the_first_levels_is_stated_and_nothing_else",
        ),
    ),
    PaperClaim(
        "Sec. 7",
        "the quantization avoids sorting",
        "does not hold",
        f"Each feature is sorted once, and never again: [errata]({ERRATA}-sec-7-avoids-sorting).",
        (f"{BINNING}::test_labels_equal_the_definition",),
    ),
    PaperClaim(
        "App. I",
        "a cut may lie anywhere in a range, and two bins lose nothing, if they are the right ones",
        "holds",
        f"Computed on the points of Figure 2: [figure 2]({CHAPTER}#figure-2).",
        (
            "tests/reproduce/test_mcrank_figures.py::"
            "test_any_cut_in_the_range_parts_the_same_points_and_two_bins_lose_nothing",
        ),
    ),
    PaperClaim(
        "App. I",
        "an ordinal categorical feature keeps its categories",
        "depends",
        "If they are at least 10^-8 apart, and at most B: "
        f"[errata]({ERRATA}-app-i-the-ordinal-categorical-features-are-naturally-taken-care-of).",
        (f"{BINNING}::test_labels_equal_the_definition",),
    ),
    PaperClaim(
        "App. I",
        "after the quantization nothing is sorted: sums per bin choose a cut",
        "holds",
        "The cut is the best of all cuts between bins.",
        ("tests/trees/test_splitting.py::test_no_cut_reduces_the_squared_error_more",),
    ),
    PaperClaim(
        "App. I",
        "the quantization makes the building of trees faster",
        "holds",
        "Against 65,536 bins and exact cuts, in turns: work W11 of `benchmarks/README.md`.",
        ("python -m benchmarks.speed.run --only W11",),
    ),
    PaperClaim(
        "App. I",
        "with B = 2^8 an entry takes one byte",
        "holds",
        "256 bins are stored as bytes, more as two bytes.",
        (f"{BINNING}::test_labels_equal_the_definition",),
    ),
    PaperClaim(
        "App. I, II",
        "B = 2^8 does not lose accuracy against B = 2^16",
        "depends",
        "No loss on the test queries of MQ2008 and of the artificial data; not true of all data: "
        f"[errata]({ERRATA}-app-i-it-does-not-really-result-in-loss-of-accuracy).",
        STUDIES,
    ),
    PaperClaim(
        "App. II",
        "at B = 2^8 there are only about 6% of the bins of B = 2^16",
        "depends",
        f"Nearly so on MQ2008; fewer where all values are distinct: [figure 3]({CHAPTER}#on-mq2008).",
        STUDIES,
    ),
    PaperClaim(
        "App. II",
        "the quantization slows the training down, as a regularization does",
        "holds",
        f"The loss on the training queries falls with B: [figure 3]({CHAPTER}#figure-3-and-the-side-studies).",
        STUDIES,
    ),
)
