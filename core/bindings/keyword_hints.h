// Errors of calls with keywords that a function does not have: they say which one was meant.
#pragma once

#include <Python.h>

namespace ef::py {

// Adds to a TypeError that a call with keywords has raised what `eagerflow.util.hints` knows of
// them. The keywords are a tuple or a dictionary. Does nothing without such an error.
void explain_keywords(PyObject* function, PyObject* keywords);

// Has the errors of calls of a Python function explained that come through C, as those of
// constructors do. Before Python 3.12, functions in Python call it without C.
void set_keyword_hints(PyObject* function);

}  // namespace ef::py
