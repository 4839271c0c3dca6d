"""tf.contrib.eager's evaluators, checks of results, and what tests of that time import."""

import glob

import pytest

import eagerflow as tf
from eagerflow import contrib
from eagerflow.contrib import eager as tfe

v1 = tf.compat.v1


class Model:
    def eval_data(self, batch, scale=1.0):
        return dict(batch, loss=batch["loss"] * scale)


DATA = {
    "loss": [2.0, 7.0, 3.0, 4.0],
    "label": [6, 7, 8, 9],
    "predicted_class": [6, 0, 8, 0],
    "weights": [1.0, 1.0, 2.0, 0.0],
}


def dataset(*left_out):
    kept = {key: value for key, value in DATA.items() if key not in left_out}
    return tf.data.Dataset.from_tensor_slices(kept).batch(2)


@pytest.mark.parametrize("left_out, loss, right", [((), 3.75, 0.75), (("weights",), 4.0, 0.5)])
def test_at_once_and_in_graphs(left_out, loss, right):
    evaluator = tfe.SparseSoftmaxEvaluator(Model())
    results = evaluator.evaluate_on_dataset(dataset(*left_out))
    assert {name: float(x) for name, x in results.items()} == {"Avg Loss": loss, "Accuracy": right}
    evaluator.init_variables()
    results = evaluator.evaluate_on_dataset(dataset(*left_out), scale=2.0)
    assert float(results["Avg Loss"]) == 2 * loss
    with tf.Graph().as_default(), v1.Session() as session:
        evaluator = tfe.SparseSoftmaxEvaluator(Model())
        init, call, found = evaluator.evaluate_on_dataset(dataset(*left_out))
        assert len(evaluator.metric_variables) == 4
        results = evaluator.run_evaluation(init, call, found, session)
    assert results == {"Avg Loss": loss, "Accuracy": right}


def test_evaluators_of_evaluators(tmp_path):
    class Both(tfe.Evaluator):
        def __init__(self, model):
            super().__init__(model)
            self.inner = self.track_evaluator("inner", tfe.SparseSoftmaxEvaluator(model))
            self.mean = self.track_metric(tfe.metrics.Mean("mean"))

        def call(self, eval_data):
            self.inner.call(eval_data)
            self.mean(eval_data["loss"])

    evaluator = Both(Model())
    with pytest.raises(ValueError, match="two Metrics"):
        evaluator.track_metric(tfe.metrics.Mean("mean"))
    with pytest.raises(ValueError, match="duplicate"):
        evaluator.track_evaluator("inner", evaluator.inner)
    with pytest.raises(ValueError, match="same model"):
        evaluator.track_evaluator("other", tfe.SparseSoftmaxEvaluator(Model()))
    v1.train.get_or_create_global_step().assign(3)
    results = evaluator.evaluate_on_dataset(dataset(), summary_logdir=str(tmp_path))
    assert set(results) == {"mean", "inner/Avg Loss", "inner/Accuracy"}
    events = contrib.summary.summary_test_util.events_from_logdir(str(tmp_path))
    assert {value.tag for event in events for value in event.summary.value} == {
        "mean",
        "Avg Loss",
        "Accuracy",
    }
    assert len(contrib.summary.summary_test_util.events_from_file(*glob.glob(f"{tmp_path}/*"))) == 4
    with pytest.raises(AssertionError, match="no folder"):
        contrib.summary.summary_test_util.events_from_logdir(str(tmp_path / "none"))


def test_results_that_are_not_finite():
    with tfe.errstate(inf_or_nan=tfe.ExecutionCallback.RAISE):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.math.log(0.0)
        with tfe.errstate(inf_or_nan="ignore"):
            tf.math.log(0.0)
    tf.math.log(0.0)
    tfe.seterr(inf_or_nan="raise")
    tfe.clear_execution_callbacks()
    tf.math.log(0.0)
    with pytest.raises(ValueError, match="mode"):
        tfe.seterr("stop")
    with pytest.raises(NotImplementedError, match="raise"):
        tfe.seterr("warn")


def test_writers_are_closed_by_operations(tmp_path):
    summary = contrib.summary
    with tf.Graph().as_default(), v1.Session() as session:
        writer = summary.create_file_writer(str(tmp_path))
        v1.train.get_or_create_global_step()
        with writer.as_default(), summary.always_record_summaries():
            written = summary.scalar("a", 2.0)
        close = writer.close()
        session.run(v1.global_variables_initializer())
        assert [op.type for op in summary.summary_writer_initializer_op()] == [
            "CreateSummaryFileWriter"
        ]
        session.run(summary.summary_writer_initializer_op())
        session.run(written)
        session.run(writer.flush())
        assert len(summary.summary_test_util.events_from_logdir(str(tmp_path))) == 2
        session.run(close)
        with pytest.raises(RuntimeError, match="closed"):
            session.run(written)
    with pytest.raises(RuntimeError, match="graph mode"):
        summary.summary_writer_initializer_op()


def test_names():
    assert not tfe.in_graph_mode() and tfe.CheckpointableSaver is tf.train.Checkpoint
    with tf.Graph().as_default():
        assert tfe.in_graph_mode()
