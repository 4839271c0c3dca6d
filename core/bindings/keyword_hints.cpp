#include "bindings/keyword_hints.h"

#include "bindings/py_ref.h"

namespace ef::py {
namespace {

// That of all Python functions.
vectorcallfunc python_call = nullptr;

// The vectorcall of Python functions whose errors are explained.
PyObject* call_explained(PyObject* function, PyObject* const* args, size_t nargsf,
                         PyObject* keywords) {
  PyObject* result = python_call(function, args, nargsf, keywords);
  if (!result) explain_keywords(function, keywords);
  return result;
}

}  // namespace

[[gnu::cold]] void explain_keywords(PyObject* function, PyObject* keywords) {
  if (!keywords || !PyErr_ExceptionMatches(PyExc_TypeError)) return;
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  PyErr_NormalizeException(&type, &error, &trace);
  {
    const PyRef hints = PyRef::steal(PyImport_ImportModule("eagerflow.util.hints"));
    const PyRef done = PyRef::steal(
        hints ? PyObject_CallMethod(hints.get(), "explain", "OOO", error, function, keywords)
              : nullptr);
    if (!done) PyErr_Clear();  // The error of the call matters more.
  }
  PyErr_Restore(type, error, trace);
}

void set_keyword_hints(PyObject* function) {
  if (!PyFunction_Check(function)) return;
  auto* own = reinterpret_cast<PyFunctionObject*>(function);
  if (own->vectorcall == call_explained) return;
  python_call = own->vectorcall;
#if PY_VERSION_HEX >= 0x030C0000
  PyFunction_SetVectorcall(own, call_explained);
#else
  own->vectorcall = call_explained;
#endif
}

}  // namespace ef::py
