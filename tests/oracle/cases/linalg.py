"""Matrix products and einsum: batches, flags, dtypes, gradients."""

from oracle.inputs import ALL, gradient, gradient2, resolve, tensor
from oracle.registry import case

SHAPES = {
    "2x3@3x4": ((2, 3), (3, 4)),
    "1x1": ((1, 1), (1, 1)),
    "1x3@3x1": ((1, 3), (3, 1)),
    "3x1@1x3": ((3, 1), (1, 3)),
    "17x33@33x9": ((17, 33), (33, 9)),
    "batch": ((5, 2, 3), (5, 3, 4)),
    "broadcast right": ((5, 2, 3), (3, 4)),
    "broadcast left": ((2, 3), (5, 3, 4)),
    "broadcast both": ((4, 1, 2, 3), (5, 3, 2)),
    "5d": ((2, 1, 2, 2, 3), (1, 3, 1, 3, 2)),
    "empty rows": ((0, 3), (3, 4)),
    "empty inner": ((2, 0), (0, 4)),
    "empty batch": ((0, 2, 3), (0, 3, 4)),
}


@case(shapes=SHAPES)
def matmul(tf, shapes):
    return tf.matmul(tensor(tf, shapes[0]), tensor(tf, shapes[1], seed=1))


@case(name=[name for name in SHAPES if name != "17x33@33x9"])
def matmul_gradient(tf, name):
    left, right = SHAPES[name]
    return gradient(tf, tf.matmul, tensor(tf, left), tensor(tf, right, seed=1))["grads"]


@case(loose=10, name=("2x3@3x4", "batch", "broadcast right", "broadcast both"))
def matmul_gradient2(tf, name):
    left, right = SHAPES[name]
    left, right = tensor(tf, left, "float64"), tensor(tf, right, "float64", seed=1)
    return gradient2(tf, tf.matmul, left, right)


@case(sweep=True, dtype=ALL)
def matmul_dtype(tf, dtype):
    return tf.matmul(tensor(tf, (2, 3), dtype), tensor(tf, (3, 2), dtype, seed=1))


FLAGS = {
    "transpose_a": {"transpose_a": True},
    "transpose_b": {"transpose_b": True},
    "both": {"transpose_a": True, "transpose_b": True},
    "adjoint_a": {"adjoint_a": True},
    "adjoint_b": {"adjoint_b": True},
    "adjoint_a transpose_b": {"adjoint_a": True, "transpose_b": True},
}


def flagged(flags, batch=()):
    left = (4, 3) if "transpose_a" in flags or "adjoint_a" in flags else (3, 4)
    right = (2, 4) if "transpose_b" in flags or "adjoint_b" in flags else (4, 2)
    return (*batch, *left), (*batch, *right)


@case(flags=FLAGS, dtype=("float32", "complex64", "int32"), batch=((), (2,)))
def matmul_flags(tf, flags, dtype, batch):
    left, right = flagged(flags, batch)
    return tf.matmul(tensor(tf, left, dtype), tensor(tf, right, dtype, seed=1), **flags)


@case(loose=2, flags=FLAGS, dtype=("float32", "complex64"), batch=((), (2,)))
def matmul_flags_gradient(tf, flags, dtype, batch):
    left, right = flagged(flags, batch)
    return gradient(
        tf,
        lambda a, b: tf.matmul(a, b, **flags),
        tensor(tf, left, dtype),
        tensor(tf, right, dtype, seed=1),
    )["grads"]


@case(loose=10, flags=FLAGS)
def matmul_flags_gradient2(tf, flags):
    left, right = flagged(flags)
    return gradient2(
        tf,
        lambda a, b: tf.matmul(a, b, **flags),
        tensor(tf, left, "float64"),
        tensor(tf, right, "float64", seed=1),
    )


FORMS = {
    "lists": lambda tf: tf.matmul([[1.0, 2.0]], [[3.0], [4.0]]),
    "operator": lambda tf: tf.constant([[1.0, 2.0]]) @ tf.constant([[3.0], [4.0]]),
    "operator list": lambda tf: tf.constant([[1, 2]]) @ [[3], [4]],
    "reflected": lambda tf: [[1.0, 2.0]] @ tf.constant([[3.0], [4.0]]),
    "linalg": lambda tf: tf.linalg.matmul([[1, 2], [3, 4]], [[1, 0], [0, 1]]),
    "variable": lambda tf: tf.matmul(tf.Variable([[1.0, 2.0]]), tf.Variable([[3.0], [4.0]])),
    "variable operator": lambda tf: tf.Variable([[1.0, 2.0]]) @ tf.constant([[3.0], [4.0]]),
    "same matrix": lambda tf: gradient(
        tf, lambda x: tf.matmul(x, x, transpose_b=True), tensor(tf, (2, 3))
    ),
    "vector as row": lambda tf: tf.matmul(tf.constant([1.0, 2.0])[None], tf.ones([2, 2])),
}


@case(form=FORMS)
def matmul_form(tf, form):
    return form(tf)


EQUATIONS = {
    "ij,jk->ik": ((2, 3), (3, 4)),
    "ij,jk": ((2, 3), (3, 4)),
    "ij,kj->ik": ((2, 3), (4, 3)),
    "ji,jk->ki": ((3, 2), (3, 4)),
    "bij,bjk->bik": ((2, 3, 4), (2, 4, 2)),
    "bij,jk->bik": ((2, 3, 4), (4, 2)),
    "i,i->": ((3,), (3,)),
    "i,j->ij": ((2,), (3,)),
    "ij,ij->ij": ((2, 3), (2, 3)),
    "ij,ij->": ((2, 3), (2, 3)),
    "ij->ji": ((2, 3),),
    "ij->": ((2, 3),),
    "ij->i": ((2, 3),),
    "ij->j": ((2, 3),),
    "ii->": ((3, 3),),
    "ii->i": ((3, 3),),
    "iij->j": ((3, 3, 2),),
    "abc->cab": ((2, 3, 4),),
    "ba": ((2, 3),),
    "...ij,...jk->...ik": ((2, 3, 4), (2, 4, 2)),
    "...ij,jk->...ik": ((2, 1, 3, 4), (4, 2)),
    "...i->...": ((2, 3, 4),),
    "i...->...": ((2, 3, 4),),
    "b...i,b...i->b...": ((2, 3, 4), (2, 3, 4)),
    "bhqd,bhkd->bhqk": ((1, 2, 3, 4), (1, 2, 2, 4)),
    "ij,jk,kl->il": ((2, 3), (3, 4), (4, 2)),
    "i,j,k->ijk": ((2,), (3,), (2,)),
    "abcde,edcba->": ((2, 1, 3, 1, 2), (2, 1, 3, 1, 2)),
    " ij , jk -> ik ": ((2, 3), (3, 4)),
    ",->": ((), ()),
}


@case(equation=list(EQUATIONS))
def einsum(tf, equation):
    shapes = EQUATIONS[equation]
    return tf.einsum(equation, *(tensor(tf, s, seed=i) for i, s in enumerate(shapes)))


@case(loose=2, equation=[e for e in EQUATIONS])
def einsum_gradient(tf, equation):
    operands = (tensor(tf, s, seed=i) for i, s in enumerate(EQUATIONS[equation]))
    return gradient(tf, lambda *x: tf.einsum(equation, *x), *operands)["grads"]


@case(loose=10, equation=("ij,jk->ik", "bij,jk->bik", "ij,ij->", "ii->i", "ij,jk,kl->il"))
def einsum_gradient2(tf, equation):
    operands = (tensor(tf, s, "float64", seed=i) for i, s in enumerate(EQUATIONS[equation]))
    return gradient2(tf, lambda *x: tf.einsum(equation, *x), *operands)


@case(sweep=True, dtype=ALL, equation=("ij,jk->ik", "ij->ji", "ij->"))
def einsum_dtype(tf, equation, dtype):
    shapes = EQUATIONS[equation]
    return tf.einsum(equation, *(tensor(tf, s, dtype, seed=i) for i, s in enumerate(shapes)))


@case
def einsum_alias(tf):
    return [
        resolve(tf, "linalg.einsum")("i,i->", tf.range(3), tf.range(3)),
        tf.einsum("ij,jk->ik", tf.Variable([[1.0, 2.0]]), tf.ones([2, 1])),
    ]
