"""Descriptions of clusters, as TensorFlow answers."""

import pytest

import eagerflow as tf

JOBS = {"worker": ["a:1", "b:2"], "ps": ["c:3"]}


def test_questions_about_a_cluster():
    cluster = tf.train.ClusterSpec(JOBS)
    assert cluster.jobs == ["worker", "ps"]
    assert cluster.as_dict() == JOBS
    assert cluster.num_tasks("worker") == 2
    assert cluster.task_indices("worker") == [0, 1]
    assert cluster.task_address("worker", 1) == "b:2"
    assert cluster.job_tasks("ps") == ["c:3"]
    assert repr(cluster) == "ClusterSpec({'ps': ['c:3'], 'worker': ['a:1', 'b:2']})"
    assert cluster and not tf.train.ClusterSpec({})
    assert cluster == JOBS and cluster != tf.train.ClusterSpec({}) and cluster != 3


def test_numbers_may_be_left_out():
    cluster = tf.train.ClusterSpec({"w": {1: "x:1", 3: "y:2"}})
    assert cluster.as_dict() == {"w": {1: "x:1", 3: "y:2"}}
    assert cluster.job_tasks("w") == [None, "x:1", None, "y:2"]
    assert tf.train.ClusterSpec({"w": {}}).as_dict() == {"w": {}}


@pytest.mark.parametrize("bad", [3, {"w": 3}, {"w": [3]}])
def test_what_describes_no_cluster(bad):
    with pytest.raises(TypeError):
        tf.train.ClusterSpec(bad)


def test_unknown_jobs_and_tasks():
    cluster = tf.train.ClusterSpec(JOBS)
    for ask in (cluster.num_tasks, cluster.task_indices, cluster.job_tasks):
        with pytest.raises(ValueError, match="No such job in cluster: 'x'"):
            ask("x")
    with pytest.raises(ValueError, match="No task with index 5 in job 'worker'"):
        cluster.task_address("worker", 5)


def test_messages():
    message = tf.train.ClusterSpec(JOBS).as_cluster_def()
    assert [job.name for job in message.job] == ["ps", "worker"]
    assert tf.train.ClusterSpec(message) == JOBS
    job = tf.train.JobDef(name="w", tasks={0: "a:1"})
    # TensorFlow's bytes.
    assert job.SerializeToString() == b"\n\x01w\x12\x07\x08\x00\x12\x03a:1"
    server = tf.train.ServerDef(cluster=message, job_name="ps", task_index=2, port=5)
    again = tf.train.ServerDef.FromString(server.SerializeToString())
    assert (again.job_name, again.task_index, again.port) == ("ps", 2, 5)
    assert tf.train.ClusterSpec(again.cluster) == JOBS
    assert tf.train.ClusterDef(job=[job]).job[0].tasks[0] == "a:1"


def test_shapes_as_messages():
    for dims in ([2, None], None, []):
        shape = tf.TensorShape(dims)
        message = shape.as_proto()
        assert tf.TensorShape(message).rank == shape.rank
        assert repr(tf.TensorShape.experimental_from_proto(message)) == repr(shape)
    assert tf.TensorShape([2, None]).as_proto().SerializeToString() == (
        b"\x12\x02\x08\x02\x12\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
    )
