// Reads elements, rows and nested rows. No function here runs Python code, so lists cannot change
// while they are read.
#include "bindings/sequence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "bindings/errors.h"
#include "bindings/numpy_api.h"
#include "bindings/numpy_interop.h"
#include "bindings/py_ref.h"
#include "eager/tape.h"
#include "ops/compose.h"

namespace ef::py {
namespace {

constexpr Py_ssize_t kPrefetch = 16;

bool is_row(PyObject* object) { return PyList_CheckExact(object) || PyTuple_CheckExact(object); }

// Whether it is a scalar of NumPy itself. The dtype of another class may need an import.
bool is_numpy_scalar_of_its_own(PyObject* object) {
  return PyArray_IsScalar(object, Generic) &&
         !PyType_HasFeature(Py_TYPE(object), Py_TPFLAGS_HEAPTYPE);
}

[[gnu::hot]] bool is_plain_scalar(PyObject* object) {
  return PyFloat_CheckExact(object) || PyLong_CheckExact(object) || PyBool_Check(object) ||
         PyUnicode_CheckExact(object) || PyBytes_CheckExact(object) ||
         PyComplex_CheckExact(object) || object == Py_None || is_numpy_scalar_of_its_own(object);
}

// The outcome for an element that has none of the expected types.
Outcome refuse(PyObject* item, Source source) {
  if (source == Source::kNormalized || is_row(item) || is_plain_scalar(item)) {
    return Outcome::kMismatch;
  }
  return Outcome::kNotPlain;
}

bool is_numpy_integer(PyObject* item) {
  return PyArray_IsScalar(item, Integer) && !PyArray_IsScalar(item, Timedelta);
}

// A NumPy scalar cast to the C type of `type_num`.
template <class T>
bool cast_scalar(PyObject* item, int type_num, T* out) {
  PyArray_Descr* descr = PyArray_DescrFromType(type_num);
  const int failed = !descr || PyArray_CastScalarToCtype(item, out, descr) < 0;
  Py_XDECREF(descr);
  if (failed) PyErr_Clear();
  return !failed;
}

Outcome long_to_double(PyObject* item, double* out) {
  *out = PyLong_AsDouble(item);
  if (*out == -1.0 && PyErr_Occurred()) {
    PyErr_Clear();
    return Outcome::kFloatRange;
  }
  return Outcome::kOk;
}

bool is_bfloat16_scalar(PyObject* item, Source source) {
  return source == Source::kNormalized && PyArray_IsScalar(item, Generic) &&
         dtype_from_numpy(reinterpret_cast<PyObject*>(Py_TYPE(item))) == DType::kBfloat16;
}

Outcome other_to_double(PyObject* item, Source source, double* out) {
  if (PyFloat_Check(item)) {
    *out = PyFloat_AS_DOUBLE(item);
    return Outcome::kOk;
  }
  if (PyLong_Check(item)) return long_to_double(item, out);
  if (PyArray_IsScalar(item, Float)) {
    *out = PyArrayScalar_VAL(item, Float);
    return Outcome::kOk;
  }
  if (PyArray_IsScalar(item, Floating) || is_numpy_integer(item) ||
      is_bfloat16_scalar(item, source)) {
    if (cast_scalar(item, NPY_DOUBLE, out)) return Outcome::kOk;
  }
  return refuse(item, source);
}

inline Outcome read_double(PyObject* item, Source source, double* out) {
  if (PyFloat_CheckExact(item)) {
    *out = PyFloat_AS_DOUBLE(item);
    return Outcome::kOk;
  }
  if (PyLong_CheckExact(item)) return long_to_double(item, out);
  return other_to_double(item, source, out);
}

Outcome other_to_int64(PyObject* item, Source source, int64_t* out) {
  if (PyFloat_Check(item)) return Outcome::kFloat;
  if (PyArray_IsScalar(item, Int64)) {
    *out = PyArrayScalar_VAL(item, Int64);
    return Outcome::kOk;
  }
  if (PyArray_IsScalar(item, Floating) || is_bfloat16_scalar(item, source)) return Outcome::kFloat;
  if (!is_numpy_integer(item)) return refuse(item, source);
  if (PyArray_IsScalar(item, UnsignedInteger)) {
    uint64_t value = 0;
    if (!cast_scalar(item, NPY_UINT64, &value)) return Outcome::kMismatch;
    *out = static_cast<int64_t>(value);
    return *out < 0 ? Outcome::kIntRange : Outcome::kOk;
  }
  return cast_scalar(item, NPY_INT64, out) ? Outcome::kOk : Outcome::kMismatch;
}

inline Outcome read_int64(PyObject* item, Source source, int64_t* out) {
  if (!PyLong_Check(item)) return other_to_int64(item, source, out);
  int overflow = 0;
  *out = PyLong_AsLongLongAndOverflow(item, &overflow);
  return overflow ? Outcome::kIntRange : Outcome::kOk;
}

// Readers convert one object to one element. With `exact`, numbers out of range are errors;
// otherwise integers wrap, and large floats become infinities.
template <class T, bool exact = false>
struct Reader {
  static Outcome read(PyObject* item, Source source, T* out) {
    if constexpr (std::is_integral_v<T>) {
      int64_t value = 0;
      const Outcome outcome = read_int64(item, source, &value);
      if (outcome != Outcome::kOk) return outcome;
      *out = static_cast<T>(value);
      return exact && static_cast<int64_t>(*out) != value ? Outcome::kIntRange : Outcome::kOk;
    } else {
      double value = 0;
      const Outcome outcome = read_double(item, source, &value);
      if (outcome != Outcome::kOk) return outcome;
      if constexpr (std::is_same_v<T, double>) {
        *out = value;
      } else {
        *out = static_cast<float>(value);
      }
      if constexpr (exact && std::is_same_v<T, float>) {
        if (std::isinf(*out) && !std::isinf(value)) return Outcome::kFloatRange;
      }
      return Outcome::kOk;
    }
  }
};

template <bool exact>
struct Reader<uint64_t, exact> {
  static Outcome read(PyObject* item, Source source, uint64_t* out) {
    int64_t value = 0;
    const Outcome outcome = read_int64(item, source, &value);
    *out = static_cast<uint64_t>(value);
    if (outcome == Outcome::kOk) return value < 0 ? Outcome::kIntRange : outcome;
    if (outcome != Outcome::kIntRange) return outcome;
    if (!PyLong_Check(item)) {
      return cast_scalar(item, NPY_UINT64, out) ? Outcome::kOk : Outcome::kIntRange;
    }
    *out = PyLong_AsUnsignedLongLong(item);
    if (*out != std::numeric_limits<uint64_t>::max() || !PyErr_Occurred()) return Outcome::kOk;
    PyErr_Clear();
    return Outcome::kIntRange;
  }
};

template <bool exact>
struct Reader<bool, exact> {
  static Outcome read(PyObject* item, Source source, bool* out) {
    if (PyBool_Check(item)) {
      *out = item == Py_True;
    } else if (PyArray_IsScalar(item, Bool)) {
      *out = PyArrayScalar_VAL(item, Bool) != 0;
    } else {
      return refuse(item, source);
    }
    return Outcome::kOk;
  }
};

template <class T, bool exact>
struct Reader<std::complex<T>, exact> {
  static Outcome read(PyObject* item, Source source, std::complex<T>* out) {
    double parts[2] = {0, 0};
    if (PyComplex_Check(item)) {
      parts[0] = PyComplex_RealAsDouble(item);
      parts[1] = PyComplex_ImagAsDouble(item);
    } else if (PyArray_IsScalar(item, ComplexFloating)) {
      if (!cast_scalar(item, NPY_CDOUBLE, parts)) return Outcome::kMismatch;
    } else {
      const Outcome outcome = read_double(item, source, parts);
      if (outcome != Outcome::kOk) return outcome;
    }
    *out = {static_cast<T>(parts[0]), static_cast<T>(parts[1])};
    return Outcome::kOk;
  }
};

template <bool exact>
struct Reader<std::string, exact> {
  static Outcome read(PyObject* item, Source source, std::string* out) {
    if (PyBytes_Check(item)) {
      out->assign(PyBytes_AS_STRING(item), static_cast<size_t>(PyBytes_GET_SIZE(item)));
      return Outcome::kOk;
    }
    if (!PyUnicode_Check(item)) return refuse(item, source);
    Py_ssize_t length = 0;
    const char* text = PyUnicode_AsUTF8AndSize(item, &length);
    if (!text) {
      PyErr_Clear();
      return Outcome::kUnicode;
    }
    out->assign(text, static_cast<size_t>(length));
    return Outcome::kOk;
  }
};

// The elements of an array in place of a nested sequence.
template <class T>
Outcome fill_from_array(PyArrayObject* array, std::span<const int64_t> dims, bool exact, T** out) {
  if (static_cast<size_t>(PyArray_NDIM(array)) != dims.size()) return Outcome::kRagged;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (PyArray_DIM(array, static_cast<int>(i)) != dims[i]) return Outcome::kRagged;
  }
  const DType dtype = dtype_of_descr(PyArray_DESCR(array));
  if constexpr (std::is_same_v<T, std::string>) {
    if (dtype != DType::kString) return Outcome::kMismatch;
    const Tensor strings = from_numpy(reinterpret_cast<PyObject*>(array));
    for (const std::string& text : strings.strings()) *(*out)++ = text;
    return Outcome::kOk;
  } else {
    constexpr DType target = kDTypeOf<T>;
    if (target == DType::kBool) {
      if (dtype != DType::kBool) return Outcome::kMismatch;
    } else if (is_integer(target)) {
      if (is_floating(dtype)) return Outcome::kFloat;
      if (!is_integer(dtype)) return Outcome::kMismatch;
    } else if (!is_integer(dtype) && !is_floating(dtype) &&
               !(is_complex(target) && is_complex(dtype))) {
      return Outcome::kMismatch;
    }
    const Tensor values = from_numpy(reinterpret_cast<PyObject*>(array), target);
    if constexpr (std::is_integral_v<T>) {
      if (exact && is_integer(dtype) && dtype != target) {
        const Tensor wide = from_numpy(reinterpret_cast<PyObject*>(array), DType::kInt64);
        for (int64_t i = 0; i < wide.size(); ++i) {
          const int64_t value = wide.data<int64_t>()[i];
          if (value != static_cast<int64_t>(values.template data<T>()[i]) ||
              (dtype == DType::kUint64 && value < 0)) {
            return Outcome::kIntRange;
          }
        }
      }
    }
    *out = std::copy_n(values.template data<T>(), values.size(), *out);
    return Outcome::kOk;
  }
}

template <class T, bool exact>
Outcome fill(PyObject* value, Source source, std::span<const int64_t> dims, T** out) {
  if (dims.empty()) return Reader<T, exact>::read(value, source, (*out)++);
  if (!is_row(value)) {
    if (source == Source::kNormalized && PyArray_Check(value)) {
      return fill_from_array(as_array(value), dims, exact, out);
    }
    return source == Source::kNormalized || is_plain_scalar(value) ? Outcome::kRagged
                                                                   : Outcome::kNotPlain;
  }
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(value);
  if (count != dims[0]) return Outcome::kRagged;
  PyObject** items = PySequence_Fast_ITEMS(value);
  if (dims.size() > 1) {
    for (Py_ssize_t i = 0; i < count; ++i) {
      const Outcome outcome = fill<T, exact>(items[i], source, dims.subspan(1), out);
      if (outcome != Outcome::kOk) return outcome;
    }
    return Outcome::kOk;
  }
  T* target = *out;
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (i + kPrefetch < count) __builtin_prefetch(items[i + kPrefetch]);
    const Outcome outcome = Reader<T, exact>::read(items[i], source, target + i);
    if (outcome != Outcome::kOk) return outcome;
  }
  *out += count;
  return Outcome::kOk;
}

// The shape along the first elements, and the first element itself.
struct Outline {
  Outcome outcome = Outcome::kOk;
  Shape shape;
  PyObject* first = nullptr;  // null if there are no elements; borrowed
};

Outline outline_of(PyObject* value, Source source) {
  Outline outline;
  while (is_row(value)) {
    if (outline.shape.rank() == kMaxRank) {
      outline.outcome = Outcome::kTooDeep;
      return outline;
    }
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(value);
    outline.shape.push_back(count);
    if (count == 0) return outline;
    value = PySequence_Fast_GET_ITEM(value, 0);
  }
  outline.first = value;
  if (source != Source::kNormalized || !PyArray_Check(value)) return outline;
  PyArrayObject* array = as_array(value);
  for (int i = 0; i < PyArray_NDIM(array); ++i) {
    if (outline.shape.rank() == kMaxRank) {
      outline.outcome = Outcome::kTooDeep;
      return outline;
    }
    outline.shape.push_back(PyArray_DIM(array, i));
    if (PyArray_DIM(array, i) > 0) continue;
    // As for an empty list, deeper dimensions are unknown.
    outline.first = nullptr;
    return outline;
  }
  return outline;
}

template <class T, bool exact = false>
Parsed parse(PyObject* value, Source source, const Outline& outline, DType dtype) {
  if (outline.shape.rank() > 0) checked_num_elements(outline.shape.dims(), "Const");
  Parsed parsed{Outcome::kOk, Tensor::empty(dtype, outline.shape)};
  T* out = parsed.tensor.mutable_data<T>();
  parsed.outcome = fill<T, exact>(value, source, outline.shape.dims(), &out);
  if (parsed.outcome != Outcome::kOk) parsed.tensor = Tensor();
  return parsed;
}

// The kind of the first element.
enum class Kind { kBool, kInt, kHalf, kBfloat16, kFloat, kDouble, kComplex, kString, kOther };

Kind kind_of_dtype(DType dtype) {
  switch (dtype) {
    case DType::kBool: return Kind::kBool;
    case DType::kFloat16: return Kind::kHalf;
    case DType::kBfloat16: return Kind::kBfloat16;
    case DType::kFloat32: return Kind::kFloat;
    case DType::kFloat64: return Kind::kDouble;
    case DType::kString: return Kind::kString;
    default: break;
  }
  if (is_integer(dtype)) return Kind::kInt;
  return is_complex(dtype) ? Kind::kComplex : Kind::kOther;
}

Kind kind_of(PyObject* item, Source source) {
  if (PyFloat_CheckExact(item)) return Kind::kFloat;
  if (PyBool_Check(item)) return Kind::kBool;
  if (PyLong_Check(item)) return Kind::kInt;
  if (PyUnicode_Check(item) || PyBytes_Check(item)) return Kind::kString;
  if (source == Source::kNormalized && PyArray_Check(item)) {
    return kind_of_dtype(dtype_of_array(item));
  }
  if (PyArray_IsScalar(item, Generic)) {
    const DType dtype = dtype_from_numpy(reinterpret_cast<PyObject*>(Py_TYPE(item)));
    const Kind kind = kind_of_dtype(dtype);
    if (kind == Kind::kOther && PyArray_IsScalar(item, Floating)) return Kind::kFloat;
    if (kind == Kind::kOther && PyArray_IsScalar(item, ComplexFloating)) return Kind::kComplex;
    return kind == Kind::kString ? Kind::kOther : kind;
  }
  if (PyFloat_Check(item)) return Kind::kFloat;
  if (PyComplex_Check(item)) return Kind::kComplex;
  return Kind::kOther;
}

Parsed parse_integers(PyObject* value, Source source, const Outline& outline) {
  Parsed parsed = parse<int32_t, true>(value, source, outline, DType::kInt32);
  if (parsed.outcome == Outcome::kIntRange) {
    parsed = parse<int64_t, true>(value, source, outline, DType::kInt64);
  }
  if (parsed.outcome == Outcome::kFloat) {
    parsed = parse<float, true>(value, source, outline, DType::kFloat32);
  }
  return parsed;
}

Parsed parse_kind(PyObject* value, Source source, const Outline& outline, Kind kind) {
  switch (kind) {
    case Kind::kBool: return parse<bool>(value, source, outline, DType::kBool);
    case Kind::kInt: return parse_integers(value, source, outline);
    case Kind::kHalf: return parse<Half>(value, source, outline, DType::kFloat16);
    case Kind::kBfloat16: return parse<Bfloat16>(value, source, outline, DType::kBfloat16);
    case Kind::kFloat: return parse<float, true>(value, source, outline, DType::kFloat32);
    case Kind::kDouble: return parse<double>(value, source, outline, DType::kFloat64);
    case Kind::kComplex: return parse<Complex128>(value, source, outline, DType::kComplex128);
    case Kind::kString: return parse<std::string>(value, source, outline, DType::kString);
    case Kind::kOther: break;
  }
  return {Outcome::kUnsupported, Tensor(), PyRef::share(outline.first)};
}

Parsed empty_sequence(const Outline& outline, DType dtype) {
  return {Outcome::kOk, Tensor::empty(dtype, outline.shape)};
}

// Whether all integers keep their values in another dtype.
bool keeps_integers(const Tensor& integers, const Tensor& others) {
  const Tensor back = cast_to(others, integers.dtype());
  return std::equal(integers.data<int64_t>(), integers.data<int64_t>() + integers.size(),
                    back.data<int64_t>());
}

// Values of dtypes without arithmetic are parsed as integers or, for float dtypes, as floats.
template <bool exact>
Parsed parse_stored(PyObject* value, Source source, const Outline& outline, DType dtype) {
  Parsed parsed{Outcome::kMismatch, Tensor()};
  if (kFloat8Types.contains(dtype)) {
    if (!PyFloat_Check(outline.first)) return parsed;
    parsed = parse<double>(value, source, outline, DType::kFloat64);
  } else if ((kQuantizedTypes | kInt4Types).contains(dtype)) {
    parsed = parse<int64_t>(value, source, outline, DType::kInt64);
  }
  if (parsed.outcome != Outcome::kOk) return parsed;
  const StopRecording stop;
  const Tensor numbers = std::exchange(parsed.tensor, cast_to(parsed.tensor, dtype));
  if (exact && kInt4Types.contains(dtype) && !keeps_integers(numbers, parsed.tensor)) {
    return {Outcome::kIntRange, Tensor()};
  }
  return parsed;
}

// Plain Python objects are parsed directly; sequences of tensor-like objects have to be normalised.
Outcome first_is_plain(const Outline& outline, Source source) {
  if (outline.outcome != Outcome::kOk) return outline.outcome;
  if (source == Source::kPlain && outline.first && !is_plain_scalar(outline.first)) {
    return Outcome::kNotPlain;
  }
  return Outcome::kOk;
}

}  // namespace

Parsed parse_natural(PyObject* value, Source source) {
  const Outline outline = outline_of(value, source);
  const Outcome outcome = first_is_plain(outline, source);
  if (outcome != Outcome::kOk) return {outcome, Tensor()};
  if (!outline.first) return empty_sequence(outline, DType::kFloat32);
  return parse_kind(value, source, outline, kind_of(outline.first, source));
}

namespace {

// With `exact`, integers out of range are an outcome; otherwise they wrap.
template <bool exact>
Parsed parse_to(PyObject* value, Source source, DType dtype) {
  const Outline outline = outline_of(value, source);
  const Outcome outcome = first_is_plain(outline, source);
  if (outcome != Outcome::kOk) return {outcome, Tensor()};
  if (!outline.first) return empty_sequence(outline, dtype);
  // TensorFlow converts booleans to numbers only for these dtypes, which it parses directly.
  constexpr DTypeSet kDirect{DType::kFloat16,    DType::kFloat32, DType::kFloat64,
                             DType::kInt32,      DType::kInt64,   DType::kUint64,
                             DType::kComplex128, DType::kBool,    DType::kString};
  if (PyBool_Check(outline.first) && !kDirect.contains(dtype)) {
    return {Outcome::kMismatch, Tensor()};
  }
  switch (dtype) {
    case DType::kBool: return parse<bool>(value, source, outline, dtype);
    case DType::kInt8: return parse<int8_t, exact>(value, source, outline, dtype);
    case DType::kInt16: return parse<int16_t, exact>(value, source, outline, dtype);
    case DType::kInt32: return parse<int32_t, exact>(value, source, outline, dtype);
    case DType::kInt64: return parse<int64_t, exact>(value, source, outline, dtype);
    case DType::kUint8: return parse<uint8_t, exact>(value, source, outline, dtype);
    case DType::kUint16: return parse<uint16_t, exact>(value, source, outline, dtype);
    case DType::kUint32: return parse<uint32_t, exact>(value, source, outline, dtype);
    case DType::kUint64: return parse<uint64_t, exact>(value, source, outline, dtype);
    case DType::kFloat16: return parse<Half>(value, source, outline, dtype);
    case DType::kBfloat16: return parse<Bfloat16>(value, source, outline, dtype);
    case DType::kFloat32: return parse<float>(value, source, outline, dtype);
    case DType::kFloat64: return parse<double>(value, source, outline, dtype);
    case DType::kComplex64: return parse<Complex64>(value, source, outline, dtype);
    case DType::kComplex128: return parse<Complex128>(value, source, outline, dtype);
    case DType::kString: return parse<std::string>(value, source, outline, dtype);
    default: return parse_stored<exact>(value, source, outline, dtype);
  }
}

}  // namespace

Parsed parse_as(PyObject* value, Source source, DType dtype) {
  return parse_to<true>(value, source, dtype);
}

Parsed parse_wrapping(PyObject* value, Source source, DType dtype) {
  return parse_to<false>(value, source, dtype);
}

}  // namespace ef::py
