// Parses Python numbers, strings and nested sequences of them directly into a tensor's memory.
#pragma once

#include <Python.h>

#include "bindings/py_ref.h"
#include "tensor/dtype.h"
#include "tensor/tensor.h"

namespace ef::py {

enum class Outcome : uint8_t {
  kOk,
  kNotPlain,     // contains other objects than lists, tuples, and Python's numbers and strings
  kMismatch,     // an element of another type than the first one requires
  kFloat,        // a float where integers were expected
  kRagged,       // rows of different lengths
  kIntRange,     // an integer out of range
  kFloatRange,   // a float, or an integer as a float, out of range
  kUnicode,      // a string that UTF-8 cannot encode
  kUnsupported,  // no dtype for the type of the first element
  kTooDeep,      // more than kMaxRank levels
};

// The origin of the elements.
enum class Source : uint8_t {
  kPlain,       // any Python object; kNotPlain if there are foreign ones
  kNormalized,  // the result of a Normalizer without tensors in it
};

struct Parsed {
  Outcome outcome;
  Tensor tensor;
  PyRef culprit = {};  // for kUnsupported: the object
};

// Parses with the natural dtype of the first element.
Parsed parse_natural(PyObject* value, Source source);
// Parses as `dtype` if conversions do not lose the kind of an element. Integers out of the range of
// an integer dtype have the outcome kIntRange.
Parsed parse_as(PyObject* value, Source source, DType dtype);
// The same, but integers that fit 64 bits wrap.
Parsed parse_wrapping(PyObject* value, Source source, DType dtype);

}  // namespace ef::py
