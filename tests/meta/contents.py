"""Contents of each paper, in its order: every place here has a row in docs/reference/papers.md, or a reason why it has
none.

Taken from the papers' own text. The numbers of the claims of COCR Sec. 5 are ours; `CLAIMS` has their words.
"""

LINES = {"McRank Alg. 1": range(10), "McRank Alg. 2": range(7)}
LINES |= {"iGBRT Alg. 1": range(1, 7), "iGBRT Alg. 2": range(1, 10), "iGBRT Alg. 3": range(1, 11)}


def name_lines(algorithm: str) -> list[str]:
    """Name the lines of an algorithm."""
    return [f"{algorithm}, line {line}" for line in LINES[algorithm]]


MCRANK = (
    *("McRank Eq. 1", "McRank Eq. 2", "McRank Eq. 3"),
    *("McRank Lemma 1", "McRank Eq. 4"),
    *("McRank Sec. 3.2", "McRank Sec. 3.3", "McRank Eq. 5", "McRank Eq. 6", "McRank Eq. 7"),
    *name_lines("McRank Alg. 1"),
    *("McRank Sec. 4", "McRank Eq. 8"),
    *("McRank Sec. 5", *name_lines("McRank Alg. 2")),
    *("McRank Sec. 6.1", "McRank Sec. 6.2", "McRank Sec. 6.3", "McRank Table 1", "McRank Sec. 6.4", "McRank Fig. 1"),
    *("McRank App. I", "McRank Fig. 2", "McRank App. II", "McRank Fig. 3"),
)
IGBRT = (
    "iGBRT Sec. 2",
    *("iGBRT Eq. 1", *name_lines("iGBRT Alg. 1"), *name_lines("iGBRT Alg. 2")),
    *("iGBRT Eq. 2", "iGBRT Eq. 3", "iGBRT Fig. 1"),
    *("iGBRT Sec. 5", *name_lines("iGBRT Alg. 3"), "iGBRT Fig. 2", "iGBRT Table 1"),
    *("iGBRT Sec. 6", "iGBRT Theorem 1"),
    *("iGBRT Sec. 7", "iGBRT Table 2", "iGBRT Table 3", "iGBRT Table 4"),
    *("iGBRT Eq. 4", "iGBRT Eq. 5", "iGBRT Definition 1", "iGBRT Eq. 6", "iGBRT Eq. 7"),
)
CLAIMS = {
    "COCR Sec. 5, claim 1": "COCR can outperform a direct use of regression",
    "COCR Sec. 5, claim 2": "the oERR cost boosts ERR",
    "COCR Sec. 5.3, claim 1": "linear: squared above direct in ERR, absolute on some data sets",
    "COCR Sec. 5.3, claim 2": "linear: oERR above direct, absolute and squared in ERR",
    "COCR Sec. 5.3, claim 3": "linear: squared above direct in NDCG",
    "COCR Sec. 5.3, claim 4": "linear: squared is the best cost for NDCG",
    "COCR Sec. 5.3, claim 5": "the oERR cost is equivalent to a cost for NDCG",
    "COCR Sec. 5.4, claim 1": "M5P: direct regression is best at M = 4",
    "COCR Sec. 5.4, claim 2": "M5P: COCR with oERR overfits at M = 4",
    "COCR Sec. 5.4, claim 3": "M5P: COCR above direct in ERR",
    "COCR Sec. 5.4, claim 4": "M5P: oERR has the best ERR",
    "COCR Sec. 5.4, claim 5": "M5P: COCR above direct in NDCG",
    "COCR Sec. 5.5, claim 1": "bagged M5P: COCR above direct at equal rounds",
    "COCR Sec. 5.5, claim 2": "bagged M5P: COCR above direct at equal numbers of trees",
    "COCR Sec. 5.6, claim 1": "GBRT: COCR with any cost above direct",
    "COCR Sec. 5.6, claim 2": "GBRT: oERR is similar or better than direct and the other costs",
}


def name_claims(section: str) -> list[str]:
    """Name the claims of a section of COCR."""
    return [claim for claim in CLAIMS if claim.startswith(f"COCR {section},")]


COCR = (
    *("COCR Sec. 3.1", *(f"COCR Eq. {number}" for number in range(1, 6))),
    *("COCR Sec. 3.2", "COCR Eq. 6", "COCR Theorem 1", "COCR Eq. 7", "COCR Alg. 1"),
    *("COCR Eq. 8", "COCR Eq. 9", "COCR Eq. 10", "COCR Theorem 2", "COCR Eq. 11", "COCR Eq. 12"),
    *("COCR Sec. 4.3", "COCR Eq. 13"),
    *(*name_claims("Sec. 5"), "COCR Sec. 5.1", "COCR Sec. 5.2"),
    *(*name_claims("Sec. 5.3"), "COCR Table 1", "COCR Table 2"),
    *("COCR Sec. 5.4", *name_claims("Sec. 5.4"), "COCR Fig. 1"),
    *("COCR Table 3", "COCR Table 4", "COCR Table 5", "COCR Table 6"),
    *("COCR Sec. 5.5", *name_claims("Sec. 5.5"), "COCR Fig. 2"),
    *("COCR Sec. 5.6", *name_claims("Sec. 5.6"), "COCR Table 7", "COCR Table 8"),
)
CONTENTS = (*MCRANK, *IGBRT, *COCR)

END, ROWS, RETURN = "end of a loop", "the loop over documents: arrays", "what is grown is the model"
NOT_CODE = {
    "McRank Alg. 1, line 8": END,
    "McRank Alg. 1, line 9": END,
    "McRank Alg. 2, line 6": END,
    "iGBRT Alg. 1, line 4": END,
    "iGBRT Alg. 1, line 6": RETURN,
    "iGBRT Alg. 2, line 4": ROWS,
    "iGBRT Alg. 2, line 6": END,
    "iGBRT Alg. 2, line 7": END,
    "iGBRT Alg. 2, line 9": RETURN,
    **{f"iGBRT Alg. 3, line {line}": f"line {line - 1} of Alg. 2, written once" for line in range(3, 9)},
    "iGBRT Alg. 3, line 10": RETURN,
}
