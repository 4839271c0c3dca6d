"""tf.contrib: what of it eager programs used."""
