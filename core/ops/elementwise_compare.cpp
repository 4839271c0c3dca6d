// Comparisons, logic and bits.
#include "kernels/cpu/elementwise.h"
#include "ops/elementwise.h"
#include "ops/elementwise_infer.h"
#include "ops/op.h"

namespace ef::ops {

using cpu::Binary;
using cpu::Unary;

const Op equal{{
    .name = "equal",
    .tf_name = "Equal",
    .stablehlo = "EQ",
    .inputs = {{"x", kAllTypes | kQuantizedTypes}, {"y", kAllTypes | kQuantizedTypes}},
    .infer = binary_bool_infer,
    .kernel = cpu::binary<Binary::kEqual>,
    .promotion = Promotion::kStrong,
    .doc = R"(Returns where x equals y; a NaN equals nothing.

All dtypes, strings too. The result is a bool tensor. Shapes broadcast. Raises InvalidArgumentError
if dtypes differ or shapes do not broadcast.

>>> tf.equal([1, 2], [1, 3]).numpy()
array([ True, False])
)",
}};

const Op not_equal{{
    .name = "not_equal",
    .tf_name = "NotEqual",
    .stablehlo = "NE",
    .inputs = {{"x", kAllTypes | kQuantizedTypes}, {"y", kAllTypes | kQuantizedTypes}},
    .infer = binary_bool_infer,
    .kernel = cpu::binary<Binary::kNotEqual>,
    .doc = R"(Returns where x differs from y; a NaN differs from everything.

All dtypes, strings too. The result is a bool tensor. Shapes broadcast. Raises InvalidArgumentError
if dtypes differ or shapes do not broadcast.

>>> tf.not_equal([1, 2], [1, 3]).numpy()
array([False,  True])
)",
}};

const Op less{{
    .name = "less",
    .tf_name = "Less",
    .stablehlo = "LT",
    .inputs = {{"x", kRealTypes}, {"y", kRealTypes}},
    .infer = binary_bool_infer,
    .kernel = cpu::binary<Binary::kLess>,
    .doc = R"(Returns where x < y.

Real dtypes. The result is a bool tensor. Shapes broadcast. Raises InvalidArgumentError if dtypes
differ or shapes do not broadcast.

>>> tf.less([1, 2, 3], 2).numpy()
array([ True, False, False])
)",
}};

const Op less_equal{{
    .name = "less_equal",
    .tf_name = "LessEqual",
    .stablehlo = "LE",
    .inputs = {{"x", kRealTypes}, {"y", kRealTypes}},
    .infer = binary_bool_infer,
    .kernel = cpu::binary<Binary::kLessEqual>,
    .doc = R"(Returns where x <= y.

Real dtypes. The result is a bool tensor. Shapes broadcast. Raises InvalidArgumentError if dtypes
differ or shapes do not broadcast.

>>> tf.less_equal([1, 2, 3], 2).numpy()
array([ True,  True, False])
)",
}};

const Op greater{{
    .name = "greater",
    .tf_name = "Greater",
    .stablehlo = "GT",
    .inputs = {{"x", kRealTypes}, {"y", kRealTypes}},
    .infer = binary_bool_infer,
    .kernel = cpu::binary_swapped<Binary::kLess>,
    .doc = R"(Returns where x > y.

Real dtypes. The result is a bool tensor. Shapes broadcast. Raises InvalidArgumentError if dtypes
differ or shapes do not broadcast.

>>> tf.greater([1, 2, 3], 2).numpy()
array([False, False,  True])
)",
}};

const Op greater_equal{{
    .name = "greater_equal",
    .tf_name = "GreaterEqual",
    .stablehlo = "GE",
    .inputs = {{"x", kRealTypes}, {"y", kRealTypes}},
    .infer = binary_bool_infer,
    .kernel = cpu::binary_swapped<Binary::kLessEqual>,
    .doc = R"(Returns where x >= y.

Real dtypes. The result is a bool tensor. Shapes broadcast. Raises InvalidArgumentError if dtypes
differ or shapes do not broadcast.

>>> tf.greater_equal([1, 2, 3], 2).numpy()
array([False,  True,  True])
)",
}};

const Op logical_and{{
    .name = "logical_and",
    .tf_name = "LogicalAnd",
    .stablehlo = "stablehlo.and",
    .inputs = {{"x", kBoolType}, {"y", kBoolType}},
    .infer = binary_infer,
    .kernel = cpu::binary<Binary::kLogicalAnd>,
    .doc = R"(Returns where both x and y hold.

bool tensors. Shapes broadcast. Raises InvalidArgumentError if dtypes differ or shapes do not
broadcast.

>>> tf.logical_and([True, True], [True, False]).numpy()
array([ True, False])
)",
}};

const Op logical_or{{
    .name = "logical_or",
    .tf_name = "LogicalOr",
    .stablehlo = "stablehlo.or",
    .inputs = {{"x", kBoolType}, {"y", kBoolType}},
    .infer = binary_infer,
    .kernel = cpu::binary<Binary::kLogicalOr>,
    .doc = R"(Returns where x or y or both hold.

bool tensors. Shapes broadcast. Raises InvalidArgumentError if dtypes differ or shapes do not
broadcast.

>>> tf.logical_or([False, True], [False, False]).numpy()
array([False,  True])
)",
}};

const Op logical_xor{{
    .name = "logical_xor",
    .tf_name = "LogicalXor",
    .stablehlo = "stablehlo.xor",
    .inputs = {{"x", kBoolType}, {"y", kBoolType}},
    .infer = binary_infer,
    .kernel = cpu::binary<Binary::kLogicalXor>,
    .doc = R"(Returns where exactly one of x and y holds.

bool tensors. Shapes broadcast. Raises InvalidArgumentError if dtypes differ or shapes do not
broadcast.

>>> tf.math.logical_xor([True, True], [True, False]).numpy()
array([False,  True])
)",
}};

const Op logical_not{{
    .name = "logical_not",
    .tf_name = "LogicalNot",
    .stablehlo = "stablehlo.not",
    .inputs = {{"x", kBoolType}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kLogicalNot>,
    .doc = R"(Returns where x does not hold.

A bool tensor in, one of the same shape out. Raises InvalidArgumentError for other dtypes.

>>> tf.logical_not([True, False]).numpy()
array([False,  True])
)",
}};

const Op bitwise_and{{
    .name = "bitwise_and",
    .tf_name = "BitwiseAnd",
    .stablehlo = "stablehlo.and",
    .inputs = {{"x", kIntTypes}, {"y", kIntTypes}},
    .infer = binary_infer,
    .kernel = cpu::binary<Binary::kBitwiseAnd>,
    .doc = R"(Returns the bits set in both x and y.

Integer dtypes. Shapes broadcast. Raises InvalidArgumentError if dtypes differ or shapes do not
broadcast.

>>> tf.bitwise.bitwise_and([12], [10]).numpy()
array([8], dtype=int32)
)",
}};

const Op bitwise_or{{
    .name = "bitwise_or",
    .tf_name = "BitwiseOr",
    .stablehlo = "stablehlo.or",
    .inputs = {{"x", kIntTypes}, {"y", kIntTypes}},
    .infer = binary_infer,
    .kernel = cpu::binary<Binary::kBitwiseOr>,
    .doc = R"(Returns the bits set in x or y or both.

Integer dtypes. Shapes broadcast. Raises InvalidArgumentError if dtypes differ or shapes do not
broadcast.

>>> tf.bitwise.bitwise_or([12], [10]).numpy()
array([14], dtype=int32)
)",
}};

const Op bitwise_xor{{
    .name = "bitwise_xor",
    .tf_name = "BitwiseXor",
    .stablehlo = "stablehlo.xor",
    .inputs = {{"x", kIntTypes}, {"y", kIntTypes}},
    .infer = binary_infer,
    .kernel = cpu::binary<Binary::kBitwiseXor>,
    .doc = R"(Returns the bits set in exactly one of x and y.

Integer dtypes. Shapes broadcast. Raises InvalidArgumentError if dtypes differ or shapes do not
broadcast.

>>> tf.bitwise.bitwise_xor([12], [10]).numpy()
array([6], dtype=int32)
)",
}};

const Op left_shift{{
    .name = "left_shift",
    .tf_name = "LeftShift",
    .inputs = {{"x", kIntTypes}, {"y", kIntTypes}},
    .infer = binary_infer,
    .kernel = cpu::binary<Binary::kLeftShift>,
    .doc = R"(Returns x shifted left by y bits.

Integer dtypes. A y below 0 counts as 0, one above the last bit as the last bit. Shapes broadcast.
Raises InvalidArgumentError if dtypes differ or shapes do not broadcast.

>>> tf.bitwise.left_shift([3], [2]).numpy()
array([12], dtype=int32)
)",
}};

const Op right_shift{{
    .name = "right_shift",
    .tf_name = "RightShift",
    .inputs = {{"x", kIntTypes}, {"y", kIntTypes}},
    .infer = binary_infer,
    .kernel = cpu::binary<Binary::kRightShift>,
    .doc = R"(Returns x shifted right by y bits, keeping the sign.

Integer dtypes. A y below 0 counts as 0, one above the last bit as the last bit. Shapes broadcast.
Raises InvalidArgumentError if dtypes differ or shapes do not broadcast.

>>> tf.bitwise.right_shift([-8], [2]).numpy()
array([-2], dtype=int32)
)",
}};

const Op invert{{
    .name = "invert",
    .tf_name = "Invert",
    .stablehlo = "stablehlo.not",
    .inputs = {{"x", kIntTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kInvert>,
    .promotion = Promotion::kNone,
    .doc = R"(Returns x with all its bits flipped.

Integer dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for other
dtypes.

>>> tf.bitwise.invert([0, 5]).numpy()
array([-1, -6], dtype=int32)
)",
}};

}  // namespace ef::ops
