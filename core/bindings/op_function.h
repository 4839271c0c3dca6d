// Calls of the op table's operations with arguments from Python.
#pragma once

#include <Python.h>

#include "ops/attrs.h"

namespace ef {
struct Op;
}

namespace ef::py {

// What a call needs besides the operation's entry in the op table.
struct Signature;

// Signatures live as long as the process.
const Signature* make_signature(const Op& op);
const Op& op_of(const Signature& signature);

// A list of (name, default as Python source or None), one for each parameter.
PyObject* parameters(const Signature& signature);
// The kind of each parameter but `name`: "tensor", "tensors" for a list, or an attribute's kind.
PyObject* kinds(const Signature& signature);

// Runs the operation on the arguments of a vectorcall.
PyObject* call_op(const Signature& signature, PyObject* const* args, size_t positional,
                  PyObject* keywords);

}  // namespace ef::py
