"""What statements and expressions of converted code do: the functions that it calls as `ag__`.

Each does what Python does, except where a function is being traced and a tensor decides.
"""

from eagerflow.autograph.operators.assertions import assert_stmt
from eagerflow.autograph.operators.booleans import and_, eq, not_, not_eq, or_
from eagerflow.autograph.operators.conditionals import if_exp, if_stmt
from eagerflow.autograph.operators.containers import (
    GetItemOpts,
    ListPopOpts,
    ListStackOpts,
    get_item,
    list_append,
    list_pop,
    list_stack,
    new_list,
    set_item,
    update_item_with_op,
)
from eagerflow.autograph.operators.function_scope import FunctionScope, with_function_scope
from eagerflow.autograph.operators.iteration import for_stmt
from eagerflow.autograph.operators.loops import while_stmt
from eagerflow.autograph.operators.variables import Undefined, UndefinedReturnValue, ld, ldu

__all__ = [
    "FunctionScope",
    "GetItemOpts",
    "ListPopOpts",
    "ListStackOpts",
    "Undefined",
    "UndefinedReturnValue",
    "and_",
    "assert_stmt",
    "eq",
    "for_stmt",
    "get_item",
    "if_exp",
    "if_stmt",
    "ld",
    "ldu",
    "list_append",
    "list_pop",
    "list_stack",
    "new_list",
    "not_",
    "not_eq",
    "or_",
    "set_item",
    "update_item_with_op",
    "while_stmt",
    "with_function_scope",
]
