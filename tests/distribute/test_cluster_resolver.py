"""Where clusters are, and that no TPU is."""

import json

import pytest

import eagerflow as tf

resolvers = tf.distribute.cluster_resolver
CLUSTER = {"worker": ["a:1", "b:2"], "ps": ["c:3"]}


@pytest.mark.parametrize("name", [None, "", "my-tpu"])
def test_programs_that_look_for_tpus_take_their_other_way(name):
    try:
        resolvers.TPUClusterResolver(tpu=name)
    except ValueError:
        strategy = tf.distribute.get_strategy()
    assert strategy.num_replicas_in_sync == 1


def test_simple():
    cluster = tf.train.ClusterSpec(CLUSTER)
    found = resolvers.SimpleClusterResolver(
        cluster, "m:5", "worker", 1, num_accelerators={"GPU": 0}, rpc_layer="grpc"
    )
    assert found.master() == "grpc://m:5"
    assert found.master("worker", 0) == "grpc://a:1"
    assert found.master("ps", 0, "http") == "http://c:3"
    assert found.cluster_spec() == cluster
    assert (found.task_type, found.task_id, found.environment) == ("worker", 1, "")
    assert found.num_accelerators() == {"GPU": 0}
    with pytest.raises(TypeError, match="ClusterSpec"):
        resolvers.SimpleClusterResolver(CLUSTER)


def test_from_the_environment(monkeypatch):
    task = {"type": "worker", "index": 1}
    config = {"cluster": CLUSTER, "task": task, "rpc_layer": "grpc"}
    monkeypatch.setenv("TF_CONFIG", json.dumps(config))
    found = resolvers.TFConfigClusterResolver()
    assert found.master() == "grpc://b:2"
    assert found.cluster_spec().as_dict() == CLUSTER
    assert (found.task_type, found.task_id, found.rpc_layer) == ("worker", 1, "grpc")
    assert resolvers.TFConfigClusterResolver("ps", 0).master() == "grpc://c:3"
    monkeypatch.delenv("TF_CONFIG")
    assert found.master() == ""
    assert (found.task_type, found.task_id, found.cluster_spec().jobs) == (None, None, [])
