"""Found by the processes that a program under `eagerflow run` starts; see eagerflow_answers.py."""

if "." not in __name__:
    import eagerflow_answers

    eagerflow_answers.answer(__name__)
