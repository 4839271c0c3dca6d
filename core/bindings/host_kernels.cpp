#include "bindings/host_kernels.h"

#include <nanobind/stl/string.h>

#include <map>
#include <string>

#include "bindings/convert.h"
#include "bindings/errors.h"
#include "bindings/gil.h"
#include "bindings/items.h"
#include "bindings/py_node.h"
#include "bindings/py_tensor.h"
#include "ops/attr_fields.h"
#include "ops/host_kernel.h"
#include "ops/op_facts.h"

namespace nb = nanobind;

namespace ef::py {
namespace {

// The functions by their operations' names; Python's lock guards them.
std::map<std::string, PyObject*>& functions() {
  static auto& all = *new std::map<std::string, PyObject*>;  // never destroyed
  return all;
}

// The modules that set functions; imported when one is missing.
constexpr const char* kModules[] = {"eagerflow.ops.linalg.kernels", "eagerflow.signal.fourier"};

PyObject* function_of(KernelContext& context) {
  const std::string op = name(context.op());
  auto found = functions().find(op);
  if (found == functions().end()) {
    for (const char* const module : kModules) nb::module_::import_(module);
    found = functions().find(op);
  }
  if (found == functions().end()) {
    fail(Code::kUnimplemented, "No function computes ", context.tf_name(), ".");
  }
  return found->second;
}

void run_function(KernelContext& context) {
  const Locked locked;
  PyObject* const function = function_of(context);
  PyRef arguments = checked(PyTuple_New(context.num_inputs()));
  for (int i = 0; i < context.num_inputs(); ++i) {
    PyTuple_SET_ITEM(arguments.get(), i, checked(wrap(Tensor(context.input(i)))).release());
  }
  nb::dict named;
  if (context.attrs()) {
    for (const AttrField& field : context.attrs().type()->fields()) {
      named[field.name.c_str()] = attr_object(field, context.attrs());
    }
  }
  const PyRef result = checked(PyObject_Call(function, arguments, named.ptr()));
  const PyRef sequence = checked(PySequence_Fast(result, "a kernel must return a list"));
  int k = 0;
  for (PyObject* item : Items(sequence)) {
    if (k == context.num_outputs()) break;
    const TensorSpec& spec = context.spec(k);
    Tensor value = to_tensor(item, spec.dtype);
    if (value.shape() != spec.shape) {
      fail(Code::kInternal, "Result ", k, " of ", context.tf_name(), " has shape ", value.shape(),
           ", which is not ", spec.shape, ".");
    }
    context.output(k++) = std::move(value);
  }
}

}  // namespace

void add_host_kernels(nb::module_& m) {
  set_host_kernel(run_function);
  m.def(
      "set_kernel",
      [](const std::string& name, nb::object function) {
        functions()[name] = function.release().ptr();
      },
      nb::arg("name"), nb::arg("function"),
      "Sets a function as the kernel of an operation. It is called with the inputs, and the "
      "attributes by name, and returns a list of arrays.");
}

}  // namespace ef::py
