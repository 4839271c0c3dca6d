// Kernels on variant tensors: sums, zeros, and ragged tensors as elements.
#include "kernels/cpu/variants.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/cpu/fill.h"
#include "kernels/cpu/moves.h"
#include "ops/elementwise.h"
#include "ops/variants.h"
#include "tensor/error.h"

namespace ef::cpu {
namespace {

int64_t entry(const Tensor& splits, int64_t i) {
  return splits.dtype() == DType::kInt64 ? splits.data<int64_t>()[i] : splits.data<int32_t>()[i];
}

void set_entry(const Tensor& splits, int64_t i, int64_t value) {
  if (splits.dtype() == DType::kInt64) {
    splits.mutable_data<int64_t>()[i] = value;
  } else {
    splits.mutable_data<int32_t>()[i] = static_cast<int32_t>(value);
  }
}

bool same_splits(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.size() != b.size()) return false;
  for (int64_t i = 0; i < a.size(); ++i) {
    if (entry(a, i) != entry(b, i)) return false;
  }
  return true;
}

// A ragged tensor; without splits, a tensor of any rank.
class RaggedVariant final : public Variant {
 public:
  explicit RaggedVariant(Tensor values, std::vector<Tensor> splits = {})
      : values(std::move(values)), splits(std::move(splits)) {}

  std::string text() const override {
    return cat("<RaggedTensorVariant(dtype=", dtype_runtime_name(values.dtype()),
               ", ragged_rank=", splits.size(), ", splits_dtype=",
               splits.empty() ? "INVALID" : dtype_runtime_name(splits[0].dtype()), ">");
  }
  VariantRef copy() const override { return std::make_shared<RaggedVariant>(*this); }
  VariantRef zeros() const override {
    return std::make_shared<RaggedVariant>(zeros_of(values.dtype(), values.shape()), splits);
  }
  void add(const Variant& other) override {
    const auto* const more = dynamic_cast<const RaggedVariant*>(&other);
    if (!more) invalid_argument("A ragged tensor cannot be added to ", other.text(), ".");
    bool same = splits.size() == more->splits.size();
    for (size_t k = 0; same && k < splits.size(); ++k) {
      same = same_splits(splits[k], more->splits[k]);
    }
    if (!same) {
      invalid_argument("Can't add RaggedTensorVariants with different row_splits. [Op:AddN]");
    }
    values = sum_of_elements(std::move(values), more->values);
  }

  int64_t rows() const { return splits.empty() ? values.dim(0) : splits[0].size() - 1; }

  Tensor values;
  std::vector<Tensor> splits;
};

// a + b, in the memory of `a` if that has one owner.
VariantRef added(VariantRef a, const VariantRef& b) {
  if (!b) return a;
  if (!a) return b;
  VariantRef sum = a.use_count() == 1 ? std::move(a) : a->copy();
  sum->add(*b);
  return sum;
}

// The splits among inputs from the second on.
std::span<const Tensor> splits_of(const KernelContext& c) { return c.inputs().subspan(1); }

void check_splits(const Tensor& splits, int64_t count, const char* op) {
  const auto refuse = [op](const auto&... parts) {
    invalid_argument("Invalid ragged splits: ", parts..., " [Op:", op, "]");
  };
  if (splits.rank() != 1) refuse("ragged splits must be rank 1 but is rank ", splits.rank());
  const int64_t size = splits.size();
  if (size == 0) refuse("ragged splits must have at least one splits, but is empty");
  if (entry(splits, 0) != 0) {
    refuse("first element of ragged splits must be 0 but is ", entry(splits, 0));
  }
  for (int64_t i = 1; i < size; ++i) {
    if (entry(splits, i) >= entry(splits, i - 1)) continue;
    refuse("ragged splits must be monotonically increasing, but ragged_splits[", i,
           "]=", entry(splits, i), " is smaller than row_splits[", i - 1,
           "]=", entry(splits, i - 1));
  }
  if (entry(splits, size - 1) != count) {
    refuse("last element of ragged splits must be the number of ragged values(", count, ") but is ",
           entry(splits, size - 1));
  }
}

// Checks splits from the innermost, and that there are as many values as they say.
void check_nested(std::span<const Tensor> splits, int64_t count, const char* op) {
  for (size_t k = splits.size(); k-- > 0;) {
    check_splits(splits[k], count, op);
    count = splits[k].size() - 1;
  }
}

Tensor rows_between(const Tensor& values, int64_t begin, int64_t end) {
  Shape shape = values.shape();
  shape[0] = end - begin;
  return values.view_at(begin * inner_size(shape, 1), shape);
}

// The splits of the rows `begin` to `end`, which begin with zero.
Tensor splits_between(const Tensor& splits, int64_t begin, int64_t end) {
  const Tensor result = Tensor::empty(splits.dtype(), {end - begin + 1});
  const int64_t base = entry(splits, begin);
  for (int64_t i = begin; i <= end; ++i) set_entry(result, i - begin, entry(splits, i) - base);
  return result;
}

// One row of a ragged tensor, or of a tensor if there are no splits.
VariantRef row_at(const Tensor& values, std::span<const Tensor> splits, int64_t row) {
  if (splits.empty()) {
    Shape shape = values.shape();
    shape.erase(0);
    return std::make_shared<RaggedVariant>(values.view_at(row * shape.num_elements(), shape));
  }
  int64_t begin = entry(splits[0], row), end = entry(splits[0], row + 1);
  std::vector<Tensor> inner;
  for (const Tensor& level : splits.subspan(1)) {
    inner.push_back(splits_between(level, begin, end));
    begin = entry(level, begin);
    end = entry(level, end);
  }
  return std::make_shared<RaggedVariant>(rows_between(values, begin, end), std::move(inner));
}

// The index of the first value of a row.
int64_t first_value(std::span<const Tensor> splits, int64_t row) {
  for (const Tensor& level : splits) row = entry(level, row);
  return row;
}

// How deeply elements are nested, and over how many axes they are joined.
struct Nesting {
  int64_t input;
  int axes;
};

Nesting nesting_of(const Tensor& encoded, const ops::RaggedFromVariantAttrs& attrs) {
  const int64_t output = attrs.output_ragged_rank;
  const int axes = encoded.rank();
  int64_t input = attrs.input_ragged_rank;
  if (input < 0) {
    input = output - axes;
    if (output > 0 && input < 0) {
      invalid_argument(
          "Inferred input_ragged_rank (output_ragged_rank - encoded_variant.dims()) must be >= 0, "
          "found output_ragged_rank: ",
          output, ", encoded_variant.dims(): ", axes, ", inferred input_ragged_rank: ", input,
          " [Op:RaggedTensorFromVariant]");
    }
    input = std::max<int64_t>(input, 0);
  }
  if (output != input + axes && (output != 0 || input != 0)) {
    invalid_argument(
        "output_ragged_rank must be equal to input_ragged_rank + encoded_ragged.dims(); "
        "output_ragged_rank: ",
        output, ", input_ragged_rank: ", attrs.input_ragged_rank,
        ", encoded_variant.dims(): ", axes, ". [Op:RaggedTensorFromVariant]");
  }
  return {input, axes};
}

std::vector<const RaggedVariant*> elements_of(const Tensor& encoded, int64_t ragged_rank,
                                              const ops::RaggedFromVariantAttrs& attrs) {
  std::vector<const RaggedVariant*> elements;
  for (int64_t i = 0; i < encoded.size(); ++i) {
    const Variant* const value = encoded.data<VariantRef>()[i].get();
    const auto* const ragged = dynamic_cast<const RaggedVariant*>(value);
    if (!ragged) {
      invalid_argument("Input Variant element at index ", i,
                       " doesn't hold a RaggedTensorVariant: ", value ? value->text() : "<empty>",
                       " [Op:RaggedTensorFromVariant]");
    }
    if (static_cast<int64_t>(ragged->splits.size()) != ragged_rank) {
      invalid_argument("Encoded input RaggedTensorVariant has ragged_rank=", ragged->splits.size(),
                       ".  Expected ragged_rank=", ragged_rank, ". [Op:RaggedTensorFromVariant]");
    }
    if (ragged->values.dtype() != attrs.values_dtype) {
      invalid_argument("Expected values Tensor dtype: ", DType(attrs.values_dtype),
                       ", found: ", ragged->values.dtype(), " [Op:RaggedTensorFromVariant]");
    }
    for (const Tensor& splits : ragged->splits) {
      if (splits.dtype() == attrs.splits_dtype) continue;
      invalid_argument("Expected row_splits Tensor dtype: ", DType(attrs.splits_dtype),
                       ", found: ", splits.dtype(), " [Op:RaggedTensorFromVariant]");
    }
    elements.push_back(ragged);
  }
  return elements;
}

// The values of elements without splits, along a new first axis.
Tensor stacked_values(const std::vector<const RaggedVariant*>& elements, DType dtype) {
  Shape shape = elements.empty() ? Shape() : elements[0]->values.shape();
  for (size_t i = 1; i < elements.size(); ++i) {
    if (elements[i]->values.shape() == shape) continue;
    invalid_argument("All flat_values must have compatible shapes.  Shape at index 0: ", shape,
                     ".  Shape at index ", i, ": ", elements[i]->values.shape(),
                     " [Op:RaggedTensorFromVariant]");
  }
  shape.insert(0, static_cast<int64_t>(elements.size()));
  const Tensor result = Tensor::empty(dtype, shape);
  int64_t at = 0;
  for (const RaggedVariant* element : elements) {
    const Tensor& part = element->values;
    copy_elements(dtype, element_at(result, at), part.raw_data(), part.size());
    at += part.size();
  }
  return result;
}

// The values of elements behind each other.
Tensor joined_values(const std::vector<const RaggedVariant*>& elements, DType dtype) {
  Shape shape = elements.empty() ? Shape{0} : elements[0]->values.shape();
  shape[0] = 0;
  for (size_t i = 0; i < elements.size(); ++i) {
    Shape own = elements[i]->values.shape();
    if (own.rank() != shape.rank()) {
      invalid_argument("Rank of values must match for all components; values shape at index 0: ",
                       elements[0]->values.shape(), ", values shape at index ", i, ": ", own,
                       " [Op:RaggedTensorFromVariant]");
    }
    own[0] = shape[0];
    if (own != shape) {
      own.erase(0);
      Shape first = elements[0]->values.shape();
      first.erase(0);
      invalid_argument("All flat_values must have compatible shapes.  Shape at index 0: ", first,
                       ".  Shape at index ", i, ": ", own,
                       ".  If you are using tf.map_fn, then you may need to specify an explicit "
                       "fn_output_signature with appropriate ragged_rank, and/or convert output "
                       "tensors to RaggedTensors. [Op:RaggedTensorFromVariant]");
    }
    shape[0] += elements[i]->values.dim(0);
  }
  const Tensor result = Tensor::empty(dtype, shape);
  int64_t at = 0;
  for (const RaggedVariant* element : elements) {
    copy_elements(dtype, element_at(result, at), element->values.raw_data(),
                  element->values.size());
    at += element->values.size();
  }
  return result;
}

// The splits of an axis of the variant tensor, whose rows all have the same length.
Tensor uniform_splits(DType dtype, int64_t rows, int64_t length) {
  const Tensor result = Tensor::empty(dtype, {rows + 1});
  for (int64_t i = 0; i <= rows; ++i) set_entry(result, i, i * length);
  return result;
}

// The splits of the elements' rows, behind each other.
Tensor joined_splits(const std::vector<const RaggedVariant*>& elements, DType dtype, size_t level) {
  int64_t rows = 0;
  for (const RaggedVariant* element : elements) rows += element->splits[level].size() - 1;
  const Tensor result = Tensor::empty(dtype, {rows + 1});
  set_entry(result, 0, 0);
  int64_t at = 0, base = 0;
  for (const RaggedVariant* element : elements) {
    const Tensor& splits = element->splits[level];
    for (int64_t i = 1; i < splits.size(); ++i) set_entry(result, ++at, base + entry(splits, i));
    base = entry(result, at);
  }
  return result;
}

Tensor splits_of_elements(const std::vector<const RaggedVariant*>& elements, DType dtype) {
  const auto count = static_cast<int64_t>(elements.size());
  const Tensor result = Tensor::empty(dtype, {count + 1});
  set_entry(result, 0, 0);
  for (int64_t i = 0; i < count; ++i) {
    const RaggedVariant& element = *elements[static_cast<size_t>(i)];
    if (element.values.rank() == 0) {
      invalid_argument("Ragged values must have rank >= 1; encoded scalar element at index ", i,
                       " has values of shape [] [Op:RaggedTensorFromVariant]");
    }
    set_entry(result, i + 1, entry(result, i) + element.rows());
  }
  return result;
}

// Writes the values of an element, or zeros if it is empty.
void put_values(const Tensor& out, int64_t begin, int64_t count, const VariantRef& value) {
  const int64_t inner = inner_size(out.shape(), 1);
  if (!value) {
    if (owns_memory(out.dtype())) return;
    const auto size = static_cast<size_t>(count * inner) * element_size(out.dtype());
    std::memset(element_at(out, begin * inner), 0, size);
    return;
  }
  const auto* const ragged = dynamic_cast<const RaggedVariant*>(value.get());
  if (!ragged) {
    invalid_argument("The gradient of a RaggedTensorVariant is ", value->text(),
                     " [Op:RaggedTensorToVariantGradient]");
  }
  const Tensor& part = ragged->values;
  if (part.dtype() != out.dtype() || part.size() != count * inner) {
    invalid_argument("The gradient of a RaggedTensorVariant has ", part.size(), " values of ",
                     part.dtype(), ", not ", count * inner, " of ", out.dtype(),
                     " [Op:RaggedTensorToVariantGradient]");
  }
  copy_elements(out.dtype(), element_at(out, begin * inner), part.raw_data(), part.size());
}

}  // namespace

Tensor sum_of_elements(Tensor a, const Tensor& b) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) {
    invalid_argument("Trying to add elements of shapes ", a.shape(), " and ", b.shape(), ".");
  }
  if (a.size() == 0) return a;
  SpecList specs;
  specs.push_back({a.dtype(), a.shape()});
  const bool variants = a.dtype() == DType::kVariant;
  TensorList outputs{a.exclusively_owned() ? a : Tensor::empty(a.dtype(), a.shape())};
  const Tensor inputs[] = {a, b};
  KernelContext context(variants ? ops::variant_add : ops::add, inputs, {}, specs, outputs);
  context.run();
  return outputs[0];
}

Tensor zeros_of(DType dtype, const Shape& shape) {
  Tensor result = Tensor::empty(dtype, shape);
  fill_constant(result, 0);
  return result;
}

void variant_add(KernelContext& c) {
  const Tensor& x = c.input(0);
  const Tensor& y = c.input(1);
  Tensor result = Tensor::empty(DType::kVariant, x.shape());
  const bool owned = c.owns_inputs() && x.exclusively_owned();
  for (int64_t i = 0; i < x.size(); ++i) {
    VariantRef& own = x.mutable_data<VariantRef>()[i];
    result.mutable_data<VariantRef>()[i] =
        added(owned ? std::move(own) : own, y.data<VariantRef>()[i]);
  }
  c.output(0) = std::move(result);
}

void variant_zeros_like(KernelContext& c) {
  const Tensor& x = c.input(0);
  Tensor result = Tensor::empty(DType::kVariant, x.shape());
  for (int64_t i = 0; i < x.size(); ++i) {
    const VariantRef& element = x.data<VariantRef>()[i];
    if (element) result.mutable_data<VariantRef>()[i] = element->zeros();
  }
  c.output(0) = std::move(result);
}

void ragged_to_variant(KernelContext& c) {
  const Tensor& values = c.input(0);
  const auto splits = splits_of(c);
  if (!splits.empty()) {
    if (values.rank() == 0) {
      invalid_argument(
          "Requires flat_values to have rank>=1 when nested_row_splits is not empty, but is 0. "
          "[Op:RaggedTensorToVariant]");
    }
    check_nested(splits, values.dim(0), "RaggedTensorToVariant");
  }
  if (!c.attrs<ops::RaggedToVariantAttrs>().batched_input) {
    c.output(0) = Tensor::empty(DType::kVariant, {});
    *c.output(0).mutable_data<VariantRef>() = std::make_shared<RaggedVariant>(
        values.alias(), std::vector<Tensor>(splits.begin(), splits.end()));
    return;
  }
  if (values.rank() == 0) {
    invalid_argument("Can't unbatch rank-0 tensor. [Op:RaggedTensorToVariant]");
  }
  const int64_t rows = splits.empty() ? values.dim(0) : splits[0].size() - 1;
  Tensor result = Tensor::empty(DType::kVariant, {rows});
  for (int64_t i = 0; i < rows; ++i) {
    result.mutable_data<VariantRef>()[i] = row_at(values, splits, i);
  }
  c.output(0) = std::move(result);
}

void ragged_to_variant_grad(KernelContext& c) {
  const Tensor& dy = c.input(0);
  const Tensor& out = c.output(0);
  const auto* const elements = dy.data<VariantRef>();
  constexpr const char* kOp = "RaggedTensorToVariantGradient";
  const auto splits = splits_of(c);
  const bool batched = c.attrs<ops::RaggedToVariantGradAttrs>().batched_input;
  const int64_t count = out.rank() == 0 ? 1 : out.dim(0);
  check_nested(splits, count, kOp);
  const int64_t rows = !batched ? 1 : splits.empty() ? count : splits[0].size() - 1;
  if (dy.size() != rows) {
    invalid_argument("Expected the gradients of ", rows, " RaggedTensorVariants, got ", dy.size(),
                     " [Op:", kOp, "]");
  }
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t begin = batched ? first_value(splits, i) : 0;
    const int64_t end = batched ? first_value(splits, i + 1) : count;
    put_values(out, begin, end - begin, elements[i]);
  }
}

void ragged_from_variant(KernelContext& c) {
  const auto& attrs = c.attrs<ops::RaggedFromVariantAttrs>();
  const Tensor& encoded = c.input(0);
  const auto [ragged_rank, axes] = nesting_of(encoded, attrs);
  const auto elements = elements_of(encoded, ragged_rank, attrs);
  const auto output = static_cast<int>(attrs.output_ragged_rank);
  if (axes == 0) {
    for (int j = 0; j < output; ++j) {
      c.output(j) = elements[0]->splits[static_cast<size_t>(j)].alias();
    }
    c.output(output) = elements[0]->values.alias();
    return;
  }
  if (output == 0) {
    c.output(0) = stacked_values(elements, attrs.values_dtype);
    return;
  }
  int64_t rows = 1;
  for (int j = 0; j + 1 < axes; ++j) {
    rows *= encoded.dim(j);
    c.output(j) = uniform_splits(attrs.splits_dtype, rows, encoded.dim(j + 1));
  }
  c.output(axes - 1) = splits_of_elements(elements, attrs.splits_dtype);
  for (int j = axes; j < output; ++j) {
    c.output(j) = joined_splits(elements, attrs.splits_dtype, static_cast<size_t>(j - axes));
  }
  c.output(output) = joined_values(elements, attrs.values_dtype);
}

}  // namespace ef::cpu
