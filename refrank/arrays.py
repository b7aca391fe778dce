"""Types of arrays, each defined once. Where an array is used, its shape and content stand beside its name."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Matrix = NDArray[np.floating]  # X, (n_samples, n_features): float32 or float64
Labels = NDArray[np.integer]  # y, (n_samples,): 0..K-1
SmallLabels = NDArray[np.int8]  # the same, in rankings
Places = NDArray[np.intp]  # indices of an array, such as an argsort

# of the splitter (refrank/trees/splitting.py)
Codes = NDArray[np.uint8] | NDArray[np.uint16]  # labels of bins
Rows = NDArray[np.int32]  # numbers of rows, features or nodes
Flags = NDArray[np.int8]
