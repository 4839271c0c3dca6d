// Fake quantization: inference. Python makes it differentiable.
#include "ops/fake_quant.h"

#include "kernels/cpu/fake_quant.h"
#include "ops/attr_fields.h"
#include "ops/op.h"
#include "ops/partial_shapes.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

constexpr DTypeSet kType{DType::kFloat32};

// The number of rows of a table of limits, which has one column for all elements or one per
// channel.
constexpr int64_t kRows = 5;

void check_table(const InferContext& c, const Shape& x, const Shape& table) {
  bool fits = !table.ranked();
  if (table.rank() == 2 && compatible(table[0], kRows)) {
    fits =
        compatible(table[1], 1) || !x.ranked() || (x.rank() > 0 && compatible(table[1], x.back()));
  }
  if (!fits) {
    invalid_argument("Limits of shape ", table, " do not fit inputs of shape ", x,
                     " [Op:", c.op().tf_name, "]");
  }
}

}  // namespace

const Op fake_quant_limits{{
    .name = "fake_quant_limits",
    .tf_name = "FakeQuantWithMinMaxVars",
    .inputs = {{"min", kType}, {"max", kType}},
    .attrs = attrs_of<FakeQuantLimitsAttrs>(),
    .infer =
        [](InferContext& c) {
          if (!may_equal(c.shape(0), c.shape(1))) {
            invalid_argument("min and max must have one shape, got ", c.shape(0), " and ",
                             c.shape(1), " [Op:", c.op().tf_name, "]");
          }
          const Shape limits = merged(c.shape(0), c.shape(1));
          c.add_output(DType::kFloat32,
                       {kRows, limits.ranked() ? limits.num_elements() : kUnknownSize});
        },
    .kernel = cpu::fake_quant_limits,
    .doc =
        R"(The limits that fake_quant and its gradient take, from the least and the greatest value.

They are moved so that zero is one of the values. Where both are 0, nothing limits the gradient.)",
}};

const Op fake_quant{{
    .name = "fake_quant",
    .tf_name = "FakeQuantWithMinMaxVars",
    .inputs = {{"inputs", kType}, {"limits", kType}},
    .attrs = attrs_of<FakeQuantAttrs>(),
    .infer =
        [](InferContext& c) {
          check_table(c, c.shape(0), c.shape(1));
          c.add_output(DType::kFloat32, c.shape(0));
        },
    .kernel = cpu::fake_quant,
    .doc = R"(Numbers moved to the nearest of a few values.

`limits` holds the least and the greatest value, what distances are divided or multiplied by,
the steps to zero, and the length of a step.)",
}};

const Op fake_quant_grad{{
    .name = "fake_quant_grad",
    .tf_name = "FakeQuantWithMinMaxVarsGradient",
    .inputs = {{"gradients", kType}, {"inputs", kType}, {"limits", kType}},
    .infer =
        [](InferContext& c) {
          if (!compatible(c.shape(0), c.shape(1))) {
            invalid_argument("gradient and input must be the same size, got ", c.shape(0), " and ",
                             c.shape(1), " [Op:", c.op().tf_name, "]");
          }
          check_table(c, c.shape(1), c.shape(2));
          const int64_t channels = c.shape(2).ranked() ? c.shape(2)[1] : kUnknownSize;
          c.add_output(DType::kFloat32, merged(c.shape(0), c.shape(1)));
          c.add_output(DType::kFloat32, {channels});
          c.add_output(DType::kFloat32, {channels});
        },
    .outputs = 3,
    .kernel = cpu::fake_quant_grad,
    .doc = "The gradients of fake_quant by its inputs, and by the least and the greatest value.",
}};

}  // namespace ef::ops
