"""Regularizers with the scales of TensorFlow 1."""

from eagerflow.keras.regularizers import L2


def l2_regularizer(scale: float, scope: str | None = None) -> L2:
    """A regularizer: half the sum of squares, times `scale`.

    >>> from eagerflow_compat.contrib.layers import l2_regularizer
    >>> l2_regularizer(0.5)(tf.constant([2.0])).numpy()
    np.float32(1.0)
    """
    return L2(scale / 2)
