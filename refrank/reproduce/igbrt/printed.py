"""Numbers that iGBRT prints, as data: Tables 1 to 4, and the claims of Sec. 1 and 7 about Table 3."""

from collections.abc import Mapping, Sequence

import numpy as np

COLUMNS = ("Set 1", "Set 2", "F1", "F2", "F3", "F4", "F5")
METHODS = ("GBRT", "RF", "iGBRT")

# iGBRT Table 1: iGBRT (R) from forests of so many trees, on Yahoo Set 2
TABLE_1 = {
    "trees": (0, 100, 1000, 10000),
    "RMSE": (0.64132, 0.63416, 0.63097, 0.63047),
    "ERR": (0.45669, 0.45956, 0.46170, 0.46257),
    "NDCG": (0.76575, 0.77080, 0.77712, 0.77805),
}

# iGBRT Table 2: one number per column
TABLE_2 = {
    "train": {
        "features": (700, 700, 136, 136, 136, 136, 136),
        "documents": (473134, 34815, 723412, 716683, 719111, 718768, 722602),
        "queries": (19944, 1266, 6000, 6000, 6000, 6000, 6000),
        "documents per query": (22.723, 26.5, 119.569, 118.447, 118.852, 118.795, 119.434),
        "missing": (0.68178, 0.67399, 0.37228, 0.37331, 0.37263, 0.37163, 0.37282),
    },
    "test": {
        "documents": (165660, 103174, 241521, 241988, 239093, 242331, 235259),
        "queries": (6983, 3798, 6000, 6000, 6000, 6000, 6000),
        "documents per query": (22.723, 26.165, 119.761, 119.994, 118.547, 120.167, 116.6295),
        "missing": (0.68113, 0.67378, 0.37368, 0.36901, 0.37578, 0.37204, 0.37215),
    },
}

Results = Mapping[tuple[str, str], Sequence[float]]  # of (method, "R" or "C"), one number per data set

# iGBRT Table 3
TABLE_3: dict[str, dict[tuple[str, str], tuple[float, ...]]] = {
    "ERR": {
        ("GBRT", "R"): (0.45304, 0.45669, 0.35914, 0.35539, 0.35579, 0.36039, 0.37076),
        ("RF", "R"): (0.46349, 0.46212, 0.35481, 0.35458, 0.34775, 0.35853, 0.36853),
        ("iGBRT", "R"): (0.46301, 0.46303, 0.35787, 0.35985, 0.35383, 0.36491, 0.37422),
        ("GBRT", "C"): (0.45448, 0.46008, 0.36264, 0.36168, 0.35990, 0.36498, 0.37549),
        ("RF", "C"): (0.46308, 0.46200, 0.35868, 0.35677, 0.35003, 0.36364, 0.37052),
        ("iGBRT", "C"): (0.46360, 0.46246, 0.36232, 0.36198, 0.35486, 0.36744, 0.37430),
    },
    "NDCG": {
        ("GBRT", "R"): (0.76991, 0.76587, 0.47958, 0.48014, 0.47477, 0.48302, 0.48705),
        ("RF", "R"): (0.79575, 0.77552, 0.47493, 0.48105, 0.47177, 0.48238, 0.49027),
        ("iGBRT", "R"): (0.79575, 0.77725, 0.47863, 0.48847, 0.47842, 0.48927, 0.49688),
        ("GBRT", "C"): (0.77246, 0.77132, 0.48385, 0.48477, 0.47705, 0.48908, 0.49383),
        ("RF", "C"): (0.79544, 0.77373, 0.47761, 0.48202, 0.47208, 0.48563, 0.48935),
        ("iGBRT", "C"): (0.79672, 0.77591, 0.48366, 0.48858, 0.47868, 0.49084, 0.49581),
    },
}

# iGBRT Table 4: minutes on Yahoo Set 2, eight cores
TABLE_4 = {
    "iterations": ("RF 10000", "RF 1000", "GBRT 1000", "iGBRT 10000/500"),
    "R": (130, 16, 103, 181),
    "C": (768, 77, 388, 842),
}

# Not in the paper: RankLib's random forest (30 bags of one tree, 100 leaves, 30% of the features) on the test set of
# MQ2008's fold 1. NDCG@10 by the convention "paper", ERR with the highest grade 2
RANKLIB = {"ERR": 0.2928, "NDCG": 0.4676}


def check_claims(results: Results) -> dict[str, list[bool]]:
    """Return where each claim is true, per data set; for the first claim, per method and data set."""
    of = {key: np.array(values) for key, values in results.items()}
    others = np.max([of[method, setting] for method in ("RF", "GBRT") for setting in ("R", "C")], axis=0)
    claims = {
        "classification outperforms regression (each method, each data set)": np.concatenate(
            [of[method, "C"] > of[method, "R"] for method in METHODS]
        ),
        "iGBRT (C) outperforms RF and GBRT, both settings": of["iGBRT", "C"] > others,
        "RF (C) is better than GBRT (R)": of["RF", "C"] > of["GBRT", "R"],
        "RF (C) is better than GBRT (C)": of["RF", "C"] > of["GBRT", "C"],
    }
    return {claim: held.tolist() for claim, held in claims.items()}
