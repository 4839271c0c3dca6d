"""Names of versions before 1.0 that programs of the first generation find, and no later ones.

What kept its arguments has a new name only; `tf.concat` and others whose arguments changed places are
those of 1.0.
"""
