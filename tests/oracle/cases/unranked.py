"""Functions composed of operations, in traced functions whose tensors have an unknown rank."""

from oracle.inputs import tensor
from oracle.registry import case

ROWS = {
    "dct": lambda tf, x: tf.signal.dct(x),
    "dct ortho": lambda tf, x: tf.signal.dct(x, 3, norm="ortho"),
    "stft": lambda tf, x: tf.signal.stft(x, 4, 2),
    "frames": lambda tf, x: tf.signal.frame(x, 3, 2),
    "overlap": lambda tf, x: tf.signal.overlap_and_add(x, 2),
    "mask": lambda tf, x: tf.boolean_mask(x, [True, False, True]),
    "mask matrix": lambda tf, x: tf.boolean_mask(x, [[True, False] * 2] * 3),
    "mask axis": lambda tf, x: tf.boolean_mask(x, [True, False] * 2, axis=1),
    "diagonals": lambda tf, x: tf.linalg.diag_part(x, k=(-1, 1)),
    "matrices": lambda tf, x: tf.linalg.diag(x[..., :2, :], k=(0, 1)),
    "set diagonals": lambda tf, x: tf.linalg.set_diag(
        x, tf.linalg.diag_part(-x, k=(0, 1)), k=(0, 1)
    ),
    "set diagonal": lambda tf, x: tf.linalg.set_diag(x, tf.linalg.diag_part(-x, k=1), k=1),
    "blocks": lambda tf, x: tf.space_to_batch(x, [3, 1], [[2, 0], [1, 0]]),
    "unblocked": lambda tf, x: tf.batch_to_space(x, [3], [[0, 1]]),
    "contrast": lambda tf, x: tf.image.adjust_contrast(x, 0.5),
    "tensordot": lambda tf, x: tf.tensordot(x, x, [[0, 1], [0, 1]]),
    "tensordot last": lambda tf, x: tf.tensordot(x, tf.ones([5, 2]), 1),
    "einsum": lambda tf, x: tf.einsum("...ij,...kj->...ik", x, x),
    "one diagonal": lambda tf, x: tf.linalg.tensor_diag(x[..., 0, 0]),
    "diagonal part": lambda tf, x: tf.linalg.tensor_diag_part(tf.tensordot(x, x, 0)),
    "roll": lambda tf, x: tf.roll(x, [1, 2], [0, -1]),
    "frames of rows": lambda tf, x: tf.signal.frame(x, 2, 1, axis=0),
    "frames before": lambda tf, x: tf.signal.frame(x, 3, 2, True, axis=-2),
    "shift back": lambda tf, x: tf.signal.ifftshift(x, [-1]),
    "vectors": lambda tf, x: tf.linalg.svd(tf.cast(x, tf.complex64), compute_uv=False),
    "flip": lambda tf, x: tf.image.stateless_random_flip_left_right(x, [1, 2]),
    "flip down": lambda tf, x: tf.image.stateless_random_flip_up_down(x, [1, 2]),
}


@case(use=ROWS, shape=((3, 4, 5), (3, 4, 2, 5)), loose=10)
def of_any_rank(tf, use, shape):
    x = tensor(tf, shape)
    run = tf.function(
        lambda x: use(tf, x), input_signature=[tf.TensorSpec(None, x.dtype)], autograph=False
    )
    return run(x)
