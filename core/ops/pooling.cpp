// Two-dimensional pooling: inference and gradients.
#include "ops/pooling.h"

#include "kernels/cpu/pooling.h"
#include "ops/attr_fields.h"
#include "ops/compose.h"
#include "ops/indexing.h"
#include "ops/op.h"
#include "ops/partial_shapes.h"
#include "ops/sizes.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

constexpr DTypeSet kWinnerTypes = {DType::kFloat32, DType::kFloat64};
constexpr DTypeSet kWinnerNumbers = {DType::kUint8};

Shape pooled_shape(const Shape& images, const PoolAttrs& pool, const char* op) {
  if (!may_have_rank(images, 4)) {
    invalid_argument("tensor_in must be 4-dimensional, got ", images, " [Op:", op, "]");
  }
  const Shape image = ranked_as(images, 4);
  const Axes axes = axes_of(pool.data_format);
  const Ints& ksize = pool.ksize;
  if (ksize.size() != 4) {
    invalid_argument("Sliding window ksize field must specify 4 dimensions [Op:", op, "]");
  }
  for (int64_t size : ksize) {
    if (size <= 0) {
      invalid_argument("Sliding window ksize must be positive, got ", size, " [Op:", op, "]");
    }
  }
  if (ksize[0] != 1 || ksize[axes.channel] != 1) {
    fail(Code::kUnimplemented,
         "Pooling is not yet supported on the batch or channel dimension "
         "[Op:",
         op, "]");
  }
  const Window window = pool.window(image, op);
  return image_shape(pool.data_format, image[0], window.row.out, window.col.out,
                     image[axes.channel]);
}

void infer_pool(InferContext& c) {
  c.add_output(c.dtype(0), pooled_shape(c.shape(0), c.attrs<PoolAttrs>(), c.op().tf_name));
}

void check_grad(const Shape& expected, const Shape& dy, const char* op) {
  if (!may_equal(dy, expected)) {
    invalid_argument("Expected grad shape to be ", expected, ", but got ", dy, " [Op:", op, "]");
  }
}

// Checks that windows do not overlap, and that the index of an element in its window fits one byte.
void require_small_separate_windows(const PoolAttrs& pool, const char* op) {
  if (!has_small_separate_windows(pool)) {
    invalid_argument(
        "Windows must lie side by side from the first pixel on, with channels last, and "
        "have at most 255 pixels [Op:",
        op, "]");
  }
}

}  // namespace

bool has_small_separate_windows(const PoolAttrs& pool) {
  constexpr int64_t kMostPlaces = 255;
  return pool.data_format == DataFormat::kNhwc && pool.padding == Padding::kValid &&
         !pool.ksize.is_unknown() && pool.ksize.size() == 4 && pool.strides == pool.ksize &&
         pool.ksize[1] <= kMostPlaces && pool.ksize[2] <= kMostPlaces &&
         pool.ksize[1] * pool.ksize[2] <= kMostPlaces;
}

Window PoolAttrs::window(const Shape& image, const char* op) const {
  const Axes axes = axes_of(data_format);
  return slide_window(image, ksize[static_cast<size_t>(axes.row)],
                      ksize[static_cast<size_t>(axes.col)], strides, padding,
                      explicit_paddings.value_or(Ints()), {}, data_format, op);
}

const Op max_pool{{
    .name = "max_pool",
    .tf_name = "MaxPool",
    .inputs = {{"input", kRealTypes}},
    .attrs = attrs_of<PoolAttrs>(),
    .infer = infer_pool,
    .kernel = cpu::max_pool,
    .gradient =
        [](GradContext& g) {
          g.set(0, call(max_pool_grad, {g.input(0), g.output(0), g.dy()}, g.attrs()));
        },
    .needs = {{.inputs = 1, .outputs = 1}},
    .may_be_unknown = Unknown::kRanks,
    .doc = "The largest element of each window.",
}};

const Op max_pool_grad{{
    .name = "max_pool_grad",
    .tf_name = "MaxPoolGrad",
    .inputs = {{"orig_input", kRealTypes}, {"orig_output", kRealTypes}, {"grad", kRealTypes}},
    .attrs = attrs_of<PoolAttrs>(),
    .infer =
        [](InferContext& c) {
          const char* const op = c.op().tf_name;
          const Shape pooled = pooled_shape(c.shape(0), c.attrs<PoolAttrs>(), op);
          check_grad(pooled, c.shape(2), op);
          check_grad(pooled, c.shape(1), op);
          c.add_output(c.dtype(0), ranked_as(c.shape(0), 4));
        },
    .kernel = cpu::max_pool_grad,
    // The indices of the maxima are locally constant.
    .gradient =
        [](GradContext& g) {
          if (!g.wants(2)) return;
          g.set(2, call(max_pool_grad_grad, {g.input(0), g.input(1), g.dy()}, g.attrs()));
        },
    .needs = {{}, {}, {.inputs = 3}},
    .may_be_unknown = Unknown::kRanks,
    .makes_outputs = true,
    .cost = [](std::span<const Tensor> inputs, const SpecList&,
               AttrsRef) { return static_cast<double>(inputs[0].bytes()) / 4; },
    .doc = "The gradient of max_pool: each window's goes to its first largest element.",
}};

const Op max_pool_grad_grad{{
    .name = "max_pool_grad_grad",
    .tf_name = "MaxPoolGradGrad",
    .inputs = {{"orig_input", kRealTypes}, {"orig_output", kRealTypes}, {"grad", kRealTypes}},
    .attrs = attrs_of<PoolAttrs>(),
    .infer =
        [](InferContext& c) {
          const char* const op = c.op().tf_name;
          const Shape pooled = pooled_shape(c.shape(0), c.attrs<PoolAttrs>(), op);
          check_grad(pooled, c.shape(1), op);
          check_grad(c.shape(0), c.shape(2), op);
          c.add_output(c.dtype(0), merged(pooled, c.shape(1)));
        },
    .kernel = cpu::max_pool_grad_grad,
    .gradient =
        [](GradContext& g) {
          if (!g.wants(2)) return;
          g.set(2, call(max_pool_grad, {g.input(0), g.input(1), g.dy()}, g.attrs()));
        },
    .needs = {{}, {}, {.inputs = 3}},
    .doc = "Picks, for each window, the element of `grad` where the input is largest.",
}};

const Op max_pool_places{{
    .name = "max_pool_places",
    .tf_name = "MaxPoolWithArgmax",
    .inputs = {{"input", kRealTypes}},
    .attrs = attrs_of<PoolAttrs>(),
    .infer =
        [](InferContext& c) {
          const Shape pooled = pooled_shape(c.shape(0), c.attrs<PoolAttrs>(), c.op().tf_name);
          c.add_output(c.dtype(0), pooled);
          c.add_output(DType::kInt64, pooled);
        },
    .outputs = 2,
    .kernel = cpu::max_pool_places,
    .gradient =
        [](GradContext& g) {
          const Shape& image = g.input_shape(0);
          const Tensor flat = call(unsorted_segment_sum, {g.dy(), g.output(1)},
                                   UnsortedSegmentAttrs{.num_segments = element_count(image)});
          g.set(0, reshape_to(flat, image));
        },
    .needs = {{.outputs = 2}},
    .may_be_unknown = Unknown::kRanks,
    .doc = "The largest element of each window, and where it is in the batch of images.",
}};

const Op max_pool_winners{{
    .name = "max_pool_winners",
    .tf_name = "MaxPoolWinners",
    .inputs = {{"input", kWinnerTypes}, {"output", kWinnerTypes}},
    .attrs = attrs_of<PoolAttrs>(),
    .infer =
        [](InferContext& c) {
          const auto& pool = c.attrs<PoolAttrs>();
          const char* const op = c.op().tf_name;
          require_small_separate_windows(pool, op);
          const Shape pooled = pooled_shape(c.shape(0), pool, op);
          check_grad(pooled, c.shape(1), op);
          c.add_output(DType::kUint8, pooled);
        },
    .kernel = cpu::max_pool_winners,
    .makes_outputs = true,
    .cost = [](std::span<const Tensor> inputs, const SpecList&,
               AttrsRef) { return static_cast<double>(inputs[0].bytes()) / 8; },
    .doc = "The number, in each window, of the first element that max_pool gave; 255 if none is "
           "equal to it. For windows that lie side by side.",
}};

const Op spread_to_winners{{
    .name = "spread_to_winners",
    .tf_name = "SpreadToWinners",
    .inputs = {{"grad", kWinnerTypes}, {"winners", kWinnerNumbers}},
    .attrs = attrs_of<SpreadAttrs>(),
    .infer =
        [](InferContext& c) {
          const auto& [rows, cols, pool] = c.attrs<SpreadAttrs>();
          const char* const op = c.op().tf_name;
          require_small_separate_windows(pool, op);
          if (!may_have_rank(c.shape(0), 4) || rows < 0 || cols < 0) {
            invalid_argument("The gradient of images of ", rows, " x ", cols,
                             " pixels must be 4-dimensional, got ", c.shape(0), " [Op:", op, "]");
          }
          Shape image = ranked_as(c.shape(0), 4);
          image[1] = rows;
          image[2] = cols;
          check_grad(pooled_shape(image, pool, op), c.shape(0), op);
          check_grad(c.shape(0), c.shape(1), op);
          c.add_output(c.dtype(0), image);
        },
    .kernel = cpu::spread_to_winners,
    .gradient =
        [](GradContext& g) {
          if (!g.wants(0)) return;
          g.set(0, call(pick_winners, {g.dy(), g.input(1)}, g.attrs<SpreadAttrs>().pool));
        },
    .needs = {{.inputs = 2}},
    .makes_outputs = true,
    .cost = [](std::span<const Tensor> inputs, const SpecList&,
               AttrsRef) { return static_cast<double>(inputs[0].bytes()); },
    .doc = "The gradient of max_pool, of whose input only the winners are known.",
}};

const Op pick_winners{{
    .name = "pick_winners",
    .tf_name = "PickWinners",
    .inputs = {{"input", kWinnerTypes}, {"winners", kWinnerNumbers}},
    .attrs = attrs_of<PoolAttrs>(),
    .infer =
        [](InferContext& c) {
          const auto& pool = c.attrs<PoolAttrs>();
          const char* const op = c.op().tf_name;
          require_small_separate_windows(pool, op);
          const Shape pooled = pooled_shape(c.shape(0), pool, op);
          check_grad(pooled, c.shape(1), op);
          c.add_output(c.dtype(0), pooled);
        },
    .kernel = cpu::pick_winners,
    .gradient =
        [](GradContext& g) {
          if (!g.wants(0)) return;
          const Shape& image = g.input_shape(0);
          g.set(0, call(spread_to_winners, {g.dy(), g.input(1)},
                        SpreadAttrs{image[1], image[2], g.attrs<PoolAttrs>()}));
        },
    .needs = {{.inputs = 2}},
    .doc = "The element of each window that has won in another tensor; 0 if none has.",
}};

const Op avg_pool{{
    .name = "avg_pool",
    .tf_name = "AvgPool",
    .inputs = {{"value", kFloatTypes}},
    .attrs = attrs_of<PoolAttrs>(),
    .infer = infer_pool,
    .kernel = cpu::avg_pool,
    .gradient =
        [](GradContext& g) {
          g.set(0, call(avg_pool_grad, {g.dy()},
                        PoolGradAttrs{.shape = g.input_shape(0), .pool = g.attrs<PoolAttrs>()}));
        },
    .may_be_unknown = Unknown::kRanks,
    .doc = "The mean of each window; what padding adds is not counted.",
}};

const Op avg_pool_grad{{
    .name = "avg_pool_grad",
    .tf_name = "AvgPoolGrad",
    .inputs = {{"grad", kFloatTypes}},
    .attrs = attrs_of<PoolGradAttrs>(),
    .infer =
        [](InferContext& c) {
          const auto& [shape, pool] = c.attrs<PoolGradAttrs>();
          const char* const op = c.op().tf_name;
          const Shape image = shape_of_sizes(shape, op);
          check_grad(pooled_shape(image, pool, op), c.shape(0), op);
          c.add_output(c.dtype(0), ranked_as(image, 4));
        },
    .kernel = cpu::avg_pool_grad,
    .gradient =
        [](GradContext& g) { g.set(0, call(avg_pool, {g.dy()}, g.attrs<PoolGradAttrs>().pool)); },
    .may_be_unknown = Unknown::kRanks,
    .doc = "The gradient of avg_pool: each window's is shared by its elements.",
}};

}  // namespace ef::ops
