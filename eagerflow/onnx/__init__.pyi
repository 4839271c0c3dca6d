from eagerflow.onnx.exporting import export as export
