"""Files by version 1's functions and the names of their parameters."""

import os

import eagerflow

gfile = eagerflow.compat.v1.gfile


def test_parameters_have_the_names_of_version_1(tmp_path):
    folder, file = str(tmp_path / "a" / "b"), str(tmp_path / "a" / "b" / "f")
    gfile.MakeDirs(dirname=folder)
    gfile.MkDir(dirname=folder + "/c")
    with gfile.Open(file, "w") as writer:
        writer.write("text")
    gfile.Copy(oldpath=file, newpath=file + "2")
    gfile.Rename(oldname=file + "2", newname=file + "3", overwrite=True)
    assert gfile.Exists(filename=file) and gfile.IsDirectory(dirname=folder)
    assert gfile.Stat(filename=file).length == 4
    assert sorted(gfile.ListDirectory(dirname=folder)) == ["c", "f", "f3"]
    assert sorted(map(os.path.basename, gfile.Glob(filename=folder + "/f*"))) == ["f", "f3"]
    walked = [os.path.basename(top) for top, _, _ in gfile.Walk(top=folder, in_order=False)]
    assert walked == ["c", "b"]
    gfile.Remove(filename=file)
    assert not gfile.Exists(file)
    gfile.DeleteRecursively(dirname=str(tmp_path / "a"))
    assert not gfile.Exists(folder)
