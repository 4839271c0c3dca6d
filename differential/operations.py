"""The operations of programs: templates, and those whose arguments depend on each other."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

from builder import COMPLEX, FLOATS, Builder, Unfit


def _templates() -> dict[str, list[str]]:
    families: dict[str, list[str]] = {}
    for line in (Path(__file__).parent / "operations.txt").read_text().splitlines():
        if line.startswith("== "):
            family = families.setdefault(line[3:], [])
        elif line and not line.startswith("#"):
            family += line.split(" | ")
    return families


TEMPLATES = _templates()


def matmul(b: Builder) -> str | None:
    """Products of matrices, batched and transposed."""
    left = b.operand("c", "2+")
    shape, dtype = b.shape_of(left), b.dtype_of(left)
    other, inner = b.flag(3), shape[-1]
    size = b.integer(1, 4)
    batch = shape[:-2] if b.flag(2) else ()
    right = b.operand(
        "c", shape=(*batch, *((size, inner) if other else (inner, size))), dtype=dtype
    )
    return b.add("tf.matmul", f"tf.matmul({left}, {right}, transpose_b={other})", [left, right])


def convolution(b: Builder) -> str | None:
    """Convolutions of one to three dimensions."""
    rank = b.integer(1, 3)
    dtype = b.pick(("float32", "float32", "float64", "float16"))
    channels = b.pick((1, 2, 4))
    spatial = [b.integer(1, 6) for _ in range(rank)]
    window = [b.integer(1, 3) for _ in range(rank)]
    groups = 2 if channels > 1 and b.flag(4) else 1
    x = b.operand("f", shape=(b.integer(1, 2), *spatial, channels), dtype=dtype)
    w = b.operand("f", shape=(*window, channels // groups, 2 * b.integer(1, 2)), dtype=dtype)
    strides, dilations = b.integer(1, 2), 1
    if strides == 1:
        dilations = b.integer(1, 2)
    padding = b.pick(("SAME", "VALID"))
    if any(dilations * (w - 1) >= size for w, size in zip(window, spatial, strict=True)):
        padding = "SAME"  # TensorFlow crashes at gradients without elements
    call = f"tf.nn.convolution({x}, {w}, {strides}, {padding!r}, dilations={dilations})"
    return b.add("tf.nn.convolution", call, [x, w])


def depthwise(b: Builder) -> str | None:
    """Depthwise convolutions of images."""
    dtype = b.pick(("float32", "float64"))
    channels = b.integer(1, 3)
    x = b.operand(
        "f", shape=(b.integer(1, 2), b.integer(2, 5), b.integer(2, 5), channels), dtype=dtype
    )
    w = b.operand(
        "f", shape=(b.integer(1, 3), b.integer(1, 3), channels, b.integer(1, 2)), dtype=dtype
    )
    stride = b.integer(1, 2)
    call = f"tf.nn.depthwise_conv2d({x}, {w}, [1, {stride}, {stride}, 1], {b.pick(('SAME', 'VALID'))!r})"
    return b.add("tf.nn.depthwise_conv2d", call, [x, w])


def transposed(b: Builder) -> str | None:
    """Transposed convolutions of images."""
    side, out, channels = b.integer(1, 4), b.integer(1, 3), b.integer(1, 2)
    stride, window = b.integer(1, 3), b.integer(1, 3)
    x = b.operand("f", shape=(1, side, side, channels), dtype="float32")
    w = b.operand("f", shape=(window, window, out, channels), dtype="float32")
    padding = b.pick(("SAME", "VALID"))
    size = side * stride + (max(window - stride, 0) if padding == "VALID" else 0)
    call = f"tf.nn.conv2d_transpose({x}, {w}, [1, {size}, {size}, {out}], {stride}, {padding!r})"
    return b.add("tf.nn.conv2d_transpose", call, [x, w])


def pooling(b: Builder) -> str | None:
    """Maxima and means over windows."""
    rank = b.integer(1, 3)
    dtype = b.pick(("float32", "float32", "float64", "float16"))
    shape = (b.integer(1, 2), *(b.integer(1, 6) for _ in range(rank)), b.integer(1, 3))
    x = b.operand("f", shape=shape, dtype=dtype)
    kind, padding = b.pick(("MAX", "AVG")), b.pick(("SAME", "VALID"))
    window, stride = b.integer(1, 3), b.integer(1, 3)
    call = f"tf.nn.pool({x}, [{window}] * {rank}, {kind!r}, [{stride}] * {rank}, {padding!r})"
    return b.add("tf.nn.pool", call, [x])


def gather(b: Builder) -> str | None:
    """Elements by indices along an axis, with batches now and then."""
    x = b.operand("a", "1+")
    shape = b.shape_of(x)
    axis = b.integer(0, len(shape) - 1)
    batches = axis if axis and b.flag(2) else 0
    indices = b.indices(shape[axis], (*shape[:batches], *b.pick([(), (1,), (3,), (2, 2), (0,)])))
    call = f"tf.gather({x}, {indices}, axis={axis}, batch_dims={batches})"
    return b.add("tf.gather", call, [x, indices])


def _nd_indices(b: Builder, shape: tuple) -> tuple[str, tuple, tuple]:
    depth = b.integer(1, len(shape))
    lead = b.pick([(1,), (2,), (3,), (2, 2)])
    limit = min(shape[:depth])
    indices = b.indices(limit, (*lead, depth))
    return indices, lead, shape[depth:]


def gather_nd(b: Builder) -> str | None:
    """Slices by indices of several dimensions."""
    x = b.operand("a", "1+")
    indices, _, _ = _nd_indices(b, b.shape_of(x))
    return b.add("tf.gather_nd", f"tf.gather_nd({x}, {indices})", [x, indices])


def scatter(b: Builder) -> str | None:
    """Scattered updates of tensors; those that replace have different indices."""
    x = b.operand("r", "1+")
    shape = b.shape_of(x)
    indices, lead, rest = _nd_indices(b, shape)
    how = b.pick(("add", "sub", "max", "min"))
    updates = b.operand("r", shape=(*lead, *rest), dtype=b.dtype_of(x))
    call = f"tf.tensor_scatter_nd_{how}({x}, {indices}, {updates})"
    return b.add(f"tf.tensor_scatter_nd_{how}", call, [x, indices, updates])


def scatter_nd(b: Builder) -> str | None:
    """New tensors from scattered sums."""
    shape = b.pick([(3,), (2, 3), (4, 1, 2)])
    indices, lead, rest = _nd_indices(b, shape)
    updates = b.operand("n", shape=(*lead, *rest))
    call = f"tf.scatter_nd({indices}, {updates}, {list(shape)})"
    return b.add("tf.scatter_nd", call, [indices, updates])


def segments(b: Builder) -> str | None:
    """Reductions over segments, sorted or not."""
    x = b.operand("n", "1+")
    rows = b.shape_of(x)[0]
    how = b.pick(("sum", "mean", "prod", "max", "min", "sqrt_n"))
    if rows > 1000:
        raise Unfit
    if how == "sqrt_n" or b.flag(2):
        ids = b.indices(4, (rows,), low=-1 if b.flag(5) else 0)
        call, op = f"{x}, {ids}, 4", f"tf.math.unsorted_segment_{how}"
    else:
        unsorted = b.indices(4, (rows,))
        ids = b.add("tf.sort", f"tf.sort({unsorted})", [unsorted])
        call, op = f"{x}, {ids}", f"tf.math.segment_{how}"
    if ids is None:
        raise Unfit
    return b.add(op, f"{op}({call})", [x, ids])


def einsum(b: Builder) -> str | None:
    """Products by Einstein's notation, of letters drawn."""
    sizes = {letter: b.integer(1, 3) for letter in "abcd"}
    left = "".join(b.pick("abcd") for _ in range(b.integer(1, 3)))
    right = "".join(b.pick("abcd") for _ in range(b.integer(1, 3)))
    both = sorted(set(left + right))
    out = "".join(letter for letter in both if b.flag(2))
    if len(set(left)) < len(left) or len(set(right)) < len(right):
        raise Unfit
    dtype = b.pick(("float32", "float64", "complex64"))
    x = b.operand("c", shape=[sizes[k] for k in left], dtype=dtype)
    y = b.operand("c", shape=[sizes[k] for k in right], dtype=dtype)
    return b.add("tf.einsum", f"tf.einsum('{left},{right}->{out}', {x}, {y})", [x, y])


def square_matrices(b: Builder) -> str | None:
    """Decompositions and solutions, of matrices that are well-conditioned."""
    size = b.integer(1, 4)
    batch = b.pick([(), (), (2,), (0,)])
    dtype = b.pick(("float32", "float64", "complex64"))
    seed = b.integer(0, 99)
    diagonal = f"4 * tf.eye({size}, dtype={dtype!r})"
    m = b.named(f"uniform({seed}, {(*batch, size, size)}, {dtype!r}) + {diagonal}")
    rhs = b.operand("c", shape=(*batch, size, b.integer(1, 3)), dtype=dtype)
    spd = f"tf.matmul({m}, {m}, adjoint_b=True)"
    call = b.pick(
        [
            f"tf.linalg.inv({m})",
            f"tf.linalg.solve({m}, {rhs}, adjoint={b.flag(2)})",
            f"tf.linalg.cholesky({spd})",
            f"tf.linalg.cholesky_solve(tf.linalg.cholesky({spd}), {rhs})",
            f"tf.linalg.triangular_solve({m}, {rhs}, lower={b.flag(2)}, adjoint={b.flag(2)})",
            f"tf.linalg.det({m})",
            f"tf.linalg.slogdet({m})",
            f"tf.linalg.logdet({spd})",
            f"tf.linalg.eigvalsh({spd})",
            f"tf.linalg.svd({m}, compute_uv=False)",
            f"tf.linalg.expm({m} / 8)",
            f"tf.linalg.lstsq({m}, {rhs})",
            f"tf.linalg.pinv({m})",
            f"tf.linalg.lu({m})",
        ]
    )
    return b.add(call[: call.index("(")], call, [m, rhs] if rhs in call else [m])


def casts(b: Builder) -> str | None:
    """A cast of any tensor to a dtype of floats or back."""
    x = b.operand("n")
    dtype = b.pick((*FLOATS, *COMPLEX, "int32", "int64", "uint8", "bool"))
    return b.add("tf.cast", f"tf.cast({x}, {dtype!r})", [x])


def concat(b: Builder) -> str | None:
    """Tensors of different lengths, one after the other, and split again."""
    x = b.operand("a", "1+")
    shape, axis = list(b.shape_of(x)), 0
    axis = b.integer(0, len(shape) - 1)
    shape[axis] = b.integer(0, 3)
    y = b.operand("a", shape=shape, dtype=b.dtype_of(x))
    both = b.add("tf.concat", f"tf.concat([{x}, {y}], {axis})", [x, y])
    if both is None or not b.flag(3):
        return both
    sizes = [b.shape_of(y)[axis], b.shape_of(x)[axis]]
    return b.add("tf.split", f"tf.split({both}, {sizes}, {axis})[1]", [both])


def blocks(b: Builder) -> str | None:
    """Space to batch and depth, and back."""
    x = b.operand("n", shape=(b.pick((1, 4)), 2 * b.integer(1, 2), 2 * b.integer(1, 3), 4))
    return b.template_of(
        x,
        (
            "tf.nn.space_to_depth({}, 2)",
            "tf.nn.depth_to_space({}, 2)",
            "tf.space_to_batch({}, [2, 2], [[0, 0], [1, 1]])",
        ),
    )


def dropped(b: Builder) -> str | None:
    """A stateless random number for the shape of another tensor."""
    x = b.operand("f")
    if math.prod(b.shape_of(x)) > 1000:
        raise Unfit
    call = f"tf.random.stateless_uniform(tf.shape({x}), [{b.integer(0, 9)}, 2], dtype='float32')"
    return b.add("tf.random.stateless_uniform", call, [x])


MAKERS: list[Callable[[Builder], str | None]] = [
    *(matmul, matmul, convolution, depthwise, transposed, pooling, gather, gather_nd, scatter),
    *(scatter_nd, segments, segments, einsum, square_matrices, square_matrices, casts, concat),
    *(blocks, dropped),
]


# Elements of operands where results may be much larger, or take long.
LIMITS = {"shapes": 500, "linalg": 300, "nn": 5000, "strings": 500, "makers": 4000}


def step(b: Builder, families: tuple[str, ...]) -> str | None:
    """Adds one operation, and returns the name of its value unless it raised."""
    for _ in range(3):
        family = b.pick(families)
        b.operands = []
        b.limit = LIMITS.get(family, 60_000)
        try:
            if family == "makers":
                return b.pick(MAKERS)(b)
            return b.template(b.pick(TEMPLATES[family]))
        except Unfit:
            continue
        finally:
            b.limit = 60_000
    return None
