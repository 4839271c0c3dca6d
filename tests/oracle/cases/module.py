"""Module: which variables and submodules it finds, in which order, and what it is called."""

from oracle.registry import case


def dense(tf, rows, columns, name=None):
    """A layer of two variables, and one that is not trained."""

    class Dense(tf.Module):
        def __init__(self, name=None):
            super().__init__(name=name)
            self.w = tf.Variable(tf.ones([rows, columns]), name="w")
            self.b = tf.Variable(tf.zeros([columns]), name="b")
            self.steps = tf.Variable(0, trainable=False, name="steps")

        def __call__(self, x):
            self.steps.assign_add(1)
            return tf.matmul(x, self.w) + self.b

    return Dense(name)


def listing(module):
    """What a module says it holds."""
    return {
        "variables": [[v.name, v.shape] for v in module.variables],
        "trainable": [v.name for v in module.trainable_variables],
        "others": [v.name for v in module.non_trainable_variables],
        "submodules": [m.name for m in module.submodules],
        "name": module.name,
    }


def simple(tf):
    return listing(dense(tf, 2, 3))


def named(tf):
    return listing(dense(tf, 2, 3, name="first"))


def nested(tf):
    class Net(tf.Module):
        def __init__(self):
            super().__init__()
            self.second = dense(tf, 3, 1, "second")
            self.first = dense(tf, 2, 3, "first")
            self.scale = tf.Variable(1.0, name="scale")

    return listing(Net())


def containers(tf):
    class Net(tf.Module):
        def __init__(self):
            super().__init__()
            self.layers = [dense(tf, 2, 2, "l0"), dense(tf, 2, 2, "l1")]
            self.table = {"b": tf.Variable(1.0, name="tb"), "a": tf.Variable(2.0, name="ta")}
            self.pair = (tf.Variable(3.0, name="p0"), {"deep": [tf.Variable(4.0, name="p1")]})
            self.other = ["text", 3, None, tf.constant(1.0)]

    return listing(Net())


def shared(tf):
    module = tf.Module(name="root")
    v = tf.Variable(1.0, name="v")
    module.a, module.b, module.c = v, v, [v]
    child = tf.Module(name="child")
    child.v = v
    module.x, module.y = child, child
    return listing(module)


def empty(tf):
    return listing(tf.Module())


def cycle(tf):
    a, b = tf.Module(name="a"), tf.Module(name="b")
    a.other, b.other = b, a
    a.v, b.v = tf.Variable(1.0, name="va"), tf.Variable(2.0, name="vb")
    return [listing(a), listing(b)]


def attributes_are_found_late(tf):
    module = tf.Module()
    before = len(module.variables)
    module.v = tf.Variable(1.0)
    after = len(module.variables)
    del module.v
    return [before, after, len(module.variables)]


def types(tf):
    module = dense(tf, 1, 1)
    return [
        isinstance(module.variables, tuple),
        isinstance(module.trainable_variables, tuple),
        isinstance(module.submodules, tuple),
        isinstance(module, tf.Module),
    ]


def class_name(tf):
    class MyFancyNet2D(tf.Module):
        pass

    class HTTPServer(tf.Module):
        pass

    return [MyFancyNet2D().name, HTTPServer().name, MyFancyNet2D(name="other").name]


def name_scope(tf):
    class Scoped(tf.Module):
        @tf.Module.with_name_scope
        def build(self):
            self.v = tf.Variable(1.0, name="v")
            return self.v.name

    return [Scoped().build(), Scoped(name="mine").build()]


def call_and_gradient(tf):
    layer = dense(tf, 2, 3)
    with tf.GradientTape() as tape:
        y = layer(tf.constant([[1.0, 2.0]]))
    grads = tape.gradient(y, layer.trainable_variables)
    return [y, list(grads), layer.steps]


def order_is_alphabetical(tf):
    module = tf.Module()
    for name in ("z", "a", "m", "B", "_hidden"):
        setattr(module, name, tf.Variable(1.0, name=name))
    return listing(module)


PROGRAMS = (
    simple,
    named,
    nested,
    containers,
    shared,
    empty,
    cycle,
    attributes_are_found_late,
    types,
    class_name,
    name_scope,
    call_and_gradient,
    order_is_alphabetical,
)


@case(program={program.__name__: program for program in PROGRAMS})
def module(tf, program):
    return program(tf)
