"""A library's results in a mode of promotion: `python promotion_answers.py LIBRARY MODE`."""

import importlib
import pathlib
import sys

import numpy as np

TABLE = pathlib.Path(__file__).with_suffix(".txt")


def expressions():
    """Each expression with TensorFlow's results in the modes "all" and "safe"."""
    for line in TABLE.read_text().splitlines():
        if line and not line.startswith("#"):
            expression, _, answers = line.partition(" => ")
            in_all, _, in_safe = answers.partition(" | ")
            yield expression, {"all": in_all, "safe": in_safe or in_all}


def shown(value):
    """A value as text: for tensors the dtype, the elements, and whether they are weak."""
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return f"[{', '.join(map(shown, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {shown(part)}' for key, part in value.items())}}}"
    kind = type(value).__name__
    if not kind.endswith("Tensor") or not hasattr(value, "numpy"):
        return repr(value)
    weak = "weak " if kind.endswith("WeakTensor") else ""
    return f"{weak}{value.dtype.name} {rounded(value.numpy().tolist())}"


def rounded(elements):
    if isinstance(elements, list):
        return [rounded(element) for element in elements]
    return round(elements, 5) if isinstance(elements, float) else elements


def gradients(tf, x):
    """A product and its gradient by a factor."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * tf.constant(2.0)
    return y, tape.gradient(y, x)


def main(library, mode):
    tf = importlib.import_module(library)
    tnp = tf.experimental.numpy
    tnp.experimental_enable_numpy_behavior(dtype_conversion_mode=mode)
    names = {"tf": tf, "tnp": tnp, "np": np, "gradients": lambda x: gradients(tf, x)}
    for expression, _ in expressions():
        try:
            answer = shown(eval(expression, names))
        except Exception as error:
            answer = type(error).__name__
        print(f"{expression} => {answer}".replace("\n", " "))


if __name__ == "__main__":
    main(*sys.argv[1:])
