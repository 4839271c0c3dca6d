"""Checkpoints of eager programs of the first generation, their optimizers included."""

import pytest

import eagerflow
from eagerflow.contrib import eager as tfe

tf = eagerflow.compat.v1


def trained(steps, make=tf.train.AdamOptimizer):
    v = tfe.Variable([1.0, 2.0], name="v")
    optimizer = make(0.1)
    step = tfe.Variable(0, dtype=tf.int64, name="step")
    for _ in range(steps):
        optimizer.minimize(lambda: tf.reduce_sum(v * v), global_step=step)
    return v, optimizer, step


@pytest.mark.parametrize(
    "make",
    [
        tf.train.AdamOptimizer,
        tf.train.RMSPropOptimizer,
        lambda rate: tf.train.MomentumOptimizer(rate, 0.9),
    ],
    ids=["adam", "rmsprop", "momentum"],
)
@pytest.mark.parametrize("late", [False, True], ids=["slots first", "slots later"])
def test_training_goes_on(tmp_path, make, late):
    v, optimizer, step = trained(3, make)
    checkpoint = tfe.Checkpoint(v=v, optimizer=optimizer, step=step)
    path = checkpoint.save(str(tmp_path / "model"))
    expected, _, _ = trained(5, make)

    v, optimizer, step = trained(0 if late else 1, make)
    status = tfe.Checkpoint(v=v, optimizer=optimizer, step=step).restore(path)
    for _ in range(2):
        optimizer.minimize(lambda: tf.reduce_sum(v * v), global_step=step)
    status.assert_consumed()
    assert int(step) == 5
    assert v.numpy().tolist() == pytest.approx(expected.numpy().tolist())


def test_names_in_the_file(tmp_path):
    v, optimizer, _ = trained(1)
    path = tfe.Checkpoint(v=v, optimizer=optimizer).save(str(tmp_path / "model"))
    names = [name for name, _ in tf.train.list_variables(path)]
    assert "optimizer/beta1_power/.ATTRIBUTES/VARIABLE_VALUE" in names
    assert "v/.OPTIMIZER_SLOT/optimizer/m/.ATTRIBUTES/VARIABLE_VALUE" in names
