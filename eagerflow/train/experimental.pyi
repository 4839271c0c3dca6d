from eagerflow.train.python_state import PythonState as PythonState
