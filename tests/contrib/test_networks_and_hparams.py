"""Networks with tracked layers, execution modes and hyperparameters of the first generation."""

import pytest

import eagerflow as tf
from eagerflow.contrib import eager as tfe
from eagerflow.contrib.training import HParams


class Line(tfe.Network):
    def __init__(self):
        super().__init__(name="line")
        self.layers_of_mine = [self.track_layer(tf.keras.layers.Dense(2)) for _ in range(2)]

    def call(self, x):
        for layer in self.layers_of_mine:
            x = layer(x)
        return x


def test_networks_are_saved_and_restored(tmp_path):
    first, second = Line(), Line()
    x = tf.ones([3, 2])
    expected = first(x).numpy()
    assert len(first.trainable_variables) == 4
    path = tfe.save_network_checkpoint(first, str(tmp_path / "net"), global_step=3)
    assert path.endswith("net-3")
    tfe.restore_network_checkpoint(second, path)
    assert (second(x).numpy() == expected).all()
    with pytest.raises(TypeError, match="track_layer"):
        first.track_layer(3)


def test_optimizers_tell_their_variables():
    optimizer = tf.compat.v1.train.AdamOptimizer(0.1)
    v = tfe.Variable(1.0)
    optimizer.minimize(lambda: v * v, var_list=[v])
    assert len(tfe.get_optimizer_variables(optimizer)) >= 2


def test_execution_modes():
    tfe.set_execution_mode(tfe.ASYNC)
    with tfe.execution_mode(tfe.SYNC):
        assert int(tf.constant(1) + 1) == 2
    tfe.async_wait()
    tfe.async_clear_error()
    with pytest.raises(ValueError, match="mode"):
        tfe.set_execution_mode(7)
    tf.compat.v1.enable_eager_execution(device_policy=tfe.DEVICE_PLACEMENT_SILENT)


def test_hyperparameters():
    hparams = HParams(rate=0.1, steps=3, name="x", deep=True, layers=[1, 2])
    hparams.parse("rate=2,steps=5,name=y,deep=false,layers=[7,8,9]")
    expected = {"rate": 2.0, "steps": 5, "name": "y", "deep": False, "layers": [7, 8, 9]}
    assert hparams.values() == expected and hparams.get("none", 4) == 4 and "rate" in hparams
    assert HParams(a=1).parse_json('{"a": 2}').to_json() == '{"a": 2}'
    hparams.add_hparam("more", None)
    assert hparams.more is None and hparams.get("more", 3) is None


def test_hyperparameters_of_several_values_keep_their_type():
    hparams = HParams(sizes=(1, 2), names=["a"])
    hparams.add_hparam("more", (3.0,))
    assert hparams.values() == {"sizes": (1, 2), "names": ["a"], "more": (3.0,)}
    assert hparams.parse("sizes=[4,5]").sizes == [4, 5]
    hparams.set_hparam("more", (6, 7))
    assert hparams.more == (6.0, 7.0)


@pytest.mark.parametrize(
    ("error", "change"),
    [
        (KeyError, lambda h: h.set_hparam("none", 1)),
        (ValueError, lambda h: h.set_hparam("n", "x")),
        (ValueError, lambda h: h.set_hparam("n", 1.5)),
        (ValueError, lambda h: h.set_hparam("n", [1])),
        (ValueError, lambda h: h.set_hparam("text", 1)),
        (ValueError, lambda h: h.add_hparam("n", 1)),
        (ValueError, lambda h: h.add_hparam("values", 1)),
        (ValueError, lambda h: h.add_hparam("empty", [])),
        (ValueError, lambda h: h.parse("n")),
    ],
)
def test_bad_hyperparameters(error, change):
    with pytest.raises(error):
        change(HParams(n=1, text="x"))
