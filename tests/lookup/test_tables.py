"""Lookup tables against Python's dictionaries."""

import numpy as np
import pytest

import eagerflow as tf


def random_keys(kind, count, seed=0):
    numbers = np.random.RandomState(seed).randint(-50, 3 * count, count)
    if kind == "string":
        return np.array([b"k%d" % n * (1 + n % 9) for n in numbers], object)
    return numbers.astype(kind)


@pytest.mark.parametrize("kind", ["string", "int64", "int32"])
@pytest.mark.parametrize("row", [(), (3,)])
def test_tables_behave_like_dictionaries(kind, row):
    table = tf.lookup.experimental.MutableHashTable(kind, tf.float32, np.full(row, -1, np.float32))
    known = {}
    for step in range(6):
        keys = random_keys(kind, 300, step)
        values = np.random.RandomState(step).rand(300, *row).astype(np.float32)
        table.insert(keys, values)
        known.update(zip(keys.tolist(), values, strict=True))
        gone = random_keys(kind, 80, step + 100)
        table.remove(gone)
        for key in gone.tolist():
            known.pop(key, None)
        assert int(table.size()) == len(known)
        asked = random_keys(kind, 200, step + 200).reshape(20, 10)
        found = table.lookup(asked).numpy()
        blank = np.full(row, -1, np.float32)
        wanted = [known.get(key, blank) for key in asked.reshape(-1).tolist()]
        np.testing.assert_array_equal(found.reshape(-1, *row), wanted)
    keys, values = table.export()
    exported = dict(zip(keys.numpy().tolist(), values.numpy(), strict=True))
    assert exported.keys() == known.keys()
    assert all(np.array_equal(exported[key], value) for key, value in known.items())


@pytest.mark.parametrize("kind", ["string", "int64"])
@pytest.mark.parametrize("count", [5, 3000, 40_000])
def test_many_keys_at_once_some_of_them_absent(kind, count):
    # More than are looked up as a block, in tables that fit the caches and others.
    keys = np.arange(count) * 7
    asked = np.random.RandomState(0).randint(-10, 7 * count, 2000)
    wanted = np.where((asked >= 0) & (asked % 7 == 0), asked // 7, -1)
    spelt = (lambda numbers: numbers.astype("S").astype(object)) if kind == "string" else np.int64
    pairs = tf.lookup.KeyValueTensorInitializer(spelt(keys), np.arange(count))
    found = tf.lookup.StaticHashTable(pairs, -1).lookup(tf.constant(spelt(asked)))
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("kind", ["string", "int64"])
def test_vocabularies_share_numbers_for_other_words(kind):
    words = np.unique(random_keys(kind, 100).astype(str)).tolist()
    words = words if kind == "string" else [int(word) for word in words]
    numbers = tf.range(len(words), dtype=tf.int64)
    initializer = tf.lookup.KeyValueTensorInitializer(tf.constant(words, kind), numbers)
    table = tf.lookup.StaticVocabularyTable(initializer, 4)
    others = ["x1", "y2"] if kind == "string" else [10**6, -(10**6)]
    found = table.lookup(tf.constant([words[3], *others], kind)).numpy()
    texts = [str(word).encode() for word in others]
    shared = tf.strings.to_hash_bucket_fast(texts, 4).numpy() + len(words)
    assert found.tolist() == [3, *shared]


def test_static_tables():
    def table(keys, values, default):
        return tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values), default)

    texts = table([1, 2], ["a", "b"], "-")
    assert texts.lookup(tf.constant([[2], [7]])).numpy().tolist() == [[b"b"], [b"-"]]
    assert texts.lookup(tf.constant(1)).numpy() == b"a"
    assert int(table([1, 1], [5, 5], 0).size()) == 1
    with pytest.raises(tf.errors.FailedPreconditionError, match="1 has 5 and .* 6"):
        table([1, 1], [5, 6], 0)
    with pytest.raises(tf.errors.InvalidArgumentError):
        table([1, 2], [5], 0)
    empty = table(tf.constant([], tf.string), tf.constant([], tf.int32), 3)
    assert empty.lookup(tf.constant(["a"])).numpy().tolist() == [3]
    assert empty.lookup(tf.constant([], tf.string)).shape == (0,)


def test_reserved_keys_are_refused():
    table = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, 0, -5)
    for call in (lambda k: table.insert([k], [1]), lambda k: table.lookup(np.array([k]))):
        for key in (0, -5):
            with pytest.raises(tf.errors.InvalidArgumentError):
                call(np.int64(key))


def test_pairs_of_dense_tables_are_changed_and_erased():
    table = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, 0, -5)
    one = tf.constant([1], tf.int64)
    table.insert_or_assign(one, one + 4)
    table.insert_or_assign(one, one + 6)
    assert table[one].numpy().tolist() == [7]
    table.erase(one)
    assert table[one].numpy().tolist() == [-1]


def test_initializers_of_programs_fill_the_table_themselves():
    class Own(tf.lookup.KeyValueTensorInitializer):
        key_dtype = tf.string
        value_dtype = tf.int64

        def __init__(self):
            pass

        def initialize(self, table):
            table._fill(tf.constant(["a"]), tf.constant([3], tf.int64))

    table = tf.lookup.StaticHashTable(Own(), -1)
    assert table.lookup(tf.constant(["a", "b"])).numpy().tolist() == [3, -1]


def _tables(filled):
    module = tf.Module()
    experimental = tf.lookup.experimental
    module.ids = experimental.MutableHashTable(tf.string, tf.int64, -1)
    module.rows = experimental.MutableHashTable(tf.int64, tf.float32, [0.0, 0.0])
    module.dense = experimental.DenseHashTable(tf.int64, tf.float32, 0.0, -1, -2)
    module.words = experimental.DenseHashTable(tf.string, tf.int64, -1, "", "$")
    if filled:
        module.ids.insert(["a", "b"], tf.constant([5, 6], tf.int64))
        module.rows.insert(tf.constant([1], tf.int64), [[3.0, 4.0]])
        # Three of them begin in one slot.
        module.dense.insert(tf.constant([4, 1028, 2052, 5], tf.int64), [1.0, 2.0, 3.0, 4.0])
        words = [f"x{k}" for k in range(900)]
        module.words.insert(words, tf.range(900, dtype=tf.int64))

    @tf.function(
        input_signature=[tf.TensorSpec([None], tf.int64), tf.TensorSpec([None], tf.string)]
    )
    def find(numbers, texts):
        return [
            module.ids.lookup(texts), module.rows.lookup(numbers), module.dense.lookup(numbers),
            module.words.lookup(texts),
        ]  # fmt: skip

    module.find = find
    return module


def _found(module):
    numbers = tf.constant([1, 4, 1028, 2052, 5, 9], tf.int64)
    found = module.find(numbers, tf.constant(["a", "c", "x7", "x899"]))
    return [part.numpy().tolist() for part in found]


def test_contents_are_in_checkpoints_in_tensorflows_layout(tmp_path):
    made, other = _tables(True), _tables(False)
    other.ids.insert(["c"], tf.constant([1], tf.int64))
    path = tf.train.Checkpoint(tables=made).write(tmp_path / "c")
    tf.train.Checkpoint(tables=other).read(path).assert_consumed()
    assert _found(other) == _found(made)
    sizes = dict(tf.train.list_variables(path))
    assert sizes["tables/ids/.ATTRIBUTES/table-keys"] == [2]
    assert sizes["tables/rows/.ATTRIBUTES/table-values"] == [1, 2]
    # A dense table's are its slots, a power of two.
    assert sizes["tables/words/.ATTRIBUTES/table-keys"] == [2048, 1]


def test_tables_that_need_not_be_saved(tmp_path):
    module = tf.Module()
    module.ids = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1, checkpoint=False)
    path = tf.train.Checkpoint(module=module).write(tmp_path / "c")
    assert not any("table" in name for name, _ in tf.train.list_variables(path))


def test_tables_of_all_kinds_are_in_saved_models(tmp_path):
    made = _tables(True)
    tf.saved_model.save(made, tmp_path / "m")
    assert _found(tf.saved_model.load(tmp_path / "m")) == _found(made)


def test_files_may_be_those_of_models(tmp_path):
    """They go with the model."""
    path = tmp_path / "words.txt"
    path.write_text("wind\nfire\n")

    def table(file):
        columns = tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64
        line = tf.lookup.TextFileIndex.LINE_NUMBER
        return tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(file, *columns, line), -1)

    class Words(tf.Module):
        def __init__(self):
            super().__init__()
            self.file = tf.saved_model.Asset(str(path))
            self.table = table(self.file)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def __call__(self, words):
            return self.table.lookup(words)

    for file in (path, str(path), str(path).encode(), tf.constant(str(path))):
        assert table(file)["fire"].numpy() == 1
    tf.saved_model.save(Words(), str(tmp_path / "model"))
    assert (tmp_path / "model/assets/words.txt").exists()
    path.unlink()
    loaded = tf.saved_model.load(str(tmp_path / "model"))
    assert loaded(tf.constant(["fire", "ice"])).numpy().tolist() == [1, -1]
    with pytest.raises(ValueError, match="`filename` argument required"):
        table("")


@pytest.mark.parametrize("kind", ["MutableHashTable", "DenseHashTable"])
def test_changes_in_graphs_are_operations(kind):
    empty = {"empty_key": -1, "deleted_key": -2} if kind == "DenseHashTable" else {}
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        table = getattr(tf.lookup.experimental, kind)(tf.int64, tf.int64, -7, **empty)
        keys = tf.constant([1, 2], tf.int64)
        changes = [
            table.insert(keys, keys * 10),
            table.insert(keys, keys),
            table.remove(keys),
        ]
        values = table.lookup(keys)
        for change, expected in zip(changes, ([10, 20], [1, 2], [-7, -7]), strict=True):
            assert session.run(change) is None
            assert session.run(values).tolist() == expected
    assert table.insert([1], [2]) is None


def test_programs_of_version_1_run_what_initializes_a_table():
    def table(keys):
        values = tf.constant([7], tf.int64)
        return tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values), 0)

    assert table(["a"]).initializer is None
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        known = table(["a"])
        assert session.run(known.initializer) is None
        assert session.run(known.lookup(tf.constant(["a", "b"]))).tolist() == [7, 0]
        keys = tf.compat.v1.placeholder(tf.string, [1])
        fed = table(keys)
        session.run(fed.initializer, {keys: ["q"]})
        assert session.run(fed.lookup(tf.constant(["q"]))).tolist() == [7]
