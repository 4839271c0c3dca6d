"""tf.function: functions that are traced once for each type of arguments, and run as graphs.

`function.py` has the Function that programs call, `concrete_function.py` what it keeps for a type of
arguments, `function_type.py` and `trace_types.py` those types, and `cache.py` which trace serves a call.
"""
