"""LinearOperator*: numbers, products and solutions, algebra with hints, batches, gradients, errors."""

import numpy as np

from oracle.registry import case, expressions

FULL = [[2.0, 1.0, 0.0], [0.5, 3.0, 0.25], [0.0, 0.25, 4.0]]
SYMMETRIC = [[2.0, 0.5, 0.0], [0.5, 3.0, 0.25], [0.0, 0.25, 4.0]]


def constant(tf, value, dtype="float64"):
    return tf.constant(np.array(value), dtype)


def batch(tf, value):
    """Two of a parameter, the second of which is larger."""
    value = np.array(value)
    return constant(tf, np.stack([value, 1.5 * value]))


OPERATORS = {
    "diag": lambda L, c: L.LinearOperatorDiag(c([2.0, 3.0, -4.0])),
    "positive diag": lambda L, c: L.LinearOperatorDiag(
        c([2.0, 3.0, 4.0]), is_positive_definite=True
    ),
    "identity": lambda L, c: L.LinearOperatorIdentity(3, dtype="float64"),
    "identities": lambda L, c: L.LinearOperatorIdentity(3, batch_shape=[2], dtype="float64"),
    "scaled": lambda L, c: L.LinearOperatorScaledIdentity(3, c(-2.5)),
    "full": lambda L, c: L.LinearOperatorFullMatrix(c(FULL)),
    "symmetric": lambda L, c: L.LinearOperatorFullMatrix(
        c(SYMMETRIC), is_self_adjoint=True, is_positive_definite=True
    ),
    "triangle": lambda L, c: L.LinearOperatorLowerTriangular(c(FULL)),
    "band": lambda L, c: L.LinearOperatorTridiag(
        c([[1.0, 2.0, 9.0], [4.0, 5.0, 6.0], [9.0, 1.0, 2.0]]), diagonals_format="compact"
    ),
    "band matrix": lambda L, c: L.LinearOperatorTridiag(c(FULL), diagonals_format="matrix"),
    "band sequence": lambda L, c: L.LinearOperatorTridiag(
        [c([1.0, 2.0, 9.0]), c([4.0, 5.0, 6.0]), c([9.0, 1.0, 2.0])], diagonals_format="sequence"
    ),
    "householder": lambda L, c: L.LinearOperatorHouseholder(c([1.0, -2.0, 3.0])),
    "toeplitz": lambda L, c: L.LinearOperatorToeplitz(c([4.0, 2.0, 3.0]), c([4.0, 1.0, 0.5])),
    "circulant": lambda L, c: L.LinearOperatorCirculant(
        c([6.0, 2.0 + 1.0j, 2.0 - 1.0j], "complex128"), input_output_dtype="float64"
    ),
    "adjoint": lambda L, c: L.LinearOperatorAdjoint(L.LinearOperatorFullMatrix(c(FULL))),
    "inversion": lambda L, c: L.LinearOperatorInversion(L.LinearOperatorFullMatrix(c(FULL))),
    "composition": lambda L, c: L.LinearOperatorComposition(
        [L.LinearOperatorFullMatrix(c(FULL)), L.LinearOperatorDiag(c([2.0, 3.0, 4.0]))]
    ),
    "update": lambda L, c: L.LinearOperatorLowRankUpdate(
        L.LinearOperatorDiag(c([2.0, 3.0, 4.0]), is_positive_definite=True),
        c([[1.0], [2.0], [-1.0]]),
    ),
    "two vectors": lambda L, c: L.LinearOperatorLowRankUpdate(
        L.LinearOperatorDiag(c([2.0, 3.0, 4.0])),
        c([[1.0, 0.0], [2.0, 1.0], [0.0, 1.0]]),
        diag_update=c([2.0, 0.5]),
        v=c([[1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]),
    ),
    "kronecker": lambda L, c: L.LinearOperatorKronecker(
        [L.LinearOperatorDiag(c([2.0])), L.LinearOperatorFullMatrix(c(FULL))]
    ),
    "block diag": lambda L, c: L.LinearOperatorBlockDiag(
        [L.LinearOperatorDiag(c([2.0, 3.0])), L.LinearOperatorFullMatrix(c([[2.0]]))]
    ),
    "blocks": lambda L, c: L.LinearOperatorBlockLowerTriangular(
        [
            [L.LinearOperatorDiag(c([2.0, 3.0]))],
            [L.LinearOperatorFullMatrix(c([[1.0, 2.0]])), L.LinearOperatorFullMatrix(c([[4.0]]))],
        ]
    ),
    "permutation": lambda L, c: L.LinearOperatorPermutation(
        np.array([2, 0, 1], np.int32), dtype="float64"
    ),
}
BATCHED = ("diag", "scaled", "full", "triangle", "householder", "toeplitz", "update", "adjoint")
COMPLEX = {
    "diag": lambda L, c: L.LinearOperatorDiag(c([1 + 1j, 2 - 1j])),
    "scaled": lambda L, c: L.LinearOperatorScaledIdentity(2, c(1 + 2j)),
    "full": lambda L, c: L.LinearOperatorFullMatrix(c([[1 + 1j, 2], [0.5j, 3 - 1j]])),
    "triangle": lambda L, c: L.LinearOperatorLowerTriangular(c([[1 + 1j, 2], [0.5j, 3 - 1j]])),
    "householder": lambda L, c: L.LinearOperatorHouseholder(c([1 + 1j, 2 - 1j])),
    "circulant": lambda L, c: L.LinearOperatorCirculant(
        c([1 + 1j, 2 - 1j]), input_output_dtype="complex128"
    ),
    "toeplitz": lambda L, c: L.LinearOperatorToeplitz(c([1 + 1j, 2]), c([1 + 1j, 3j])),
    "adjoint": lambda L, c: L.LinearOperatorFullMatrix(c([[1 + 1j, 2], [0.5j, 3 - 1j]])).H,
    "block diag": lambda L, c: L.LinearOperatorBlockDiag(
        [L.LinearOperatorDiag(c([1 + 1j])), L.LinearOperatorFullMatrix(c([[2j]]))]
    ),
}


def numbers(tf, operator):
    size = operator.shape[-1]
    x = tf.reshape(tf.cast(tf.range(1, 2 * size + 1), operator.dtype), [size, 2])
    found = {
        "dense": operator.to_dense(),
        "shape": operator.shape_tensor(),
        "matmul": operator.matmul(x),
        "adjoint": operator.matmul(x, adjoint=True),
        "adjoint_arg": operator.matmul(tf.transpose(x), adjoint_arg=True)
        if not operator.dtype.is_complex
        else operator.matmul(tf.linalg.adjoint(x), adjoint_arg=True),
        "matvec": operator.matvec(x[:, 0]),
        "solve": operator.solve(x),
        "solve adjoint": operator.solve(x, adjoint=True),
        "solvevec": operator.solvevec(x[:, 1]),
        "determinant": operator.determinant(),
        "log": operator.log_abs_determinant(),
        "diag": operator.diag_part(),
        "trace": operator.trace(),
        "sum": operator.add_to_tensor(tf.ones_like(operator.to_dense())),
        "cond": operator.cond(),
        "at": operator @ x,
    }
    if "Circulant" not in type(operator).__name__:  # TensorFlow's forget the dtype
        found |= {"H": operator.H.to_dense(), "inverse": operator.inverse().to_dense()}
    if operator.is_self_adjoint:
        found["eigvals"] = tf.sort(tf.math.real(operator.eigvals()), axis=-1)
    return found


@case(loose=100, name=OPERATORS)
def real(tf, name):
    return numbers(tf, name(tf.linalg, lambda *a: constant(tf, *a)))


@case(loose=100, name=COMPLEX)
def complex_numbers(tf, name):
    return numbers(tf, name(tf.linalg, lambda value: constant(tf, value, "complex128")))


@case(loose=100, name=BATCHED)
def batches(tf, name):
    return numbers(tf, OPERATORS[name](tf.linalg, lambda *a: batch(tf, *a)))


@case(loose=100, depth=(2, 3))
def block_circulant(tf, depth):
    kind = {2: tf.linalg.LinearOperatorCirculant2D, 3: tf.linalg.LinearOperatorCirculant3D}[depth]
    spectrum = tf.reshape(tf.cast(tf.range(1, 5 if depth == 2 else 9), "complex128"), [2] * depth)
    operator = kind(spectrum, input_output_dtype="complex128")
    return {**numbers(tf, operator), "kernel": operator.convolution_kernel()}


@case(loose=100, name=[name for name in OPERATORS if name not in ("permutation", "identities")])
def gradients(tf, name):
    parameters = []

    def watched(*args):
        tensor = constant(tf, *args)
        tape.watch(tensor)
        parameters.append(tensor)
        return tensor

    with tf.GradientTape() as tape:
        operator = OPERATORS[name](tf.linalg, watched)
        x = tf.reshape(tf.cast(tf.range(1, 7), operator.dtype), [3, 2])
        loss = tf.reduce_sum(operator.solve(x) ** 2) + operator.log_abs_determinant()
        loss += tf.reduce_sum(operator.matmul(x))
    return [g for g in tape.gradient(loss, parameters) if g is not None]


def described(operator):
    hints = (
        operator.is_non_singular,
        operator.is_self_adjoint,
        operator.is_positive_definite,
        operator.is_square,
    )
    return [type(operator).__name__, operator.name, *map(str, hints), str(operator.shape)]


@case(left=OPERATORS)
def algebra(tf, left):
    c = lambda *a: constant(tf, *a)  # noqa: E731
    one = left(tf.linalg, c)
    found = {"H": described(one.H), "inverse": described(one.inverse())}
    for name, right in OPERATORS.items():
        other = right(tf.linalg, c)
        found[f"@ {name}"] = described(one @ other)
        found[f"solve {name}"] = described(one.solve(other))
    return found


@case(loose=100, name=("positive diag", "symmetric", "identity", "update"))
def cholesky(tf, name):
    factor = OPERATORS[name](tf.linalg, lambda *a: constant(tf, *a)).cholesky()
    return {"factor": factor.to_dense(), "described": described(factor)}


@case
def functions_of_matrices(tf):
    operator = tf.linalg.LinearOperatorLowerTriangular(constant(tf, FULL))
    x = constant(tf, np.arange(6.0).reshape(3, 2))
    L = tf.linalg
    return {
        "adjoint": described(L.adjoint(operator)),
        "det": L.det(operator),
        "logdet": L.logdet(OPERATORS["positive diag"](L, lambda *a: constant(tf, *a))),
        "diag_part": L.diag_part(operator),
        "inv": described(L.inv(operator)),
        "matmul": L.matmul(operator, x),
        "matmul adjoint": L.matmul(operator, x, adjoint_a=True),
        "matmul left": L.matmul(tf.transpose(x), operator),
        "at left": tf.transpose(x) @ operator,
        "matvec": L.matvec(operator, x[:, 1]),
        "solve": L.solve(operator, x),
        "trace": L.trace(operator),
    }


@case
def batch_slices(tf):
    L = tf.linalg
    rows = constant(tf, np.arange(1.0, 13.0).reshape(2, 2, 3))
    operator = L.LinearOperatorDiag(rows)
    update = L.LinearOperatorLowRankUpdate(operator, constant(tf, [[1.0], [0.0], [2.0]]))
    return {
        "one": operator[1].to_dense(),
        "two": operator[0, 1].to_dense(),
        "range": operator[:, 1:].to_dense(),
        "rest": operator[..., 0].to_dense(),
        "update": update[1].to_dense(),
    }


@case
def lists_of_blocks(tf):
    L = tf.linalg
    c = lambda *a: constant(tf, *a)  # noqa: E731
    parts = [c([[1.0], [2.0]]), c([[3.0]])]
    vectors = [c([1.0, 2.0]), c([3.0])]
    found = {}
    for name in ("block diag", "blocks"):
        operator = OPERATORS[name](L, c)
        found[name] = [
            *operator.matmul(parts),
            *operator.matmul(parts, adjoint=True),
            *operator.solve(parts),
            *operator.matvec(vectors),
            *operator.solvevec(vectors, adjoint=True),
        ]
    return found


@case
def in_functions(tf):
    L = tf.linalg
    c = lambda *a: constant(tf, *a)  # noqa: E731
    traces = []

    @tf.function
    def solve(operator, x):
        traces.append(type(operator).__name__)
        return operator.solve(x), operator.inverse()

    x = c([[1.0], [2.0], [3.0]])
    found = []
    for name in ("diag", "full", "update", "block diag", "toeplitz"):
        solution, inverse = solve(OPERATORS[name](L, c), x)
        found += [solution, inverse.matmul(x)]
        solve(OPERATORS[name](L, c), x)
    return {"found": found, "traces": traces}


@case
def variables(tf):
    variable = tf.Variable(constant(tf, [1.0, 2.0]))
    operator = tf.linalg.LinearOperatorDiag(variable)
    before = operator.to_dense()
    variable.assign([3.0, 4.0])
    with tf.GradientTape() as tape:
        trace = operator.trace()
    return {
        "before": before,
        "after": operator.to_dense(),
        "gradient": tape.gradient(trace, variable),
        "count": len(operator.trainable_variables),
    }


def run(tf, expression):
    names = {
        "tf": tf,
        "L": tf.linalg,
        "D": tf.linalg.LinearOperatorDiag,
        "F": tf.linalg.LinearOperatorFullMatrix,
        "full": tf.constant(FULL),
        "rect": tf.linalg.LinearOperatorFullMatrix(tf.ones([2, 3])),
    }
    value = eval(expression, names)
    return described(value) if isinstance(value, tf.linalg.LinearOperator) else value


ARGUMENTS = """
D(3.)
F([1.])
D([1, 2])
D([1., 2], is_self_adjoint=False)
D([1., 2], is_square=False)
F(full, is_square=False)
F(full).matmul(tf.ones([3, 3], tf.float64))
F(full).matmul(tf.ones([4, 3]))
F(full).matvec(tf.ones([4]))
F(full, is_positive_definite=True, is_non_singular=False)
rect.solve(tf.ones([2, 2]))
rect.determinant()
rect.inverse()
rect @ rect
rect @ D([1., 2, 3])
rect.solve(D([1., 2]))
F(full).cholesky()
F(full).eigvals()
F(full).assert_positive_definite()
D([1., -2]).assert_positive_definite()
D([1., 0]).assert_non_singular()
D([1., 2]).assert_self_adjoint()
F(full).assert_self_adjoint()
F(tf.ones([2, 2])).assert_non_singular()
D([1., 2], is_non_singular=False).solve([[1.], [2]])
L.LinearOperatorIdentity(-1)
L.LinearOperatorIdentity(2.)
L.LinearOperatorIdentity([2])
L.LinearOperatorIdentity(2, batch_shape=[2.])
L.LinearOperatorIdentity(2, is_self_adjoint=False)
L.LinearOperatorIdentity(2, is_non_singular=False)
L.LinearOperatorScaledIdentity(2, 1., is_square=False)
L.LinearOperatorScaledIdentity(2, 1., is_self_adjoint=False)
L.LinearOperatorZeros(2, is_self_adjoint=False)
L.LinearOperatorZeros(2, 3, is_square=True)
L.LinearOperatorZeros(2, 3, is_square=False, is_self_adjoint=True).matmul(tf.ones([3, 2]))
L.LinearOperatorZeros(2).to_dense()
L.LinearOperatorZeros(2).inverse()
L.LinearOperatorZeros(2).assert_non_singular()
L.LinearOperatorZeros(3) @ F(full)
F(full) @ L.LinearOperatorZeros(3)
L.LinearOperatorLowerTriangular(full, is_square=False)
L.LinearOperatorPermutation([0., 1.])
L.LinearOperatorPermutation([0, 0])
L.LinearOperatorPermutation([0, 1], is_square=False)
L.LinearOperatorTridiag([1., 2], diagonals_format="x")
L.LinearOperatorHouseholder(1.)
L.LinearOperatorHouseholder([1., 0], is_positive_definite=True)
L.LinearOperatorCirculant(1.)
L.LinearOperatorCirculant([1., 2, 3], is_self_adjoint=False)
L.LinearOperatorToeplitz([1., 2], [2., 1, 3])
L.LinearOperatorToeplitz(1., [1., 1])
L.LinearOperatorLowRankUpdate(D([1., 2]), [[1.]])
L.LinearOperatorLowRankUpdate(D([1., 2]), [[1.], [2]], diag_update=[1., 2])
L.LinearOperatorLowRankUpdate(rect, [[1.], [2]])
L.LinearOperatorComposition([])
L.LinearOperatorComposition([D([1., 2]), D(tf.constant([1., 2], tf.float64))])
L.LinearOperatorComposition([F(tf.eye(2), is_non_singular=True)], is_non_singular=False)
L.LinearOperatorKronecker([])
L.LinearOperatorBlockDiag([])
L.LinearOperatorBlockDiag([rect, D([1.])])
L.LinearOperatorBlockLowerTriangular([])
L.LinearOperatorBlockLowerTriangular([[D([1.])], [D([1.])]])
L.LinearOperatorBlockLowerTriangular([[rect]])
L.LinearOperatorBlockLowerTriangular([[D([1.])], [F([[1., 2]]), D([1.])]])
L.LinearOperatorInversion(rect)
L.LinearOperatorInversion(F(tf.eye(2)), is_non_singular=False)
L.LinearOperatorInversion(F(tf.eye(2), is_self_adjoint=True), is_self_adjoint=False)
L.LinearOperatorAdjoint(F(tf.eye(2), is_self_adjoint=True), is_self_adjoint=False)
L.LinearOperator(tf.float32)
tf.convert_to_tensor(D([1., 2]))
[str(d) for d in rect.shape.dims] + [str(rect.domain_dimension), str(rect.range_dimension)]
[rect.tensor_rank, int(rect.tensor_rank_tensor()), rect.batch_shape.as_list(), rect.graph_parents == []]
tf.nest.flatten(D([1., 2]), expand_composites=True)
"""

expressions("linear_operators", ARGUMENTS, run, loose=100)
