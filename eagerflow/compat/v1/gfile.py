"""tf.compat.v1.gfile: files, under their first names."""

from eagerflow.v1.mirror import mirror

__getattr__, __dir__ = mirror(
    __name__,
    "eagerflow.io.gfile",
    renamed={
        "Copy": "io.gfile.copy",
        "DeleteRecursively": "io.gfile.rmtree",
        "Exists": "io.gfile.exists",
        "FastGFile": "io.gfile.GFile",
        "Glob": "io.gfile.glob",
        "IsDirectory": "io.gfile.isdir",
        "ListDirectory": "io.gfile.listdir",
        "MakeDirs": "io.gfile.makedirs",
        "MkDir": "io.gfile.mkdir",
        "Open": "io.gfile.GFile",
        "Remove": "io.gfile.remove",
        "Rename": "io.gfile.rename",
        "Stat": "io.gfile.stat",
        "Walk": "io.gfile.walk",
    },
)
