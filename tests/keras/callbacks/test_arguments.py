"""Arguments that callbacks and `compile` have no use for are warned about."""

import warnings

import pytest

import eagerflow as tf

callbacks = tf.keras.callbacks


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: callbacks.ModelCheckpoint("model", save_frequency=3), "save_frequency"),
        (lambda: callbacks.ReduceLROnPlateau(min_rate=1e-5), "min_rate"),
        (lambda: callbacks.LambdaCallback(on_epoch_ends=print), "on_epoch_ends"),
        (lambda: callbacks.BackupAndRestore("b", save_before_preemption=True), "preemption"),
    ],
)
def test_callbacks(make, name):
    with pytest.warns(UserWarning, match=name) as said:
        make()
    assert said[0].filename == __file__


def test_known_ones_are_not(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        callbacks.ModelCheckpoint("model", period=2, load_weights_on_restart=False)
        callbacks.ReduceLROnPlateau(epsilon=0.1)
        callbacks.LambdaCallback(on_test_batch_end=print, on_epoch_end=print)
        callbacks.BackupAndRestore(str(tmp_path))
        tf.keras.Sequential().compile("sgd", "mse", auto_scale_loss=True)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sample_weight_mode", "temporal"),
        ("experimental_run_tf_function", False),
        ("pss_evaluation_shards", 2),
    ],
)
def test_compile(name, value):
    with pytest.warns(UserWarning, match=f"{name}=.* has no effect") as said:
        tf.keras.Sequential().compile("sgd", "mse", **{name: value})
    assert said[0].filename == __file__


def test_losses_need_not_be_scaled():
    tf.keras.mixed_precision.set_global_policy("mixed_float16")
    try:
        for scaled in (True, False):
            model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
            model.compile("sgd", "mse", auto_scale_loss=scaled)
            kind = tf.keras.mixed_precision.LossScaleOptimizer
            assert isinstance(model.optimizer, kind) == scaled
    finally:
        tf.keras.mixed_precision.set_global_policy("float32")
