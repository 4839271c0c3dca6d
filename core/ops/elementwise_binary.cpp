// Arithmetic of two operands.
#include "kernels/cpu/elementwise.h"
#include "ops/elementwise.h"
#include "ops/elementwise_infer.h"
#include "ops/op.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

using cpu::Binary;
using enum DType;

constexpr DTypeSet kAddTypes = kNumericTypes | DTypeSet{kString};
constexpr DTypeSet kPowTypes = kInexactTypes | kSignedIntTypes;
constexpr DTypeSet kDifferenceTypes = kInexactTypes | DTypeSet{kInt32, kInt64};

Tensor zero(DType dtype) { return Tensor::scalar(dtype, 0); }

Tensor real_as_complex(const Tensor& x) {
  const Tensor part = call(real, {x});
  return call(complex, {part, zero(part.dtype())});
}

// The gradient is that of x where `to_x` holds, and that of y elsewhere.
void choose_gradient(GradContext& g, const Tensor& to_x) {
  const Tensor dy = g.dy();
  if (g.wants(0)) set_summed(g, 0, ef::select(to_x, dy, zero(dy.dtype())));
  if (g.wants(1)) set_summed(g, 1, ef::select(to_x, zero(dy.dtype()), dy));
}

// The factor of f(y) in the derivative of x f(y) with respect to x: 1. It is 0 where x is 0 and
// f(y) is undefined, because the product is 0 there.
Tensor factor_of(const Tensor& x, const Tensor& y, double undefined) {
  const Tensor defined = call(not_equal, {y, Tensor::scalar(y.dtype(), undefined)});
  const Tensor either = call(logical_or, {call(not_equal, {x, zero(x.dtype())}), defined});
  return cast_to(either, x.dtype());
}

}  // namespace

const Op add_n{{
    .name = "add_n",
    .tf_name = "AddN",
    .inputs = {{.name = "inputs",
                .dtypes = kNumericTypes,
                .variadic = true,
                .converts = Converts::kAlone}},
    .infer =
        [](InferContext& c) {
          if (c.num_inputs() == 0) invalid_argument("There is nothing to add [Op:AddN]");
          Shape shape = c.shape(0);
          for (int i = 1; i < c.num_inputs(); ++i) {
            if (compatible(c.shape(i), shape)) {
              shape = merged(shape, c.shape(i));
              continue;
            }
            invalid_argument(
                "Inputs to operation AddN of type AddN must have the same size and shape.  Input "
                "0: ",
                shape, " != input ", i, ": ", c.shape(i), " [Op:AddN]");
          }
          c.add_output(c.dtype(0), shape);
        },
    .kernel = cpu::add_n,
    .gradient =
        [](GradContext& g) {
          const Tensor dy = g.dy();
          for (int i = 0; i < g.num_inputs(); ++i) {
            if (g.wants(i)) g.set(i, dy);
          }
        },
    .needs = {{}},
    .may_be_unknown = Unknown::kRanks,
    .doc = "The sum of tensors of one shape.",
}};

const Op add{{
    .name = "add",
    .tf_name = "AddV2",
    .stablehlo = "stablehlo.add",
    .inputs = {{.name = "x",
                .dtypes = kAddTypes,
                .converts = Converts::kAlone,
                .no_kernel = {DType::kInvalid}},
               {.name = "y",
                .dtypes = kAddTypes,
                .converts = Converts::kAlone,
                .no_kernel = {DType::kInvalid}}},
    .infer = binary_infer,
    .kernel = cpu::binary<Binary::kAdd>,
    .gradient =
        [](GradContext& g) {
          const Tensor dy = g.dy();
          if (g.wants(0)) set_summed(g, 0, dy);
          if (g.wants(1)) set_summed(g, 1, dy);
        },
    .needs = {kNothing},
    .promotion = Promotion::kOperands,
    .doc = R"(Returns x + y, element by element.

Both have one numeric dtype, or hold strings, which are joined. Their shapes broadcast. Integers
wrap around. Raises InvalidArgumentError if dtypes differ or shapes do not broadcast.

>>> tf.add([1, 2, 3], 10).numpy()
array([11, 12, 13], dtype=int32)
)",
}};

const Op subtract{{
    .name = "subtract",
    .tf_name = "Sub",
    .stablehlo = "stablehlo.subtract",
    .inputs = {{"x"}, {"y"}},
    .infer = binary_infer,
    .kernel = cpu::binary<Binary::kSubtract>,
    .gradient =
        [](GradContext& g) {
          const Tensor dy = g.dy();
          if (g.wants(0)) set_summed(g, 0, dy);
          if (g.wants(1)) g.set(1, -sum_to_shape(dy, g.input_shape(1)));
        },
    .needs = {kNothing},
    .promotion = Promotion::kOperands,
    .doc = R"(Returns x - y, element by element.

Both have one numeric dtype; their shapes broadcast. Integers wrap around. Raises
InvalidArgumentError if dtypes differ or shapes do not broadcast.

>>> tf.subtract([5, 6], [1, 2]).numpy()
array([4, 4], dtype=int32)
)",
}};

const Op multiply{{
    .name = "multiply",
    .tf_name = "Mul",
    .stablehlo = "stablehlo.multiply",
    .inputs = {{"x"}, {"y"}},
    .infer = binary_infer,
    .kernel = cpu::binary<Binary::kMultiply>,
    .gradient =
        [](GradContext& g) {
          const Tensor dy = g.dy();
          if (g.wants(0)) set_summed(g, 0, dy * conjugate(g.input(1)));
          if (g.wants(1)) set_summed(g, 1, conjugate(g.input(0)) * dy);
        },
    .needs = {{2, 0}, {1, 0}},
    .promotion = Promotion::kOperands,
    .doc = R"(Returns x * y, element by element.

Both have one numeric dtype; their shapes broadcast. Integers wrap around. Raises
InvalidArgumentError if dtypes differ or shapes do not broadcast.

>>> tf.multiply([[1.0], [2.0]], [3.0, 4.0]).numpy()
array([[3., 4.],
       [6., 8.]], dtype=float32)
)",
}};

const Op real_divide{{
    .name = "divide_real",
    .tf_name = "RealDiv",
    .stablehlo = "stablehlo.divide",
    .inputs = {{.name = "x", .dtypes = kInexactTypes, .no_kernel = kIntTypes},
               {.name = "y", .dtypes = kInexactTypes, .no_kernel = kIntTypes}},
    .infer = binary_infer,
    .kernel = cpu::binary<Binary::kRealDivide>,
    .gradient =
        [](GradContext& g) {
          const Tensor by_x = g.dy() / conjugate(g.input(1));
          if (g.wants(0)) set_summed(g, 0, by_x);
          if (g.wants(1)) g.set(1, -sum_to_shape(by_x * conjugate(g.output(0)), g.input_shape(1)));
        },
    .needs = {{2, 0}, {2, 1}},
    .promotion = Promotion::kOperands,
    .doc = R"(Returns x / y of floating or complex numbers, element by element.

Both have one dtype; their shapes broadcast. Division by zero gives infinities and NaNs. Raises
InvalidArgumentError for integers, if dtypes differ or if shapes do not broadcast.

>>> (tf.constant([1.0, 9.0]) / 2.0).numpy()
array([0.5, 4.5], dtype=float32)
)",
}};

const Op divide_no_nan{{
    .name = "divide_no_nan",
    .tf_name = "DivNoNan",
    .inputs = {{"x", kInexactTypes}, {"y", kInexactTypes}},
    .infer = binary_infer,
    .kernel = cpu::binary<Binary::kDivideNoNan>,
    .gradient =
        [](GradContext& g) {
          const Tensor y = conjugate(g.input(1));
          const Tensor by_x = call(divide_no_nan, {g.dy(), y});
          if (g.wants(0)) set_summed(g, 0, by_x);
          if (g.wants(1)) {
            g.set(1, -sum_to_shape(by_x * conjugate(g.output(0)), g.input_shape(1)));
          }
        },
    .needs = {{2, 0}, {2, 1}},
    .doc = R"(Returns x / y, and 0 wherever y is 0.

Floating or complex dtypes; shapes broadcast. Raises InvalidArgumentError if dtypes differ or
shapes do not broadcast.

>>> tf.math.divide_no_nan([3.0, 1.0], [2.0, 0.0]).numpy()
array([1.5, 0. ], dtype=float32)
)",
}};

const Op multiply_no_nan{{
    .name = "multiply_no_nan",
    .tf_name = "MulNoNan",
    .inputs = {{.name = "x", .dtypes = kInexactTypes, .converts = Converts::kAlone},
               {.name = "y", .dtypes = kInexactTypes, .converts = Converts::kLikeFirst}},
    .infer = binary_infer,
    .kernel = cpu::binary<Binary::kMultiplyNoNan>,
    .gradient =
        [](GradContext& g) {
          const Tensor dy = g.dy();
          if (g.wants(0)) set_summed(g, 0, call(multiply_no_nan, {dy, conjugate(g.input(1))}));
          if (g.wants(1)) set_summed(g, 1, call(multiply_no_nan, {conjugate(g.input(0)), dy}));
        },
    .needs = {{2, 0}, {1, 0}},
    .promotion = Promotion::kOperands,
    .doc = R"(Returns x * y, and 0 wherever y is 0, even if x is infinite or NaN.

Floating or complex dtypes; shapes broadcast. Raises InvalidArgumentError if dtypes differ or
shapes do not broadcast.

>>> tf.math.multiply_no_nan([3.0, float('inf')], [2.0, 0.0]).numpy()
array([6., 0.], dtype=float32)
)",
}};

const Op truncate_div{{
    .name = "truncatediv",
    .tf_name = "TruncateDiv",
    .inputs = {{.name = "x", .dtypes = kRealTypes, .no_kernel = kComplexTypes},
               {.name = "y", .dtypes = kRealTypes, .no_kernel = kComplexTypes}},
    .infer = binary_infer,
    .kernel = cpu::binary<Binary::kTruncateDiv>,
    .promotion = Promotion::kOperands,
    .doc = R"(Returns x / y rounded towards zero.

Real dtypes; shapes broadcast. Without gradient. Raises InvalidArgumentError for an integer
division by zero, if dtypes differ or if shapes do not broadcast.

>>> tf.truncatediv([7, -7], 2).numpy()
array([ 3, -3], dtype=int32)
)",
}};

const Op truncate_mod{{
    .name = "truncatemod",
    .tf_name = "TruncateMod",
    .stablehlo = "stablehlo.remainder",
    .inputs = {{"x", kRealTypes}, {"y", kRealTypes}},
    .infer = binary_infer,
    .kernel = cpu::binary<Binary::kTruncateMod>,
    .promotion = Promotion::kOperands,
    .doc = R"(Returns the remainder of truncatediv, which has the sign of x.

Real dtypes; shapes broadcast. Without gradient. Raises InvalidArgumentError for an integer
division by zero, if dtypes differ or if shapes do not broadcast.

>>> tf.truncatemod([7, -7], 2).numpy()
array([ 1, -1], dtype=int32)
)",
}};

const Op floor_div{{
    .name = "floordiv",
    .tf_name = "FloorDiv",
    .inputs = {{.name = "x", .dtypes = kRealTypes, .no_kernel = kComplexTypes},
               {.name = "y", .dtypes = kRealTypes, .no_kernel = kComplexTypes}},
    .infer = binary_infer,
    .kernel = cpu::binary<Binary::kFloorDiv>,
    .promotion = Promotion::kOperands,
    .doc = R"(Returns x / y rounded towards minus infinity, as Python's // does.

Real dtypes; shapes broadcast. Without gradient. Raises InvalidArgumentError for an integer
division by zero, if dtypes differ or if shapes do not broadcast.

>>> tf.math.floordiv([7, -7], 2).numpy()
array([ 3, -4], dtype=int32)
)",
}};

const Op floor_mod{{
    .name = "floormod",
    .tf_name = "FloorMod",
    .inputs = {{"x", kRealTypes}, {"y", kRealTypes}},
    .infer = binary_infer,
    .kernel = cpu::binary<Binary::kFloorMod>,
    .gradient =
        [](GradContext& g) {
          const Tensor dy = g.dy();
          if (g.wants(0)) set_summed(g, 0, dy);
          if (g.wants(1)) set_summed(g, 1, dy * -call(floor_div, {g.input(0), g.input(1)}));
        },
    .needs = {kNothing, kBothInputs},
    .promotion = Promotion::kOperands,
    .doc = R"(Returns the remainder of floordiv, which has the sign of y, as Python's % does.

Real dtypes; shapes broadcast. Raises InvalidArgumentError for an integer division by zero, if
dtypes differ or if shapes do not broadcast.

>>> tf.math.floormod([7, -7], 3).numpy()
array([1, 2], dtype=int32)
)",
}};

const Op pow{{
    .name = "pow",
    .tf_name = "Pow",
    .inputs = {{"x", kPowTypes}, {"y", kPowTypes}},
    .infer = binary_infer,
    .kernel = cpu::binary<Binary::kPow>,
    .gradient =
        [](GradContext& g) {
          const Tensor dy = g.dy();
          const Tensor x = conjugate(g.input(0));
          if (g.wants(0)) {
            // For y = 0 the slope is 0 even if the power is infinite; a gradient of 0 stays 0, too.
            const Tensor y = conjugate(g.input(1));
            const Op& times = is_integer(x.dtype()) ? multiply : multiply_no_nan;
            const Tensor slope = call(times, {call(pow, {x, y - 1}), y});
            set_summed(g, 0, call(times, {slope, dy}));
          }
          if (!g.wants(1)) return;
          // x^y is a smooth function of y only for positive x; elsewhere the gradient is 0.
          const Tensor nil = zero(x.dtype());
          const Tensor smooth = call(is_complex(x.dtype()) ? not_equal : greater, {x, nil});
          const Tensor safe = ef::select(smooth, x, Tensor::scalar(x.dtype(), 1));
          const Tensor log_x = ef::select(smooth, call(log, {safe}), nil);
          set_summed(g, 1, dy * conjugate(g.output(0)) * log_x);
        },
    .needs = {kBothInputs, {1, 1}},
    .promotion = Promotion::kOperands,
    .doc = R"(Returns x to the power of y, element by element.

Floating, complex or signed integer dtypes; shapes broadcast. Integer powers wrap around. Raises
InvalidArgumentError for a negative integer exponent, if dtypes differ or shapes do not broadcast.

>>> tf.pow([2, 3], [5, 2]).numpy()
array([32,  9], dtype=int32)
)",
}};

const Op maximum{{
    .name = "maximum",
    .tf_name = "Maximum",
    .stablehlo = "stablehlo.maximum",
    .inputs = {{"x", kRealTypes}, {"y", kRealTypes}},
    .infer = binary_infer,
    .kernel = cpu::binary<Binary::kMaximum>,
    .gradient =
        [](GradContext& g) { choose_gradient(g, call(greater_equal, {g.input(0), g.input(1)})); },
    .needs = {kBothInputs},
    .promotion = Promotion::kStrong,
    .doc = R"(Returns the larger of x and y, element by element; NaN if either is NaN.

Real dtypes; shapes broadcast. Where both are equal, the gradient goes to x. Raises
InvalidArgumentError if dtypes differ or shapes do not broadcast.

>>> tf.maximum([1.0, 5.0], 3.0).numpy()
array([3., 5.], dtype=float32)
)",
}};

const Op minimum{{
    .name = "minimum",
    .tf_name = "Minimum",
    .stablehlo = "stablehlo.minimum",
    .inputs = {{"x", kRealTypes}, {"y", kRealTypes}},
    .infer = binary_infer,
    .kernel = cpu::binary<Binary::kMinimum>,
    .gradient =
        [](GradContext& g) { choose_gradient(g, call(less_equal, {g.input(0), g.input(1)})); },
    .needs = {kBothInputs},
    .promotion = Promotion::kStrong,
    .doc = R"(Returns the smaller of x and y, element by element; NaN if either is NaN.

Real dtypes; shapes broadcast. Where both are equal, the gradient goes to x. Raises
InvalidArgumentError if dtypes differ or shapes do not broadcast.

>>> tf.minimum([1.0, 5.0], 3.0).numpy()
array([1., 3.], dtype=float32)
)",
}};

const Op squared_difference{{
    .name = "squared_difference",
    .tf_name = "SquaredDifference",
    .inputs = {{"x", kDifferenceTypes}, {"y", kDifferenceTypes}},
    .infer = binary_infer,
    .kernel = cpu::binary<Binary::kSquaredDifference>,
    .gradient =
        [](GradContext& g) {
          // The result is real, whatever its dtype.
          const Tensor dy = is_complex(g.input_dtype(0)) ? real_as_complex(g.dy()) : g.dy();
          const Tensor by_x = (dy + dy) * (g.input(0) - g.input(1));
          if (g.wants(0)) set_summed(g, 0, by_x);
          if (g.wants(1)) g.set(1, -sum_to_shape(by_x, g.input_shape(1)));
        },
    .needs = {kBothInputs},
    .doc = R"(Returns (x - y)(x - y), the second factor conjugated, element by element.

Floating, complex, int32 and int64 dtypes; shapes broadcast. Raises InvalidArgumentError if dtypes
differ or shapes do not broadcast.

>>> tf.math.squared_difference([1.0, 5.0], 3.0).numpy()
array([4., 4.], dtype=float32)
)",
}};

const Op atan2{{
    .name = "atan2",
    .tf_name = "Atan2",
    .stablehlo = "stablehlo.atan2",
    .inputs = {{"y", kFloatTypes}, {"x", kFloatTypes}},
    .infer = binary_infer,
    .kernel = cpu::binary<Binary::kAtan2>,
    .gradient =
        [](GradContext& g) {
          const Tensor& y = g.input(0);
          const Tensor& x = g.input(1);
          const Tensor length = call(hypot, {y, x});  // squares may overflow
          const Tensor scaled = g.dy() / length;
          if (g.wants(0)) set_summed(g, 0, x / length * scaled);
          if (g.wants(1)) g.set(1, -sum_to_shape(y / length * scaled, g.input_shape(1)));
        },
    .needs = {kBothInputs},
    .doc = R"(Returns the angle of the point (x, y), in [-pi, pi].

Floating dtypes; shapes broadcast. Note the order of the arguments. Raises InvalidArgumentError if
dtypes differ or shapes do not broadcast.

>>> tf.math.atan2(0.0, 1.0).numpy()
np.float32(0.0)
)",
}};

const Op hypot{{
    .name = "hypot",
    .tf_name = "Hypot",
    .inputs = {{"x", kFloatTypes}, {"y", kFloatTypes}},
    .infer = binary_infer,
    .kernel = cpu::binary<Binary::kHypot>,
    // At the origin there is no derivative; the gradient is 0.
    .gradient =
        [](GradContext& g) {
          const Tensor dy = g.dy();
          for (int i = 0; i < 2; ++i) {
            if (!g.wants(i)) continue;
            set_summed(g, i, dy * call(divide_no_nan, {g.input(i), g.output(0)}));
          }
        },
    .needs = {{1, 1}, {2, 1}},
    .doc = R"(Returns the root of x^2 + y^2, also where the squares overflow or vanish.

Floating dtypes; shapes broadcast. The gradient at the origin is 0. Raises InvalidArgumentError if
dtypes differ or shapes do not broadcast.

>>> from eagerflow._core import ops
>>> ops.hypot([3.0, 3e30], [4.0, 4e30]).numpy()
array([5.e+00, 5.e+30], dtype=float32)
)",
}};

const Op xdivy{{
    .name = "xdivy",
    .tf_name = "Xdivy",
    .inputs = {{"x", kInexactTypes}, {"y", kInexactTypes}},
    .infer = binary_infer,
    .kernel = cpu::binary<Binary::kXdivy>,
    .gradient =
        [](GradContext& g) {
          const Tensor dy = g.dy();
          const Tensor x = conjugate(g.input(0));
          const Tensor y = conjugate(g.input(1));
          if (g.wants(0)) set_summed(g, 0, dy * call(xdivy, {factor_of(x, y, 0), y}));
          if (g.wants(1)) set_summed(g, 1, dy * call(xdivy, {-x, call(square, {y})}));
        },
    .needs = {kBothInputs},
    .doc = R"(Returns x / y, and 0 wherever x is 0, even if y is 0 too.

Floating or complex dtypes; shapes broadcast. Raises InvalidArgumentError if dtypes differ or
shapes do not broadcast.

>>> tf.math.xdivy([0.0, 3.0], [0.0, 2.0]).numpy()
array([0. , 1.5], dtype=float32)
)",
}};

const Op xlogy{{
    .name = "xlogy",
    .tf_name = "Xlogy",
    .inputs = {{"x", kInexactTypes}, {"y", kInexactTypes}},
    .infer = binary_infer,
    .kernel = cpu::binary<Binary::kXlogy>,
    .gradient =
        [](GradContext& g) {
          const Tensor dy = g.dy();
          const Tensor x = conjugate(g.input(0));
          const Tensor y = conjugate(g.input(1));
          if (g.wants(0)) set_summed(g, 0, dy * call(xlogy, {factor_of(x, y, 0), y}));
          if (g.wants(1)) set_summed(g, 1, dy * call(xdivy, {x, y}));
        },
    .needs = {kBothInputs},
    .doc = R"(Returns x log(y), and 0 wherever x is 0, even if y is 0 too.

Floating or complex dtypes; shapes broadcast. Raises InvalidArgumentError if dtypes differ or
shapes do not broadcast.

>>> tf.math.xlogy([0.0, 3.0], [0.0, 1.0]).numpy()
array([0., 0.], dtype=float32)
)",
}};

const Op xlog1py{{
    .name = "xlog1py",
    .tf_name = "Xlog1py",
    .inputs = {{"x", kInexactTypes}, {"y", kInexactTypes}},
    .infer = binary_infer,
    .kernel = cpu::binary<Binary::kXlog1py>,
    .gradient =
        [](GradContext& g) {
          const Tensor dy = g.dy();
          const Tensor x = conjugate(g.input(0));
          const Tensor y = conjugate(g.input(1));
          if (g.wants(0)) set_summed(g, 0, dy * call(xlog1py, {factor_of(x, y, -1), y}));
          if (g.wants(1)) set_summed(g, 1, dy * call(xdivy, {x, y + 1}));
        },
    .needs = {kBothInputs},
    .doc = R"(Returns x log(1 + y), and 0 wherever x is 0, even if y is -1.

Floating or complex dtypes; shapes broadcast. Raises InvalidArgumentError if dtypes differ or
shapes do not broadcast.

>>> tf.math.xlog1py([0.0, 3.0], [-1.0, 0.0]).numpy()
array([0., 0.], dtype=float32)
)",
}};

}  // namespace ef::ops
