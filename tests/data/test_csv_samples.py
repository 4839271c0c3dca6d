"""The results of functions of CSV rows are inferred from dissimilar rows."""

import eagerflow as tf


def test_words_of_rows_make_ragged_batches(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a b,1\nc d,2\ne,3\n")
    rows = tf.data.experimental.CsvDataset(str(path), [tf.string, tf.int32])
    words = rows.map(lambda text, label: tf.strings.split(text))
    assert words.element_spec.shape.as_list() == [None]
    (batch,) = words.ragged_batch(3)
    assert batch.to_list() == [[b"a", b"b"], [b"c", b"d"], [b"e"]]


def test_a_later_row_that_cannot_be_read_does_not_matter_for_specs(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a b,1\nc d,x\n")
    rows = tf.data.experimental.CsvDataset(str(path), [tf.string, tf.int32])
    assert rows.map(lambda text, label: tf.strings.length(text)).element_spec.shape.rank == 0
