"""Classes of the API as bases: with other metaclasses, abstract, generic, as dataclasses, with slots.

TensorFlow accepts each of these of all its classes but enumerations, messages, frozen dataclasses and
tuples with slots; what is checked here is what it accepts.
"""

import abc
import contextlib
import copy
import dataclasses
import enum
import inspect
import pickle
import typing

import pytest

import eagerflow as tf
from eagerflow.util import own_code
from eagerflow_compat.internals import types_core

T = typing.TypeVar("T")
# Classes whose base is the engine's, which asks no `__init_subclass__`.
NATIVE = {tf.types.experimental.ConcreteFunction, tf.types.experimental.GenericFunction}


def classes():
    """The public classes that programs can extend, each by the first of its names."""
    found = {}
    namespaces = [("tf", tf)]
    seen = set()
    while namespaces:
        path, namespace = namespaces.pop(0)
        for name in getattr(namespace, "__all__", None) or dir(namespace):
            if name.startswith("_"):
                continue
            value = getattr(namespace, name, None)
            if inspect.ismodule(value) and own_code.is_own(value.__name__):
                if value not in seen and path.count(".") < 4:
                    seen.add(value)
                    namespaces.append((f"{path}.{name}", value))
            elif inspect.isclass(value) and own_code.is_own(value.__module__):
                found.setdefault(value, f"{path}.{name}")
    for cls in (types_core.Tensor, types_core.Symbol, types_core.Value):
        found[cls] = f"types.core.{cls.__name__}"
    return {path: cls for cls, path in found.items() if is_base(cls)}


def is_base(cls):
    if issubclass(cls, enum.Enum) or "_why" in vars(cls) or cls in NATIVE:
        return False
    try:
        type(cls.__name__, (cls,), {}) if type(cls) is type else type(cls)("S", (cls,), {})
    except TypeError:  # messages, and the engine's own tensors
        return False
    return True


CLASSES = classes()


def test_list_has_what_programs_extend():
    assert len(CLASSES) > 500
    expected = {tf.Variable, tf.Module, tf.TensorArray, tf.data.Dataset, tf.test.TestCase}
    expected |= {tf.keras.Model, tf.keras.layers.Layer, tf.keras.optimizers.Optimizer}
    expected |= {tf.compat.v1.Variable, tf.keras.optimizers.legacy.Adam, types_core.Tensor}
    assert expected <= set(CLASSES.values())


@pytest.mark.parametrize("path", CLASSES)
def test_bases(path):
    base = CLASSES[path]

    class WithMetaclass(base, metaclass=abc.ABCMeta):
        pass

    class Abstract(base, abc.ABC):
        @abc.abstractmethod
        def must_be_defined(self):
            pass

    class Mixin(abc.ABC):
        @abc.abstractmethod
        def must_be_defined(self):
            pass

    class MixedIn(Mixin, base):
        pass

    class Parametrized(base, typing.Generic[T]):
        pass

    assert isinstance(WithMetaclass, abc.ABCMeta) and issubclass(MixedIn, Mixin)
    assert Parametrized[int].__origin__ is Parametrized
    assert "must_be_defined" in Abstract.__abstractmethods__
    assert copy.deepcopy(base) is base and pickle.loads(pickle.dumps(base)) is base
    if not (dataclasses.is_dataclass(base) and base.__dataclass_params__.frozen):
        dataclasses.dataclass(type(base)("Data", (base,), {"__annotations__": {"extra": int}}))
    if not issubclass(base, (tuple, bytes)):

        class WithSlots(base):
            __slots__ = ("slot",)


@pytest.mark.parametrize(
    "base, arguments",
    [
        (tf.Variable, (1.0,)),
        (tf.keras.layers.Layer, ()),
        (tf.keras.optimizers.Optimizer, ("mine",)),
        (tf.keras.optimizers.legacy.Optimizer, ("mine",)),
        (tf.Module, ()),
        (tf.keras.Model, ()),
    ],
)
def test_abstract_classes_are_not_made(base, arguments):
    class Abstract(base, abc.ABC):
        @abc.abstractmethod
        def must_be_defined(self):
            pass

    class Concrete(Abstract):
        def must_be_defined(self):
            return 3

    with pytest.raises(TypeError, match="abstract"):
        Abstract(*arguments)
    made = Concrete(*arguments)
    assert made.must_be_defined() == 3 and isinstance(made, base) and isinstance(made, Abstract)


@pytest.mark.parametrize("cls", [tf.Variable, tf.keras.optimizers.Adam, tf.data.Dataset])
def test_classes_list_only_what_they_have(cls):
    class Walks:
        def __init_subclass__(cls):
            cls.read = [getattr(cls, name) for name in dir(cls) if name[:2] != "__"]

    class Extended(cls, Walks):
        pass

    assert Extended.read


def test_metaclasses_of_variables_extend_the_class_of_tensors():
    class Kind(type(tf.Variable)):
        pass

    class Parameter(tf.Variable, types_core.Tensor, metaclass=Kind):
        pass

    assert isinstance(tf.constant(1.0), types_core.Tensor)
    assert issubclass(Parameter, types_core.Tensor)


def test_variables_without_values_are_converted_as_registered():
    class Derived(tf.Variable):
        def __init__(self, value):
            with contextlib.suppress(NotImplementedError):
                super().__init__()
            self.own = value

        def value(self):
            return tf.constant(self.own) * 2.0

        shape = property(lambda self: self.value().shape)
        dtype = property(lambda self: self.value().dtype)

    tf.register_tensor_conversion_function(
        Derived, lambda value, dtype=None, name=None, as_ref=False: value.value()
    )
    derived = Derived(3.0)
    assert float(tf.convert_to_tensor(derived, tf.float32)) == 6.0
    assert float(derived + 1.0) == 7.0 and float(tf.add(1.0, derived)) == 7.0
    assert tf.stack([derived, 1.0]).numpy().tolist() == [6.0, 1.0]
    assert tf.constant([1.0]).shape == tf.reshape([derived, 2.0], [2])[:1].shape
    assert float(tf.experimental.numpy.exp(derived)) == float(tf.exp(6.0))
    assert float(tf.function(lambda: derived * 2.0)()) == 12.0
