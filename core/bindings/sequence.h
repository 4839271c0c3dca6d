// Python numbers, strings and nested sequences of them, parsed straight into a tensor's memory.
#pragma once

#include <Python.h>

#include "bindings/py_ref.h"
#include "tensor/dtype.h"
#include "tensor/tensor.h"

namespace ef::py {

enum class Outcome : uint8_t {
  kOk,
  kNotPlain,     // holds something else than lists, tuples, and Python's numbers and strings
  kMismatch,     // an element of another type than the first one asks for
  kFloat,        // a float where integers were expected
  kRagged,       // rows of different lengths
  kIntRange,     // an integer that does not fit
  kFloatRange,   // a float, or an integer as one, that does not fit
  kUnicode,      // a string that cannot be written as UTF-8
  kUnsupported,  // the first element is of a type that no tensor holds
  kTooDeep,      // more than kMaxRank levels
};

// Where the value's elements come from.
enum class Source : uint8_t {
  kPlain,       // any Python object; kNotPlain where it holds foreign ones
  kNormalized,  // the result of a Normalizer without tensors in it
};

struct Parsed {
  Outcome outcome;
  Tensor tensor;
  PyRef culprit = {};  // for kUnsupported: the object
};

// Parses with the dtype that the first element suggests.
Parsed parse_natural(PyObject* value, Source source);
// Parses as `dtype` where its elements convert without losing their kind. Integers that an integer
// dtype cannot hold have the outcome kIntRange.
Parsed parse_as(PyObject* value, Source source, DType dtype);
// The same, but such integers wrap, as far as 64 bits hold them.
Parsed parse_wrapping(PyObject* value, Source source, DType dtype);

}  // namespace ef::py
