"""Programs of versions before 1.0, whose names later versions do not have."""

import subprocess
import sys

PROGRAM = """
import sys
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.ones([2, 1]))
y = tf.mul(tf.sub(tf.matmul(x, w), 1.0), tf.neg(tf.inv(2.0)))
loss = tf.reduce_mean(tf.complex_abs(y))
tf.scalar_summary("loss", loss)
tf.histogram_summary("w", w)
tf.image_summary("image", tf.zeros([1, 2, 2, 1]))
merged = tf.merge_all_summaries()
one, two = tf.unpack(tf.pack([loss, loss]))
chosen = tf.select([True, False], [1, 2], [3, 4])
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
outputs, state = tf.nn.rnn(tf.nn.rnn_cell.BasicRNNCell(3), [x, x], dtype=tf.float32)
decoded, _ = tf.nn.seq2seq.rnn_decoder([x], state, tf.nn.rnn_cell.GRUCell(3))
inverse = tf.batch_matrix_inverse([[[2.0]]])
session = tf.Session()
session.run(tf.initialize_all_variables())
writer = tf.train.SummaryWriter(sys.argv[1], session.graph)
for k in range(3):
    found, _ = session.run([merged, step], {x: np.ones([4, 2])})
    writer.add_summary(found, k)
writer.close()
assert session.run(chosen).tolist() == [1, 4]
assert session.run(tf.concat_v2([[1], [2]], 0)).tolist() == [1, 2]
assert session.run(inverse).tolist() == [[[0.5]]]
assert len(outputs) == 2 and len(decoded) == 1 and session.run(one, {x: np.ones([4, 2])}) < 0.5
assert not hasattr(tf.compat.v1, "mul") and not hasattr(tf, "attach")
print(tf.__version__)
"""


def run(tmp_path, *flags):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "eagerflow",
            *flags,
            str(path),
            *([] if "check" in flags else [str(tmp_path / "log")]),
        ],
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_program(tmp_path):
    done = run(tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("1.15")


def test_later_programs_hear_of_the_new_names(tmp_path):
    done = run(tmp_path, "run", "--generation", "2.x")
    assert done.returncode == 1 and "AttributeError" in done.stderr


def test_checks_find_the_names(tmp_path):
    done = run(tmp_path, "check")
    assert "all are there" in done.stdout, done.stdout
