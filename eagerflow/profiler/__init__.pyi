from eagerflow.profiler import experimental as experimental
