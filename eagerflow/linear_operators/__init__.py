"""tf.linalg.LinearOperator*: matrices that are known by their structure.

`operator.py` has what all of them share, and `algebra.py` what products and quotients of two are. The other
modules have the operators: `diagonal.py`, `dense.py`, `circulant.py`, `derived.py` and `blocks.py`.
"""
