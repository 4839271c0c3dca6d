// Operations that return shapes.
#include "ops/shapes.h"

#include <limits>

#include "kernels/cpu/shapes.h"
#include "ops/attr_fields.h"
#include "ops/op.h"
#include "tensor/error.h"

namespace ef::ops {

const Op shape{{
    .name = "shape",
    .tf_name = "Shape",
    .inputs = {{.name = "input", .dtypes = kAnyTypes | kVariantType}},
    .attrs = attrs_of<ShapeAttrs>(),
    .infer =
        [](InferContext& c) {
          const Shape& input = c.shape(0);
          const DType dtype = c.attrs<ShapeAttrs>().out_type;
          for (int i = 0; dtype == DType::kInt32 && i < input.rank(); ++i) {
            if (input[i] > std::numeric_limits<int32_t>::max()) {
              invalid_argument("Shape output type is 32-bit  but dim ", i, " is ", input[i],
                               "; out_type=tf.int64 can hold it [Op:Shape]");
            }
          }
          c.add_output(dtype, {input.ranked() ? input.rank() : kUnknownSize});
        },
    .kernel = cpu::shape,
    .doc = R"(Returns the shape as a vector.
)",
}};

namespace {

void ensure_shape_infer(InferContext& c) {
  Shape expected;
  const Ints& sizes = c.attrs<EnsureShapeAttrs>().shape;
  for (const int64_t size : sizes) expected.push_back(size < 0 ? kUnknownSize : size);
  if (sizes.is_unknown()) expected = Shape::unranked();
  if (!compatible(c.shape(0), expected)) {
    invalid_argument("Shape of tensor input ", c.shape(0),
                     " is not compatible with expected shape ", expected, ". [Op:EnsureShape]");
  }
  c.add_output(c.dtype(0), merged(c.shape(0), expected));
}

void identity_gradient(GradContext& c) { c.set(0, c.take_dy()); }

}  // namespace

const Op ensure_shape{{
    .name = "ensure_shape",
    .tf_name = "EnsureShape",
    .inputs = {{.name = "input", .dtypes = kAnyTypes | kVariantType}},
    .attrs = attrs_of<EnsureShapeAttrs>(),
    .infer = ensure_shape_infer,
    .kernel = cpu::same,
    .gradient = identity_gradient,
    .may_be_unknown = Unknown::kRanks,
    .makes_outputs = true,
    .doc = R"(Returns the tensor, after a check of its shape.

Raises InvalidArgumentError if it has another shape. Sizes of -1 may be any.
)",
}};

}  // namespace ef::ops
