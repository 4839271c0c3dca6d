"""Docstrings of classes describe every argument, also those that a base describes."""

import inspect
import pydoc

import pytest

import eagerflow as tf
from eagerflow.util.argument_docs import ArgumentDocs

CLASSES = [
    (module, name)
    for module in (
        tf.keras.optimizers,
        tf.keras.optimizers.legacy,
        tf.keras.layers,
        tf.keras.losses,
        tf.keras.metrics,
        tf.linalg,
    )
    for name in dir(module)
    if inspect.isclass(getattr(module, name))
    and isinstance(vars(getattr(module, name)).get("__doc__"), ArgumentDocs)
]


def test_there_are_many():
    assert len(CLASSES) > 60


@pytest.mark.parametrize(
    ("module", "name"), CLASSES, ids=lambda value: getattr(value, "__name__", value)
)
def test_every_argument_is_described_in_order(module, name):
    cls = getattr(module, name)
    described = [
        line.split(":")[0].strip().lstrip("*")
        for line in cls.__doc__.split("\n")
        if line.startswith("    ") and not line.startswith("     ") and ": " in line
    ]
    parameters = list(inspect.signature(cls.__init__).parameters)[1:]
    assert [entry for entry in described if entry in parameters] == parameters


def test_help_shows_them():
    text = pydoc.render_doc(tf.keras.optimizers.Adam, renderer=pydoc.plaintext)
    assert "clipnorm: the largest norm of each gradient." in text


def test_programs_write_their_own():
    class Own(tf.keras.optimizers.Adam):
        """My optimizer."""

    class Bare(tf.keras.optimizers.Adam):
        pass

    assert Own.__doc__ == Own().__doc__ == "My optimizer."
    assert Bare.__doc__ is None
