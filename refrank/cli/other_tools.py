"""Flags of LightGBM, XGBoost and RankLib, and what they are here."""

ROUNDS = ("--n-rounds", "--n-trees", "--n-epochs")
LEAVES = ("--n-leaves", "--max-depth")
NONE = ("refrank has nothing of the kind",)
TRAIN = ("here the file of training rows is a plain argument",)
ALGORITHM = ("here it is the algorithm, the first word after `refrank train`",)
PENALTY = ("the papers' trees have no penalty; --min-samples-leaf and --learning-rate restrain them",)
RANKERS = "the first word after `refrank train`: gbrt for 0, ranknet for 1, lambdarank for 5, rf for 8"
PREDICT = ("scores are printed by `refrank predict FILE --model MODEL`",)
EVALUATE = ("metrics are printed by `refrank evaluate FILE --model MODEL`",)

FOREIGN: dict[str, dict[str, tuple[str, ...]]] = {
    "LightGBM": {
        **dict.fromkeys(("num_iterations", "num_iteration", "num_trees", "n_iter", "n_estimators"), ROUNDS),
        **dict.fromkeys(("num_leaves", "num_leaf", "max_leaf_nodes"), LEAVES),
        "shrinkage_rate": ("--learning-rate",),
        **dict.fromkeys(("min_data_in_leaf", "min_data", "min_child_samples"), ("--min-samples-leaf",)),
        "max_bin": ("--n-bins",),
        **dict.fromkeys(("feature_fraction", "feature_fraction_bynode"), ("--max-features",)),
        "num_threads": ("--n-threads",),
        **dict.fromkeys(("seed", "random_seed"), ("--random-state",)),
        "verbosity": ("--verbose",),
        "early_stopping_round": ("--early-stopping-rounds",),
        "metric": ("--eval-metric",),
        **dict.fromkeys(("valid_data", "test_data"), ("--valid",)),
        "lambdarank_truncation_level": ("--truncation",),
        **dict.fromkeys(("boosting", "boosting_type", "objective"), ALGORITHM),
        **dict.fromkeys(("output_model", "model_output"), ("--model",)),
        **dict.fromkeys(("input_model", "model_input"), ("--resume",)),
        "snapshot_freq": ("--checkpoint-every",),
        **dict.fromkeys(("data", "train_data"), TRAIN),
        **dict.fromkeys(("lambda_l1", "lambda_l2", "min_gain_to_split", "min_sum_hessian_in_leaf"), PENALTY),
        **dict.fromkeys(("bagging_fraction", "bagging_freq", "label_gain", "categorical_feature", "drop_rate"), NONE),
        "zero_as_missing": ("here it is --missing-value 0, of the rankers that have --missing",),
        "task": ("here it is the command: train, predict or evaluate",),
    },
    "XGBoost": {
        **dict.fromkeys(("num_round", "num_rounds", "num_boost_round", "n_estimators"), ROUNDS),
        "eta": ("--learning-rate",),
        "max_leaves": LEAVES,
        "min_child_weight": ("--min-samples-leaf",),
        "max_bin": ("--n-bins",),
        **dict.fromkeys(("colsample_bynode", "colsample_bytree", "colsample_bylevel"), ("--max-features",)),
        "nthread": ("--n-threads",),
        "seed": ("--random-state",),
        "verbosity": ("--verbose",),
        "base_score": ("--initial",),
        "lambdarank_num_pair_per_sample": ("--truncation",),
        **dict.fromkeys(("booster", "objective"), ALGORITHM),
        "model_out": ("--model",),
        "model_in": ("--resume",),
        "save_period": ("--checkpoint-every",),
        "data": TRAIN,
        **dict.fromkeys(("lambda", "alpha", "gamma", "reg_lambda", "reg_alpha", "min_split_loss"), PENALTY),
        **dict.fromkeys(("subsample", "tree_method", "max_delta_step", "grow_policy"), NONE),
    },
    "RankLib": {
        "tree": ROUNDS,
        "bag": ("--n-trees",),
        "epoch": ("--n-epochs",),
        "leaf": LEAVES,
        "shrinkage": ("--learning-rate",),
        "lr": ("--learning-rate",),
        "tc": ("--n-bins",),
        "mls": ("--min-samples-leaf",),
        "estop": ("--early-stopping-rounds",),
        "frate": ("--max-features",),
        "node": ("--hidden",),
        "gmax": ("--max-grade",),
        "thread": ("--n-threads",),
        "metric2t": ("--eval-metric",),
        "validate": ("--valid",),
        "save": ("--model",),
        "silent": ("here it is --verbose 0",),
        "train": TRAIN,
        "ranker": (f"here it is {RANKERS}",),
        **dict.fromkeys(("rank", "score", "load"), PREDICT),
        **dict.fromkeys(("test", "metric2T"), EVALUATE),
        **dict.fromkeys(("srate", "rtype", "layer", "feature", "norm", "kcv", "tvs", "tts", "sparse", "round"), NONE),
    },
}


def find_foreign(flag: str) -> tuple[str, tuple[str, ...]] | None:
    """Find the tools that have a flag, and what it is here: a sentence, or flags of which an algorithm has one.

    >>> find_foreign("--num-leaves")
    ('LightGBM', ('--n-leaves', '--max-depth'))
    >>> find_foreign("-tc")
    ('RankLib', ('--n-bins',))
    """
    name = flag.lstrip("-").replace("-", "_")
    tools = [tool for tool, flags in FOREIGN.items() if name in flags]
    return (" and ".join(tools), FOREIGN[tools[0]][name]) if tools else None
