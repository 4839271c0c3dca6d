"""The names of optimizers' variables, by which checkpoints of version 1 find them."""

import pytest

import eagerflow as tf

v1 = tf.compat.v1
# Makers of optimizers, and how many slots each has for a variable.
OPTIMIZERS = {
    "Momentum": (lambda: v1.train.MomentumOptimizer(0.1, 0.9), 1),
    "Adam": (lambda: v1.train.AdamOptimizer(0.1), 2),
    "Adagrad": (lambda: v1.train.AdagradOptimizer(0.1), 1),
    "Adadelta": (lambda: v1.train.AdadeltaOptimizer(0.1), 2),
    "RMSProp": (lambda: v1.train.RMSPropOptimizer(0.1, momentum=0.5, centered=True), 3),
    "Ftrl": (lambda: v1.train.FtrlOptimizer(0.1), 2),
    "ProximalAdagrad": (lambda: v1.train.ProximalAdagradOptimizer(0.1), 1),
}


def slots(name, count, prefix=""):
    return {f"{prefix}w/{name}" + (f"_{k}" if k else "") for k in range(count)}


def powers(name, prefix=""):
    return {f"{prefix}beta1_power", f"{prefix}beta2_power"} if name == "Adam" else set()


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_scopes_of_names_and_of_variables(name):
    make, count = OPTIMIZERS[name]
    for scope, expected in (
        (v1.name_scope, slots(name, count) | powers(name, "train/")),
        (v1.variable_scope, slots(name, count, "train/") | powers(name, "train/")),
    ):
        with tf.Graph().as_default():
            w = v1.get_variable("w", initializer=[1.0])
            with scope("train"):
                make().minimize(w * w)
            assert {variable.op.name for variable in v1.global_variables()} == expected | {"w"}
        w = v1.Variable([1.0], name="w")
        optimizer = make()
        with scope("train"):
            optimizer.minimize(lambda w=w: w * w, var_list=[w])
        names = {variable.name for variable in optimizer.variables()}
        assert names == {f"{name}:0" for name in expected}


def test_a_second_optimizer_of_a_scope():
    with tf.Graph().as_default():
        w = v1.get_variable("w", initializer=[1.0])
        with v1.name_scope("train"):
            for _ in range(2):
                v1.train.AdamOptimizer(0.1).minimize(w * w)
        names = {variable.op.name for variable in v1.global_variables()}
    numbered = {f"train/beta{k}_power{end}" for k in (1, 2) for end in ("", "_1")}
    assert names == {"w"} | slots("Adam", 4) | numbered


def test_a_checkpoint_of_another_program(tmp_path):
    def program():
        w = v1.get_variable("w", initializer=[1.0])
        with v1.name_scope("train"):
            step = v1.train.AdamOptimizer(0.1).minimize(w * w)
        return w, step

    with tf.Graph().as_default(), v1.Session() as session:
        w, step = program()
        session.run(v1.global_variables_initializer())
        session.run(step)
        path = v1.train.Saver().save(session, str(tmp_path / "model"))
        trained = session.run(w)
    assert "train/beta1_power" in dict(tf.train.list_variables(path))
    with tf.Graph().as_default(), v1.Session() as session:
        w, step = program()
        v1.train.Saver().restore(session, path)
        assert session.run(w) == trained


def test_moving_averages():
    for scope, prefix in ((v1.name_scope, ""), (v1.variable_scope, "train/")):
        with tf.Graph().as_default():
            w = v1.get_variable("w", initializer=[1.0])
            averages = tf.train.ExponentialMovingAverage(0.9)
            with scope("train"):
                averages.apply([w])
            name = f"{prefix}w/ExponentialMovingAverage"
            assert averages.average_name(w) == averages.average(w).op.name == name
            assert list(averages.variables_to_restore([w])) == [name]


def test_scopes_that_reuse_share_no_slots():
    """Each optimizer has its own, and one that is called twice makes them once."""
    with tf.Graph().as_default(), v1.Session() as session:
        with v1.variable_scope("a", reuse=v1.AUTO_REUSE):
            w = v1.get_variable("w", initializer=[1.0, 2.0])
            loss = tf.reduce_sum(w * w)
            optimizer = v1.train.AdamOptimizer(0.1)
            steps = [optimizer.minimize(loss), optimizer.minimize(loss)]
            steps.append(v1.train.AdamOptimizer(0.1).minimize(loss))
        assert [v.op.name for v in v1.global_variables()] == [
            "a/w",
            "a/beta1_power",
            "a/beta2_power",
            "a/a/w/Adam",
            "a/a/w/Adam_1",
            "a/beta1_power_1",
            "a/beta2_power_1",
            "a/a/w/Adam_2",
            "a/a/w/Adam_3",
        ]
        session.run(v1.global_variables_initializer())
        for step in steps:
            session.run(step)
        powers = session.run([v1.global_variables()[k] for k in (1, 5)])
    assert powers == pytest.approx([0.9**3, 0.9**2])
