"""Checkpoints: round trips, objects made later, assertions, managers, inspection."""

import copy
import gc
import os
import weakref

import numpy as np
import pytest

import eagerflow as tf


class Model(tf.Module):
    def __init__(self, value=0.0):
        super().__init__()
        self.weight = tf.Variable([value, value], name="weight")
        self.parts = [tf.Variable(value), {"inner": tf.Variable(int(value))}]
        self.label = tf.Variable("text" if value else "")
        self.random = tf.random.Generator.from_seed(int(value))


def test_round_trip(tmp_path):
    model = Model(3.0)
    path = tf.train.Checkpoint(model=model, step=tf.Variable(7)).save(tmp_path / "model")
    assert path == str(tmp_path / "model-1")
    fresh, step = Model(), tf.Variable(0)
    status = tf.train.Checkpoint(model=fresh, step=step).restore(path)
    status.assert_consumed().assert_nontrivial_match()
    assert fresh.weight.numpy().tolist() == [3.0, 3.0]
    assert fresh.parts[0].numpy() == 3.0 and fresh.parts[1]["inner"].numpy() == 3
    assert fresh.label.numpy() == b"text"
    np.testing.assert_array_equal(fresh.random.normal([3]), model.random.normal([3]))
    assert int(step) == 7


@pytest.mark.parametrize(
    "dtype",
    ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16",
     "bfloat16", "float32", "float64", "complex64", "complex128"],
)  # fmt: skip
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 3), (2, 3, 4)])
def test_dtypes_and_shapes(tmp_path, dtype, shape):
    value = tf.cast(np.arange(np.prod(shape)).reshape(shape), dtype)
    saved = tf.Variable(value)
    path = tf.train.Checkpoint(v=saved).write(tmp_path / "x")
    fresh = tf.Variable(tf.zeros(shape, dtype))
    tf.train.Checkpoint(v=fresh).read(path).assert_consumed()
    assert fresh.dtype.name == dtype
    np.testing.assert_array_equal(fresh.numpy(), value.numpy())


def test_strings(tmp_path):
    saved = tf.Variable([["", "a"], ["ü" * 200, "x\0y"]])
    path = tf.train.Checkpoint(v=saved).write(tmp_path / "x")
    fresh = tf.Variable([["", ""], ["", ""]])
    tf.train.Checkpoint(v=fresh).read(path).assert_consumed()
    np.testing.assert_array_equal(fresh.numpy(), saved.numpy())


def test_objects_made_after_the_restoration(tmp_path):
    path = tf.train.Checkpoint(Model(5.0)).save(tmp_path / "m")

    class Late(tf.Module):
        pass

    late = Late()
    status = tf.train.Checkpoint(late).restore(path)
    with pytest.raises(AssertionError, match="weight/.ATTRIBUTES/VARIABLE_VALUE"):
        status.assert_consumed()
    status.expect_partial().assert_existing_objects_matched()
    late.weight = tf.Variable([0.0, 0.0])
    assert late.weight.numpy().tolist() == [5.0, 5.0]
    late.parts = [tf.Variable(0.0), {"inner": tf.Variable(0)}]
    assert late.parts[1]["inner"].numpy() == 5
    late.label, late.random = tf.Variable(""), tf.random.Generator.from_seed(1)
    status.assert_consumed()


def test_models_and_optimizers(tmp_path):
    def make():
        model = tf.keras.Sequential([tf.keras.layers.Dense(4, "relu"), tf.keras.layers.Dense(1)])
        optimizer = tf.keras.optimizers.Adam(0.01)
        return model, optimizer, tf.train.Checkpoint(model=model, optimizer=optimizer)

    def train(model, optimizer):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(tf.ones([2, 3])) - 1.0))
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))

    model, optimizer, checkpoint = make()
    for _ in range(3):
        train(model, optimizer)
    path = checkpoint.save(tmp_path / "m")
    fresh, fresh_optimizer, checkpoint = make()
    status = checkpoint.restore(path)
    train(fresh, fresh_optimizer)  # Weights and slots are made here.
    status.assert_consumed()
    train(model, optimizer)
    assert int(fresh_optimizer.iterations) == 4
    for ours, theirs in zip(fresh.weights, model.weights, strict=True):
        np.testing.assert_array_equal(ours.numpy(), theirs.numpy())


def test_iterators(tmp_path):
    dataset = tf.data.Dataset.range(20).shuffle(5, seed=3).batch(2)
    iterator = iter(dataset)
    for _ in range(3):
        next(iterator)
    path = tf.train.Checkpoint(iterator=iterator).save(tmp_path / "i")
    rest = [x.numpy().tolist() for x in iterator]
    fresh = iter(dataset)
    tf.train.Checkpoint(iterator=fresh).restore(path).assert_consumed()
    assert [x.numpy().tolist() for x in fresh] == rest


def test_all_differences_are_listed_and_nothing_changes(tmp_path):
    path = tf.train.Checkpoint(a=tf.Variable([1.0]), b=tf.Variable(1), c=tf.Variable(9)).write(
        tmp_path / "x"
    )
    a, b, c = tf.Variable([0.0, 0.0]), tf.Variable(0.0), tf.Variable(0)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"shape \(2,\)(.|\n)*dtype float32"):
        tf.train.Checkpoint(a=a, b=b, c=c).read(path)
    with pytest.raises(ValueError, match=r"a \(.*shape \(2,\)"):
        tf.train.Checkpoint(a=a, c=c).read(path)
    assert c.numpy() == 0


def test_misuse(tmp_path):
    with pytest.raises(ValueError, match="trackable"):
        tf.train.Checkpoint(x=3)
    with pytest.raises(ValueError, match="save_counter"):
        tf.train.Checkpoint(save_counter=tf.Variable(1))
    with pytest.raises(tf.errors.NotFoundError, match="nothing"):
        tf.train.Checkpoint(v=tf.Variable(1)).restore(tmp_path / "nothing")
    with pytest.raises(AssertionError, match="save_path=None"):
        tf.train.Checkpoint(v=tf.Variable(1)).restore(None).assert_consumed()
    path = tf.train.Checkpoint(v=tf.Variable(1)).write(tmp_path / "x")
    status = tf.train.Checkpoint(v=tf.Variable(1), w=tf.Variable(2)).read(path)
    with pytest.raises(AssertionError, match="\n  w"):
        status.assert_existing_objects_matched()
    (tmp_path / "file").write_text("")
    with pytest.raises(tf.errors.OpError):
        tf.train.Checkpoint(v=tf.Variable(1)).write(tmp_path / "file" / "x")


def test_counter_and_latest(tmp_path):
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1))
    assert tf.train.latest_checkpoint(tmp_path) is None
    for k in (1, 2):
        path = checkpoint.save(tmp_path / "c")
        assert tf.train.latest_checkpoint(tmp_path) == path == str(tmp_path / f"c-{k}")
    fresh = tf.train.Checkpoint(v=tf.Variable(0))
    fresh.restore(path)
    assert int(fresh.save_counter) == 2


def test_overwriting(tmp_path):
    v = tf.Variable(1)
    checkpoint = tf.train.Checkpoint(v=v)
    for k in range(4):
        v.assign(k)
        checkpoint.write(tmp_path / "same")
        fresh = tf.Variable(-1)
        tf.train.Checkpoint(v=fresh).read(tmp_path / "same").assert_consumed()
        assert int(fresh) == k
    assert len(list(tmp_path.iterdir())) == 2


def test_manager(tmp_path):
    v = tf.Variable(0)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), tmp_path, max_to_keep=2)
    assert manager.restore_or_initialize() is None
    for k in range(4):
        v.assign(k)
        manager.save()
    assert [path.rsplit("/")[-1] for path in manager.checkpoints] == ["ckpt-3", "ckpt-4"]
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [
        "checkpoint", "ckpt-3.data-00000-of-00001", "ckpt-3.index",
        "ckpt-4.data-00000-of-00001", "ckpt-4.index",
    ]  # fmt: skip
    fresh = tf.Variable(-1)
    again = tf.train.CheckpointManager(tf.train.Checkpoint(v=fresh), tmp_path, max_to_keep=2)
    assert again.latest_checkpoint == again.restore_or_initialize() == str(tmp_path / "ckpt-4")
    assert int(fresh) == 3
    again.save(checkpoint_number=9)
    assert [path.rsplit("-")[-1] for path in again.checkpoints] == ["4", "9"]


def test_manager_with_an_interval(tmp_path):
    step = tf.Variable(0)
    manager = tf.train.CheckpointManager(
        tf.train.Checkpoint(v=step), tmp_path, 5, step_counter=step, checkpoint_interval=10
    )
    saved = []
    for k in range(25):
        step.assign(k)
        saved.append(manager.save() is not None)
    assert [k for k, done in enumerate(saved) if done] == [0, 10, 20]
    assert manager.save(check_interval=False).endswith("-4")
    assert manager.save(check_interval=False) is None  # nothing has happened since
    with pytest.raises(ValueError, match="max_to_keep"):
        tf.train.CheckpointManager(tf.train.Checkpoint(), tmp_path, 0)


def test_inspection(tmp_path):
    path = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0]), n=tf.Variable(3)).save(tmp_path / "x")
    assert tf.train.list_variables(tmp_path) == [
        ("_CHECKPOINTABLE_OBJECT_GRAPH", []),
        ("n/.ATTRIBUTES/VARIABLE_VALUE", []),
        ("save_counter/.ATTRIBUTES/VARIABLE_VALUE", []),
        ("v/.ATTRIBUTES/VARIABLE_VALUE", [2]),
    ]
    assert tf.train.load_variable(path, "n/.ATTRIBUTES/VARIABLE_VALUE") == 3
    reader = tf.train.load_checkpoint(path)
    assert reader.has_tensor("n/.ATTRIBUTES/VARIABLE_VALUE") and not reader.has_tensor("n")
    assert reader.get_variable_to_dtype_map()["v/.ATTRIBUTES/VARIABLE_VALUE"] == tf.float32
    with pytest.raises(tf.errors.NotFoundError):
        reader.get_tensor("missing")
    view = tf.train.CheckpointView(path)
    assert set(view.children(0)) == {"v", "n", "save_counter"}
    assert next(iter(tf.train.checkpoints_iterator(tmp_path))) == path
    state = tf.train.get_checkpoint_state(tmp_path)
    assert state.model_checkpoint_path == path


def test_any_name_is_free(tmp_path):
    path = tf.train.Checkpoint(variables=[tf.Variable(1)], name=tf.Variable(2)).write(
        tmp_path / "x"
    )
    fresh = tf.train.Checkpoint(variables=[tf.Variable(0)], name=tf.Variable(0))
    fresh.read(path).assert_consumed()
    assert int(fresh.name) == 2


def test_names_of_version_1_that_do_not_fit(tmp_path):
    variables = [
        tf.Variable([1.0, 2.0], name="a"),
        tf.Variable(3, name="b"),
        tf.Variable(4, name="c"),
    ]
    path = tf.compat.v1.train.Saver(variables).save(None, str(tmp_path / "m"))
    module = tf.Module()
    module.c = tf.Variable(0, name="c")
    module.a = tf.Variable([0.0], name="a")
    module.b = tf.Variable(0.0, name="b")
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"(?s)nothing was restored.*a \(a:0\).*shape.*b \(b:0\).*dtype",
    ):
        tf.train.Checkpoint(m=module).restore(path)
    assert int(module.c) == 0


def test_dictionaries_with_objects_under_other_keys_than_strings_are_refused(tmp_path):
    holder = tf.Module()
    holder.variables_by_number = {1: tf.Variable(1.0)}
    with pytest.raises(ValueError, match="non-string key, 1"):
        tf.train.Checkpoint(holder=holder).write(str(tmp_path / "w"))
    holder.variables_by_number = {1: 2, "a": tf.Variable(1.0)}
    tf.train.Checkpoint(holder=holder).write(str(tmp_path / "w"))


def _descriptors():
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs Linux's /proc")
def test_restorations_keep_no_files_open(tmp_path):
    step, bias = tf.Variable(1.0), tf.Variable(2.0)
    path = tf.train.Checkpoint(step=step, bias=bias).write(str(tmp_path / "one"))
    before = _descriptors()
    # Complete ones, although the program keeps what they returned.
    whole = tf.train.Checkpoint(step=step, bias=bias)
    statuses = [whole.read(path).assert_consumed() for _ in range(20)]
    assert _descriptors() == before
    # Incomplete ones, which must not lose the file: they share it.
    parts = [tf.train.Checkpoint(step=tf.Variable(0.0)) for _ in range(20)]
    statuses += [part.read(path).expect_partial() for part in parts]
    statuses += [parts[0].read(path).expect_partial() for _ in range(20)]
    assert _descriptors() <= before + 1
    for file in tmp_path.iterdir():
        file.unlink()
    for part in parts:
        part.bias = tf.Variable(0.0)
        assert float(part.bias) == 2.0
    assert len(statuses) == 60
    del statuses, parts, part
    assert _descriptors() == before


class _Called:
    def __init__(self):
        self.with_arguments = []

    def nothing(self):
        self.with_arguments.append(())

    def path(self, path):
        self.with_arguments.append((os.path.basename(path),))

    def __call__(self, *paths):
        self.with_arguments.append(tuple(map(os.path.basename, paths)))


def test_write_callbacks(tmp_path):
    called = _Called()
    callbacks = [called.nothing, called.path, called, lambda: called.nothing(), called.path]
    options = tf.train.CheckpointOptions(experimental_write_callbacks=callbacks)
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    checkpoint.write(tmp_path / "a", options=options)
    assert called.with_arguments == [(), ("a",), ("a",), (), ("a",)]
    called.with_arguments.clear()
    checkpoint.save(tmp_path / "a", options=options)
    assert called.with_arguments == [(), ("a-1",), ("a-1",), (), ("a-1",)]
    assert tf.train.CheckpointOptions().experimental_write_callbacks is None
    with pytest.raises(TypeError, match="3 is not a callable object"):
        tf.train.CheckpointOptions(experimental_write_callbacks=[3])
    with pytest.raises(AssertionError, match="2 arguments"):
        tf.train.CheckpointOptions(experimental_write_callbacks=[lambda a, b: None])


def test_copied_options():
    options = tf.train.CheckpointOptions("/cpu:0", experimental_write_callbacks=[len])
    copied = copy.copy(options)
    assert type(copied) is tf.train.CheckpointOptions
    assert copied.experimental_io_device == "/cpu:0"
    copied.experimental_write_callbacks.append(print)
    assert options.experimental_write_callbacks == [len]
    assert copy.deepcopy(options).experimental_write_callbacks == [len]
    with pytest.raises(AttributeError):
        options.unknown = 1


def test_paths_in_tensors(tmp_path):
    v = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(v=v)
    path = checkpoint.write(tf.constant(str(tmp_path / "a")))
    assert path == str(tmp_path / "a")
    assert checkpoint.save(tf.constant(str(tmp_path / "a"))) == str(tmp_path / "a-1")
    v.assign(2.0)
    tf.train.Checkpoint(v=v).read(path).assert_consumed()
    assert float(v) == 1.0


def test_weak_references(tmp_path):
    module = tf.Module()
    module.v = tf.Variable(2.0)
    weak = weakref.ref(module)
    extra = tf.Variable(1)
    path = tf.train.Checkpoint(weak, extra=extra).write(tmp_path / "a")
    names = [name for name, _ in tf.train.list_variables(path)]
    value = "/.ATTRIBUTES/VARIABLE_VALUE"
    assert names == ["_CHECKPOINTABLE_OBJECT_GRAPH", f"extra{value}", f"v{value}"]
    module.v.assign(9.0)
    tf.train.Checkpoint(root=weak, extra=extra).read(path).assert_consumed()
    assert float(module.v) == 2.0
    named = tf.train.Checkpoint(m=weak)
    names = [name for name, _ in tf.train.list_variables(named.write(tmp_path / "b"))]
    assert names[1:] == [f"m/v{value}"]
    rooted = tf.train.Checkpoint(weak)
    del module
    gc.collect()
    assert weak() is None  # no checkpoint has kept it
    for checkpoint in (named, rooted):
        with pytest.raises(AssertionError, match="has been deleted"):
            checkpoint.write(tmp_path / "c")
    with pytest.raises(ValueError, match="trackable object"):
        tf.train.Checkpoint(root=weak)


def test_managers_delete_nothing_outside_their_folder(tmp_path):
    """The list of checkpoints is a file like others, and may come from anywhere."""
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    folder, other = tmp_path / "folder", tmp_path / "other"
    other.mkdir()
    folder.mkdir()
    checkpoint.write(str(other / "a"))
    checkpoint.write(str(other / "b"))
    checkpoint.write(str(folder / "old"))
    (folder / "link").symlink_to(other)
    paths = [str(other / "a"), "../other/b", "link/a", "old"]
    lines = [f'all_model_checkpoint_paths: "{path}"' for path in paths]
    (folder / "checkpoint").write_text("\n".join(['model_checkpoint_path: "old"', *lines]))
    before = sorted(other.iterdir())
    manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=1)
    manager.save()
    assert len(manager.checkpoints) == 1
    assert sorted(other.iterdir()) == before
    assert not (folder / "old.index").exists()


def test_readers_of_version_1_take_no_folders(tmp_path):
    path = tf.train.Checkpoint(v=tf.Variable(1.0)).save(str(tmp_path / "saved"))
    new_reader = tf.compat.v1.train.NewCheckpointReader
    assert new_reader(path).has_tensor("v/.ATTRIBUTES/VARIABLE_VALUE")
    with pytest.raises(tf.errors.DataLossError, match="Unable to open table file"):
        new_reader(str(tmp_path))
    with pytest.raises(tf.errors.NotFoundError):
        new_reader(str(tmp_path / "other"))
