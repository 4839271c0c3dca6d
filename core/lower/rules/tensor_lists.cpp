// Lists of tensors: in a program, one tensor with the elements along its first axis.
#include "ops/tensor_lists.h"
#include "lower/rule.h"
#include "tensor/error.h"

namespace ef::lower {
namespace {

Values starts_at(Builder& b, const Value& index, int rank) {
  Values starts{b.reshape(index, {})};
  for (int axis = 1; axis < rank; ++axis) starts.push_back(b.full(index.dtype, {}, 0));
  return starts;
}

Value as_row(Builder& b, const Value& item) {
  Shape shape = item.shape;
  shape.insert(0, 1);
  return b.reshape(item, shape);
}

// The first elements, or all of them followed by zeros.
Value resized(Builder& b, const Value& list, int64_t length) {
  const int64_t size = list.shape[0];
  if (length < size) {
    Dims end(list.shape.begin(), list.shape.end());
    end[0] = length;
    return b.slice(list, Dims(end.size(), 0), end);
  }
  if (length == size) return list;
  Dims after(static_cast<size_t>(list.rank()), 0);
  after[0] = length - size;
  return b.pad(list, b.full(list.dtype, {}, 0), Dims(after.size(), 0), after);
}

Values list_reserve(const Call& c) { return {c.b.full(c.out[0].dtype, c.out[0].shape, 0)}; }

Values from_tensor(const Call& c) { return {c.b.reshape(c.in[0], c.out[0].shape)}; }

Values list_stack(const Call& c) { return {c.in[0]}; }

Values get_item(const Call& c) {
  const Value& list = c.in[0];
  Dims sizes(list.shape.begin(), list.shape.end());
  if (sizes[0] == 0) refuse("reading an element of an empty TensorArray");
  sizes[0] = 1;
  const Value row = c.b.dynamic_slice(list, starts_at(c.b, c.in[1], list.rank()), sizes);
  return {c.b.reshape(row, c.out[0].shape)};
}

Values set_item(const Call& c) {
  const Value list = resized(c.b, c.in[0], c.out[0].shape[0]);
  if (list.shape[0] == 0) refuse("writing an element of an empty TensorArray");
  return {
      c.b.dynamic_update_slice(list, as_row(c.b, c.in[2]), starts_at(c.b, c.in[1], list.rank()))};
}

Values list_resize(const Call& c) { return {resized(c.b, c.in[0], c.out[0].shape[0])}; }

Values list_gather(const Call& c) { return {c.b.take_rows(c.in[0], c.in[1])}; }

Values list_scatter(const Call& c) {
  Builder& b = c.b;
  const Value list = resized(b, c.in[0], c.out[0].shape[0]);
  const bool adds = c.attrs<ops::TensorListScatterAttrs>().accumulate;
  const TensorSpec scalar{list.dtype, {}};
  const TensorSpec specs[] = {scalar, scalar};
  const std::string body =
      adds ? b.combiner(Reduction::kAdd, list.dtype)
           : b.region(specs, [](const Values& args) { return Values{args[1]}; });
  std::string axes;
  for (int axis = 1; axis < list.rank(); ++axis) axes += cat(axis > 1 ? ", " : "", axis);
  return {b.one("stablehlo.scatter", {list, c.in[1], c.in[2]}, list.spec(),
                cat("scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [", axes,
                    "], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
                    "index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false"),
                {&body, 1})};
}

Values list_erase(const Call& c) {
  Builder& b = c.b;
  const Value& list = c.in[0];
  const Value& indices = c.in[1];
  const Shape pairs{list.shape[0], indices.shape.num_elements()};
  const Value rows = b.iota(indices.dtype, pairs, 0);
  const Value named = b.broadcast_in_dim(indices, pairs, Dims{1});
  const Value hit = b.reduce(Reduction::kOr, b.compare("EQ", rows, named), Dims{1});
  const Value all = b.broadcast_in_dim(hit, list.shape, Dims{0});
  return {b.select(all, b.like(list, 0), list)};
}

Values list_add(const Call& c) { return {c.b.add(c.in[0], c.in[1])}; }

Values list_zeros(const Call& c) { return {c.b.like(c.in[0], 0)}; }

Values list_concat(const Call& c) {
  const Value& list = c.in[0];
  return {c.b.reshape(list, c.out[0].shape),
          c.b.full_int(DType::kInt64, {list.shape[0]}, list.shape[1])};
}

constexpr std::pair<const char*, Rule> kTensorListRules[] = {
    {"tensor_list_reserve", list_reserve}, {"tensor_list_from_tensor", from_tensor},
    {"tensor_list_stack", list_stack},     {"tensor_list_get_item", get_item},
    {"tensor_list_set_item", set_item},    {"tensor_list_resize", list_resize},
    {"tensor_list_gather", list_gather},   {"tensor_list_scatter", list_scatter},
    {"tensor_list_erase", list_erase},     {"variant_add", list_add},
    {"tensor_list_concat", list_concat},   {"tensor_list_split", from_tensor},
    {"variant_zeros_like", list_zeros},
};

}  // namespace

RuleList tensor_list_rules() { return kTensorListRules; }

}  // namespace ef::lower
