// Index expressions. Each becomes one strided slice, or a gather for boolean masks. Those with
// arrays of indices are answered in Python.
#include "bindings/indexing.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/convert.h"
#include "bindings/errors.h"
#include "bindings/items.h"
#include "bindings/numpy_api.h"
#include "bindings/numpy_interop.h"
#include "bindings/override.h"
#include "bindings/py_ref.h"
#include "bindings/py_tensor.h"
#include "bindings/py_variable.h"
#include "device/devices.h"
#include "eager/dispatch.h"
#include "eager/tape.h"
#include "eager/variable.h"
#include "graph/record.h"
#include "ops/array.h"
#include "ops/compose.h"
#include "ops/indexing.h"
#include "ops/input_checks.h"
#include "ops/op.h"

namespace ef::py {
namespace {

[[noreturn]] void bad_index(PyObject* item) {
  PyErr_Format(PyExc_TypeError,
               "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
               "tf.int32/tf.int64 tensors are valid indices, got %R",
               item);
  throw PythonError();
}

[[noreturn]] void scalar_sliced() {
  invalid_argument("Attempting to slice scalar input. [Op:StridedSlice] name: strided_slice/");
}

[[noreturn]] void out_of_bounds(int64_t from_start, int64_t index, int64_t size) {
  invalid_argument("slice index ", from_start, " of dimension 0 out of bounds: got ", index,
                   " for a size of ", size, ". [Op:StridedSlice] name: strided_slice/");
}

int64_t long_value(PyObject* number) {
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(number, &overflow);
  if (overflow) {
    fail(Code::kValueError, "Can't convert Python sequence with out-of-range integer to Tensor.");
  }
  return value;
}

// The integer value of one part of an index.
int64_t index_value(PyObject* item) {
  if (PyLong_CheckExact(item)) return long_value(item);
  if (PyBool_Check(item)) {
    refuse_attr("Index", DType::kBool, kIndexTypes | DTypeSet{DType::kInt16}, "StridedSlice");
  }
  if (PyLong_Check(item)) return long_value(item);
  if (is_tensor(item) || is_variable(item)) {
    constexpr DTypeSet kIndices{DType::kInt16, DType::kInt32, DType::kInt64};
    const Tensor tensor = is_tensor(item) ? tensor_of(item) : read_variable(item);
    if (!compatible(tensor.shape(), {}) || !kIndices.contains(tensor.dtype())) bad_index(item);
    if (tensor.shape().ranked()) return to_int(item);
    return to_int(checked(wrap(reshape_to(tensor, Shape{}))));  // it must have one element
  }
  if (is_array(item)) {
    if (PyArray_NDIM(as_array(item)) != 0 || !is_integer(dtype_of_array(item))) bad_index(item);
    return to_int(item);
  }
  if (is_numpy_scalar(item)) {
    if (!is_integer(dtype_of_array(item))) bad_index(item);
    return to_int(item);
  }
  if (PyIndex_Check(item)) {  // also sizes of a TensorShape
    const PyRef number = checked(PyNumber_Index(item));
    return long_value(number);
  }
  bad_index(item);
}

// A function of its own, so that the code for plain bounds stays short.
[[gnu::noinline]] bool is_unknown_dimension(PyObject* bound) {
  if (is_tensor(bound) || is_variable(bound) || is_array(bound) || is_numpy_scalar(bound) ||
      !PyIndex_Check(bound)) {
    return false;
  }
  const PyRef size = PyRef::steal(PyObject_GetAttrString(bound, "value"));
  if (!size) PyErr_Clear();
  return size.get() == Py_None;
}

// Whether a bound of a slice is missing: None, or a `Dimension` of unknown size.
bool is_absent(PyObject* bound) {
  return bound == Py_None || (!PyLong_Check(bound) && is_unknown_dimension(bound));
}

// The arguments of one strided slice.
class Slicing {
 public:
  Slicing() {
    if (graph::building()) collector_.emplace();
  }

  void add(PyObject* item) {
    if (PySlice_Check(item)) {
      add_slice(reinterpret_cast<PySliceObject*>(item));
    } else if (item == Py_Ellipsis) {
      slice_.ellipsis_mask |= bit();
      push(0, 0, 1);
    } else if (item == Py_None) {
      slice_.new_axis_mask |= bit();
      push(0, 0, 1);
    } else {
      const int64_t index = value(item, kBegin);
      slice_.shrink_axis_mask |= bit();
      // If the index is unknown, so is the end of the slice; a single element needs no end.
      const bool last = index == std::numeric_limits<int64_t>::max() || index == kUnknownInt;
      push(index, last ? 0 : index + 1, 1);
      takes_from_axis_ = true;
    }
  }

  Tensor apply(const Op& op, std::span<const Tensor> inputs) const {
    const Tensor& tensor = inputs[0];
    // Several ellipses are an error, whatever the tensor.
    const bool single = (slice_.ellipsis_mask & (slice_.ellipsis_mask - 1)) == 0;
    graph::Graph* const graph = graph::building();
    if (!graph && tensor.rank() == 0 && takes_from_axis_ && single) scalar_sliced();
    if (graph) {
      check_inputs(op, inputs);
      std::vector<graph::Hole> holes;
      for (const int32_t field : {kBegin, kEnd, kStrides}) {
        for (const graph::Hole& hole : collector_->holes()) {
          if (hole.field == field) holes.push_back(hole);
        }
      }
      TensorList outputs;
      graph::add_call(*graph, op, inputs, slice_, holes, op.name, outputs);
      return outputs[0];
    }
    return call(op, inputs, slice_);
  }

  const ops::StridedSliceAttrs& attrs() const { return slice_; }

 private:
  int64_t bit() const {
    if (slice_.begin.size() >= 62) invalid_argument("Too many indices. [Op:StridedSlice]");
    return int64_t{1} << slice_.begin.size();
  }

  void push(int64_t begin, int64_t end, int64_t stride) {
    slice_.begin.push_back(begin);
    slice_.end.push_back(end);
    slice_.strides.push_back(stride);
  }

  void add_slice(PySliceObject* slice) {
    int64_t bounds[2] = {0, 0};
    if (is_absent(slice->start)) {
      slice_.begin_mask |= bit();
    } else {
      bounds[0] = value(slice->start, kBegin);
    }
    if (is_absent(slice->stop)) {
      slice_.end_mask |= bit();
    } else {
      bounds[1] = value(slice->stop, kEnd);
    }
    push(bounds[0], bounds[1], is_absent(slice->step) ? 1 : value(slice->step, kStrides));
    takes_from_axis_ = true;
  }

  // The fields of the attributes.
  enum : int32_t { kBegin, kEnd, kStrides };

  int64_t value(PyObject* item, int32_t field) {
    if (!collector_ || PyLong_CheckExact(item)) return as_known(index_value(item));
    collector_->begin_field(field);
    return index_value(item);
  }

  std::optional<graph::HoleCollector> collector_;  // while a graph is built
  ops::StridedSliceAttrs slice_;
  bool takes_from_axis_ = false;
};

Shape without_first(const Shape& shape) { return Shape(shape.dims().subspan(1)); }

// Views by leading integers, and by a slice of step one along the first axis. Tapes do not record
// them. Empty for other keys.
Tensor row(const Tensor& tensor, PyObject* index) {
  const int64_t value = long_value(index);
  if (tensor.rank() == 0) scalar_sliced();
  const int64_t count = tensor.dim(0);
  const int64_t from_start = value < 0 ? value + count : value;
  if (from_start < 0 || from_start >= count) out_of_bounds(from_start, value, count);
  const Shape shape = without_first(tensor.shape());
  return tensor.view_at(from_start * shape.num_elements(), shape);
}

Tensor element(const Tensor& tensor, PyObject* indices) {
  const int count = static_cast<int>(PyTuple_GET_SIZE(indices));
  if (count == 0 || count > tensor.rank()) return Tensor();
  int64_t offset = 0;
  for (int i = 0; i < count; ++i) {
    PyObject* item = PyTuple_GET_ITEM(indices, i);
    if (!PyLong_CheckExact(item)) return Tensor();
    const int64_t value = long_value(item);
    const int64_t from_start = value < 0 ? value + tensor.dim(i) : value;
    if (from_start < 0 || from_start >= tensor.dim(i)) return Tensor();
    offset = offset * tensor.dim(i) + from_start;
  }
  const Shape shape(tensor.shape().dims().subspan(static_cast<size_t>(count)));
  return tensor.view_at(offset * shape.num_elements(), shape);
}

Tensor rows(const Tensor& tensor, PyObject* key) {
  auto* slice = reinterpret_cast<PySliceObject*>(key);
  const auto is_plain = [](PyObject* bound) {
    return bound == Py_None || PyLong_CheckExact(bound);
  };
  if (tensor.rank() == 0 || slice->step != Py_None || !is_plain(slice->start) ||
      !is_plain(slice->stop)) {
    return Tensor();
  }
  Shape shape = tensor.shape();
  int64_t begin = slice->start == Py_None ? 0 : long_value(slice->start);
  int64_t end = slice->stop == Py_None ? shape[0] : long_value(slice->stop);
  begin = std::clamp<int64_t>(begin < 0 ? begin + shape[0] : begin, 0, shape[0]);
  end = std::clamp<int64_t>(end < 0 ? end + shape[0] : end, begin, std::max(begin, shape[0]));
  shape[0] = 1;
  const int64_t stride = shape.num_elements();
  shape[0] = end - begin;
  return tensor.view_at(begin * stride, shape);
}

Tensor leading_view(const Tensor& tensor, PyObject* key) {
  if (computes_elsewhere()) return Tensor();
  if (PyLong_CheckExact(key)) return row(tensor, key);
  if (PyTuple_CheckExact(key)) return element(tensor, key);
  if (PySlice_Check(key)) return rows(tensor, key);
  return Tensor();
}

// The key as the arguments of a strided slice.
void add_key(Slicing& slicing, PyObject* key) {
  if (PyTuple_Check(key) || PyList_Check(key)) {
    for (PyObject* item : Items(key)) slicing.add(item);
  } else {
    slicing.add(key);
  }
}

Tensor slice_by(const Tensor& tensor, PyObject* key) {
  Slicing slicing;
  add_key(slicing, key);
  return slicing.apply(ops::strided_slice, {&tensor, 1});
}

// The key as a mask, if it is a bool, or a bool tensor or array.
std::optional<Tensor> mask_of(PyObject* key) {
  if (PyBool_Check(key)) fail(Code::kValueError, "mask cannot be scalar.");
  Tensor mask;
  if (is_tensor(key)) {
    if (tensor_of(key).dtype() == DType::kBool) mask = tensor_of(key);
  } else if (is_array(key)) {
    if (dtype_of_array(key) == DType::kBool) mask = from_numpy(key);
  } else if (is_variable(key) && variable_dtype(key) == DType::kBool) {
    mask = read_variable(key);
  }
  if (!mask) return std::nullopt;
  return mask;
}

// Whether a part of an index is an array: a list, or integers or booleans that are no index by
// themselves.
bool is_index_array(PyObject* item) {
  if (PyLong_Check(item) || PySlice_Check(item) || item == Py_None || item == Py_Ellipsis) {
    return false;
  }
  if (PyList_Check(item) || PyTuple_Check(item)) return true;
  const auto indexes = [](DType dtype) { return dtype == DType::kBool || is_integer(dtype); };
  if (is_array(item)) return PyArray_NDIM(as_array(item)) > 0 && indexes(dtype_of_array(item));
  if (!is_tensor(item) && !is_variable(item)) return false;
  const Tensor tensor = is_tensor(item) ? tensor_of(item) : read_variable(item);
  if (!tensor.shape().ranked()) return tensor.dtype() == DType::kBool;
  return tensor.rank() > 0 && indexes(tensor.dtype());
}

// Whether NumPy's rules for arrays answer the key. A list of integers is read like a tuple.
bool has_index_array(PyObject* key) {
  if (!PyTuple_Check(key) && !PyList_Check(key)) return is_index_array(key);
  const Items items(key);
  if (std::any_of(items.begin(), items.end(), is_index_array)) return true;
  const auto is_bool = [](PyObject* item) { return PyBool_Check(item) != 0; };
  return PyList_Check(key) && items.size() > 0 && std::all_of(items.begin(), items.end(), is_bool);
}

PyObject* get_by_arrays(PyObject* object, PyObject* key) {
  const PyRef module = checked(PyImport_ImportModule("eagerflow.framework.array_indexing"));
  const PyRef function = checked(PyObject_GetAttrString(module, "get_item"));
  return checked(PyObject_CallFunctionObjArgs(function, object, key, nullptr)).release();
}

// "(2, 3)", as Python shows a shape.
std::string tuple_text(std::span<const int64_t> dims) {
  std::string text = "(";
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(dims[i]);
  }
  return text + (dims.size() == 1 ? ",)" : ")");
}

}  // namespace

Tensor with_part(const Tensor& tensor, PyObject* key, const Tensor& value) {
  Slicing slicing;
  add_key(slicing, key);
  return slicing.apply(ops::strided_slice_update, std::array<Tensor, 2>{tensor, value});
}

void replace_part(Variable& variable, PyObject* key, const Tensor& value) {
  Slicing slicing;
  add_key(slicing, key);
  variable.change(ops::strided_slice_update, {&value, 1}, slicing.attrs());
}

Tensor select_by_mask(const Tensor& tensor, const Tensor& mask) {
  const int rank = mask.rank();
  if (rank == 0) fail(Code::kValueError, "mask cannot be scalar.");
  const auto dims = tensor.shape().dims();
  const auto leading = dims.first(std::min<size_t>(dims.size(), static_cast<size_t>(rank)));
  if (Shape(leading) != mask.shape()) {
    fail(Code::kValueError, "Shapes ", tuple_text(leading), " and ",
         tuple_text(mask.shape().dims()), " are incompatible");
  }
  const bool* flags = mask.data<bool>();
  int64_t count = 0;
  for (int64_t i = 0; i < mask.size(); ++i) count += flags[i];
  const Tensor indices = Tensor::empty(DType::kInt64, {count});
  int64_t* index = indices.mutable_data<int64_t>();
  for (int64_t i = 0; i < mask.size(); ++i) {
    if (flags[i]) *index++ = i;
  }
  Shape flat{mask.size()};
  for (int64_t dim : dims.subspan(static_cast<size_t>(rank))) flat.push_back(dim);
  // Reshaped even if the shape stays the same: selected elements have a dense gradient, unlike
  // gathered rows.
  return call(ops::gather,
              {call(ops::reshape, {tensor}, ops::ReshapeAttrs{.shape = flat}), indices},
              ops::GatherAttrs{});
}

PyObject* get_item(const Tensor& tensor, PyObject* object, PyObject* key) {
  if (!recording() && !is_symbolic(tensor) && !graph::building() &&
      (kAllTypes | kSlicedTypes).contains(tensor.dtype())) {
    if (Tensor view = leading_view(tensor, key)) return wrap(std::move(view));
  }
  if (PyObject* result = index_override(object, key)) return result;
  if (const auto mask = mask_of(key)) {
    if (!has_value(*mask) || !tensor.shape().fully_known()) return get_by_arrays(object, key);
    return wrap(select_by_mask(tensor, *mask));
  }
  if (has_index_array(key)) return get_by_arrays(object, key);
  return wrap(slice_by(tensor, key));
}

}  // namespace ef::py
