"""In which of TensorFlow's files messages are declared, below `tensorflow/core`.

The messages of a file are those of one schema; others have files of their own.
"""

from __future__ import annotations

_LIST = """
example/example Example SequenceExample
example/feature BytesList FloatList Int64List Feature Features FeatureList FeatureLists
framework/allocation_description AllocationDescription
framework/attr_value AttrValue NameAttrList
framework/cost_graph CostGraphDef
framework/function FunctionDef GradientDef RegisteredGradient FunctionDefLibrary
framework/graph GraphDef
framework/node_def NodeDef
framework/op_def OpDef
framework/step_stats AllocationRecord AllocatorMemoryUsed NodeOutput MemoryStats NodeExecStats
    DeviceStepStats StepStats
framework/summary DataClass SummaryMetadata Summary SummaryDescription
framework/tensor TensorProto
framework/tensor_description TensorDescription
framework/tensor_shape TensorShapeProto
framework/tensor_slice TensorSliceProto
framework/types DataType
framework/variable SaveSliceInfoDef VariableDef
framework/versions VersionDef
protobuf/cluster JobDef ClusterDef
protobuf/config ConfigProto RunOptions SessionMetadata RunMetadata
protobuf/debug DebugTensorWatch DebugOptions
protobuf/device_filters TaskDeviceFilters JobDeviceFilters ClusterDeviceFilters
protobuf/device_properties DeviceProperties NamedDevice
protobuf/error_codes Code
protobuf/fingerprint FingerprintDef
protobuf/meta_graph TensorInfo SignatureDef AssetFileDef CollectionDef MetaGraphDef
protobuf/named_tensor NamedTensorProto
protobuf/saved_model SavedModel
protobuf/saved_object_graph SavedUserObject SavedAsset FunctionSpec SavedFunction
    SavedBareConcreteFunction SavedConcreteFunction CapturedTensor SavedResource SaveableObject
    SavedVariable SavedConstant SavedObject SavedObjectGraph
protobuf/saver SaverDef
protobuf/struct NoneValue ListValue TupleValue DictValue PairValue NamedTupleValue
    TensorSpecProto TypeSpecProto StructuredValue
protobuf/tensor_bundle BundleHeaderProto BundleEntryProto
protobuf/tensorflow_server ServerDef
protobuf/trackable_object_graph TrackableObjectGraph
util/event LogMessage SessionLog SourceMetadata TaggedRunMetadata Event
"""


def _parsed() -> dict[str, str]:
    found: dict[str, str] = {}
    file = ""
    for line in _LIST.strip().splitlines():
        words = line.split()
        if not line.startswith(" "):
            file = f"tensorflow/core/{words.pop(0)}.proto"
        found.update(dict.fromkeys(words, file))
    return found


# From the name of a message, or of an enumeration, to the file.
FILES = _parsed()
