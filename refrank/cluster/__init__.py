"""Training on a cluster, to the bits of one machine: the rows are cut into shards, and sums over rows are joined.

Reading order: `communicator`, what shards send each other; `joins`, what comes of it; `member` and `driver`, shards
that run step by step, and are made again when they are lost; `local`, `dask_actors` and `mpi`, the engines that carry
the messages; `engines`, the choice. `refrank.trees.sharded` puts the sums of a tree on top, and
`refrank.estimators.sharded` the training of a ranker.
"""

from refrank.cluster.engines import use as use
from refrank.cluster.joins import ClusterError as ClusterError
from refrank.cluster.joins import JoinError as JoinError

__all__ = ["ClusterError", "JoinError", "use"]
