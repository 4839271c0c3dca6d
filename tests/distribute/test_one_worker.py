"""A cluster of one worker, and values, datasets and iterators for its replicas."""

import json

import pytest

import eagerflow as tf


def test_one_worker(monkeypatch):
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": {"worker": ["localhost:1"]}}))
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    assert strategy.num_replicas_in_sync == 1
    with strategy.scope():
        v = tf.Variable(2.0)
    assert float(strategy.reduce("SUM", strategy.run(lambda: v * 3), None)) == 6


def test_several_workers_are_refused(monkeypatch):
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": {"worker": ["a:1"], "chief": ["b:1"]}}))
    with pytest.raises(ValueError, match="2 workers"):
        tf.distribute.MultiWorkerMirroredStrategy()


def test_values_of_replicas():
    strategy = tf.distribute.MirroredStrategy()
    values = strategy.experimental_distribute_values_from_function(
        lambda context: tf.constant(context.replica_id_in_sync_group + 5)
    )
    assert isinstance(values, tf.distribute.DistributedValues)
    assert str(values).startswith("PerReplica:{\n  0: tf.Tensor(5")
    assert int(strategy.run(lambda x, y: x + y["a"], (values,), {"y": {"a": values}})) == 10
    assert int(strategy.reduce("SUM", values, None)) == 5
    assert int(strategy.experimental_local_results(values)[0]) == 5


def test_datasets_of_replicas():
    strategy = tf.distribute.MirroredStrategy()
    dataset = strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2))
    assert isinstance(dataset, tf.distribute.DistributedDataset)
    iterator = iter(dataset)
    assert isinstance(iterator, tf.distribute.DistributedIterator)
    assert [int(next(iterator)[0]), int(iterator.get_next()[0])] == [0, 2]
    for other in (3, tf.data.Dataset.range(4)):
        assert not isinstance(other, tf.distribute.DistributedDataset)
    default = tf.distribute.get_strategy()
    plain = tf.data.Dataset.range(4)
    assert default.experimental_distribute_dataset(plain) is plain
    assert default.experimental_distribute_datasets_from_function(lambda _: plain) is plain
