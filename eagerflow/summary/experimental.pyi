from eagerflow.summary.values import summary_scope as summary_scope, write_raw_pb as write_raw_pb
from eagerflow.summary.writer import get_step as get_step, set_step as set_step
