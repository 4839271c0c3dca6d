// Recurrent layers over whole sequences: inference and gradients.
//
// Their gradients are single operations without gradients of their own. For second derivatives,
// programs call the cell step by step.
#include "ops/recurrent.h"

#include "kernels/cpu/recurrent.h"
#include "ops/attr_fields.h"
#include "ops/compose.h"
#include "ops/op.h"
#include "ops/partial_shapes.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

constexpr DTypeSet kWide{DType::kFloat32, DType::kFloat64};

struct Sizes {
  int64_t steps, batch, units;
};

// Throws if an input cannot have the shape `wanted`.
void check_shape(InferContext& c, int i, const Shape& wanted) {
  if (may_equal(c.shape(i), wanted)) return;
  invalid_argument(c.op().inputs[i].name, " must be ", wanted, ", not ", c.shape(i),
                   " [Op:", c.op().tf_name, "]");
}

// Checks a projection of `gates` gates and the other inputs; returns the sizes. Inputs 1 to
// `states` are states, followed by the kernel; input `mask` may be the mask.
Sizes check(InferContext& c, int64_t gates, int states, int mask) {
  const Shape& projection = c.shape(0);
  const int64_t steps = size_of(projection, 0);
  const int64_t width = size_of(projection, 2);
  if (!may_have_rank(projection, 3) || steps == 0 || (width >= 0 && width % gates != 0)) {
    invalid_argument("projection must be [steps, batch, ", gates,
                     " * units] with at least one step, not ", projection, " [Op:", c.op().tf_name,
                     "]");
  }
  Sizes sizes{steps, size_of(projection, 1), width < 0 ? kUnknownSize : width / gates};
  for (int i = 1; i <= states; ++i) {
    check_shape(c, i, {sizes.batch, sizes.units});
    sizes.batch = merged(sizes.batch, size_of(c.shape(i), 0));
    sizes.units = merged(sizes.units, size_of(c.shape(i), 1));
  }
  check_shape(c, states + 1, {sizes.units, size_product(gates, sizes.units)});
  sizes.units = merged(sizes.units, size_of(c.shape(states + 1), 0));
  if (c.num_inputs() > mask) check_shape(c, mask, {sizes.steps, sizes.batch});
  return sizes;
}

void add_states(InferContext& c, const Sizes& sizes, int last) {
  c.add_output(c.dtype(0), {sizes.steps, sizes.batch, sizes.units});
  for (int i = 0; i < last; ++i) c.add_output(c.dtype(0), {sizes.batch, sizes.units});
}

double steps_cost(std::span<const Tensor> inputs, const SpecList& outputs, AttrsRef) {
  const double units = static_cast<double>(outputs[0].shape.back(0));
  return 0.02 * units * static_cast<double>(inputs[0].size());
}

// The gradient of output j, or an empty tensor.
Tensor slope(GradContext& g, int j) {
  if (g.has_dy(j)) return g.dy(j);
  return ef::zeros(g.input_dtype(0), {0});
}

// Outputs from index `first` on exist for the gradient only, and are not differentiable.
void check_kept(GradContext& g, int first, const char* op) {
  for (int j = first; j < g.num_outputs(); ++j) {
    if (g.has_dy(j)) {
      fail(Code::kUnimplemented, "Output ", j,
           " has no gradient: it is kept for the others' [Op:", op, "]");
    }
  }
}

// Runs the gradient's operation and assigns its result k to input targets[k].
void give(GradContext& g, const Op& op, TensorList inputs, int mask,
          std::initializer_list<int> targets) {
  if (g.num_inputs() > mask) inputs.push_back(g.input(mask));
  TensorList found;
  run(op, inputs, g.attrs(), found);
  int k = 0;
  for (int target : targets) g.set(target, found[k++]);
}

// Checks the inputs of a gradient's operation: `slopes` gradients, which may be empty, then the
// states [steps, batch, units], then inputs of the shapes that `shapes` returns for these sizes,
// then an optional mask.
Sizes check_grad(InferContext& c, int slopes,
                 void (*shapes)(const Sizes&, InlineVector<Shape, 8>&)) {
  const char* const op = c.op().tf_name;
  const Shape& states = c.shape(slopes);
  if (!may_have_rank(states, 3) || size_of(states, 0) == 0) {
    invalid_argument("states must be [steps, batch, units] with at least one step, not ", states,
                     " [Op:", op, "]");
  }
  const Sizes sizes{size_of(states, 0), size_of(states, 1), size_of(states, 2)};
  InlineVector<Shape, 8> wanted;
  wanted.push_back(states);
  for (int i = 1; i < slopes; ++i) wanted.push_back(Shape{sizes.batch, sizes.units});
  wanted.push_back(states);
  shapes(sizes, wanted);
  wanted.push_back(Shape{sizes.steps, sizes.batch});
  for (int i = 0; i < c.num_inputs(); ++i) {
    const bool absent = i < slopes && known_elements(c.shape(i)) == 0;
    if (!absent) check_shape(c, i, wanted[i]);
  }
  return sizes;
}

}  // namespace

const Op lstm{{
    .name = "lstm",
    .tf_name = "LSTM",
    .inputs = {{"projection", kWide},
               {"h", kWide},
               {"c", kWide},
               {"kernel", kWide},
               {.name = "mask", .dtypes = kBoolType, .optional = true}},
    .attrs = attrs_of<GatedRnnAttrs>(),
    .infer =
        [](InferContext& c) {
          const Sizes sizes = check(c, 4, 2, 4);
          const auto [steps, batch, units] = sizes;
          add_states(c, sizes, 2);
          c.add_output(c.dtype(0), {steps, batch, units});
          c.add_output(c.dtype(0), {steps, batch, size_product(4, units)});
        },
    .outputs = 5,
    .kernel = cpu::lstm,
    .gradient =
        [](GradContext& g) {
          check_kept(g, 3, "LSTM");
          give(g, lstm_grad,
               {slope(g, 0), slope(g, 1), slope(g, 2), g.output(0), g.output(3), g.output(4),
                g.input(1), g.input(2), g.input(3)},
               4, {0, 1, 2, 3});
        },
    .needs = {{.inputs = 30, .outputs = 25}},
    .cost = steps_cost,
    .doc = "Long short-term memory over sequences whose inputs are projected to the gates i, f, g, "
           "o: all states, the last h and c, and for the gradient all cells and gates.",
}};

const Op lstm_grad{{
    .name = "lstm_grad",
    .tf_name = "LSTMGrad",
    .inputs = {{"dstates", kWide},
               {"dh", kWide},
               {"dc", kWide},
               {"states", kWide},
               {"cells", kWide},
               {"gates", kWide},
               {"h", kWide},
               {"c", kWide},
               {"kernel", kWide},
               {.name = "mask", .dtypes = kBoolType, .optional = true}},
    .attrs = attrs_of<GatedRnnAttrs>(),
    .infer =
        [](InferContext& c) {
          check_grad(c, 3, [](const Sizes& s, InlineVector<Shape, 8>& wanted) {
            wanted.push_back(Shape{s.steps, s.batch, s.units});
            wanted.push_back(Shape{s.steps, s.batch, size_product(4, s.units)});
            for (int i = 0; i < 2; ++i) wanted.push_back(Shape{s.batch, s.units});
            wanted.push_back(Shape{s.units, size_product(4, s.units)});
          });
          for (int i = 5; i < 9; ++i) c.add_output(c.dtype(3), c.shape(i));
        },
    .outputs = 4,
    .kernel = cpu::lstm_grad,
    .cost = steps_cost,
    .doc = "The gradients of lstm by projection, h, c and kernel.",
}};

const Op gru{{
    .name = "gru",
    .tf_name = "GRU",
    .inputs = {{"projection", kWide},
               {"h", kWide},
               {"kernel", kWide},
               {"bias", kWide},
               {.name = "mask", .dtypes = kBoolType, .optional = true}},
    .attrs = attrs_of<GatedRnnAttrs>(),
    .infer =
        [](InferContext& c) {
          const Sizes sizes = check(c, 3, 1, 4);
          const auto [steps, batch, units] = sizes;
          check_shape(c, 3, {size_product(3, units)});
          add_states(c, sizes, 1);
          c.add_output(c.dtype(0), {steps, batch, size_product(4, units)});
        },
    .outputs = 3,
    .kernel = cpu::gru,
    .gradient =
        [](GradContext& g) {
          check_kept(g, 2, "GRU");
          give(g, gru_grad,
               {slope(g, 0), slope(g, 1), g.output(0), g.output(2), g.input(1), g.input(2)}, 4,
               {0, 1, 2, 3});
        },
    .needs = {{.inputs = 22, .outputs = 5}},
    .cost = steps_cost,
    .doc = "Gated recurrent units over sequences whose inputs are projected to z, r and g, the "
           "reset gate applied after the product: all states, the last one, and all gates.",
}};

const Op gru_grad{{
    .name = "gru_grad",
    .tf_name = "GRUGrad",
    .inputs = {{"dstates", kWide},
               {"dh", kWide},
               {"states", kWide},
               {"gates", kWide},
               {"h", kWide},
               {"kernel", kWide},
               {.name = "mask", .dtypes = kBoolType, .optional = true}},
    .attrs = attrs_of<GatedRnnAttrs>(),
    .infer =
        [](InferContext& c) {
          const Sizes sizes = check_grad(c, 2, [](const Sizes& s, InlineVector<Shape, 8>& wanted) {
            wanted.push_back(Shape{s.steps, s.batch, size_product(4, s.units)});
            wanted.push_back(Shape{s.batch, s.units});
            wanted.push_back(Shape{s.units, size_product(3, s.units)});
          });
          c.add_output(c.dtype(2), {sizes.steps, sizes.batch, size_product(3, sizes.units)});
          c.add_output(c.dtype(2), c.shape(4));
          c.add_output(c.dtype(2), c.shape(5));
          c.add_output(c.dtype(2), {size_product(3, sizes.units)});
        },
    .outputs = 4,
    .kernel = cpu::gru_grad,
    .cost = steps_cost,
    .doc = "The gradients of gru by projection, h, kernel and bias.",
}};

const Op simple_rnn{{
    .name = "simple_rnn",
    .tf_name = "SimpleRNN",
    .inputs = {{"projection", kWide},
               {"h", kWide},
               {"kernel", kWide},
               {.name = "mask", .dtypes = kBoolType, .optional = true}},
    .attrs = attrs_of<SimpleRnnAttrs>(),
    .infer = [](InferContext& c) { add_states(c, check(c, 1, 1, 3), 1); },
    .outputs = 2,
    .kernel = cpu::simple_rnn,
    .gradient =
        [](GradContext& g) {
          give(g, simple_rnn_grad, {slope(g, 0), slope(g, 1), g.output(0), g.input(1), g.input(2)},
               3, {0, 1, 2});
        },
    .needs = {{.inputs = 14, .outputs = 1}},
    .cost = steps_cost,
    .doc = "activation(projection + h @ kernel) over sequences: all states, and the last one.",
}};

const Op simple_rnn_grad{{
    .name = "simple_rnn_grad",
    .tf_name = "SimpleRNNGrad",
    .inputs = {{"dstates", kWide},
               {"dh", kWide},
               {"states", kWide},
               {"h", kWide},
               {"kernel", kWide},
               {.name = "mask", .dtypes = kBoolType, .optional = true}},
    .attrs = attrs_of<SimpleRnnAttrs>(),
    .infer =
        [](InferContext& c) {
          check_grad(c, 2, [](const Sizes& s, InlineVector<Shape, 8>& wanted) {
            wanted.push_back(Shape{s.batch, s.units});
            wanted.push_back(Shape{s.units, s.units});
          });
          for (int i = 2; i < 5; ++i) c.add_output(c.dtype(2), c.shape(i));
        },
    .outputs = 3,
    .kernel = cpu::simple_rnn_grad,
    .cost = steps_cost,
    .doc = "The gradients of simple_rnn by projection, h and kernel.",
}};

}  // namespace ef::ops
