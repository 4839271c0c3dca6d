"""Steps and answers on processors that others use, too: beside busy processes, and in half of the time.

Everything waits there for threads that do not run; who uses many of them, or spins, waits longest.
"""

import functools
from dataclasses import replace

import cnn
import gpt
import lstm
import models
import small_served
import traced
from workload import CROWDS, Target, Workload

ANSWERED = 16
PEERS = ("tf.function", "torch", "tensorflow", "onnxruntime")


def bases() -> list[Workload]:
    """What is measured without a crowd elsewhere, and a layer of an encoder that is served."""
    names = {"traced-perceptron", "cnn-small", "cnn-large", "lstm", "gpt", "serve-mlp", "serve-cnn"}
    families = (traced, cnn, lstm, gpt, small_served)
    found = [w for family in families for w in family.WORKLOADS if w.name in names]
    served = Workload(
        name="encoder-layer",
        title=f"a layer of BERT's encoder, inference, batch {ANSWERED}",
        target=Target("tf.function", 1.0),
        contenders={
            "eagerflow": functools.partial(answers, models.with_tensorflow),
            "tf.function": functools.partial(answers, models.with_tensorflow),
            "torch": functools.partial(answers, models.with_torch),
        },
    )
    return [*found, served]


def answers(with_framework, module):
    """A Case of one framework."""
    return with_framework(module, models.encoder_layer, ANSWERED)


def in_a_crowd(base: Workload, crowd: str) -> Workload:
    """The same with processors that others use."""
    peers = [name for name in PEERS if name in base.contenders]
    tensorflow = next(name for name in ("tf.function", "tensorflow") if name in peers)
    return replace(
        base,
        name=f"{crowd}-{base.name}",
        title=f"{base.title}, {CROWDS[crowd]}",
        target=Target(tensorflow, 1.0),
        also=(),
        work=None,
        crowd=crowd,
        contenders={name: base.contenders[name] for name in ("eagerflow", *peers)},
    )


WORKLOADS = [in_a_crowd(base, crowd) for crowd in CROWDS for base in bases()]
