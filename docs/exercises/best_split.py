"""The exercise best_split: refrank check best_split.py --task best_split"""


def best_split(sums, offsets, min_samples_leaf, missing):
    """The cut with the largest split_gain, of equal ones the first; feature and bin -1, and zeros, where none gains.

    McRank Alg. 1, line 5; docs/reference/numerics.md, rule 3:

        the cut that takes most off the squared error: (S_l/n_l - S_r/n_r)^2 n_l n_r / (n_l + n_r)

    Parameters
    ----------
    sums : int64, (n_slots, 2 or 3)
    offsets : int64, (n_features + 1,): feature f has the slots offsets[f] .. offsets[f + 1] - 1
    min_samples_leaf : integer
    missing : int64, (n_features,), 0, 1 or 2; or None

    Returns
    -------
    feature : integer
    bin : integer; rows with code <= bin go left
    split_gain : float64
    left_sum : integer
    left_count : integer
    left_weight : integer; left_count without weights
    """
    raise NotImplementedError
