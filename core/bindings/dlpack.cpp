// DLPack, the common exchange format of array libraries: https://dmlc.github.io/dlpack.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "bindings/convert.h"
#include "bindings/errors.h"
#include "bindings/gil.h"
#include "bindings/numpy_api.h"
#include "bindings/numpy_interop.h"
#include "bindings/py_ref.h"
#include "eager/lazy.h"

namespace ef::py {
namespace {

// The structures of DLPack's C ABI, version 1.0. Capsules of older producers hold a `Managed`.
struct DLDevice {
  int32_t type;
  int32_t id;
};
struct ElementType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};
struct Array {
  void* data;
  DLDevice device;
  int32_t ndim;
  ElementType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null for row-major contiguous
  uint64_t byte_offset;
};
struct Managed {
  Array array;
  void* context;
  void (*deleter)(Managed*);
};
struct Version {
  uint32_t major;
  uint32_t minor;
};
struct ManagedVersioned {
  Version version;
  void* context;
  void (*deleter)(ManagedVersioned*);
  uint64_t flags;
  Array array;
};

constexpr int32_t kCpu = 1;
constexpr uint64_t kReadOnly = 1;
constexpr uint64_t kIsCopied = 2;
enum TypeCode : uint8_t { kInt = 0, kUint = 1, kFloat = 2, kBfloat = 4, kComplex = 5, kBool = 6 };

// An exported tensor: the consumer's view of it, and a reference that keeps the memory alive.
template <class Header>
struct Export {
  Header header;
  Tensor tensor;
  Shape shape;
  Shape strides;
};

constexpr const char* name_of(const Managed*) { return "dltensor"; }
constexpr const char* used_name_of(const Managed*) { return "used_dltensor"; }
constexpr const char* name_of(const ManagedVersioned*) { return "dltensor_versioned"; }
constexpr const char* used_name_of(const ManagedVersioned*) { return "used_dltensor_versioned"; }

ElementType element_type(DType dtype) {
  const auto bits = static_cast<uint8_t>(element_size(dtype) * 8);
  if (dtype == DType::kBool) return {kBool, bits, 1};
  if (dtype == DType::kBfloat16) return {kBfloat, bits, 1};
  if (is_floating(dtype)) return {kFloat, bits, 1};
  if (is_complex(dtype)) return {kComplex, bits, 1};
  if (kSignedIntTypes.contains(dtype)) return {kInt, bits, 1};
  if (kUnsignedIntTypes.contains(dtype)) return {kUint, bits, 1};
  invalid_argument("DLPack has no element type for ", dtype, " tensors.");
}

DType dtype_of(ElementType type) {
  if (type.lanes == 1) {
    for (int i = 1; i < kDTypeCount; ++i) {
      const auto dtype = static_cast<DType>(i);
      if (!kPlainTypes.contains(dtype)) continue;
      const ElementType candidate = element_type(dtype);
      if (candidate.code == type.code && candidate.bits == type.bits) return dtype;
    }
  }
  invalid_argument("The DLPack element type with code ", int{type.code}, ", ", int{type.bits},
                   " bits and ", type.lanes, " lanes is not supported.");
}

template <class Header>
void delete_export(Header* header) {
  delete static_cast<Export<Header>*>(header->context);
}

// Called for every capsule. A consumed capsule has another name, and the consumer owns its memory.
template <class Header>
void destroy_capsule(PyObject* capsule) {
  const char* name = name_of(static_cast<Header*>(nullptr));
  if (!PyCapsule_IsValid(capsule, name)) return;
  auto* header = static_cast<Header*>(PyCapsule_GetPointer(capsule, name));
  if (header->deleter) header->deleter(header);
}

template <class Header>
std::unique_ptr<Export<Header>> make_export(const Tensor& tensor) {
  compute_now(tensor);
  auto exported = std::make_unique<Export<Header>>();
  exported->tensor = tensor;
  exported->shape = tensor.shape();
  exported->strides = strides_of(tensor.shape());
  exported->header = Header{};
  exported->header.context = exported.get();
  exported->header.deleter = delete_export<Header>;
  Array& array = exported->header.array;
  array.data = tensor.mutable_raw_data();
  array.device = {kCpu, 0};
  array.ndim = tensor.rank();
  array.dtype = element_type(tensor.dtype());
  array.shape = exported->shape.data();
  array.strides = exported->strides.data();
  return exported;
}

template <class Header>
PyObject* capsule_of(std::unique_ptr<Export<Header>> exported) {
  Header* header = &exported->header;
  PyObject* capsule = PyCapsule_New(header, name_of(header), destroy_capsule<Header>);
  if (!capsule) throw PythonError();
  exported.release();
  return capsule;
}

template <class Header>
void give_back(void* context) {
  auto* header = static_cast<Header*>(context);
  if (!header->deleter || !Py_IsInitialized()) return;
  // Producers written in Python need the GIL.
  const Locked locked;
  header->deleter(header);
}

void check(const Array& array) {
  if (array.device.type != kCpu) {
    invalid_argument("The DLPack capsule holds memory of device type ", array.device.type,
                     "; only CPU memory (type 1) can be taken.");
  }
  if (array.ndim < 0 || array.ndim > kMaxRank || (array.ndim > 0 && !array.shape)) {
    invalid_argument("The DLPack capsule has ", array.ndim, " dimensions; up to ", kMaxRank,
                     " can be taken.");
  }
}

bool is_contiguous(const Array& array, const Shape& shape) {
  if (!array.strides || shape.num_elements() <= 1) return true;
  int64_t expected = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    if (shape[i] != 1 && array.strides[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

// A copy, through a NumPy view with the same strides.
Tensor copy_of(const Array& array, const Shape& shape, DType dtype, char* data) {
  npy_intp dims[kMaxRank];
  npy_intp strides[kMaxRank];
  const Shape packed = strides_of(shape);
  for (int i = 0; i < shape.rank(); ++i) {
    dims[i] = shape[i];
    const int64_t stride = array.strides ? array.strides[i] : packed[i];
    strides[i] = stride * static_cast<npy_intp>(element_size(dtype));
  }
  PyArray_Descr* descr = numpy_descr(dtype);
  if (!descr) throw PythonError();
  const PyRef view = checked(
      PyArray_NewFromDescr(&PyArray_Type, descr, shape.rank(), dims, strides, data, 0, nullptr));
  PyArray_UpdateFlags(as_array(view), NPY_ARRAY_UPDATE_ALL);
  return from_numpy(view, dtype);
}

template <class Header>
Tensor take(PyObject* capsule) {
  auto* header =
      static_cast<Header*>(PyCapsule_GetPointer(capsule, name_of(static_cast<Header*>(nullptr))));
  if (!header) throw PythonError();
  if constexpr (std::is_same_v<Header, ManagedVersioned>) {
    if (header->version.major != 1) {
      invalid_argument("The DLPack capsule has version ", header->version.major, ".",
                       header->version.minor, "; only versions 1.x can be taken.");
    }
  }
  const Array& array = header->array;
  check(array);
  const DType dtype = dtype_of(array.dtype);
  Shape shape;
  for (int i = 0; i < array.ndim; ++i) shape.push_back(array.shape[i]);
  const int64_t size = checked_num_elements(shape.dims(), "FromDLPack");
  char* data = static_cast<char*>(array.data) + array.byte_offset;
  if (size == 0) return Tensor::empty(dtype, shape);
  if (!array.data) invalid_argument("The DLPack capsule has elements but no memory.");
  const size_t width = element_size(dtype);
  const bool aligned =
      reinterpret_cast<uintptr_t>(data) % std::min<size_t>(width, alignof(double)) == 0;
  // From here on this tensor owns the memory, and must release it.
  PyCapsule_SetName(capsule, used_name_of(header));
  PyCapsule_SetDestructor(capsule, nullptr);
  if (!is_contiguous(array, shape) || !aligned || dtype == DType::kBool) {
    const struct GiveBack {
      Header* header;
      ~GiveBack() { give_back<Header>(header); }
    } give{header};
    return copy_of(array, shape, dtype, data);
  }
  Buffer* buffer =
      Buffer::adopt(data, static_cast<size_t>(size) * width, give_back<Header>, header);
  return Tensor(TensorImpl::create(dtype, shape, buffer, buffer->data()));
}

Tensor copied(const Tensor& tensor) {
  compute_now(tensor);
  const Tensor copy = Tensor::empty(tensor.dtype(), tensor.shape());
  std::memcpy(copy.mutable_raw_data(), tensor.raw_data(), static_cast<size_t>(tensor.bytes()));
  return copy;
}

// obj.__dlpack__(max_version=(1, 0)), or without the argument for older producers.
PyRef capsule_from(PyObject* object) {
  const PyRef method = checked(PyObject_GetAttrString(object, "__dlpack__"));
  const PyRef none = checked(PyTuple_New(0));
  const PyRef kwargs = PyRef::steal(Py_BuildValue("{s(ii)}", "max_version", 1, 0));
  if (!none || !kwargs) throw PythonError();
  PyRef capsule = PyRef::steal(PyObject_Call(method, none, kwargs));
  if (!capsule && PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear();
    capsule = PyRef::steal(PyObject_CallNoArgs(method));
  }
  if (!capsule) throw PythonError();
  return capsule;
}

}  // namespace

PyObject* to_dlpack(const Tensor& tensor, bool versioned, bool copy) {
  const Tensor shared = copy ? copied(tensor) : tensor;
  if (!versioned) return capsule_of(make_export<Managed>(shared));
  auto exported = make_export<ManagedVersioned>(shared);
  exported->header.version = {1, 0};
  exported->header.flags = copy ? kIsCopied : kReadOnly;
  return capsule_of(std::move(exported));
}

PyObject* export_dlpack(const Tensor& tensor, PyObject* kwargs) {
  static const char* names[] = {"stream", "max_version", "dl_device", "copy", nullptr};
  PyObject* stream = Py_None;
  PyObject* max_version = Py_None;
  PyObject* device = Py_None;
  PyObject* copy = Py_None;
  const PyRef none = checked(PyTuple_New(0));
  if (!none ||
      !PyArg_ParseTupleAndKeywords(none, kwargs, "|$OOOO:__dlpack__", const_cast<char**>(names),
                                   &stream, &max_version, &device, &copy)) {
    throw PythonError();
  }
  if (stream != Py_None) {
    PyErr_SetString(PyExc_BufferError, "CPU memory has no streams; `stream` must be None.");
    throw PythonError();
  }
  if (device != Py_None) {
    const Ints pair = to_ints(device, "dl_device");
    if (pair.size() != 2 || pair[0] != kCpu || pair[1] != 0) {
      PyErr_SetString(PyExc_BufferError,
                      "The tensor is in CPU memory; `dl_device` must be (1, 0).");
      throw PythonError();
    }
  }
  bool versioned = false;
  if (max_version != Py_None) {
    const Ints pair = to_ints(max_version, "max_version");
    versioned = pair.size() > 0 && pair[0] >= 1;
  }
  return to_dlpack(tensor, versioned, copy != Py_None && to_bool(copy, "copy"));
}

Tensor from_dlpack(PyObject* object) {
  PyRef capsule = PyRef::share(object);
  if (!PyCapsule_CheckExact(object)) capsule = capsule_from(object);
  if (PyCapsule_IsValid(capsule, "dltensor")) return take<Managed>(capsule);
  if (PyCapsule_IsValid(capsule, "dltensor_versioned")) return take<ManagedVersioned>(capsule);
  const char* name =
      PyCapsule_CheckExact(capsule.get()) ? PyCapsule_GetName(capsule) : Py_TYPE(capsule)->tp_name;
  PyErr_Clear();
  invalid_argument("Expected a DLPack capsule named \"dltensor\" or \"dltensor_versioned\", got \"",
                   name ? name : "", "\". A capsule can be consumed only once.");
}

}  // namespace ef::py
