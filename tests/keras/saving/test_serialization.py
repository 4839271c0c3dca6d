"""Every class of Keras comes back from its configuration, and from what `serialize` gives."""

import inspect
import json

import pytest

import eagerflow as tf

keras = tf.keras


layers = keras.layers


NEEDED = {
    "activation": "relu",
    "alpha": 0.5,
    "axes": 1,
    "cell": layers.LSTMCell(2),
    "cells": [layers.GRUCell(2), layers.GRUCell(2)],
    "class_id": 0,
    "equation": "ab,bc->ac",
    "factor": 0.5,
    "filters": 2,
    "function": abs,
    "head_dim": 2,
    "height": 2,
    "height_factor": 0.2,
    "inner_optimizer": keras.optimizers.SGD(),
    "input_dim": 4,
    "kernel_size": 2,
    "key_dim": 2,
    "max_number": 2,
    "mean_value": 1.0,
    "n": 2,
    "dims": (2, 1),
    "normalizer": [1.0],
    "num_bins": 3,
    "num_classes": 3,
    "num_heads": 2,
    "num_key_value_heads": 1,
    "num_query_heads": 2,
    "num_tokens": 4,
    "output_dim": 2,
    "output_shape": 3,
    "output_size": 2,
    "precision": 0.5,
    "rate": 0.5,
    "recall": 0.5,
    "scale": 2.0,
    "sensitivity": 0.5,
    "specificity": 0.5,
    "stddev": 0.5,
    "target_class_ids": [0],
    "target_shape": (2, 3),
    "units": 3,
    "width": 3,
    "width_factor": 0.2,
    "boundaries": [1.0, 2.0],
    "values": [1.0, 0.5, 0.1],
    "initial_learning_rate": 0.1,
    "decay_steps": 10,
    "decay_rate": 0.9,
    "first_decay_steps": 10,
    "end_learning_rate": 0.01,
    "name": "own",
    "fn": keras.losses.mean_squared_error,
    "num_thresholds": 5,
}


OWN = {"CategoryEncoding": {"num_tokens": 4}, "RandomPosterization": {"factor": 3}}


# Bases that are not made, and what is made of parts that no configuration tells.
LEFT_OUT = {
    "AbstractRNNCell", "DenseFeatures", "Layer", "Wrapper", "InputSpec", "TFSMLayer", "Lambda",
    "TimeDistributed", "Bidirectional", "SpectralNormalization", "Pipeline", "Loss", "Metric",
    "Optimizer", "Initializer", "Regularizer", "Constraint", "LearningRateSchedule",
    "SumOverBatchSizeMetricWrapper", "Reduction", "MeanMetricWrapper", "LossFunctionWrapper",
    "FeatureSpace", "SequenceFeatures", "LossScaleOptimizer",
}  # fmt: skip


MODULES = (
    layers,
    keras.losses,
    keras.metrics,
    keras.optimizers,
    keras.optimizers.schedules,
    keras.initializers,
    keras.regularizers,
    keras.constraints,
)


CLASSES = {
    f"{module.__name__.rpartition('.')[2]}.{name}": getattr(module, name)
    for module in MODULES
    for name in dir(module)
    if inspect.isclass(getattr(module, name))
    and hasattr(getattr(module, name), "from_config")
    and getattr(module, name).__name__ == name
    and name not in LEFT_OUT
    and name[0] != "_"  # what only others are made of
}


def made(kind):
    """An object with arguments for all that have no default."""
    parameters = inspect.signature(kind).parameters.values()
    needed = {
        p.name: NEEDED[p.name]
        for p in parameters
        if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD
    }
    return kind(**needed | OWN.get(kind.__name__, {}))


def plain(config):
    """A configuration as files have it."""
    return json.loads(json.dumps(config, default=str, sort_keys=True))


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_configurations(name):
    kind = CLASSES[name]
    first = made(kind)
    config = first.get_config()
    again = kind.from_config(config)
    assert type(again) is kind
    assert plain(again.get_config()) == plain(config)
    serialize = keras.utils.serialize_keras_object
    third = keras.utils.deserialize_keras_object(serialize(first))
    assert type(third) is kind
    assert plain(third.get_config()) == plain(config)


@pytest.mark.parametrize("legacy", [False, True])
@pytest.mark.parametrize(
    "namespace", ["activations", "constraints", "initializers", "losses", "metrics", "regularizers"]
)
@pytest.mark.filterwarnings("ignore:The `keras")
def test_registered_functions_come_back(namespace, legacy) -> None:
    @keras.utils.register_keras_serializable("Package")
    def own_function(*args):
        return args[0]

    module = getattr(keras, namespace)
    config = module.serialize(own_function, use_legacy_format=legacy)
    if legacy:
        assert config == "Package>own_function"
    else:
        assert config["config"] == "Package>own_function"
        assert config["registered_name"] == "function"
    assert module.deserialize(config, use_legacy_format=legacy) is own_function
