"""The exercise igbrt_start: refrank check igbrt_start.py --task igbrt_start"""


def igbrt_start(y, predictions):
    """The residuals from which boosting starts: y minus the mean of the trees, added in their order.

    iGBRT Alg. 1, line 5, and Alg. 3, line 2:

        r_i = y_i - F(x_i), where F is the mean of the forest's trees

    Parameters
    ----------
    y : float64, (n,)
    predictions : float64, (n_trees, n): what each tree predicts

    Returns
    -------
    residual : float64, (n,)
    """
    raise NotImplementedError
