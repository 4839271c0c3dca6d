// Two-dimensional pooling: inference and gradients.
#include "ops/pooling.h"

#include "kernels/cpu/pooling.h"
#include "ops/compose.h"
#include "ops/window.h"

namespace ef::ops {
namespace {

std::vector<AttrSpec> pooling_attrs(bool with_shape) {
  std::vector<AttrSpec> attrs;
  if (with_shape) attrs.push_back({"shape", AttrKind::kInts});
  attrs.push_back({"ksize", AttrKind::kInts});
  attrs.push_back({"strides", AttrKind::kInts});
  attrs.push_back({"padding", AttrKind::kEnum, nullptr, kPaddingWords});
  attrs.push_back({"explicit_paddings", AttrKind::kInts, "None"});
  attrs.push_back({"data_format", AttrKind::kEnum, "'NHWC'", kDataFormatWords});
  return attrs;
}

Shape pooled_shape(const Shape& image, const Attrs& attrs, int first, const char* op) {
  if (image.rank() != 4) {
    invalid_argument("tensor_in must be 4-dimensional, got ", image, " [Op:", op, "]");
  }
  const auto format = static_cast<DataFormat>(attrs.integer(first + 4));
  const Axes axes = axes_of(format);
  const auto ksize = attrs.list(first);
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
  const Window window = slide_window(image, ksize[axes.row], ksize[axes.col], attrs.list(first + 1),
                                     static_cast<Padding>(attrs.integer(first + 2)),
                                     attrs.list(first + 3), {}, format, op);
  return image_shape(format, image[0], window.row.out, window.col.out, image[axes.channel]);
}

void infer_pool(InferContext& c) {
  c.add_output(c.dtype(0), pooled_shape(c.shape(0), c.attrs(), 0, c.op().tf_name));
}

void check_grad(const Shape& image, const Shape& dy, const Attrs& attrs, int first,
                const char* op) {
  const Shape expected = pooled_shape(image, attrs, first, op);
  if (dy != expected) {
    invalid_argument("Expected grad shape to be ", expected, ", but got ", dy, " [Op:", op, "]");
  }
}

Attrs without_shape(const Attrs& attrs) {
  Attrs rest;
  rest.list(attrs.list(1)).list(attrs.list(2)).integer(attrs.integer(3));
  rest.list(attrs.list(4)).integer(attrs.integer(5));
  return rest;
}

Attrs with_shape(const Shape& shape, const Attrs& attrs) {
  Attrs all;
  all.list(shape).list(attrs.list(0)).list(attrs.list(1)).integer(attrs.integer(2));
  all.list(attrs.list(3)).integer(attrs.integer(4));
  return all;
}

}  // namespace

const Op max_pool{{
    .name = "max_pool",
    .tf_name = "MaxPool",
    .inputs = {{"input", kRealTypes}},
    .attrs = pooling_attrs(false),
    .infer = infer_pool,
    .kernel = cpu::max_pool,
    .gradient =
        [](GradContext& g) {
          g.set(0, call(max_pool_grad, {g.input(0), g.output(0), g.dy()}, g.attrs()));
        },
    .needs = {{.inputs = 1, .outputs = 1}},
    .doc = "The largest element of each window.",
}};

const Op max_pool_grad{{
    .name = "max_pool_grad",
    .tf_name = "MaxPoolGrad",
    .inputs = {{"orig_input", kRealTypes}, {"orig_output", kRealTypes}, {"grad", kRealTypes}},
    .attrs = pooling_attrs(false),
    .infer =
        [](InferContext& c) {
          check_grad(c.shape(0), c.shape(2), c.attrs(), 0, c.op().tf_name);
          check_grad(c.shape(0), c.shape(1), c.attrs(), 0, c.op().tf_name);
          c.add_output(c.dtype(0), c.shape(0));
        },
    .kernel = cpu::max_pool_grad,
    // Moving the input a little does not change which element is the largest.
    .gradient =
        [](GradContext& g) {
          if (!g.wants(2)) return;
          g.set(2, call(max_pool_grad_grad, {g.input(0), g.input(1), g.dy()}, g.attrs()));
        },
    .needs = {{}, {}, {.inputs = 3}},
    .doc = "The gradient of max_pool: each window's goes to its first largest element.",
}};

const Op max_pool_grad_grad{{
    .name = "max_pool_grad_grad",
    .tf_name = "MaxPoolGradGrad",
    .inputs = {{"orig_input", kRealTypes}, {"orig_output", kRealTypes}, {"grad", kRealTypes}},
    .attrs = pooling_attrs(false),
    .infer =
        [](InferContext& c) {
          check_grad(c.shape(0), c.shape(1), c.attrs(), 0, c.op().tf_name);
          if (c.shape(2) != c.shape(0)) {
            invalid_argument("Expected grad shape to be ", c.shape(0), ", but got ", c.shape(2),
                             " [Op:", c.op().tf_name, "]");
          }
          c.add_output(c.dtype(0), c.shape(1));
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
    .attrs = pooling_attrs(false),
    .infer =
        [](InferContext& c) {
          const Shape pooled = pooled_shape(c.shape(0), c.attrs(), 0, c.op().tf_name);
          c.add_output(c.dtype(0), pooled);
          c.add_output(DType::kInt64, pooled);
        },
    .outputs = 2,
    .kernel = cpu::max_pool_places,
    .doc = "The largest element of each window, and where it is in the batch of images.",
}};

const Op avg_pool{{
    .name = "avg_pool",
    .tf_name = "AvgPool",
    .inputs = {{"value", kFloatTypes}},
    .attrs = pooling_attrs(false),
    .infer = infer_pool,
    .kernel = cpu::avg_pool,
    .gradient =
        [](GradContext& g) {
          g.set(0, call(avg_pool_grad, {g.dy()}, with_shape(g.input_shape(0), g.attrs())));
        },
    .doc = "The mean of each window; what padding adds is not counted.",
}};

const Op avg_pool_grad{{
    .name = "avg_pool_grad",
    .tf_name = "AvgPoolGrad",
    .inputs = {{"grad", kFloatTypes}},
    .attrs = pooling_attrs(true),
    .infer =
        [](InferContext& c) {
          const Shape image(c.attrs().list(0));
          checked_num_elements(image.dims(), c.op().tf_name);
          check_grad(image, c.shape(0), c.attrs(), 1, c.op().tf_name);
          c.add_output(c.dtype(0), image);
        },
    .kernel = cpu::avg_pool_grad,
    .gradient =
        [](GradContext& g) { g.set(0, call(avg_pool, {g.dy()}, without_shape(g.attrs()))); },
    .doc = "The gradient of avg_pool: each window's is shared by its elements.",
}};

}  // namespace ef::ops
