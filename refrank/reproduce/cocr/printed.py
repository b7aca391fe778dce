"""What COCR prints of its data sets and claims, held as data; the bodies of its tables are not in the text at hand."""

from dataclasses import dataclass

MAX_GRADE = 4  # K of all four


@dataclass(frozen=True)
class PrintedSet:
    """One data set of Sec. 5.1: queries and documents of training, validation and test, or of the whole."""

    name: str
    n_queries: tuple[int, ...]
    n_documents: tuple[int, ...]
    n_features: int


# COCR Sec. 5.1
SETS = (
    PrintedSet("LTRC1", (19_944, 2_994, 6_983), (473_134, 71_083, 165_660), 700),
    PrintedSet("LTRC2", (1_266, 1_266, 3_798), (4_815, 34_881, 103_174), 700),
    PrintedSet("MS10K", (10_000,), (1_200_192,), 136),
    PrintedSet("MS30K", (31_531,), (3_771_125,), 136),
)

# Documents of Yahoo!'s Set 1 and Set 2, all parts together, as TensorFlow Datasets counts them (yahoo_ltrc)
YAHOO_DOCUMENTS = (709_877, 172_870)

# What Sec. 5 says, in its words: who stands above whom, by which measure
CLAIMS = {
    "direct": 'claim 1, "the proposed COCR framework can outperform a direct use of regression"',
    "oerr": 'claim 2, the oERR cost can "boost the quality of ranking in terms of the ERR criterion"',
    "squared": 'Sec. 5.3, "COCR with the squared cost is the best of the three settings" (NDCG@10)',
}
