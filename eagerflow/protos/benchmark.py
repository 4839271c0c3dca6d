"""BenchmarkEntries: the results of benchmarks."""

from eagerflow.protos.schema import Schema

MESSAGES = Schema(
    "tensorflow",
    """
    message EntryValue {
      oneof kind {
        double double_value = 1;
        string string_value = 2;
      }
    }
    message DoubleValue { double value = 1; }
    message MetricEntry {
      string name = 1;
      double value = 2;
      DoubleValue min_value = 3;
      DoubleValue max_value = 4;
    }
    message BenchmarkEntry {
      string name = 1;
      int64 iters = 2;
      double cpu_time = 3;
      double wall_time = 4;
      double throughput = 5;
      map<string, EntryValue> extras = 6;
      repeated MetricEntry metrics = 7;
    }
    message BenchmarkEntries { repeated BenchmarkEntry entry = 1; }
    """,
)
