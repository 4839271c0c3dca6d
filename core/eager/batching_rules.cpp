// Batching rules: how each family of operations runs on several rows at once.
#include <algorithm>
#include <unordered_map>

#include "eager/batched.h"
#include "eager/dispatch.h"
#include "eager/tape.h"
#include "ops/array.h"
#include "ops/bias.h"
#include "ops/compose.h"
#include "ops/convolution.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/elementwise_infer.h"
#include "ops/images.h"
#include "ops/indexing.h"
#include "ops/matmul.h"
#include "ops/pooling.h"
#include "ops/reduction.h"
#include "ops/slicing.h"
#include "ops/softmax.h"
#include "ops/window.h"

namespace ef {
namespace {

using Rule = bool (*)(const BatchedCall&);

Shape with_front(int64_t count, const Shape& shape) {
  Shape result = shape;
  result.insert(0, count);
  return result;
}

Shape output_shape(const BatchedCall& c) { return with_front(c.count, c.specs[0].shape); }

// The attributes with the k-th list replaced; a single value is a list of one.
Attrs with_list(const Attrs& attrs, int k, std::span<const int64_t> list) {
  Attrs result;
  for (int i = 0; i < attrs.count(); ++i) {
    if (i == k) {
      result.list(list);
    } else if (attrs.is_none(i)) {
      result.none();
    } else {
      result.list(attrs.list(i));
    }
  }
  return result;
}

// An axis of a row as an axis of the batch; negative axes are unchanged.
int64_t shifted(int64_t axis) { return axis < 0 ? axis : axis + 1; }

// A list for the axes of a row, with an entry for the batch axis in front.
Attrs& with_front(Attrs& attrs, int64_t front, std::span<const int64_t> rest) {
  InlineVector<int64_t, 2 * kInlineRank> list;
  list.push_back(front);
  for (int64_t value : rest) list.push_back(value);
  return attrs.list(list);
}

// Runs the operation on inputs with the batch axis in front, and adds its results.
bool run_whole(const BatchedCall& c, std::span<const Tensor> inputs, const Attrs& attrs) {
  TensorList results;
  run(c.op, inputs, attrs, results);
  for (Tensor& result : results) c.add(std::move(result));
  return true;
}

// Input i with axes of size one after the batch axis, so that it broadcasts with rows of `rank`
// axes.
Tensor aligned(const BatchedCall& c, size_t i, int rank) {
  const Tensor rows = rows_of(c.inputs[i]);
  if (!rows) return c.inputs[i];
  const int missing = rank + 1 - rows.rank();
  if (missing <= 0) return rows;
  Shape shape = rows.shape();
  for (int k = 0; k < missing; ++k) shape.insert(1, 1);
  return reshape_to(rows, shape);
}

// Inputs broadcast, element by element.
bool broadcasting(const BatchedCall& c) {
  TensorList inputs;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    inputs.push_back(aligned(c, i, c.specs[0].shape.rank()));
  }
  return run_whole(c, inputs, c.attrs);
}

// Inputs of one shape. The kernels broadcast vectors, too, but tapes do not record that.
bool same_shapes(const BatchedCall& c) {
  if (recording() || c.specs[0].shape.num_elements() == 1) {
    TensorList inputs;
    for (const Tensor& input : c.inputs) inputs.push_back(as_rows(input, c.count));
    return run_whole(c, inputs, c.attrs);
  }
  TensorList inputs;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    inputs.push_back(c.whole(i));
    inputs.back().impl()->settle();
  }
  SpecList specs;
  specs.push_back({c.specs[0].dtype, output_shape(c)});
  TensorList outputs{Tensor::empty(specs[0].dtype, specs[0].shape)};
  if (outputs[0].size() > 0) {
    const KernelRegion region(static_cast<double>(outputs[0].bytes()) / 4);
    KernelContext context(c.op, inputs, c.attrs, specs, outputs);
    c.op.kernel(context);
  }
  c.add(outputs[0]);
  return true;
}

// Operations on the last axes, with any number of axes before them.
bool of_last_axes(const BatchedCall& c) {
  TensorList inputs;
  for (const Tensor& input : c.inputs) inputs.push_back(as_rows(input, c.count));
  return run_whole(c, inputs, c.attrs);
}

bool reshaping(const BatchedCall& c) {
  c.add(reshape_to(c.whole(0), output_shape(c)));
  return true;
}

bool broadcasting_to(const BatchedCall& c) {
  c.add(broadcast_to_shape(aligned(c, 0, c.specs[0].shape.rank()), output_shape(c)));
  return true;
}

bool without_values(const BatchedCall& c) {
  const double value = &c.op == &ops::ones_like ? 1 : 0;
  c.outputs.push_back(fill(c.specs[0].dtype, c.specs[0].shape, value));
  return true;
}

bool transposing(const BatchedCall& c) {
  const int rank = c.inputs[0].rank();
  InlineVector<int64_t, kInlineRank + 1> perm;
  perm.push_back(0);
  for (int i = 0; i < rank; ++i) {
    const int64_t axis = c.attrs.is_none(0) ? rank - 1 - i : c.attrs.list(0)[i];
    perm.push_back((axis < 0 ? axis + rank : axis) + 1);
  }
  Attrs attrs;
  attrs.list(perm);
  if (c.attrs.count() > 1) attrs.flag(c.attrs.flag(1));
  const Tensor rows = c.whole(0);
  return run_whole(c, {&rows, 1}, attrs);
}

bool reducing(const BatchedCall& c) {
  const int rank = c.inputs[0].rank();
  InlineVector<int64_t, kInlineRank> axes;
  if (c.attrs.is_none(0)) {
    for (int i = 0; i < rank; ++i) axes.push_back(i + 1);
  } else {
    for (int64_t axis : c.attrs.list(0)) axes.push_back(shifted(axis));
  }
  Attrs attrs;
  attrs.list(axes).flag(c.attrs.flag(1));
  const Tensor rows = c.whole(0);
  return run_whole(c, {&rows, 1}, attrs);
}

bool scanning(const BatchedCall& c) {
  const Tensor rows = c.whole(0);
  return run_whole(
      c, {&rows, 1},
      Attrs().integer(shifted(c.attrs.integer(0))).flag(c.attrs.flag(1)).flag(c.attrs.flag(2)));
}

bool joining(const BatchedCall& c) {
  TensorList inputs;
  for (const Tensor& input : c.inputs) inputs.push_back(as_rows(input, c.count));
  return run_whole(c, inputs, Attrs().integer(shifted(c.attrs.integer(0))));
}

bool unstacking(const BatchedCall& c) {
  const Tensor rows = c.whole(0);
  return run_whole(c, {&rows, 1}, Attrs().none().integer(shifted(c.attrs.integer(1))));
}

bool splitting(const BatchedCall& c) {
  const Tensor rows = c.whole(0);
  return run_whole(c, {&rows, 1},
                   Attrs().list(c.attrs.list(0)).integer(shifted(c.attrs.integer(1))));
}

bool slicing(const BatchedCall& c) {
  Attrs attrs;
  with_front(attrs, 0, c.attrs.list(0));
  with_front(attrs, c.count, c.attrs.list(1));
  const Tensor rows = c.whole(0);
  return run_whole(c, {&rows, 1}, attrs);
}

bool strided_slicing(const BatchedCall& c) {
  const Tensor rows = c.whole(0);
  return run_whole(c, {&rows, 1}, slice_of_rows(c.attrs, 0));
}

bool strided_slice_gradient(const BatchedCall& c) {
  const Attrs slice = slice_of_rows(c.attrs, 1);
  Attrs attrs;
  attrs.list(output_shape(c));
  for (int k = 0; k < slice.count(); ++k) attrs.list(slice.list(k));
  const Tensor rows = c.whole(0);
  return run_whole(c, {&rows, 1}, attrs);
}

bool padding(const BatchedCall& c) {
  InlineVector<int64_t, 2 * kInlineRank> paddings;
  paddings.push_back(0);
  paddings.push_back(0);
  for (int64_t value : c.attrs.list(0)) paddings.push_back(value);
  Attrs attrs;
  attrs.list(paddings);
  attrs.integer(c.attrs.integer(1));
  if (&c.op == &ops::pad) attrs.real(c.attrs.real(2));
  const Tensor rows = c.whole(0);
  return run_whole(c, {&rows, 1}, attrs);
}

bool tiling(const BatchedCall& c) {
  Attrs attrs;
  with_front(attrs, 1, c.attrs.list(0));
  const Tensor rows = c.whole(0);
  return run_whole(c, {&rows, 1}, attrs);
}

bool reversing(const BatchedCall& c) {
  InlineVector<int64_t, kInlineRank> axes;
  for (int64_t axis : c.attrs.list(0)) axes.push_back(shifted(axis));
  const Tensor rows = c.whole(0);
  return run_whole(c, {&rows, 1}, Attrs().list(axes));
}

bool multiplying(const BatchedCall& c) {
  const Tensor& a = c.inputs[0];
  const Tensor& b = c.inputs[1];
  const bool turn_a = c.attrs.flag(0) || c.attrs.flag(2);
  if (is_batched(a) && !is_batched(b) && b.rank() == 2 && !turn_a) {
    // All rows are multiplied by the same matrix.
    const Tensor rows = rows_of(a);
    const int64_t width = std::max<int64_t>(rows.shape().back(), 1);
    const Tensor flat = reshape_to(rows, {rows.size() / width, rows.shape().back()});
    if (rows.size() > 0) {
      c.add(reshape_to(call(c.op, {flat, b}, c.attrs), output_shape(c)));
      return true;
    }
  }
  const int rank = std::max(a.rank(), b.rank());
  const Tensor inputs[] = {aligned(c, 0, rank), aligned(c, 1, rank)};
  return run_whole(c, inputs, c.attrs);
}

bool adding_bias(const BatchedCall& c) {
  if (static_cast<DataFormat>(c.attrs.integer(0)) != DataFormat::kNhwc) return false;
  const int rank = c.inputs[0].rank();
  c.add(call(ops::add, {aligned(c, 0, rank), aligned(c, 1, rank)}));
  return true;
}

bool bias_gradient(const BatchedCall& c) {
  const int rank = c.inputs[0].rank();
  const bool last = static_cast<DataFormat>(c.attrs.integer(0)) == DataFormat::kNhwc;
  const int channel = last ? rank : 2;
  InlineVector<int64_t, kInlineRank> axes;
  for (int i = 1; i <= rank; ++i) {
    if (i != channel) axes.push_back(i);
  }
  c.add(sum_over(c.whole(0), axes, false));
  return true;
}

// Operations that process the elements of the first axis separately, such as images.
// `first` is the only input that may be batched, and its batch may be given in attribute 0.
bool of_images(const BatchedCall& c, size_t first, bool sized) {
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    if (i != first && is_batched(c.inputs[i])) return false;
  }
  const auto merged = [&](const Shape& shape) {
    Shape result = shape;
    result[0] *= c.count;
    return result;
  };
  TensorList inputs;
  for (size_t i = 0; i < c.inputs.size(); ++i) inputs.push_back(c.whole(i));
  inputs[first] = reshape_to(inputs[first], merged(c.inputs[first].shape()));
  Attrs attrs = c.attrs;
  if (sized) attrs = with_list(c.attrs, 0, merged(Shape(c.attrs.list(0))).dims());
  c.add(reshape_to(call(c.op, inputs, attrs), output_shape(c)));
  return true;
}

bool of_images_first(const BatchedCall& c) { return of_images(c, 0, false); }
bool of_images_sized(const BatchedCall& c) { return of_images(c, 0, true); }
bool of_images_second_sized(const BatchedCall& c) { return of_images(c, 1, true); }

bool gathering(const BatchedCall& c) {
  if (is_batched(c.inputs[1]) || c.attrs.integer(1) != 0) return false;
  const Tensor inputs[] = {c.whole(0), c.inputs[1]};
  return run_whole(c, inputs, Attrs().integer(shifted(c.attrs.integer(0))).integer(0));
}

bool gathering_gradient(const BatchedCall& c) {
  if (is_batched(c.inputs[1]) || c.attrs.integer(2) != 0) return false;
  const Tensor inputs[] = {c.whole(0), c.inputs[1]};
  return run_whole(c, inputs,
                   Attrs().list(output_shape(c)).integer(shifted(c.attrs.integer(1))).integer(0));
}

// Moves the batch axis to the end, which operations on slices preserve, and back.
Tensor rows_last(const Tensor& rows) {
  InlineVector<int64_t, kInlineRank + 1> perm;
  for (int i = 1; i < rows.rank(); ++i) perm.push_back(i);
  perm.push_back(0);
  return permute(rows, perm);
}
Tensor rows_first(const Tensor& rows) {
  InlineVector<int64_t, kInlineRank + 1> perm;
  perm.push_back(rows.rank() - 1);
  for (int i = 0; i + 1 < rows.rank(); ++i) perm.push_back(i);
  return permute(rows, perm);
}

// Slices named by indices: `indices` is their input, and attribute 0 a shape if `sized`.
bool of_slices(const BatchedCall& c, size_t indices, bool sized) {
  if (is_batched(c.inputs[indices])) return false;
  TensorList inputs;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    inputs.push_back(i == indices ? c.inputs[i] : rows_last(as_rows(c.inputs[i], c.count)));
  }
  Attrs attrs = c.attrs;
  if (sized) {
    Shape shape(c.attrs.list(0));
    shape.push_back(c.count);
    attrs = with_list(c.attrs, 0, shape.dims());
  }
  c.add(rows_first(call(c.op, inputs, attrs)));
  return true;
}

bool of_indices_second(const BatchedCall& c) { return of_slices(c, 1, false); }
bool of_indices_first_sized(const BatchedCall& c) { return of_slices(c, 0, true); }
bool gathering_nd(const BatchedCall& c) {
  return c.attrs.integer(0) == 0 && of_slices(c, 1, false);
}
bool gathering_nd_gradient(const BatchedCall& c) {
  return c.attrs.integer(1) == 0 && of_slices(c, 1, true);
}

std::unordered_map<const Op*, Rule> make_rules() {
  using namespace ops;
  std::unordered_map<const Op*, Rule> rules;
  for (const Op* op : op_table()) {
    if (op->infer == unary_infer || op->infer == unary_bool_infer || op->infer == binary_infer ||
        op->infer == binary_bool_infer) {
      rules[op] = broadcasting;
    } else if (op->infer == same_shape_infer) {
      rules[op] = same_shapes;
    }
  }
  const auto set = [&](Rule rule, std::initializer_list<const Op*> of) {
    for (const Op* op : of) rules[op] = rule;
  };
  set(broadcasting, {&ops::select, &clip_by_value, &cast, &identity, &stop_gradient, &ops::complex,
                     &real, &imag, &conj, &angle, &ops::abs});
  set(of_last_axes, {&softmax, &log_softmax, &softmax_grad, &log_softmax_grad, &matrix_band_part,
                     &diag, &diag_part});
  set(reshaping, {&reshape, &expand_dims, &squeeze});
  set(broadcasting_to, {&broadcast_to});
  set(without_values, {&ops::zeros_like, &ones_like});
  set(transposing, {&transpose});
  set(reducing, {&reduce_sum, &reduce_mean, &reduce_prod, &reduce_max, &reduce_min, &reduce_all,
                 &reduce_any});
  set(scanning, {&cumsum, &cumprod});
  set(joining, {&concat, &stack});
  set(unstacking, {&unstack});
  set(splitting, {&split});
  set(slicing, {&slice});
  set(strided_slicing, {&strided_slice});
  set(strided_slice_gradient, {&strided_slice_grad});
  set(padding, {&pad, &mirror_pad_grad});
  set(tiling, {&tile});
  set(reversing, {&reverse});
  set(multiplying, {&matmul});
  set(adding_bias, {&bias_add});
  set(bias_gradient, {&bias_add_grad});
  set(of_images_first, {&conv2d, &depthwise_conv2d, &avg_pool, &max_pool, &resample});
  set(of_images_sized, {&avg_pool_grad});
  set(of_images_second_sized, {&conv2d_backprop_input, &depthwise_conv2d_backprop_input});
  set(gathering, {&gather});
  set(gathering_gradient, {&gather_grad});
  set(gathering_nd, {&gather_nd});
  set(gathering_nd_gradient, {&gather_nd_grad});
  set(of_indices_first_sized, {&scatter_nd});
  set(of_indices_second, {&unsorted_segment_sum, &gather_or_zero, &tensor_scatter_nd_update,
                          &tensor_scatter_nd_add, &tensor_scatter_nd_sub});
  return rules;
}

}  // namespace

Attrs slice_of_rows(const Attrs& attrs, int first) {
  Attrs result;
  with_front(result, 0, attrs.list(first));
  with_front(result, 0, attrs.list(first + 1));
  with_front(result, 1, attrs.list(first + 2));
  // Neither the begin nor the end of the first axis is named.
  for (int mask = 0; mask < 5; ++mask) {
    result.integer(attrs.integer(first + 3 + mask) * 2 + (mask < 2 ? 1 : 0));
  }
  return result;
}

bool run_by_rule(const BatchedCall& call) {
  static const std::unordered_map<const Op*, Rule> rules = make_rules();
  const auto rule = rules.find(&call.op);
  return rule != rules.end() && rule->second(call);
}

}  // namespace ef
