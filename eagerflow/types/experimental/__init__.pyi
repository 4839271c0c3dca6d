from eagerflow.framework.trace_type import (
    SupportsTracingProtocol as SupportsTracingProtocol,
    TraceType as TraceType,
)
from eagerflow.functions.concrete_function import (
    Callable as Callable,
    ConcreteFunction as ConcreteFunction,
)
from eagerflow.functions.function import Function
from eagerflow.functions.function_type import FunctionType as FunctionType
from eagerflow.types.experimental import (
    distributed as distributed,
)
from eagerflow.typing import TensorLike as TensorLike

GenericFunction = PolymorphicFunction = Function
