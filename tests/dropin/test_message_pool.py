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
    for name in [name for name, known in FILES.items() if known == file]:
        assert getattr(module, name).DESCRIPTOR.file.name == file, (file, name)
        assert getattr(module, name).DESCRIPTOR.full_name == f"tensorflow.{name}"
        assert pool.FindFileByName(file) is module.DESCRIPTOR
print(len(set(FILES.values())))
"""


def test_every_file_is_in_the_pool():
    done = run(EVERY_FILE)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == len(set(FILES.values())) > 20


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
