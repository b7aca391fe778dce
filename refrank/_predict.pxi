"""The part of the kernel for prediction, included by _split.pyx: `add_trees` of refrank/trees/splitting.py."""


def add_trees(
    const real_t[:, :] X,
    const int64_t[::1] roots,
    const int32_t[::1] feature,
    const double[::1] cut,
    const int32_t[::1] left,
    const int32_t[::1] right,
    const double[::1] value,
    double[::1] scores,
    int n_threads,
):
    cdef Py_ssize_t n_samples = X.shape[0], n_trees = roots.shape[0], block, tree, i, node
    cdef Py_ssize_t n_blocks = (n_samples + 255) // 256
    for block in prange(n_blocks, nogil=True, schedule="static", num_threads=n_threads):
        for tree in range(n_trees):
            for i in range(block * 256, min(n_samples, block * 256 + 256)):
                node = roots[tree]
                while feature[node] >= 0:
                    node = roots[tree] + (left[node] if X[i, feature[node]] < cut[node] else right[node])
                scores[i] += value[node]
