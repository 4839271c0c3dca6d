"""Files, folders and their names."""

import pytest

import eagerflow as tf

gfile = tf.io.gfile


def test_a_file_is_read_as_it_was_written(tmp_path):
    path = str(tmp_path / "new" / "folder" / "a.bin")
    tf.io.write_file(path, b"\x00\xff")
    content = tf.io.read_file(tf.constant(path))
    assert content.shape == () and content.numpy() == b"\x00\xff"


def test_errors_of_the_system_have_their_classes(tmp_path):
    with pytest.raises(tf.errors.NotFoundError, match="No such file or directory"):
        tf.io.read_file(str(tmp_path / "none"))
    with pytest.raises(tf.errors.FailedPreconditionError, match="Is a directory"):
        tf.io.read_file(str(tmp_path))
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.io.read_file(["a", "b"])
    with pytest.raises(tf.errors.NotFoundError):
        gfile.mkdir(str(tmp_path / "a" / "b"))
    with pytest.raises(tf.errors.NotFoundError):
        gfile.remove(str(tmp_path / "a"))
    with pytest.raises(tf.errors.NotFoundError):
        gfile.rmtree(str(tmp_path / "a"))
    with pytest.raises(tf.errors.NotFoundError, match="Could not find directory"):
        gfile.listdir(str(tmp_path / "a"))
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.io.read_file("a\0b")


def test_matching_files_are_sorted(tmp_path):
    for name in ("b.txt", "a.txt", "c.bin"):
        (tmp_path / name).write_text(name)
    names = tf.io.matching_files(str(tmp_path / "*.txt")).numpy().tolist()
    assert names == [str(tmp_path / name).encode() for name in ("a.txt", "b.txt")]
    both = tf.io.matching_files([str(tmp_path / "c.*"), str(tmp_path / "[a]*")])
    assert [name[-5:] for name in both.numpy().tolist()] == [b"a.txt", b"c.bin"]


def test_copy_and_rename_protect_what_is_there(tmp_path):
    first, second = str(tmp_path / "a"), str(tmp_path / "b")
    tf.io.write_file(first, "one")
    gfile.copy(first, second)
    with pytest.raises(tf.errors.AlreadyExistsError):
        gfile.copy(first, second)
    with pytest.raises(tf.errors.AlreadyExistsError):
        gfile.rename(first, second)
    gfile.rename(first, second, overwrite=True)
    assert gfile.listdir(str(tmp_path)) == ["b"]
    assert gfile.stat(second).length == 3 and not gfile.stat(second).is_directory


def test_walk_goes_down_and_up(tmp_path):
    top = str(tmp_path)
    tf.io.write_file(top + "/x/y/file", "")
    down = [(top, ["x"], []), (top + "/x", ["y"], []), (top + "/x/y", [], ["file"])]
    assert list(gfile.walk(top)) == down
    assert list(gfile.walk(top, topdown=False)) == down[::-1]
    gfile.rmtree(top + "/x")
    assert not gfile.exists(top + "/x")


def test_gfile_reads_and_writes_text_and_bytes(tmp_path):
    path = str(tmp_path / "a")
    with gfile.GFile(path, "w") as file:
        file.write("käse\nbrot\n")
        assert file.tell() == 11
    with gfile.GFile(path, "a") as file:
        file.write("ei")
    assert gfile.GFile(path).readlines() == ["käse\n", "brot\n", "ei"]
    with gfile.GFile(path, "rb") as file:
        assert file.size() == 13
        assert file.read(2) == b"k\xc3"
        file.seek(-2, whence=2)
        assert file.read() == b"ei"
    with pytest.raises(tf.errors.PermissionDeniedError):
        gfile.GFile(path, "w").read()
    with pytest.raises(tf.errors.PermissionDeniedError):
        gfile.GFile(path).write("")
    with pytest.raises(tf.errors.InvalidArgumentError):
        gfile.GFile(path, "q")
    with pytest.raises(tf.errors.NotFoundError):
        gfile.GFile(path + "none").read()


def test_matches_of_a_pattern_that_begins_with_a_wildcard_are_in_the_folder_dot(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    for name in ("a.csv", "s/b.csv"):
        tf.io.write_file(name, "x")
    assert tf.io.gfile.glob("*.csv") == tf.io.gfile.glob("./*.csv") == ["./a.csv"]
    assert tf.io.matching_files("*/*.csv").numpy().tolist() == [b"./s/b.csv"]
    assert tf.io.gfile.glob("s/*.csv") == ["s/b.csv"] and tf.io.gfile.glob("a.csv") == ["a.csv"]
