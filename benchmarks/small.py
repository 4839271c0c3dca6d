"""Operations on 2×2 matrices, which cost what a framework spends around its arithmetic."""

import numpy as np

from workload import Case, Target, Workload

A = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
B = np.array([[0.5, -1.0], [2.0, 0.25]], np.float32)
# A tape keeps what it records, so a new one is opened after this many additions.
ADDITIONS_PER_TAPE = 1000


def add_loop(a, b, finish=lambda result: None):
    """A Case that adds two matrices; `finish` waits for a result."""

    def run(count):
        result = a
        for _ in range(count):
            result = a + b
        finish(result)

    return Case(run, lambda: np.ravel(np.asarray(a + b)))


def add_tensors(tf):
    return add_loop(tf.constant(A), tf.constant(B))


def add_torch(torch):
    return add_loop(torch.from_numpy(A.copy()), torch.from_numpy(B.copy()))


def add_jax(jax):
    return add_loop(jax.numpy.asarray(A), jax.numpy.asarray(B), jax.block_until_ready)


def add_mlx(mx):
    a, b = mx.array(A), mx.array(B)

    def run(count):
        for _ in range(count):
            mx.eval(a + b)

    return Case(run, lambda: np.ravel(np.asarray(a + b)))


def add_numpy(np):
    return add_loop(A, B)


def add_recorded(tf):
    a = tf.constant(A)
    b = tf.constant(B)

    def run(count):
        while count > 0:
            with tf.GradientTape() as tape:
                tape.watch(a)
                for _ in range(min(count, ADDITIONS_PER_TAPE)):
                    a + b
            count -= ADDITIONS_PER_TAPE

    return Case(run, lambda: np.ravel((a + b).numpy()))


def add_recorded_torch(torch):
    a = torch.from_numpy(A.copy()).requires_grad_()
    b = torch.from_numpy(B.copy())

    def run(count):
        for _ in range(count):
            a + b

    return Case(run, lambda: np.ravel((a + b).detach().numpy()))


def gradient(tf):
    w = tf.Variable(A)
    b = tf.constant(B)

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.matmul(w, b) * w)
        return tape.gradient(loss, w)

    return gradient_case(step)


def gradient_torch(torch):
    w = torch.from_numpy(A.copy()).requires_grad_()
    b = torch.from_numpy(B.copy())

    def step():
        loss = torch.sum(torch.matmul(w, b) * w)
        return torch.autograd.grad(loss, w)[0]

    return gradient_case(step)


def gradient_jax(jax):
    w = jax.numpy.asarray(A)
    b = jax.numpy.asarray(B)
    step = jax.jit(jax.grad(lambda w: jax.numpy.sum(jax.numpy.matmul(w, b) * w)))
    return gradient_case(lambda: step(w), jax.block_until_ready)


def gradient_mlx(mx):
    w, b = mx.array(A), mx.array(B)
    gradient = mx.grad(lambda w: mx.sum(mx.matmul(w, b) * w))

    def step():
        result = gradient(w)
        mx.eval(result)
        return result

    return gradient_case(step)


def gradient_case(step, finish=lambda result: None):
    """A Case of a function that returns a 2×2 gradient."""

    def run(count):
        result = None
        for _ in range(count):
            result = step()
        finish(result)

    return Case(run, lambda: np.ravel(np.asarray(step())))


WORKLOADS = [
    Workload(
        name="add",
        title="`a + b`, 2×2 float32",
        target=Target("numpy", 0.5),
        contenders={
            "eagerflow": add_tensors,
            "tensorflow": add_tensors,
            "torch": add_torch,
            "jax": add_jax,
            "mlx": add_mlx,
            "numpy": add_numpy,
        },
    ),
    Workload(
        name="add-recorded",
        title="`a + b`, 2×2 float32, under a watching tape",
        target=Target("numpy", 0.7),
        contenders={
            "eagerflow": add_recorded,
            "tensorflow": add_recorded,
            "torch": add_recorded_torch,
            "numpy": add_numpy,
        },
    ),
    Workload(
        name="gradient",
        title="tape and gradient of `sum(matmul(w, b) * w)`, 2×2",
        target=Target("torch", 0.1),
        contenders={
            "eagerflow": gradient,
            "tensorflow": gradient,
            "torch": gradient_torch,
            "jax": gradient_jax,
            "mlx": gradient_mlx,
        },
    ),
]
