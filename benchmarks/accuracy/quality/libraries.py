"""All rankers of the comparison. A library that cannot be imported is left out, and named."""

from importlib.metadata import version

from benchmarks.accuracy.quality import (
    ours,
    with_catboost,
    with_lightgbm,
    with_scikit_learn,
    with_xgboost,
    with_ydf,
)
from benchmarks.accuracy.quality.rankers import ComparedRanker

LIBRARIES = (with_lightgbm, with_xgboost, with_scikit_learn, with_catboost, with_ydf)


def list_rankers() -> tuple[list[ComparedRanker], dict[str, str], list[str]]:
    """List the rankers, refrank's first, the version of each library by its name, and the libraries left out."""
    entries, versions, left_out = [*ours.RANKERS], {"refrank": version("refrank")}, []
    for module in LIBRARIES:
        library, (_, _, number) = module.RANKERS[0].library, module.NAME.partition(" ")
        if number:
            entries += module.RANKERS
            versions[library] = number
        else:
            left_out.append(library)
    return entries, versions, left_out
