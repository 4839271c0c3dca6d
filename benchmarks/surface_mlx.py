"""The surface's operations as MLX programs write them; what its API lacks is left out.

Each function takes `mlx.core` and the sizes that its namesake among TensorFlow's takes.
"""

import importlib

from arrays import below, positive, uniform


def namesake(operation):
    """The function of this name, its results evaluated; None if there is none."""
    here = globals().get(operation.__name__)
    if here is None:
        return None

    def ready(mx, *sizes):
        step = here(mx, *sizes)

        def evaluated():
            result = step()
            mx.eval(result)
            return result

        return evaluated

    return ready


def gather(mx, rows, columns, count):
    x, places = mx.array(uniform(rows, columns)), mx.array(below(rows, count))
    return lambda: x[places]


def strided_slice(mx, rows, columns):
    x = mx.array(uniform(rows, columns))
    end = rows * 5 // 8
    return lambda: mx.contiguous(x[2:end:3, ::-1])


def concat(mx, rows, columns):
    parts = [mx.array(uniform(rows, columns))] * 4
    return lambda: mx.concatenate(parts, 1)


def stack_slices(mx, columns):
    rows = list(mx.array(uniform(1000, columns)))
    mx.eval(rows)
    return lambda: mx.stack(rows)


def where(mx, rows, columns):
    x = uniform(rows, columns)
    x, y, condition = mx.array(x), mx.array(x * 2), mx.array(x > 0)
    return lambda: mx.where(condition, x, y)


def cumsum(mx, *shape):
    x = mx.array(uniform(*shape))
    return lambda: mx.cumsum(x, -1)


def top_k(mx, k, *shape):
    x = mx.array(uniform(*shape))
    # TensorFlow gives the largest first, MLX gives them in no order.
    return lambda: mx.sort(mx.topk(x, k))[..., ::-1]


def sort(mx, *shape):
    x = mx.array(uniform(*shape))
    return lambda: mx.sort(x)


def unsorted_segment_sum(mx, segments, *shape):
    x, places = mx.array(uniform(*shape)), mx.array(below(segments, shape[0]))
    return lambda: mx.zeros((segments, *shape[1:])).at[places].add(x)


def einsum(mx, *shape):
    q, k = mx.array(uniform(*shape)), mx.array(uniform(*shape) * 2)
    return lambda: mx.einsum("bhqd,bhkd->bhqk", q, k)


def batched_matmul(mx, *shape):
    a, b = mx.array(uniform(*shape)), mx.array(uniform(*shape) * 2)
    return lambda: mx.matmul(a, b)


def layer_norm(mx, rows, columns):
    x, scale = mx.array(uniform(rows, columns)), mx.ones([columns])
    offset = mx.zeros([columns])
    return lambda: mx.fast.layer_norm(x, scale, offset, 1e-3)


def cholesky(mx, count, size):
    x = mx.array(positive(count, size))
    return lambda: mx.linalg.cholesky(x, stream=mx.cpu)


def argmax(mx, axis, *shape):
    x = mx.array(uniform(*shape))
    return lambda: mx.argmax(x, axis)


def sum_rows(mx, *shape):
    x = mx.array(uniform(*shape))
    return lambda: mx.sum(x, -1)


def max_columns(mx, *shape):
    x = mx.array(uniform(*shape))
    return lambda: mx.max(x, 0)


def gather_in_rows(mx, count, *shape):
    x, places = mx.array(uniform(*shape)), mx.array(below(shape[1], shape[0], count))
    return lambda: mx.take_along_axis(x, places, 1)


def flip(mx, *shape):
    x = mx.array(uniform(*shape))
    return lambda: mx.contiguous(x[:, ::-1])


def cumsum_columns(mx, *shape):
    x = mx.array(uniform(*shape))
    return lambda: mx.cumsum(x, 0)


def half_product(mx, size):
    x = mx.array(uniform(size, size)).astype(mx.float16)
    return lambda: mx.matmul(x, x)


def sigmoid_cross_entropy(mx, *shape):
    losses = importlib.import_module("mlx.nn").losses
    x = uniform(*shape)
    labels, logits = mx.array((x > 0).astype("f")), mx.array(x * 4)
    return lambda: losses.binary_cross_entropy(logits, labels, with_logits=True, reduction="none")
