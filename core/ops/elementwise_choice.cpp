// Selection, clipping, conversions between dtypes, and complex numbers' parts.
#include "kernels/cpu/elementwise.h"
#include "ops/attr_fields.h"
#include "ops/elementwise.h"
#include "ops/elementwise_infer.h"
#include "ops/op.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

using cpu::Binary;
using cpu::Unary;
using enum DType;

[[gnu::hot]] void select_infer(InferContext& c) {
  Shape values, shape;
  if (!broadcast_shapes(c.shape(1), c.shape(2), &values) ||
      !broadcast_shapes(c.shape(0), values, &shape)) {
    invalid_argument("condition ", c.shape(0), ", then ", c.shape(1), ", and else ", c.shape(2),
                     " must be broadcastable [Op:", c.op().tf_name, "]");
  }
  c.add_output(c.dtype(1), shape);
}

// Whether TensorFlow casts between two different dtypes.
bool converts(DType from, DType to) {
  if (kPlainTypes.contains(from) && kPlainTypes.contains(to)) return true;
  const auto is_float8 = [](DType type) { return kFloat8Types.contains(type); };
  if (is_float8(to)) return is_floating(from) || is_float8(from);
  constexpr DTypeSet kIntegers = kIntTypes | kQuantizedTypes | kInt4Types;
  if (kIntegers.contains(from) && kIntegers.contains(to)) return true;
  if (kQuantizedTypes.contains(to)) return kPlainTypes.contains(from) || is_float8(from);
  return kPlainTypes.contains(to) && (kQuantizedTypes.contains(from) || is_float8(from));
}

[[gnu::hot]] void cast_infer(InferContext& c) {
  const DType to = c.attrs<CastAttrs>().dtype;
  if (to != c.dtype(0) && !converts(c.dtype(0), to)) {
    fail(Code::kUnimplemented, "Cast ", dtype_runtime_name(c.dtype(0)), " to ",
         dtype_runtime_name(to), " is not supported [Op:", c.op().tf_name, "]");
  }
  c.add_output(to, c.shape(0));
}

// "(2, 3)", like a shape in Python.
std::string python_shape(const Shape& shape) {
  if (!shape.ranked()) return "<unknown>";
  std::string text = "(";
  for (int i = 0; i < shape.rank(); ++i) {
    if (i > 0) text += ", ";
    text += shape[i] < 0 ? "None" : std::to_string(shape[i]);
  }
  return text + (shape.rank() == 1 ? ",)" : ")");
}

// The limits are applied one after the other, the upper one first.
void clip_infer(InferContext& c) {
  const Shape& shape = c.shape(0);
  Shape result = shape;
  for (int limit : {2, 1}) {
    Shape together;
    if (!broadcast_shapes(result, c.shape(limit), &together)) {
      invalid_argument("Incompatible shapes: ", shape, " vs. ", c.shape(limit),
                       " [Op:", limit == 2 ? "Minimum" : "Maximum", "]");
    }
    if (!compatible(together, shape)) {
      fail(Code::kValueError, "Shapes ", python_shape(shape), " and ", python_shape(together),
           " are incompatible");
    }
    result = together;
  }
  c.add_output(c.dtype(0), result);
}

// Follows max(min(t, high), low), where ties go to the left operand.
void clip_gradient(GradContext& g) {
  const Tensor& t = g.input(0);
  const Tensor& low = g.input(1);
  const Tensor& high = g.input(2);
  const Tensor dy = g.dy();
  const Tensor nil = Tensor::scalar(dy.dtype(), 0);
  const Tensor below = call(less_equal, {t, high});
  if (!g.wants(1) && !g.wants(2)) {
    const Tensor inside = call(logical_and, {below, call(greater_equal, {t, low})});
    return g.set(0, ef::select(inside, dy, nil));
  }
  const Tensor above = call(greater_equal, {call(minimum, {t, high}), low});
  const Tensor passed = ef::select(above, dy, nil);
  if (g.wants(0)) g.set(0, ef::select(below, passed, nil));
  if (g.wants(1)) set_summed(g, 1, ef::select(above, nil, dy));
  if (g.wants(2)) set_summed(g, 2, ef::select(below, nil, passed));
}

void complex_infer(InferContext& c) {
  c.add_output(c.dtype(0) == kFloat32 ? kComplex64 : kComplex128, broadcast_shape(c));
}

void real_infer(InferContext& c) { c.add_output(real_dtype(c.dtype(0)), c.shape(0)); }

}  // namespace

const Op select{{
    .name = "select",
    .tf_name = "SelectV2",
    .inputs = {{"condition", kBoolType}, {"x", kMovedTypes}, {"y", kMovedTypes}},
    .infer = select_infer,
    .kernel = cpu::select,
    .gradient =
        [](GradContext& g) {
          const Tensor& condition = g.input(0);
          const Tensor dy = g.dy();
          const Tensor nil = ef::zeros(dy.dtype(), {});
          if (g.wants(1)) set_summed(g, 1, ef::select(condition, dy, nil));
          if (g.wants(2)) set_summed(g, 2, ef::select(condition, nil, dy));
        },
    .needs = {kInput},
    .elementwise = true,
    .doc = R"(Returns x where condition holds, and y elsewhere.

condition is a bool tensor, x and y have one dtype, any at all; the three shapes broadcast. Raises
InvalidArgumentError if dtypes differ or shapes do not broadcast.

>>> tf.where([True, False], [1, 2], [3, 4]).numpy()
array([1, 4], dtype=int32)
)",
}};

const Op clip_by_value{{
    .name = "clip_by_value",
    .tf_name = "ClipByValue",
    .inputs = {{"t", kRealTypes}, {"clip_value_min", kRealTypes}, {"clip_value_max", kRealTypes}},
    .infer = clip_infer,
    .kernel = cpu::clip_by_value,
    .gradient = [](GradContext& g) { clip_gradient(g); },
    .needs = {{7, 0}},
    .elementwise = true,
    .doc = R"(Returns t limited to the range from clip_value_min to clip_value_max.

All have one real dtype; the limits broadcast to the shape of t. A NaN in t stays. If the limits
are the wrong way round, clip_value_min wins. Raises InvalidArgumentError if dtypes differ or shapes
do not broadcast, ValueError if the limits have more elements than t.

>>> tf.clip_by_value([-1.0, 0.5, 2.0], 0.0, 1.0).numpy()
array([0. , 0.5, 1. ], dtype=float32)
)",
}};

const Op cast{{
    .name = "cast",
    .tf_name = "Cast",
    .inputs = {{"x", kAnyTypes}},
    .attrs = attrs_of<CastAttrs>(),
    .infer = cast_infer,
    .kernel = cpu::cast,
    .gradient =
        [](GradContext& g) {
          const DType source = g.input_dtype(0);
          const Tensor dy = g.dy();
          if (is_differentiable(source) && is_differentiable(dy.dtype()))
            g.set(0, cast_to(dy, source));
        },
    .needs = {kNothing},
    .elementwise = true,
    .of_sparse_values = true,
    .makes_outputs = true,
    .doc = R"(Returns x converted to another dtype, element by element.

Any two dtypes but strings. Floats lose their fraction on the way to integers; integers keep their
low bits; complex numbers lose their imaginary part; bool becomes 0 or 1, and what is not 0 becomes
True. Raises UnimplementedError between strings and other dtypes.

>>> tf.cast([1.8, -2.2], tf.int32).numpy()
array([ 1, -2], dtype=int32)
)",
}};

const Op identity{{
    .name = "identity",
    .tf_name = "Identity",
    .inputs = {{"input", kAnyTypes | kObjectTypes}},
    .infer = unary_infer,
    .kernel = cpu::forward,
    .gradient = [](GradContext& g) { g.set(0, g.dy()); },
    .needs = {kNothing},
    .of_sparse_values = true,
    .makes_outputs = true,
    .doc = R"(Returns a tensor with the value of input, through which gradients flow.

Any dtype and shape. The memory is shared.

>>> tf.identity([1, 2]).numpy()
array([1, 2], dtype=int32)
)",
}};

const Op stop_gradient{{
    .name = "stop_gradient",
    .tf_name = "StopGradient",
    .inputs = {{"input", kAnyTypes | kVariantType}},
    .infer = unary_infer,
    .kernel = cpu::forward,
    .of_sparse_values = true,
    .makes_outputs = true,
    .doc = R"(Returns a tensor with the value of input, through which no gradient flows.

Any dtype and shape. The memory is shared.

>>> x = tf.constant(3.0)
>>> with tf.GradientTape() as tape:
...     tape.watch(x)
...     y = x * tf.stop_gradient(x)
>>> tape.gradient(y, x).numpy()
np.float32(3.0)
)",
}};

const Op complex{{
    .name = "complex",
    .tf_name = "Complex",
    .inputs = {{"real", {kFloat32, kFloat64}}, {"imag", {kFloat32, kFloat64}}},
    .infer = complex_infer,
    .kernel = cpu::binary<Binary::kComplex>,
    .gradient =
        [](GradContext& g) {
          const Tensor dy = g.dy();
          if (g.wants(0)) set_summed(g, 0, call(real, {dy}));
          if (g.wants(1)) set_summed(g, 1, call(imag, {dy}));
        },
    .needs = {kNothing},
    .elementwise = true,
    .doc = R"(Returns the complex numbers with these real and imaginary parts.

Both are float32, for complex64, or float64, for complex128; shapes broadcast. Raises
InvalidArgumentError if dtypes differ or shapes do not broadcast.

>>> tf.complex([1.0], [2.0]).numpy()
array([1.+2.j], dtype=complex64)
)",
}};

const Op real{{
    .name = "real",
    .tf_name = "Real",
    .inputs = {{"input", kNumericTypes}},
    .infer = real_infer,
    .kernel = cpu::real,
    .gradient =
        [](GradContext& g) {
          const Tensor dy = g.dy();
          const bool was_complex = is_complex(g.input_dtype(0));
          g.set(0, was_complex ? call(complex, {dy, Tensor::scalar(dy.dtype(), 0)}) : dy);
        },
    .needs = {kNothing},
    .elementwise = true,
    .of_sparse_values = true,
    .makes_outputs = true,
    .doc = R"(Returns the real part, element by element; real tensors come back as they are.

Numeric dtypes. The result is float32 for complex64, float64 for complex128. Raises
InvalidArgumentError for other dtypes.

>>> tf.math.real([1 + 2j]).numpy()
array([1.])
)",
}};

const Op imag{{
    .name = "imag",
    .tf_name = "Imag",
    .stablehlo = "stablehlo.imag",
    .inputs = {{"input", kNumericTypes}},
    .infer = real_infer,
    .kernel = cpu::imag,
    .gradient =
        [](GradContext& g) {
          if (!is_complex(g.input_dtype(0))) return;
          const Tensor dy = g.dy();
          g.set(0, call(complex, {Tensor::scalar(dy.dtype(), 0), dy}));
        },
    .needs = {kNothing},
    .elementwise = true,
    .of_sparse_values = true,
    .makes_outputs = true,
    .doc = R"(Returns the imaginary part, element by element; zeros for real tensors.

Numeric dtypes. The result is float32 for complex64, float64 for complex128. Raises
InvalidArgumentError for other dtypes.

>>> tf.math.imag([1 + 2j]).numpy()
array([2.])
)",
}};

const Op conj{{
    .name = "conj",
    .tf_name = "Conj",
    .inputs = {{"x", kNumericTypes}},
    .infer = unary_infer,
    .kernel = cpu::conj,
    .gradient = [](GradContext& g) { g.set(0, conjugate(g.dy())); },
    .needs = {kNothing},
    .of_sparse_values = true,
    .makes_outputs = true,
    .doc = R"(Returns the complex conjugate, element by element; real tensors come back as they are.

Numeric dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for other
dtypes.

>>> tf.math.conj([1 + 2j]).numpy()
array([1.-2.j])
)",
}};

const Op angle{{
    .name = "angle",
    .tf_name = "Angle",
    .inputs = {{"input", kComplexTypes}},
    .infer = real_infer,
    .kernel = cpu::unary<Unary::kAngle>,
    .gradient =
        [](GradContext& g) {
          const Tensor& x = g.input(0);
          const Tensor dy = g.dy();
          const Tensor turned = call(complex, {call(imag, {x}), call(real, {x})});
          const Tensor as_complex = call(complex, {dy, Tensor::scalar(dy.dtype(), 0)});
          g.set(0, -as_complex * call(reciprocal, {turned}));
        },
    .needs = {kInput},
    .elementwise = true,
    .doc = R"(Returns the angle of complex numbers in radians, between -pi and pi.

Complex dtypes. The result is float32 for complex64, float64 for complex128. Raises
InvalidArgumentError for other dtypes.

>>> tf.math.angle([1 + 0j]).numpy()
array([0.])
)",
}};

}  // namespace ef::ops
