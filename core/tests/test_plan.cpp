// Plans of graphs: fused, shared and in-place steps compute the values of eager execution.
#include <cstring>
#include <functional>
#include <vector>

#include "eager/dispatch.h"
#include "eager/observer.h"
#include "eager/tape.h"
#include "graph/graph.h"
#include "graph/plan.h"
#include "graph/record.h"
#include "ops/array.h"
#include "ops/bias.h"
#include "ops/compose.h"
#include "ops/convolution.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/normalization.h"
#include "ops/reduction.h"
#include "tests/check.h"
#include "tests/tensors.h"

namespace ef {
namespace {

using graph::Building;
using graph::Graph;
using graph::Plan;

using Function = std::function<TensorList(const TensorList&)>;

Tensor ramp(const Shape& shape, float first) {
  Tensor result = Tensor::empty(DType::kFloat32, shape);
  for (int64_t i = 0; i < result.size(); ++i) {
    result.mutable_data<float>()[i] = first + static_cast<float>(i % 37) * 0.11f;
  }
  return result;
}

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         std::memcmp(a.raw_data(), b.raw_data(), static_cast<size_t>(a.bytes())) == 0;
}

// A function traced for inputs of these shapes, and its plan.
class Traced {
 public:
  Traced(const Function& function, const std::vector<Shape>& shapes)
      : function_(function), graph_(std::make_shared<Graph>("f", nullptr)) {
    TensorList inputs;
    for (const Shape& shape : shapes) {
      inputs.push_back(graph_->add_input({DType::kFloat32, shape}, "x"));
    }
    {
      const Building here(graph_);
      graph_->finish(function_(inputs));
    }
    plan_.emplace(*graph_, graph_->outputs());
  }

  const Plan& plan() const { return *plan_; }
  TensorList run(const TensorList& arguments) const {
    TensorList results;
    plan_->run(arguments, results);
    return results;
  }
  // Compares a run with the function itself.
  void check(const TensorList& arguments) const {
    const TensorList expected = function_(arguments);
    const TensorList got = run(arguments);
    CHECK_EQUAL(got.size(), expected.size());
    for (size_t k = 0; k < expected.size(); ++k) CHECK(same_bits(got[k], expected[k]));
  }

 private:
  Function function_;
  graph::GraphPtr graph_;
  std::optional<Plan> plan_;
};

TensorList curve(const TensorList& x) {
  return {call(ops::tanh, {x[0] * x[1] + x[2]}) * x[0] - x[1]};
}

const Shape kUnknown = Shape::of_rank(1);

TEST(plan_joins_elementwise_steps) {
  const Traced f(curve, {kUnknown, kUnknown, kUnknown});
  CHECK_EQUAL(f.plan().size(), 1u);
  for (const int64_t size : {1, 3, 1000, 100'000}) {
    f.check({ramp({size}, -1), ramp({size}, 0.5f), ramp({size}, 2)});
  }
}

// A chain runs step by step if the shapes at run time do not permit fusing it.
TEST(plan_runs_step_by_step_where_shapes_differ) {
  const Traced f(curve, {kUnknown, kUnknown, kUnknown});
  f.check({ramp({1}, -1), ramp({1}, 0.5f), ramp({5}, 2)});
  f.check({ramp({5}, -1), ramp({1}, 0.5f), ramp({1}, 2)});
  const Function mixed = [](const TensorList& x) -> TensorList {
    const Tensor sum = x[0] + x[1];
    return {call(ops::exp, {sum}) * x[2], sum};
  };
  const Traced g(mixed, {kUnknown, kUnknown, kUnknown});
  g.check({ramp({3}, 0), ramp({3}, 1), ramp({3}, 2)});
  g.check({ramp({1}, 0), ramp({1}, 1), ramp({3}, 2)});
  CHECK_THROWS(Code::kInvalidArgument, "Incompatible shapes: [3] vs. [2]",
               g.run({ramp({3}, 0), ramp({3}, 1), ramp({2}, 2)}));
  const graph::FailedNodes failed = graph::taken_failed_nodes();
  CHECK(failed.size() == 1 && failed[0]->op == &ops::multiply);
}

// Small arrays of known sizes are faster without the setup of a chain.
TEST(plan_runs_small_steps_one_by_one) {
  const Traced f(curve, {{10}, {10}, {10}});
  CHECK_EQUAL(f.plan().size(), 5u);
  f.check({ramp({10}, -1), ramp({10}, 0.5f), ramp({10}, 2)});
}

// A step that reads a value from the middle runs after the steps that compute it, and before those
// that read its own result.
TEST(plan_keeps_the_order_of_other_steps) {
  const Function f = [](const TensorList& x) -> TensorList {
    const Tensor a = x[0] * x[1] + x[0];
    const Tensor total = call(ops::reduce_sum, {a}, ops::ReduceAttrs{});
    const Tensor b = call(ops::sqrt, {a}) - total;
    return {b * x[1], a};
  };
  const Traced traced(f, {{10'000}, {10'000}});
  CHECK_EQUAL(traced.plan().size(), 3u);
  traced.check({ramp({10'000}, 0), ramp({10'000}, 3)});
}

TEST(plan_joins_branches_and_single_elements) {
  const Function f = [](const TensorList& x) -> TensorList {
    const Tensor left = call(ops::exp, {x[0]}) * x[2];
    const Tensor rate = call(ops::sqrt, {x[2]}) + 1;
    const Tensor right = call(ops::sin, {x[1]}) * rate;
    return {left - right, rate};
  };
  const Traced traced(f, {{3, 5000}, {3, 5000}, {}});
  CHECK_EQUAL(traced.plan().size(), 1u);
  traced.check({ramp({3, 5000}, 0), ramp({3, 5000}, 3), ramp({}, 0.3f)});
}

class Counter final : public Observer {
 public:
  Counter() { observers.push_back(this); }
  ~Counter() override { std::erase(observers, this); }
  void ran(const Op&, std::span<const Tensor>, AttrsRef, std::span<const Tensor>) override {
    ++count;
  }
  int count = 0;
};

// Observers see each operation.
TEST(plan_computes_the_same_once) {
  const Function f = [](const TensorList& x) -> TensorList {
    const Tensor first = call(ops::matmul, {x[0], x[0]}, ops::MatmulAttrs{});
    const Tensor second = call(ops::matmul, {x[0], x[0]}, ops::MatmulAttrs{});
    const Tensor other = call(ops::matmul, {x[0], x[0]}, ops::MatmulAttrs{.transpose_a = true});
    return {call(ops::exp, {first}) + call(ops::exp, {second}) + other, first * 2, second * 2};
  };
  const Traced traced(f, {{4, 4}});
  traced.check({ramp({4, 4}, 0)});
  const Counter counter;
  traced.run({ramp({4, 4}, 0)});
  // Two products, an exponential, two sums, and two equal results, which stay separate tensors.
  CHECK_EQUAL(counter.count, 7);
}

TEST(plan_leaves_arguments_and_results_alone) {
  const Function f = [](const TensorList& x) -> TensorList {
    const Tensor a = call(ops::reduce_sum, {x[0]}, ops::ReduceAttrs{.axis = Ints{0}});
    const Tensor b = call(ops::square, {call(ops::negative, {a})});
    return {a, b, call(ops::square, {call(ops::negative, {x[0]})})};
  };
  const Traced traced(f, {{3, 40'000}});
  const Tensor argument = ramp({3, 40'000}, 1);
  const TensorList first = traced.run({argument});
  const TensorList second = traced.run({argument});
  CHECK(same_bits(argument, ramp({3, 40'000}, 1)));
  for (size_t k = 0; k < 3; ++k) CHECK(same_bits(first[k], second[k]));
  traced.check({argument});
}

TEST(plan_joins_convolutions_and_what_follows) {
  const Function f = [](const TensorList& x) -> TensorList {
    const ops::Conv2DAttrs attrs{.strides = Ints{1, 1, 1, 1}, .padding = Padding::kSame};
    const Tensor image =
        call(ops::pad, {x[0]}, ops::PadAttrs{.paddings = Ints{0, 0, 1, 1, 2, 2, 0, 0}});
    const Tensor first =
        call(ops::bias_add, {call(ops::conv2d, {image, x[1]}, attrs), x[2]}, ops::BiasAttrs{});
    const Tensor normal =
        call(ops::batch_norm_inference, {first, x[2], x[2], x[2], x[2]}, ops::BatchNormAttrs{});
    const Tensor product = call(ops::matmul, {call(ops::relu, {normal}), x[3]}, ops::MatmulAttrs{});
    return {call(ops::tanh, {product + image})};
  };
  // The padded image is read twice: the padding stays a step of its own.
  const Shape images({kUnknownSize, kUnknownSize, kUnknownSize, 4});
  const Traced traced(f, {images, {3, 3, 4, 4}, {4}, {4, 4}});
  CHECK_EQUAL(traced.plan().size(), 3);
}

TEST(plan_is_recorded_step_by_step) {
  const Traced f(curve, {kUnknown, kUnknown, kUnknown});
  const TensorList arguments{ramp({50}, -1), ramp({50}, 0.5f), ramp({50}, 2)};
  std::vector<Tensor> gradients[2];
  for (const bool traced : {false, true}) {
    auto* const tape = new Tape({});
    push_tape(tape);
    tape->watch(arguments[0]);
    const Tensor result = traced ? f.run(arguments)[0] : curve(arguments)[0];
    pop_tape(tape);
    const Tensor targets[] = {result};
    const Tensor weights[] = {Tensor()};
    const uint64_t sources[] = {arguments[0].impl()->id()};
    gradients[traced].push_back(tape->gradient(targets, weights, sources)[0].values);
    tape->release();
  }
  CHECK(same_bits(gradients[0][0], gradients[1][0]));
}

}  // namespace
}  // namespace ef
