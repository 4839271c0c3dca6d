"""TensorFlow's messages in protobuf's default pool, where other packages' messages use them."""

import subprocess
import sys

import pytest

from eagerflow.protos.files import FILES

pytest.importorskip("google.protobuf")

# A package's message with a field of TensorFlow's, as a compiled file has it.
PROGRAM = """
import tensorflow as tf
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from tensorflow.core.framework import tensor_pb2
from tensorflow.core.example import example_pb2
from tensorflow.core.protobuf import meta_graph_pb2, named_tensor_pb2

before = tf.make_tensor_proto([1.0])
pool = descriptor_pool.Default()
file = descriptor_pb2.FileDescriptorProto(
    name="serving/request.proto", package="serving", syntax="proto3",
    dependency=["tensorflow/core/framework/tensor.proto", "tensorflow/core/example/example.proto"],
)
message = file.message_type.add(name="Request")
message.field.add(name="tensor", number=1, type=11, label=1, type_name=".tensorflow.TensorProto")
message.field.add(name="example", number=2, type=11, label=1, type_name=".tensorflow.Example")
pool.AddSerializedFile(file.SerializeToString())
Request = message_factory.GetMessageClass(pool.FindMessageTypeByName("serving.Request"))
request = Request()
request.tensor.CopyFrom(tf.make_tensor_proto([[1.0, 2.0]]))
request.example.CopyFrom(tf.train.Example())
assert tf.make_ndarray(Request.FromString(request.SerializeToString()).tensor).tolist() == [[1.0, 2.0]]
assert isinstance(request.tensor, tensor_pb2.TensorProto) and isinstance(before, tensor_pb2.TensorProto)
assert isinstance(request.example, tf.train.Example)
for module in (tensor_pb2, example_pb2, meta_graph_pb2, named_tensor_pb2):
    path = module.__name__.removesuffix("_pb2").replace(".", "/") + ".proto"
    assert module.DESCRIPTOR is pool.FindFileByName(path)
assert tf.compat.v1.GraphDef.DESCRIPTOR.file.name == "tensorflow/core/framework/graph.proto"
"""


def run(text):
    return subprocess.run(
        [sys.executable, "-m", "eagerflow", "-c", text], capture_output=True, text=True, check=False
    )


def test_messages_of_other_packages_use_them():
    done = run(PROGRAM)
    assert done.returncode == 0, done.stderr


EVERY_FILE = """
import importlib
import tensorflow as tf
from google.protobuf import descriptor_pool
from eagerflow.protos.files import FILES
pool = descriptor_pool.Default()
for file in sorted(set(FILES.values())):
    module = importlib.import_module(file.removesuffix(".proto").replace("/", ".") + "_pb2")
    assert pool.FindFileByName(file) is module.DESCRIPTOR
    declared = dict(module.DESCRIPTOR.message_types_by_name)
    declared |= dict(module.DESCRIPTOR.enum_types_by_name)
    for name in [name for name, known in FILES.items() if known == file]:
        package = "tensorflow.error" if name == "Code" else "tensorflow"
        assert declared[name].full_name == f"{package}.{name}"
        if not hasattr(tf.compat.v1, name) or hasattr(getattr(tf.compat.v1, name), "DESCRIPTOR"):
            assert getattr(module, name).DESCRIPTOR is declared[name], (file, name)
        else:  # settings of sessions
            assert getattr(module, name) is getattr(tf.compat.v1, name)
print(len(set(FILES.values())))
"""


def test_every_file_is_in_the_pool():
    done = run(EVERY_FILE)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == len(set(FILES.values())) > 20


STATUS_AND_RUNS = """
import tensorflow as tf
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from tensorflow.core.framework import step_stats_pb2
from tensorflow.core.protobuf import config_pb2, error_codes_pb2

pool = descriptor_pool.Default()
file = descriptor_pb2.FileDescriptorProto(
    name="serving/status.proto", package="serving", syntax="proto3",
    dependency=["tensorflow/core/protobuf/error_codes.proto", "tensorflow/core/protobuf/config.proto"],
)
message = file.message_type.add(name="Status")
message.field.add(name="code", number=1, type=14, label=1, type_name=".tensorflow.error.Code")
message.field.add(name="options", number=2, type=11, label=1, type_name=".tensorflow.RunOptions")
message.field.add(name="metadata", number=3, type=11, label=1, type_name=".tensorflow.RunMetadata")
pool.AddSerializedFile(file.SerializeToString())
Status = message_factory.GetMessageClass(pool.FindMessageTypeByName("serving.Status"))
status = Status(code=error_codes_pb2.NOT_FOUND)
status.options.trace_level = tf.compat.v1.RunOptions.FULL_TRACE
status.options.experimental.run_handler_pool_options.priority = 2
device = status.metadata.step_stats.dev_stats.add(device="/cpu:0", thread_names={3: "main"})
device.node_stats.add(node_name="x", all_start_micros=1).memory.add(total_bytes=8)
status.metadata.partition_graphs.add().node.add(name="y", op="NoOp")
status.metadata.cost_graph.node.add().output_info.add(dtype=1)
assert isinstance(status.metadata.step_stats, step_stats_pb2.StepStats)
again = Status.FromString(status.SerializeToString())
assert again == status and again.metadata.step_stats.dev_stats[0].thread_names[3] == "main"
assert again.code == error_codes_pb2.Code.Value("NOT_FOUND") == tf.errors.NOT_FOUND == 5
assert error_codes_pb2.Code.Name(16) == "UNAUTHENTICATED"
shared = error_codes_pb2.xla_dot_tsl_dot_protobuf_dot_error__codes__pb2  # as compiled files ask for it
assert shared.Code.DESCRIPTOR is error_codes_pb2.Code.DESCRIPTOR and shared.ABORTED == 10
assert not hasattr(error_codes_pb2, "xla_dot_no__such__pb2")
names = {name for name in dir(tf.errors) if name.isupper()}
assert len(names) == 17 and all(error_codes_pb2.Code.Value(n) == getattr(tf.errors, n) for n in names)
print(status.SerializeToString(deterministic=True).hex())
"""


def test_messages_with_status_codes_and_runs():
    done = run(STATUS_AND_RUNS)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == (  # of TensorFlow 2.21
        "08051208080342041a0208021a360a1f0a1d0a062f6370753a3012090a01781001320210081a08080312046d61696e"
        "12060a042a0220011a0b0a090a017912044e6f4f70"
    )


def test_outside_of_the_drop_in_the_default_pool_is_left_alone():
    text = (
        "import eagerflow as tf\ntf.train.Example()\ntf.make_tensor_proto(1.0)\n"
        "from google.protobuf import descriptor_pool\n"
        "try:\n    descriptor_pool.Default().FindMessageTypeByName('tensorflow.Example')\n"
        "except KeyError:\n    print('none')\n"
        "tf.install_as_tensorflow()\nimport tensorflow\nfrom tensorflow.core.example import example_pb2\n"
        "assert isinstance(tensorflow.train.Example(), example_pb2.Example)\n"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout == "none\n", done.stderr
