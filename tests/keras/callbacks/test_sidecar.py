"""SidecarEvaluator: evaluation beside training."""

import numpy as np

import eagerflow as tf

keras, layers = tf.keras, tf.keras.layers


def test_evaluation_beside_training(tmp_path):
    def model():
        made = keras.Sequential([layers.Dense(1, input_shape=(3,))])
        made.compile(keras.optimizers.SGD(0.1), "mse", metrics=["mae"])
        return made

    x = np.random.default_rng(0).normal(size=(32, 3)).astype("float32")
    y = x @ np.ones((3, 1), "float32")
    trained = model()
    checkpoint = tf.train.Checkpoint(model=trained, optimizer=trained.optimizer)
    manager = tf.train.CheckpointManager(
        checkpoint, tmp_path, max_to_keep=2, checkpoint_name="ckpt"
    )
    for _ in range(2):
        trained.fit(x, y, verbose=0)
        manager.save()
    seen = []
    data = tf.data.Dataset.from_tensors((x, y))
    evaluated = model()
    export = keras.callbacks.SidecarEvaluatorModelExport(
        str(tmp_path / "best-{epoch:02d}.weights.h5"),
        str(tmp_path / "ckpt-{epoch}"),
        save_freq="eval",
        save_weights_only=True,
        monitor="loss",
        mode="min",
    )
    note = keras.callbacks.LambdaCallback()
    note.on_test_end = lambda logs: seen.append(float(logs["loss"]))
    keras.utils.SidecarEvaluator(
        evaluated, data, str(tmp_path), max_evaluations=2, callbacks=[note, export]
    ).start()
    np.testing.assert_allclose(seen, [trained.evaluate(x, y, verbose=0)[0]], rtol=1e-6)
    again = model()
    again.load_weights(tmp_path / "best-02.weights.h5")
    np.testing.assert_array_equal(again.get_weights()[0], trained.get_weights()[0])
