// Euclidean norms: inference and gradients.
#include "ops/norms.h"

#include "kernels/cpu/norms.h"
#include "ops/attr_fields.h"
#include "ops/compose.h"
#include "ops/elementwise.h"
#include "ops/op.h"
#include "ops/partial_shapes.h"
#include "ops/sizes.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

// The derivative with respect to x is x / norm, computed as (x * inverse) / length, where neither
// overflows. At 0 there is no derivative; the gradient is 0.
void norm_gradient(GradContext& g) {
  const auto& [axis, keepdims, mean] = g.attrs<ScaledNormAttrs>();
  const Tensor& length = g.output(1);
  const Tensor& inverse = g.output(2);
  Tensor weight;
  if (g.has_dy(0)) weight = call(divide_no_nan, {g.dy(0), length});
  if (g.has_dy(1)) {
    const Tensor of_length = call(divide_no_nan, {g.dy(1), length}) * inverse;
    weight = weight ? weight + of_length : of_length;
  }
  if (!weight) return;
  for (int i = 1; i < g.num_inputs(); ++i) {
    if (!g.wants(i)) continue;
    const Shape& shape = g.input_shape(i);
    const Shape kept = axis || !keepdims ? axis ? kept_shape(shape, axis, "ScaledNorm") : Shape()
                                         : g.output_shape(0);
    Tensor own = reshape_to(weight, kept);
    if (mean) {
      const int64_t norms = element_count(g.output_shape(0));
      own = own * ratio_of(own.dtype(), norms, largest_of(element_count(shape), 1));
    }
    g.set(i, g.input(i) * reshape_to(inverse, kept) * own);
  }
}

}  // namespace

const Op scaled_norm{{
    .name = "scaled_norm",
    .tf_name = "ScaledNorm",
    .inputs = {{"total", DTypeSet{DType::kFloat32, DType::kFloat64}, "Ttotal"},
               {.name = "tensors", .dtypes = kFloatTypes, .variadic = true}},
    .attrs = attrs_of<ScaledNormAttrs>(),
    .infer =
        [](InferContext& c) {
          if (c.num_inputs() < 2)
            invalid_argument("There is nothing to take a norm of [Op:ScaledNorm]");
          const DType sums = c.dtype(1) == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
          if (c.dtype(0) != sums) {
            invalid_argument("Sums of squares of ", c.dtype(1), " are ", sums, ", got ", c.dtype(0),
                             " [Op:ScaledNorm]");
          }
          for (int i = 0; i < 3; ++i) c.add_output(c.dtype(1), c.shape(0));
        },
    .outputs = 3,
    .kernel = cpu::scaled_norm,
    .gradient = norm_gradient,
    .needs = {{}, {.inputs = 0xFFFE, .outputs = 6}},
    .may_be_unknown = Unknown::kRanks,
    .takes_lazy = true,
    .doc = R"(Roots of sums of squares, also where the squares overflow or vanish.

`total` is the sum of squares over `axis`, in float32 for 16-bit floats, as the dtype has it: where
it is neither infinite nor tiny, its root is the norm, and the tensors are not read. Elsewhere the
squares are those of the tensors times a power of two. Several tensors have one norm together, over
all axes.

Returns the norm, and what it consists of: a length, which neither overflows nor vanishes, and the
`inverse`, a power of two, so that `norm = length / inverse` and `tensor * inverse / length` is a
unit vector even where the norm is infinite.

>>> from eagerflow._core import ops
>>> x = tf.constant([3e30, 4e30])
>>> norm, length, inverse = ops.scaled_norm(tf.reduce_sum(x * x), [x])
>>> print(norm.numpy(), (x * inverse / length).numpy())
5e+30 [0.6 0.8]
)",
}};

}  // namespace ef::ops
