// Kernels on lists of tensors.
#include "kernels/cpu/tensor_lists.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/cpu/moves.h"
#include "kernels/cpu/variants.h"
#include "ops/tensor_lists.h"
#include "tensor/error.h"

namespace ef::cpu {
namespace {

constexpr int64_t kUnbounded = -1;

// The elements from `first` on, as empty handles if they are not set; elements before and behind
// are not set. The list of a gradient has no bounds.
class ListOfTensors final : public Variant {
 public:
  std::string text() const override { return "<TensorList>"; }
  VariantRef copy() const override { return std::make_shared<ListOfTensors>(*this); }
  VariantRef zeros() const override {
    auto result = std::make_shared<ListOfTensors>();
    result->dtype = dtype;
    result->element_shape = element_shape;
    result->length = length;
    return result;
  }
  void add(const Variant& other) override;

  DType dtype = DType::kInvalid;  // kInvalid for the empty list of a gradient
  Shape element_shape = Shape::unranked();
  int64_t length = kUnbounded;

  // Empty if the element is not set.
  const Tensor& at(int64_t index) const {
    static const Tensor missing;
    const int64_t i = index - first_;
    return i < 0 || i >= static_cast<int64_t>(items_.size()) ? missing
                                                             : items_[static_cast<size_t>(i)];
  }
  void set(int64_t index, Tensor item) {
    if (items_.empty()) first_ = index;
    if (index < first_) {
      // More room than needed, so that a loop that counts down rarely moves the elements.
      const int64_t room = std::min(first_, std::max<int64_t>(first_ - index, size()));
      items_.insert(items_.begin(), static_cast<size_t>(room), Tensor());
      first_ -= room;
    }
    const auto i = static_cast<size_t>(index - first_);
    if (i >= items_.size()) items_.resize(i + 1);
    items_[i] = std::move(item);
  }
  void erase(int64_t index) {
    if (at(index)) items_[static_cast<size_t>(index - first_)] = {};
  }
  // Drops the elements behind the end.
  void cut() {
    const int64_t count = std::clamp<int64_t>(length - first_, 0, size());
    items_.resize(static_cast<size_t>(count));
  }
  int64_t first() const { return first_; }
  int64_t end() const { return first_ + size(); }

 private:
  int64_t size() const { return static_cast<int64_t>(items_.size()); }

  std::vector<Tensor> items_;
  int64_t first_ = 0;
};

using List = std::shared_ptr<ListOfTensors>;

const ListOfTensors& list_at(const KernelContext& c, int i) {
  static const ListOfTensors empty;
  if (c.input(i).size() != 1) {
    invalid_argument("Expected a list to be a scalar, got shape ", c.input(i).shape(),
                     " [Op:", c.tf_name(), "]");
  }
  const Variant* const value = c.input(i).data<VariantRef>()->get();
  if (!value) return empty;
  const auto* const list = dynamic_cast<const ListOfTensors*>(value);
  if (!list) invalid_argument("The variant holds ", value->text(), ", which is no list.");
  return *list;
}

// A list that may be changed: the input's if there is no other handle, else a copy.
List changeable(const KernelContext& c, int i) {
  const ListOfTensors& list = list_at(c, i);
  VariantRef& value = *c.input(i).mutable_data<VariantRef>();
  if (c.owns_inputs() && c.input(i).exclusively_owned() && value && value.use_count() == 1) {
    return std::static_pointer_cast<ListOfTensors>(std::move(value));
  }
  return std::make_shared<ListOfTensors>(list);
}

void put_item(KernelContext& c, List list) {
  Tensor result = Tensor::empty(DType::kVariant, {});
  *result.mutable_data<VariantRef>() = std::move(list);
  c.output(0) = std::move(result);
}

Shape as_shape(const std::optional<Ints>& sizes) {
  Shape shape;
  if (!sizes) return Shape::unranked();
  for (const int64_t size : *sizes) shape.push_back(size < 0 ? kUnknownSize : size);
  return shape;
}

Shape merged_shapes(const Shape& a, const Shape& b) {
  if (!compatible(a, b)) {
    invalid_argument("PartialTensorShape: Incompatible shapes during merge: ", a, " vs. ", b);
  }
  return merged(a, b);
}

int64_t scalar_at(const KernelContext& c, int i) { return *c.input(i).data<int32_t>(); }

void check_dtype(const ListOfTensors& list, DType dtype) {
  if (list.dtype == dtype || list.dtype == DType::kInvalid) return;
  invalid_argument("Invalid data types; op elements ", dtype, " but list elements ", list.dtype);
}

void check_index(const ListOfTensors& list, int64_t index, const char* verb = "access") {
  if (index < 0 || (list.length != kUnbounded && index >= list.length)) {
    invalid_argument("Trying to ", verb, " element ", index, " in a list with ",
                     std::max<int64_t>(list.length, 0), " elements.");
  }
}

Tensor zero(DType dtype, const Shape& shape, const char* what) {
  if (!shape.fully_known()) {
    invalid_argument("Trying to ", what,
                     " an uninitialized tensor but element_shape is not fully defined: ", shape,
                     " and no list element is set.");
  }
  return zeros_of(dtype, shape);
}

// Copies the elements of a tensor into `result` from index `at` on, and advances `at`.
void append_rows(const Tensor& result, int64_t& at, const Tensor& part) {
  copy_elements(part.dtype(), element_at(result, at), part.raw_data(), part.size());
  at += part.size();
}

// Elements joined along a new first axis.
template <class IndexAt>
Tensor stacked(const ListOfTensors& list, int64_t count, DType dtype, Shape element,
               const IndexAt& index_at) {
  check_dtype(list, dtype);
  element = merged_shapes(element, list.element_shape);
  bool missing = count == 0;
  for (int64_t k = 0; k < count; ++k) {
    const Tensor& item = list.at(index_at(k));
    if (item) element = merged_shapes(element, item.shape());
    missing |= !item;
  }
  if (missing && !element.fully_known()) {
    invalid_argument("Tried to stack elements of an empty or uninitialized list with non-fully-",
                     "defined element_shape: ", element);
  }
  Shape shape = element;
  shape.insert(0, count);
  const Tensor result = Tensor::empty(dtype, shape);
  if (result.size() == 0) return result;
  const Tensor absent = missing ? zero(dtype, element, "stack") : Tensor();
  int64_t at = 0;
  for (int64_t k = 0; k < count; ++k) {
    const Tensor& item = list.at(index_at(k));
    append_rows(result, at, item ? item : absent);
  }
  return result;
}

Tensor row_of(const Tensor& tensor, int64_t row, const Shape& shape) {
  return tensor.view_at(row * shape.num_elements(), shape);
}

Shape row_shape(const Tensor& tensor) {
  Shape shape = tensor.shape();
  shape.erase(0);
  return shape;
}

void set_checked(ListOfTensors& list, int64_t index, Tensor item) {
  check_dtype(list, item.dtype());
  if (!compatible(list.element_shape, item.shape())) {
    invalid_argument("Tried to set a tensor with incompatible shape at a list index. Item element ",
                     "shape: ", item.shape(), " list shape: ", list.element_shape);
  }
  list.dtype = item.dtype();
  list.set(index, std::move(item));
}

void ListOfTensors::add(const Variant& other) {
  const auto* const list = dynamic_cast<const ListOfTensors*>(&other);
  if (!list) invalid_argument("A list cannot be added to ", other.text(), ".");
  if (dtype == DType::kInvalid) dtype = list->dtype;
  if (list->dtype != DType::kInvalid) check_dtype(*this, list->dtype);
  if (length == kUnbounded) length = list->length;
  for (int64_t k = list->first(); k < list->end(); ++k) {
    const Tensor& more = list->at(k);
    if (!more) continue;
    Tensor before = at(k);
    erase(k);  // to let `before` be the only handle
    set(k, before ? sum_of_elements(std::move(before), more) : more);
  }
}

}  // namespace

void tensor_list_reserve(KernelContext& c) {
  const auto& attrs = c.attrs<ops::TensorListAttrs>();
  const auto list = std::make_shared<ListOfTensors>();
  list->dtype = attrs.element_dtype;
  list->element_shape = as_shape(attrs.element_shape);
  list->length = scalar_at(c, 0);
  if (list->length < 0) {
    invalid_argument("The num_elements to reserve must be a non negative number, but got ",
                     list->length);
  }
  put_item(c, list);
}

void tensor_list_from_tensor(KernelContext& c) {
  const Tensor& tensor = c.input(0);
  const Shape row = row_shape(tensor);
  const auto list = std::make_shared<ListOfTensors>();
  list->dtype = tensor.dtype();
  list->element_shape =
      merged_shapes(as_shape(c.attrs<ops::TensorListFromTensorAttrs>().element_shape), row);
  list->length = tensor.dim(0);
  for (int64_t k = 0; k < list->length; ++k) list->set(k, row_of(tensor, k, row));
  put_item(c, list);
}

void tensor_list_stack(KernelContext& c) {
  const auto& attrs = c.attrs<ops::TensorListStackAttrs>();
  const ListOfTensors& list = list_at(c, 0);
  const int64_t wanted = attrs.num_elements;
  const int64_t count = list.length == kUnbounded ? std::max(wanted, list.end()) : list.length;
  if (wanted >= 0 && wanted != count) {
    invalid_argument("Operation expected a list with ", wanted, " elements but got a list with ",
                     count, " elements.");
  }
  c.output(0) = stacked(list, count, attrs.element_dtype, as_shape(attrs.element_shape),
                        [](int64_t k) { return k; });
}

void tensor_list_get_item(KernelContext& c) {
  const auto& attrs = c.attrs<ops::TensorListAttrs>();
  const ListOfTensors& list = list_at(c, 0);
  const int64_t index = scalar_at(c, 1);
  check_index(list, index);
  check_dtype(list, attrs.element_dtype);
  const Tensor& item = list.at(index);
  Shape element = merged_shapes(as_shape(attrs.element_shape), list.element_shape);
  if (item) {
    merged_shapes(element, item.shape());
  } else {
    for (int64_t k = list.first(); k < list.end() && !element.fully_known(); ++k) {
      if (list.at(k)) element = merged_shapes(element, list.at(k).shape());
    }
  }
  c.output(0) = item ? item.alias() : zero(attrs.element_dtype, element, "read");
}

void tensor_list_set_item(KernelContext& c) {
  const List list = changeable(c, 0);
  const int64_t index = scalar_at(c, 1);
  const bool resizes = c.attrs<ops::TensorListSetItemAttrs>().resize;
  if (resizes && list->length != kUnbounded) list->length = std::max(list->length, index + 1);
  check_index(*list, index, "modify");
  set_checked(*list, index, c.input(2));
  put_item(c, list);
}

void tensor_list_length(KernelContext& c) {
  const int64_t length = list_at(c, 0).length;
  *c.output(0).mutable_data<int32_t>() = static_cast<int32_t>(std::max<int64_t>(length, 0));
}

void tensor_list_resize(KernelContext& c) {
  const List list = changeable(c, 0);
  list->length = scalar_at(c, 1);
  if (list->length < 0) {
    invalid_argument("TensorListSlice expects size to be non-negative. Got: ", list->length);
  }
  list->cut();
  put_item(c, list);
}

void tensor_list_gather(KernelContext& c) {
  const auto& attrs = c.attrs<ops::TensorListAttrs>();
  const ListOfTensors& list = list_at(c, 0);
  const int32_t* const indices = c.input(1).data<int32_t>();
  const int64_t count = c.input(1).size();
  for (int64_t k = 0; k < count; ++k) check_index(list, indices[k]);
  c.output(0) = stacked(list, count, attrs.element_dtype, as_shape(attrs.element_shape),
                        [&](int64_t k) { return indices[k]; });
}

void tensor_list_scatter(KernelContext& c) {
  const Tensor& indices = c.input(1);
  const Tensor& tensor = c.input(2);
  if (indices.rank() != 1 || indices.size() != tensor.dim(0)) {
    invalid_argument("Expected len(indices) == tensor.shape[0], but saw: ", indices.size(), " vs. ",
                     tensor.dim(0));
  }
  const List list = changeable(c, 0);
  const bool adds = c.attrs<ops::TensorListScatterAttrs>().accumulate;
  const Shape row = row_shape(tensor);
  for (int64_t k = 0; k < indices.size(); ++k) {
    const int64_t index = indices.data<int32_t>()[k];
    if (index < 0) {
      invalid_argument("Indices in TensorListScatter must all be non-negative.");
    }
    if (list->length != kUnbounded) list->length = std::max(list->length, index + 1);
    const Tensor item = row_of(tensor, k, row);
    const Tensor& before = list->at(index);
    set_checked(*list, index, adds && before ? sum_of_elements(before, item) : item);
  }
  put_item(c, list);
}

void tensor_list_concat(KernelContext& c) {
  const auto& attrs = c.attrs<ops::TensorListAttrs>();
  const ListOfTensors& list = list_at(c, 0);
  check_dtype(list, attrs.element_dtype);
  const bool given = c.num_inputs() > 1;
  const int64_t count = given ? c.input(1).size() : list.length;
  Shape element = merged_shapes(as_shape(attrs.element_shape), list.element_shape);
  Tensor lengths = Tensor::empty(DType::kInt64, {std::max<int64_t>(count, 0)});
  int64_t total = 0;
  for (int64_t k = 0; k < count; ++k) {
    const Tensor& item = list.at(k);
    if (item && item.rank() == 0) {
      invalid_argument("Concat saw a scalar shape at index ", k, " but requires at least vectors.");
    }
    if (item) {
      Shape any = item.shape();
      any[0] = kUnknownSize;
      element = merged_shapes(element, any);
    }
    const int64_t length = given                ? c.input(1).data<int64_t>()[k]
                           : item               ? item.dim(0)
                           : element.rank() > 0 ? element[0]
                                                : kUnknownSize;
    if (length < 0) {
      invalid_argument(
          "Trying to concat an uninitialized element of a list whose element_shape is "
          "not fully defined: ",
          element);
    }
    lengths.mutable_data<int64_t>()[k] = length;
    total += length;
  }
  if (!element.ranked() || element.rank() == 0) {
    invalid_argument(
        "All except the first dimension must be fully defined when concating an empty "
        "tensor list. element_shape: ",
        element);
  }
  Shape shape = element;
  shape[0] = total;
  if (!shape.fully_known()) {
    invalid_argument(
        "All except the first dimension must be fully defined when concating an empty "
        "tensor list. element_shape: ",
        element);
  }
  const Tensor result = Tensor::empty(attrs.element_dtype, shape);
  int64_t at = 0;
  for (int64_t k = 0; k < count && result.size() > 0; ++k) {
    Shape part = shape;
    part[0] = lengths.data<int64_t>()[k];
    append_rows(result, at, list.at(k) ? list.at(k) : zero(attrs.element_dtype, part, "concat"));
  }
  c.output(0) = result;
  c.output(1) = lengths;
}

void tensor_list_split(KernelContext& c) {
  const Tensor& tensor = c.input(0);
  const Tensor& lengths = c.input(1);
  if (lengths.rank() != 1) {
    invalid_argument("Expected lengths to be a vector, received shape: ", lengths.shape());
  }
  const auto list = std::make_shared<ListOfTensors>();
  list->dtype = tensor.dtype();
  list->element_shape = as_shape(c.attrs<ops::TensorListFromTensorAttrs>().element_shape);
  list->length = lengths.size();
  const Shape row = row_shape(tensor);
  int64_t begin = 0;
  for (int64_t k = 0; k < list->length; ++k) {
    Shape part = row;
    part.insert(0, lengths.data<int64_t>()[k]);
    if (part[0] < 0 || part[0] > tensor.dim(0) - begin) {
      invalid_argument(
          "Expected sum of lengths to be equal to values.shape[0], but the lengths end "
          "behind ",
          tensor.dim(0), " [Op:TensorListSplit]");
    }
    set_checked(*list, k, tensor.view_at(begin * row.num_elements(), part));
    begin += part[0];
  }
  if (begin != tensor.dim(0)) {
    invalid_argument("Unused values in tensor. Length of tensor: ", tensor.dim(0),
                     " Values used: ", begin, " [Op:TensorListSplit]");
  }
  put_item(c, list);
}

void tensor_list_erase(KernelContext& c) {
  const List list = changeable(c, 0);
  for (int64_t k = 0; k < c.input(1).size(); ++k) list->erase(c.input(1).data<int32_t>()[k]);
  put_item(c, list);
}

}  // namespace ef::cpu
