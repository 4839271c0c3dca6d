// Reductions and pooling: layouts, empty and long axes, NaN, deferred results.
#include "ops/reduction.h"

#include <limits>
#include <vector>

#include "eager/lazy.h"
#include "ops/bias.h"
#include "ops/compose.h"
#include "ops/elementwise.h"
#include "ops/pooling.h"
#include "tests/check.h"
#include "tests/tensors.h"

namespace ef {
namespace {

using test::check_values;
using test::tensor;
using test::vector;

Tensor reduce(const Op& op, const Tensor& x, std::initializer_list<int64_t> axes,
              bool keepdims = false) {
  return call(op, {x}, ops::ReduceAttrs{.axis = Ints(axes), .keepdims = keepdims});
}

TEST(sums_over_any_axes) {
  std::vector<int32_t> values(24);
  for (int i = 0; i < 24; ++i) values[static_cast<size_t>(i)] = i;
  const Tensor x = tensor<int32_t>({2, 3, 4}, values);
  check_values<int32_t>(reduce(ops::reduce_sum, x, {0, 1, 2}), {276});
  check_values<int32_t>(reduce(ops::reduce_sum, x, {2}), {6, 22, 38, 54, 70, 86});
  check_values<int32_t>(reduce(ops::reduce_sum, x, {0, 2}), {60, 92, 124});
  check_values<int32_t>(reduce(ops::reduce_sum, x, {-2}), {12, 15, 18, 21, 48, 51, 54, 57});
  CHECK(reduce(ops::reduce_sum, x, {1}, true).shape() == Shape({2, 1, 4}));
  CHECK_THROWS(Code::kInvalidArgument, "dimension", reduce(ops::reduce_sum, x, {3}));
}

TEST(empty_axes_reduce_to_the_neutral_element) {
  for (const auto& [shape, axes, count] :
       {std::tuple{Shape{2, 0, 3}, std::vector<int64_t>{1}, 6},
        std::tuple{Shape{2, 0, 3}, std::vector<int64_t>{0, 2}, 0},
        std::tuple{Shape{0, 3}, std::vector<int64_t>{1}, 0},
        std::tuple{Shape{0, 3}, std::vector<int64_t>{0}, 3},
        std::tuple{Shape{4, 0, 1, 0, 2}, std::vector<int64_t>{1, 4}, 0},
        std::tuple{Shape{4, 0, 1, 5, 2}, std::vector<int64_t>{1, 3}, 8}}) {
    const Tensor x = Tensor::empty(DType::kFloat32, shape);
    const ops::ReduceAttrs attrs{.axis = Ints(std::span<const int64_t>(axes))};
    check_values<float>(call(ops::reduce_sum, {x}, attrs),
                        std::vector<float>(static_cast<size_t>(count), 0));
    check_values<float>(call(ops::reduce_prod, {x}, attrs),
                        std::vector<float>(static_cast<size_t>(count), 1));
  }
}

TEST(long_sums_are_exact_enough) {
  const int64_t size = 10'000'000;
  const Tensor x = fill(DType::kFloat32, {size}, 0.1);
  const Tensor sum = reduce(ops::reduce_sum, x, {0});
  CHECK_NEAR(sum.data<float>()[0], 1e6, 50);
  const Tensor tall = fill(DType::kFloat32, {size / 4, 4}, 0.1);
  for (int i = 0; i < 4; ++i) {
    CHECK_NEAR(reduce(ops::reduce_sum, tall, {0}).data<float>()[i], 2.5e5, 10);
  }
}

TEST(extremes_pass_nan_on) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> values(100, 1.0F);
  values[57] = nan;
  CHECK(std::isnan(reduce(ops::reduce_max, vector(values), {0}).data<float>()[0]));
  CHECK(std::isnan(reduce(ops::reduce_min, vector(values), {0}).data<float>()[0]));
}

TEST(pools_windows) {
  const Tensor x = tensor<float>({1, 3, 3, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const auto pooled = [&](const Op& op, Padding padding) {
    return call(op, {x},
                ops::PoolAttrs{.ksize = {1, 2, 2, 1}, .strides = {1, 1, 1, 1}, .padding = padding});
  };
  const Tensor same = pooled(ops::max_pool, Padding::kSame);
  check_values<float>(same, {5, 6, 6, 8, 9, 9, 8, 9, 9});
  const Tensor valid = pooled(ops::max_pool, Padding::kValid);
  check_values<float>(valid, {5, 6, 8, 9});
}

TEST(biases_are_added_late) {
  const Tensor x = fill(DType::kFloat32, {256, 128}, 1);
  const Tensor bias = fill(DType::kFloat32, {128}, -3);
  const Tensor sum = call(ops::bias_add, {x, bias}, ops::BiasAttrs{});
  CHECK(pending_cost(sum) > 0);
  const Tensor active = call(ops::relu, {sum});
  CHECK(pending_cost(active) > pending_cost(sum));
  CHECK_EQUAL(active.data<float>()[0], 0.0F);
  CHECK_EQUAL(pending_cost(sum), 0.0);  // it has another handle, so computing `active` wrote it
  CHECK_EQUAL(sum.data<float>()[5], -2.0F);
}

}  // namespace
}  // namespace ef
