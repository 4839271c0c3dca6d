"""eagerflow.onnx: functions and models as ONNX files, which onnxruntime and others run."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
