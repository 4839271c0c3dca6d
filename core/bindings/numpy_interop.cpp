// Conversions between tensors and NumPy's arrays and scalars.
#define EAGERFLOW_IMPORTS_NUMPY
#include "bindings/numpy_interop.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "bindings/convert.h"
#include "bindings/errors.h"
#include "bindings/gil.h"
#include "bindings/numpy_api.h"
#include "bindings/py_ref.h"
#include "device/parallel.h"
#include "eager/dispatch.h"
#include "eager/lazy.h"
#include "eager/tape.h"
#include "ops/compose.h"

namespace ef::py {
namespace {

// From this size on, new arrays are allocated in the pool, which is warm and has huge pages.
constexpr int64_t kPooledArray = int64_t{1} << 20;
constexpr int64_t kCopyGrain = int64_t{1} << 18;

// The element types that ml_dtypes adds to NumPy; imported when first needed.
struct Extension {
  DType dtype;
  PyArray_Descr* descr = nullptr;
};
Extension extensions[] = {
    {DType::kBfloat16},
    {DType::kFloat8E5m2},
    {DType::kFloat8E4m3fn},
    {DType::kFloat8E4m3fnuz},
    {DType::kFloat8E4m3b11fnuz},
    {DType::kFloat8E5m2fnuz},
    {DType::kInt4},
    {DType::kUint4},
    {DType::kInt2},
    {DType::kUint2},
    {DType::kFloat4E2m1fn},
};

template <class Body>
void for_bytes(int64_t bytes, const Body& body) {
  const KernelRegion region(static_cast<double>(bytes) / 8);
  parallel_for(bytes, kCopyGrain, body);
}

void copy_bytes(void* target, const void* source, int64_t bytes) {
  auto* to = static_cast<char*>(target);
  const auto* from = static_cast<const char*>(source);
  if (bytes < kCopyGrain) {
    std::memcpy(to, from, static_cast<size_t>(bytes));
    return;
  }
  for_bytes(bytes, [=](int64_t begin, int64_t end) {
    std::memcpy(to + begin, from + begin, static_cast<size_t>(end - begin));
  });
}

// NumPy reads any nonzero byte as true, C++ only 1.
void copy_bools(void* target, const void* source, int64_t count) {
  auto* to = static_cast<uint8_t*>(target);
  const auto* from = static_cast<const uint8_t*>(source);
  for_bytes(count, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = from[i] != 0;
  });
}

bool load(Extension& extension) {
  if (extension.descr) return true;
  const PyRef module = PyRef::steal(PyImport_ImportModule("ml_dtypes"));
  if (!module) return false;
  const PyRef type = PyRef::steal(PyObject_GetAttrString(module, dtype_name(extension.dtype)));
  if (!type) return false;
  return PyArray_DescrConverter(type, &extension.descr) == NPY_SUCCEED;
}

// The extension type with that name, which may have a module's name in front; null if there is
// none.
Extension* extension_named(std::string_view name) {
  if (const size_t dot = name.rfind('.'); dot != name.npos) name.remove_prefix(dot + 1);
  for (Extension& extension : extensions) {
    if (name != dtype_name(extension.dtype)) continue;
    if (load(extension)) return &extension;
    PyErr_Clear();
  }
  return nullptr;
}

// A quantized dtype, which NumPy represents by a record of one integer with the dtype's name.
DType quantized_of_descr(PyArray_Descr* descr) {
  PyObject* names = PyDataType_NAMES(descr);
  if (!names || PyTuple_GET_SIZE(names) != 1) return DType::kInvalid;
  const char* name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, 0));
  if (!name) {
    PyErr_Clear();
    return DType::kInvalid;
  }
  const DType dtype = dtype_from_name(name);
  const bool fits = kQuantizedTypes.contains(dtype) &&
                    static_cast<size_t>(PyDataType_ELSIZE(descr)) == element_size(dtype);
  return fits ? dtype : DType::kInvalid;
}

void release_tensor(PyObject* capsule) {
  static_cast<TensorImpl*>(PyCapsule_GetPointer(capsule, nullptr))->release();
}

// A new array over `data`, or with its own memory if that is null.
PyRef new_array(const Tensor& like, void* data, int flags) {
  if (like.rank() > NPY_MAXDIMS) {
    invalid_argument("Cannot convert tensor with ", like.rank(),
                     " dimensions to NumPy array. NumPy arrays can have at most ", NPY_MAXDIMS,
                     " dimensions");
  }
  npy_intp dims[NPY_MAXDIMS];
  std::copy_n(like.shape().begin(), like.rank(), dims);
  PyArray_Descr* descr = numpy_descr(like.dtype());
  if (!descr) throw PythonError();
  return checked(
      PyArray_NewFromDescr(&PyArray_Type, descr, like.rank(), dims, nullptr, data, flags, nullptr));
}

// An array over the tensor's memory, which it keeps alive.
PyRef array_over(const Tensor& tensor, bool writable) {
  PyRef array = new_array(tensor, tensor.mutable_raw_data(),
                          writable ? NPY_ARRAY_CARRAY : NPY_ARRAY_CARRAY_RO);
  PyRef owner = checked(PyCapsule_New(tensor.impl(), nullptr, release_tensor));
  tensor.impl()->retain();
  if (PyArray_SetBaseObject(as_array(array), owner.release()) < 0) throw PythonError();
  return array;
}

PyRef bytes_of(const std::string& text) {
  return checked(PyBytes_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
}

PyRef string_array(const Tensor& tensor) {
  PyRef array = new_array(tensor, nullptr, 0);
  auto* items = static_cast<PyObject**>(PyArray_DATA(as_array(array)));
  for (const std::string& text : tensor.strings()) {
    Py_XSETREF(*items, bytes_of(text).release());
    ++items;
  }
  return array;
}

// A new array that the caller may write.
PyRef copied_array(const Tensor& tensor) {
  // Called first: it throws for symbolic tensors, which have no value and may be huge.
  const void* data = tensor.raw_data();
  if (tensor.dtype() == DType::kString) return string_array(tensor);
  if (tensor.bytes() >= kPooledArray) {
    const Tensor copy = Tensor::empty(tensor.dtype(), tensor.shape());
    copy_bytes(copy.mutable_raw_data(), data, tensor.bytes());
    return array_over(copy, true);
  }
  PyRef array = new_array(tensor, nullptr, 0);
  copy_bytes(PyArray_DATA(as_array(array)), data, tensor.bytes());
  return array;
}

[[noreturn]] void bad_array(std::string_view why) {
  fail(Code::kValueError, "Failed to convert a NumPy array to a Tensor (", why, ").");
}

[[noreturn]] void bad_array_type(PyArray_Descr* descr) {
  switch (descr->type_num) {
    case NPY_DATETIME: bad_array("Unsupported numpy type: NPY_DATETIME");
    case NPY_TIMEDELTA: bad_array("Unsupported numpy type: NPY_TIMEDELTA");
    case NPY_LONGDOUBLE: bad_array("Unsupported numpy type: NPY_LONGDOUBLE");
    case NPY_CLONGDOUBLE: bad_array("Unsupported numpy type: NPY_CLONGDOUBLE");
    default: bad_array("Unsupported numpy data type");
  }
}

Shape shape_of(PyArrayObject* array) {
  Shape shape;
  for (int i = 0; i < PyArray_NDIM(array); ++i) shape.push_back(PyArray_DIM(array, i));
  return shape;
}

// The array with native byte order, aligned and contiguous, as `type_num` if that is not negative.
PyRef plain_array(PyArrayObject* array, int type_num = -1) {
  PyArray_Descr* descr = type_num >= 0
                             ? PyArray_DescrFromType(type_num)
                             : PyArray_DescrNewByteorder(PyArray_DESCR(array), NPY_NATIVE);
  if (!descr) throw PythonError();
  return checked(PyArray_FromArray(array, descr, NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST));
}

void assign_text(PyObject* text, std::string& target) {
  Py_ssize_t length = 0;
  const char* data = PyUnicode_AsUTF8AndSize(text, &length);
  if (!data) throw PythonError();
  target.assign(data, static_cast<size_t>(length));
}

void strings_from_objects(PyArrayObject* array, std::string* target) {
  const PyRef plain = plain_array(array);
  auto* items = static_cast<PyObject**>(PyArray_DATA(as_array(plain)));
  for (npy_intp i = 0; i < PyArray_SIZE(as_array(plain)); ++i) {
    PyObject* item = items[i] ? items[i] : Py_None;
    if (PyUnicode_Check(item)) {
      assign_text(item, target[i]);
    } else if (PyBytes_Check(item)) {
      target[i].assign(PyBytes_AS_STRING(item), static_cast<size_t>(PyBytes_GET_SIZE(item)));
    } else {
      bad_array(cat("Unsupported object type ", Py_TYPE(item)->tp_name));
    }
  }
}

void strings_from_bytes(PyArrayObject* array, std::string* target) {
  const PyRef plain = plain_array(array);
  const auto width = static_cast<size_t>(PyArray_ITEMSIZE(as_array(plain)));
  const auto* data = static_cast<const char*>(PyArray_DATA(as_array(plain)));
  for (npy_intp i = 0; i < PyArray_SIZE(as_array(plain)); ++i, data += width) {
    size_t length = width;
    while (length > 0 && data[length - 1] == 0) --length;
    target[i].assign(data, length);
  }
}

void strings_from_unicode(PyArrayObject* array, std::string* target) {
  const PyRef plain = plain_array(array);
  const Py_ssize_t width = static_cast<Py_ssize_t>(PyArray_ITEMSIZE(as_array(plain))) / 4;
  const auto* data = static_cast<const Py_UCS4*>(PyArray_DATA(as_array(plain)));
  for (npy_intp i = 0; i < PyArray_SIZE(as_array(plain)); ++i, data += width) {
    Py_ssize_t length = width;
    while (length > 0 && data[length - 1] == 0) --length;
    const PyRef text = checked(PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, data, length));
    assign_text(text, target[i]);
  }
}

Tensor string_tensor(PyArrayObject* array) {
  const Tensor result = Tensor::empty(DType::kString, shape_of(array));
  auto* target = result.mutable_data<std::string>();
  switch (PyArray_DESCR(array)->kind) {
    case 'S': strings_from_bytes(array, target); break;
    case 'U': strings_from_unicode(array, target); break;
    case 'O': strings_from_objects(array, target); break;
    default: strings_from_objects(as_array(plain_array(array, NPY_OBJECT)), target);
  }
  return result;
}

// Fills `target` by NumPy, which supports every dtype, stride and byte order.
void copy_by_numpy(PyArrayObject* array, const Tensor& target) {
  PyArray_Descr* descr = numpy_descr(target.dtype());
  if (!descr) throw PythonError();
  const PyRef view =
      checked(PyArray_NewFromDescr(&PyArray_Type, descr, PyArray_NDIM(array), PyArray_DIMS(array),
                                   nullptr, target.mutable_raw_data(), NPY_ARRAY_CARRAY, nullptr));
  if (PyArray_CopyInto(as_array(view), array) < 0) throw PythonError();
}

void drop_array(void* array) {
  // The last tensors may be destroyed after Python has shut down.
  if (!Py_IsInitialized()) return;
  const Locked locked;
  Py_DECREF(static_cast<PyObject*>(array));
}

bool adoptable(PyArrayObject* array) {
  return Py_REFCNT(array) == 1 && PyArray_CheckExact(array) &&
         PyArray_CHKFLAGS(array, NPY_ARRAY_OWNDATA | NPY_ARRAY_WRITEABLE) &&
         PyArray_NBYTES(array) >= kCopyGrain && PyArray_TYPE(array) != NPY_BOOL;
}

// The array's memory as a tensor, which keeps the array alive: observers may keep the tensor.
Tensor tensor_over(PyArrayObject* array, DType dtype, const Shape& shape) {
  Py_INCREF(array);
  Buffer* buffer = Buffer::adopt(PyArray_DATA(array), static_cast<size_t>(PyArray_NBYTES(array)),
                                 drop_array, array);
  return Tensor(TensorImpl::create(dtype, shape, buffer, buffer->data()));
}

// The order of the axes in memory, if the array is a transposed view of contiguous memory.
bool memory_order(PyArrayObject* array, Ints& order) {
  const int rank = PyArray_NDIM(array);
  for (int i = 0; i < rank; ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return PyArray_STRIDE(array, static_cast<int>(a)) > PyArray_STRIDE(array, static_cast<int>(b));
  });
  npy_intp expected = PyArray_ITEMSIZE(array);
  for (int i = rank - 1; i >= 0; --i) {
    const int axis = static_cast<int>(order[static_cast<size_t>(i)]);
    if (PyArray_DIM(array, axis) != 1 && PyArray_STRIDE(array, axis) != expected) return false;
    expected *= PyArray_DIM(array, axis);
  }
  return true;
}

// Casts and transposes large arrays by the engine's kernels, which use all threads. Empty if the
// kernels do not support the array.
Tensor by_kernels(PyArrayObject* array, DType natural, DType dtype) {
  constexpr npy_intp kWorthwhile = 1 << 16;
  if (PyArray_SIZE(array) < kWorthwhile || !PyArray_ISBEHAVED_RO(array) ||
      natural == DType::kBool) {
    return Tensor();
  }
  // NumPy and the engine may convert floats out of an integer dtype's range differently.
  const bool castable = kRealTypes.contains(natural) && is_floating(dtype);
  if (natural != dtype && !castable) return Tensor();
  const StopRecording stop;
  if (PyArray_IS_C_CONTIGUOUS(array)) {
    return cast_to(tensor_over(array, natural, shape_of(array)), dtype);
  }
  Ints order;
  if (natural != dtype || !memory_order(array, order)) return Tensor();
  Shape shape;
  Ints back(order);
  for (size_t i = 0; i < order.size(); ++i) {
    shape.push_back(PyArray_DIM(array, static_cast<int>(order[i])));
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  }
  Tensor result = permute(tensor_over(array, natural, shape), back);
  return result.raw_data() == PyArray_DATA(array) ? Tensor() : result;  // never a view
}

Tensor numeric_tensor(PyArrayObject* array, DType natural, DType dtype, bool may_adopt) {
  const bool plain = natural == dtype && PyArray_ISCARRAY_RO(array);
  if (plain && may_adopt && adoptable(array)) return tensor_over(array, dtype, shape_of(array));
  if (!plain) {
    if (Tensor result = by_kernels(array, natural, dtype)) return result;
  }
  const Tensor result = Tensor::empty(dtype, shape_of(array));
  if (!plain) {
    copy_by_numpy(array, result);
  } else if (dtype == DType::kBool) {
    copy_bools(result.mutable_raw_data(), PyArray_DATA(array), result.size());
  } else {
    copy_bytes(result.mutable_raw_data(), PyArray_DATA(array), result.bytes());
  }
  return result;
}

DType integer_dtype(bool is_signed, npy_intp size) {
  switch (size) {
    case 1: return is_signed ? DType::kInt8 : DType::kUint8;
    case 2: return is_signed ? DType::kInt16 : DType::kUint16;
    case 4: return is_signed ? DType::kInt32 : DType::kUint32;
    case 8: return is_signed ? DType::kInt64 : DType::kUint64;
    default: return DType::kInvalid;
  }
}

// The abstract classes in the hierarchy of NumPy's scalar types.
bool is_abstract_scalar_type(PyTypeObject* type) {
  const PyTypeObject* abstract[] = {&PyGenericArrType_Type,         &PyNumberArrType_Type,
                                    &PyIntegerArrType_Type,         &PySignedIntegerArrType_Type,
                                    &PyInexactArrType_Type,         &PyUnsignedIntegerArrType_Type,
                                    &PyFloatingArrType_Type,        &PyFlexibleArrType_Type,
                                    &PyComplexFloatingArrType_Type, &PyCharacterArrType_Type};
  return std::find(std::begin(abstract), std::end(abstract), type) != std::end(abstract);
}

}  // namespace

bool import_numpy() {
  import_array1(false);
  return true;
}

Shape shape_of_array(PyObject* array) { return shape_of(as_array(array)); }

bool is_array(PyObject* object) { return PyArray_Check(object); }
bool is_numpy_scalar(PyObject* object) { return PyArray_IsScalar(object, Generic); }

PyArray_Descr* numpy_descr(DType dtype) {
  switch (plain_dtype(dtype)) {
    case DType::kBool: return PyArray_DescrFromType(NPY_BOOL);
    case DType::kInt8: return PyArray_DescrFromType(NPY_INT8);
    case DType::kInt16: return PyArray_DescrFromType(NPY_INT16);
    case DType::kInt32: return PyArray_DescrFromType(NPY_INT32);
    case DType::kInt64: return PyArray_DescrFromType(NPY_INT64);
    case DType::kUint8: return PyArray_DescrFromType(NPY_UINT8);
    case DType::kUint16: return PyArray_DescrFromType(NPY_UINT16);
    case DType::kUint32: return PyArray_DescrFromType(NPY_UINT32);
    case DType::kUint64: return PyArray_DescrFromType(NPY_UINT64);
    case DType::kFloat16: return PyArray_DescrFromType(NPY_FLOAT16);
    case DType::kFloat32: return PyArray_DescrFromType(NPY_FLOAT32);
    case DType::kFloat64: return PyArray_DescrFromType(NPY_FLOAT64);
    case DType::kComplex64: return PyArray_DescrFromType(NPY_COMPLEX64);
    case DType::kComplex128: return PyArray_DescrFromType(NPY_COMPLEX128);
    case DType::kString: return PyArray_DescrFromType(NPY_OBJECT);
    case DType::kResource:
    case DType::kVariant:
      invalid_argument("Cannot convert a Tensor of dtype ", dtype, " to a NumPy array.");
    default: break;
  }
  for (Extension& extension : extensions) {
    if (extension.dtype != dtype) continue;
    if (!load(extension)) return nullptr;
    Py_INCREF(extension.descr);
    return extension.descr;
  }
  PyErr_SetString(PyExc_TypeError, "There is no NumPy type for this dtype.");
  return nullptr;
}

DType dtype_of_descr(PyArray_Descr* descr) {
  const int type = descr->type_num;
  if (type == NPY_BOOL) return DType::kBool;
  if (PyTypeNum_ISINTEGER(type)) {
    return integer_dtype(PyTypeNum_ISSIGNED(type), PyDataType_ELSIZE(descr));
  }
  switch (type) {
    case NPY_HALF: return DType::kFloat16;
    case NPY_FLOAT: return DType::kFloat32;
    case NPY_DOUBLE: return DType::kFloat64;
    case NPY_CFLOAT: return DType::kComplex64;
    case NPY_CDOUBLE: return DType::kComplex128;
    case NPY_OBJECT:
    case NPY_STRING:
    case NPY_UNICODE: return DType::kString;
    default: break;
  }
  if (descr->kind == 'T') return DType::kString;  // NumPy 2's strings of variable width
  if (type == NPY_VOID) return quantized_of_descr(descr);
  // The type numbers of extension types are assigned at run time.
  if (type >= NPY_USERDEF && descr->typeobj) {
    const Extension* extension = extension_named(descr->typeobj->tp_name);
    if (extension && extension->descr->type_num == type) return extension->dtype;
  }
  return DType::kInvalid;
}

DType dtype_from_numpy(PyObject* type) {
  if (PyArray_DescrCheck(type)) return dtype_of_descr(reinterpret_cast<PyArray_Descr*>(type));
  if (!PyType_Check(type)) return DType::kInvalid;
  auto* cls = reinterpret_cast<PyTypeObject*>(type);
  if (PyType_IsSubtype(cls, &PyGenericArrType_Type)) {
    if (is_abstract_scalar_type(cls)) return DType::kInvalid;
    const PyRef descr =
        PyRef::steal(reinterpret_cast<PyObject*>(PyArray_DescrFromTypeObject(type)));
    if (!descr) {
      PyErr_Clear();
      return DType::kInvalid;
    }
    return dtype_from_numpy(descr);
  }
  // In some versions, the types of ml_dtypes are not subclasses of NumPy's scalars.
  const Extension* extension = extension_named(cls->tp_name);
  return extension && extension->descr->typeobj == cls ? extension->dtype : DType::kInvalid;
}

DType dtype_of_array(PyObject* object) {
  if (PyArray_Check(object)) return dtype_of_descr(PyArray_DESCR(as_array(object)));
  const PyRef descr = PyRef::steal(reinterpret_cast<PyObject*>(PyArray_DescrFromScalar(object)));
  if (!descr) throw PythonError();
  return dtype_of_descr(reinterpret_cast<PyArray_Descr*>(descr.get()));
}

PyObject* to_writable_array(const Tensor& tensor) { return array_over(tensor, true).release(); }

PyObject* to_numpy(const Tensor& tensor, bool copy) {
  compute_now(tensor);
  if (!copy) {
    if (tensor.dtype() == DType::kString) return string_array(tensor).release();
    return array_over(tensor, false).release();
  }
  if (tensor.rank() > 0) return copied_array(tensor).release();
  if (tensor.dtype() == DType::kString) return bytes_of(*tensor.data<std::string>()).release();
  const PyRef descr = checked(reinterpret_cast<PyObject*>(numpy_descr(tensor.dtype())));
  return checked(PyArray_Scalar(tensor.mutable_raw_data(),
                                reinterpret_cast<PyArray_Descr*>(descr.get()), nullptr))
      .release();
}

PyObject* to_array(const Tensor& tensor, PyObject* dtype, PyObject* copy) {
  PyArray_Descr* wanted = nullptr;
  if (dtype && dtype != Py_None && PyArray_DescrConverter(dtype, &wanted) != NPY_SUCCEED) {
    throw PythonError();
  }
  PyRef descr = PyRef::steal(reinterpret_cast<PyObject*>(wanted));
  const bool must_copy = copy && copy != Py_None && to_bool(copy, "copy");
  const bool must_share = copy && copy != Py_None && !must_copy;
  PyRef array = PyRef::steal(must_copy ? copied_array(tensor).release() : to_numpy(tensor, false));
  bool shared = !must_copy && tensor.dtype() != DType::kString;
  if (descr && !PyArray_EquivTypes(PyArray_DESCR(as_array(array)),
                                   reinterpret_cast<PyArray_Descr*>(descr.get()))) {
    array = checked(PyArray_FromArray(as_array(array),
                                      reinterpret_cast<PyArray_Descr*>(descr.release()),
                                      NPY_ARRAY_CARRAY | NPY_ARRAY_FORCECAST));
    shared = false;
  }
  if (must_share && !shared) {
    fail(Code::kValueError, "Unable to avoid copy while creating an array as requested.");
  }
  return array.release();
}

Tensor from_numpy(PyObject* object, DType dtype, bool may_adopt) {
  PyRef holder;
  if (!PyArray_Check(object)) {
    holder = checked(PyArray_FromScalar(object, nullptr));
    object = holder;
  }
  PyArrayObject* array = as_array(object);
  const DType natural = dtype_of_descr(PyArray_DESCR(array));
  if (dtype == DType::kInvalid) {
    if (natural == DType::kInvalid) bad_array_type(PyArray_DESCR(array));
    dtype = natural;
  }
  if (kQuantizedTypes.contains(natural)) {
    holder = checked(PyArray_View(array, numpy_descr(natural), nullptr));
    array = as_array(holder);
  }
  if (dtype != DType::kString) return numeric_tensor(array, natural, dtype, may_adopt);
  if (natural == DType::kString) return string_tensor(array);
  if (natural == DType::kInvalid) bad_array_type(PyArray_DESCR(array));
  const PyRef objects = plain_array(array, NPY_OBJECT);
  return string_tensor(as_array(objects));  // the error names the type of the first element
}

PyObject* array_of(PyObject* object) {
  if (PyType_Check(object)) return nullptr;  // on a class, these attributes belong to its instances
  if (const PyRef method = attribute(object, "__array__")) {
    PyRef array = checked(PyObject_CallNoArgs(method));
    if (!PyArray_Check(array.get())) {
      fail(Code::kValueError, "Value returned by __array__ is not a NumPy array");
    }
    return array.release();
  }
  for (PyObject* (*getter)(PyObject*) : {PyArray_FromStructInterface, PyArray_FromInterface}) {
    PyObject* array = getter(object);
    if (!array) throw PythonError();
    if (array != Py_NotImplemented) return array;  // NotImplemented would be a borrowed reference
  }
  return nullptr;
}

PyObject* to_python_scalar(const Tensor& tensor) {
  switch (plain_dtype(tensor.dtype())) {
    case DType::kBool: return PyBool_FromLong(*tensor.data<bool>());
    case DType::kInt8: return PyLong_FromLong(*tensor.data<int8_t>());
    case DType::kInt16: return PyLong_FromLong(*tensor.data<int16_t>());
    case DType::kInt32: return PyLong_FromLong(*tensor.data<int32_t>());
    case DType::kInt64: return PyLong_FromLongLong(*tensor.data<int64_t>());
    case DType::kUint8: return PyLong_FromLong(*tensor.data<uint8_t>());
    case DType::kUint16: return PyLong_FromLong(*tensor.data<uint16_t>());
    case DType::kUint32: return PyLong_FromUnsignedLong(*tensor.data<uint32_t>());
    case DType::kUint64: return PyLong_FromUnsignedLongLong(*tensor.data<uint64_t>());
    case DType::kFloat16: return PyFloat_FromDouble(*tensor.data<Half>());
    case DType::kBfloat16: return PyFloat_FromDouble(*tensor.data<Bfloat16>());
    case DType::kFloat32: return PyFloat_FromDouble(*tensor.data<float>());
    case DType::kFloat64: return PyFloat_FromDouble(*tensor.data<double>());
    case DType::kComplex64: {
      const Complex64 value = *tensor.data<Complex64>();
      return PyComplex_FromDoubles(value.real(), value.imag());
    }
    case DType::kComplex128: {
      const Complex128 value = *tensor.data<Complex128>();
      return PyComplex_FromDoubles(value.real(), value.imag());
    }
    case DType::kString: return bytes_of(*tensor.data<std::string>()).release();
    default: break;
  }
  const PyRef scalar = checked(to_numpy(tensor.view({}), true));
  return checked(PyObject_CallMethod(scalar, "item", nullptr)).release();
}

}  // namespace ef::py
