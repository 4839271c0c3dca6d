// Operations that return shapes.
#include "ops/shapes.h"

#include <limits>

#include "kernels/cpu/shapes.h"

namespace ef::ops {

const Op shape{{
    .name = "shape",
    .tf_name = "Shape",
    .inputs = {{.name = "input", .dtypes = kAnyTypes}},
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

}  // namespace ef::ops
