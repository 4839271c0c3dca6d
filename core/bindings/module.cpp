// The extension module eagerflow._core.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <new>
#include <optional>
#include <stdexcept>

#include "bindings/channels.h"
#include "bindings/check_arguments.h"
#include "bindings/composed_ops.h"
#include "bindings/convert.h"
#include "bindings/cursors.h"
#include "bindings/element_function.h"
#include "bindings/errors.h"
#include "bindings/files.h"
#include "bindings/function_object.h"
#include "bindings/fusion.h"
#include "bindings/garbage.h"
#include "bindings/gil.h"
#include "bindings/gradient_values.h"
#include "bindings/graph_effects.h"
#include "bindings/handles.h"
#include "bindings/host_kernels.h"
#include "bindings/items.h"
#include "bindings/keyword_hints.h"
#include "bindings/locked_iterator.h"
#include "bindings/messages.h"
#include "bindings/numpy_interop.h"
#include "bindings/observers.h"
#include "bindings/op_function.h"
#include "bindings/optimizers.h"
#include "bindings/override.h"
#include "bindings/pjrt.h"
#include "bindings/promotion.h"
#include "bindings/py_control_flow.h"
#include "bindings/py_devices.h"
#include "bindings/py_gradients.h"
#include "bindings/py_graph.h"
#include "bindings/py_node.h"
#include "bindings/py_tape.h"
#include "bindings/py_tensor.h"
#include "bindings/py_variable.h"
#include "bindings/sessions.h"
#include "bindings/tables.h"
#include "bindings/traced_call.h"
#include "checksum/crc32c.h"
#include "data/example.h"
#include "data/png_rows.h"
#include "data/shuffle_order.h"
#include "data/snappy.h"
#include "device/allocator.h"
#include "device/devices.h"
#include "device/isa.h"
#include "device/parallel.h"
#include "eager/device_backend.h"
#include "eager/dispatch.h"
#include "eager/tape.h"
#include "graph/symbolic.h"
#include "platform/quota.h"
#include "tensor/buffer_limit.h"
#include "tensor/variant.h"

namespace nb = nanobind;
namespace py = ef::py;

namespace {

// Kernels may run on threads that never held the GIL; those have nothing to release.
void* release_gil() { return PyGILState_Check() ? PyEval_SaveThread() : nullptr; }
void acquire_gil(void* state) { py::take_back(static_cast<PyThreadState*>(state)); }

// Runs the handlers of pending signals. Python does so on its main thread only.
void check_signals(void* state) {
  acquire_gil(state);
  const bool raised = PyErr_CheckSignals() < 0;
  release_gil();
  if (raised) throw py::PythonError();
}

PyObject* convert_function = nullptr;  // Python's convert function; lives as long as the process

nb::object convert(nb::handle value, nb::handle dtype, nb::handle hint) {
  PyObject* const arguments[] = {value.ptr(), dtype.ptr(), hint.ptr()};
  if (!py::holds_plain(value.ptr())) {
    PyObject* result = py::call_override(convert_function, nullptr, arguments, 3, nullptr);
    if (!result) throw nb::python_error();
    if (result != Py_NotImplemented) return nb::steal(result);
    Py_DECREF(result);
  }
  PyObject* result = py::guarded([&] {
    const ef::DType wanted = dtype.is_none() ? ef::DType::kInvalid : py::to_dtype(dtype.ptr());
    const ef::DType preferred = hint.is_none() ? ef::DType::kInvalid : py::to_dtype(hint.ptr());
    if (py::is_tensor_type(Py_TYPE(value.ptr())) &&
        (wanted == ef::DType::kInvalid || wanted == py::tensor_of(value.ptr()).dtype())) {
      return Py_NewRef(value.ptr());
    }
    ef::Tensor tensor = py::to_tensor(value.ptr(), wanted, preferred);
    if (ef::several_devices) [[unlikely]]
      tensor = ef::placed_constant(tensor);
    return py::wrap(std::move(tensor));
  });
  if (!result) throw nb::python_error();
  return nb::steal(result);
}

// The conversion of tf.constant: if operations promote dtypes, Python numbers become weak tensors.
nb::object constant(nb::handle value, nb::handle dtype) {
  nb::object tensor = convert(value, dtype, nb::none());
  if (py::promotes && dtype.is_none() && py::makes_weak(value.ptr())) [[unlikely]] {
    return nb::steal(py::weaken(tensor.release().ptr()));
  }
  return tensor;
}

// An ordinary tensor that shares the memory of a weak one.
nb::object strengthened(nb::object tensor) {
  if (!py::is_weak(tensor.ptr())) return tensor;
  return nb::steal(py::wrap(ef::Tensor(py::tensor_of(tensor.ptr()))));
}

// Translates the engine's exceptions for nanobind, which translates those of the standard library.
void translate(const std::exception_ptr& failure, void*) {
  try {
    std::rethrow_exception(failure);
  } catch (const py::PythonError&) {
    py::set_python_error();
  } catch (const ef::Error&) {
    py::set_python_error();
  } catch (const std::bad_alloc&) {
    py::set_python_error();
  } catch (const std::length_error&) {
    py::set_python_error();
  } catch (const nb::cast_error&) {
    py::set_python_error();
  }
}

const char* isa_name() {
  switch (ef::isa()) {
    case ef::Isa::kAvx512: return "avx512";
    case ef::Isa::kAvx2: return "avx2";
    default: return "baseline";
  }
}

uint32_t crc32c_of(nb::handle data, uint32_t value) {
  Py_buffer view;
  if (PyObject_GetBuffer(data.ptr(), &view, PyBUF_SIMPLE) < 0) throw nb::python_error();
  const auto size = static_cast<size_t>(view.len);
  if (size < (1 << 16)) {
    value = ef::crc32c(value, view.buf, size);
  } else {
    const py::Unlocked unlocked;
    value = ef::crc32c(value, view.buf, size);
  }
  PyBuffer_Release(&view);
  return value;
}

// A one-dimensional Python buffer as a span.
template <class T>
class BufferSpan {
 public:
  BufferSpan(nb::handle object, bool writable) {
    if (PyObject_GetBuffer(object.ptr(), &view_, writable ? PyBUF_WRITABLE : PyBUF_SIMPLE) < 0) {
      throw nb::python_error();
    }
  }
  BufferSpan(const BufferSpan&) = delete;
  BufferSpan& operator=(const BufferSpan&) = delete;
  ~BufferSpan() { PyBuffer_Release(&view_); }
  std::span<T> span() const {
    return {static_cast<T*>(view_.buf), static_cast<size_t>(view_.len) / sizeof(T)};
  }

 private:
  Py_buffer view_;
};

// Draws one index for each random word. Returns the new start of the ring.
int64_t draw_shuffled(nb::handle ring, int64_t start, int64_t left, nb::handle words,
                      nb::handle incoming, nb::handle drawn) {
  const BufferSpan<int64_t> slots(ring, true), out(drawn, true);
  const BufferSpan<const uint32_t> random_words(words, false);
  const BufferSpan<const int64_t> next(incoming, false);
  const auto size = static_cast<int64_t>(slots.span().size());
  const auto count = static_cast<int64_t>(random_words.span().size());
  const auto more = static_cast<int64_t>(next.span().size());
  if (start < 0 || start >= size || left > size ||
      static_cast<int64_t>(out.span().size()) < count ||
      (more ? more != count || left != size : count > left)) {
    throw nb::value_error("the buffers of a shuffle do not fit each other");
  }
  ef::ShuffleRing state{slots.span(), start};
  ef::draw_shuffled(state, left, random_words.span(), next.span(), out.span().data());
  return state.start;
}

nb::bytes snappy_compress(nb::bytes data) {
  std::string block;
  {
    const py::Unlocked unlocked;
    block = ef::snappy_compress({data.c_str(), data.size()});
  }
  return nb::bytes(block.data(), block.size());
}

nb::bytes snappy_expand(nb::bytes block) {
  std::optional<std::string> data;
  {
    const py::Unlocked unlocked;
    data = ef::snappy_expand({block.c_str(), block.size()});
  }
  if (!data) throw nb::value_error("data compressed with Snappy are damaged");
  return nb::bytes(data->data(), data->size());
}

nb::bytes png_rows(nb::bytes lines, size_t length, size_t step) {
  std::optional<std::string> plain;
  {
    const py::Unlocked unlocked;
    plain = ef::png_rows({lines.c_str(), lines.size()}, length, step);
  }
  if (!plain) throw nb::value_error("a row has an unknown filter");
  return nb::bytes(plain->data(), plain->size());
}

// Features to read from Example messages, prepared for many messages.
class DenseExamples {
 public:
  DenseExamples(nb::list key_list, nb::list dtype_list, nb::list shape_list) {
    const py::Items keys(key_list.ptr()), dtypes(dtype_list.ptr()), shapes(shape_list.ptr());
    if (dtypes.size() != keys.size() || shapes.size() != keys.size()) {
      ef::fail(ef::Code::kValueError, "Each feature has a key, a dtype and a shape.");
    }
    for (size_t i = 0; i < keys.size(); ++i) {
      const ef::Ints dims = py::to_ints(shapes[i], "shape");
      features_.push_back({nb::cast<std::string>(nb::handle(keys[i])), py::to_dtype(dtypes[i]),
                           ef::Shape(std::span<const int64_t>(dims.begin(), dims.size()))});
    }
  }

  // The tensors of the messages in a scalar or vector of strings, or None.
  nb::object parse(nb::handle serialized) const {
    const ef::Tensor& messages = py::checked_tensor(serialized.ptr());
    if (messages.dtype() != ef::DType::kString || messages.rank() > 1) return nb::none();
    std::vector<ef::Tensor> columns =
        ef::read_dense_examples(messages.strings(), messages.rank() == 0, features_);
    if (columns.empty()) return nb::none();
    nb::list result;
    for (ef::Tensor& column : columns) result.append(nb::steal(py::wrap(std::move(column))));
    return result;
  }

 private:
  std::vector<ef::DenseFeature> features_;
};

PyMethodDef record_custom_def = {"record_custom", py::record_custom, METH_VARARGS,
                                 "Records a backward step written in Python on the active tapes."};
PyMethodDef stop_recording_def = {"stop_recording", py::make_stop_recording, METH_NOARGS,
                                  "A context manager that pauses this thread's tapes."};

// Whether the broadcast of two shapes stretches both, as [n] and [n, 1] to [n, n]. Unknown sizes
// are assumed to be above 1, and equal to each other.
bool stretched(const ef::Shape& a, const ef::Shape& b) {
  if (a == b || !a.ranked() || !b.ranked()) return false;
  bool of_a = false, of_b = false;
  for (int i = 1; i <= std::max(a.rank(), b.rank()); ++i) {
    const int64_t x = i <= a.rank() ? a[a.rank() - i] : 1;
    const int64_t y = i <= b.rank() ? b[b.rank() - i] : 1;
    if (x == y) continue;
    if (x == 0 || y == 0 || (x > 1 && y > 1))
      return false;  // there is no broadcast, or there are no elements
    of_a |= x == 1;
    of_b |= y == 1;
  }
  return of_a && of_b;
}

PyObject* stretch_each_other(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (count != 2 || !py::is_tensor(args[0]) || !py::is_tensor(args[1])) Py_RETURN_FALSE;
  return PyBool_FromLong(stretched(py::tensor_of(args[0]).shape(), py::tensor_of(args[1]).shape()));
}

PyMethodDef stretch_each_other_def = {
    "stretch_each_other",
    reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(stretch_each_other)), METH_FASTCALL,
    "Whether broadcasting stretches both tensors."};

void add_function(nb::module_& m, PyMethodDef& definition) {
  m.attr(definition.ml_name) = nb::steal(PyCFunction_New(&definition, nullptr));
}

}  // namespace

// Python's lock guards free lists, graphs, tables, observers, and loops over sequences. Unless
// nanobind is told otherwise, the module declares that it needs the lock (Py_MOD_GIL_USED), and a
// free-threaded Python enables the lock when it imports the module.
#ifdef NB_FREE_THREADED
#error "The engine needs Python's lock: build it without nanobind's FREE_THREADED."
#endif

NB_MODULE(_core, m) {
  m.doc() = "eagerflow's native engine.";
  nb::set_leak_warnings(false);
  nb::register_exception_translator(translate);
  if (!py::import_numpy() || !py::init_tensor_type(m.ptr()) || !py::init_variable_type(m.ptr()) ||
      !py::init_tape_types(m.ptr()) || !py::init_locked_iterator(m.ptr()) ||
      !py::init_op_functions(m.ptr()) || !py::init_traced_calls(m.ptr()) ||
      !py::init_element_functions(m.ptr()) || !py::init_cursors(m.ptr())) {
    throw nb::python_error();
  }
  ef::blocking_hooks = {release_gil, acquire_gil, check_signals};

  add_function(m, record_custom_def);
  add_function(m, stop_recording_def);
  add_function(m, stretch_each_other_def);
  py::add_fusion(m);
  py::add_optimizers(m);
  py::add_files(m);
  py::add_messages(m);
  py::add_tables(m);
  py::add_channels(m);
  py::add_composed_ops(m);
  py::add_sessions(m);
  py::add_pjrt(m);
  py::add_graphs(m);
  py::add_nodes(m);
  py::add_handles(m);
  py::add_gradients(m);
  py::add_graph_effects(m);
  py::add_control_flow(m);

  m.def(
      "variant_text",
      [](nb::handle tensor) {
        const ef::Tensor& value = py::checked_tensor(tensor.ptr());
        const auto* const elements = value.data<ef::VariantRef>();
        const auto text = [&](int64_t i) {
          return elements[i] ? elements[i]->text() : std::string("<Invalid variant>");
        };
        if (value.rank() == 0) return text(0);
        constexpr int64_t kShown = 3;
        std::string all;
        for (int64_t i = 0; i < std::min(value.size(), kShown); ++i) {
          all += (i > 0 ? " " : "") + text(i);
        }
        return "[" + all + (value.size() > kShown ? "...]" : "]");
      },
      "The types of the elements of a variant tensor.");
  m.def("register_errors", [](nb::object classes) { py::register_errors(classes.ptr()); });
  // Attributes of the class itself then use the metaclass; its instances are not affected.
  m.def("set_metaclass", [](nb::object cls, nb::object metaclass) {
    PyTypeObject* before = Py_TYPE(cls.ptr());
    Py_SET_TYPE(cls.ptr(), reinterpret_cast<PyTypeObject*>(metaclass.release().ptr()));
    if (PyType_HasFeature(before, Py_TPFLAGS_HEAPTYPE)) Py_DECREF(before);
  });
  m.def(
      "set_fallback", [](nb::object callable) { py::set_fallback(callable.ptr()); },
      nb::arg("callable").none());
  m.def("refuse_escaped",
        [](const char* op, nb::object error) { py::refuse_escaped(op, error.ptr()); });
  m.def("set_promotion", [](nb::object promote, nb::object makes_weak, nb::object assigned) {
    py::set_promotion(promote.ptr(), makes_weak.ptr(), assigned.ptr());
  });
  m.def("weakened",
        [](nb::object tensor) { return nb::steal(py::weaken(tensor.release().ptr())); });
  m.def("strengthened", strengthened);
  m.def("set_keyword_hints", [](nb::object function) { py::set_keyword_hints(function.ptr()); });
  m.def("set_namer", [](nb::object callable) { py::set_namer(callable.ptr()); });
  m.def("register_shape_class", [](nb::object cls) { py::register_shape_class(cls.ptr()); });
  m.def("register_dtypes", [](nb::object table) { py::register_dtypes(table.ptr()); });
  m.def("register_indexed_slices", [](nb::object cls) { py::register_indexed_slices(cls.ptr()); });
  m.def("register_slice_assignment",
        [](nb::object function) { py::register_slice_assignment(function.ptr()); });
  m.def("call_with_values", [](nb::object variables, nb::object values, nb::object function) {
    return nb::steal(py::call_with_values(variables.ptr(), values.ptr(), function.ptr()));
  });
  m.def("register_last_operation",
        [](nb::object function) { py::register_last_operation(function.ptr()); });
  m.def("register_nest",
        [](nb::object flatten, nb::object pack) { py::register_nest(flatten.ptr(), pack.ptr()); });
  m.def(
      "register_conversion",
      [](nb::object cls, nb::object function, long priority) {
        py::register_conversion(cls.ptr(), function.ptr(), priority);
      },
      nb::arg("cls"), nb::arg("function"), nb::arg("priority") = 100);

  m.def("convert", convert, nb::arg("value").none(), nb::arg("dtype").none() = nb::none(),
        nb::arg("dtype_hint").none() = nb::none(),
        "The value as a tensor of the dtype, or if possible of the hinted dtype.");
  m.def("constant", constant, nb::arg("value").none(), nb::arg("dtype").none());
  convert_function = nb::object(m.attr("convert")).release().ptr();
  m.def(
      "as_tensor", [](nb::object value) { return convert(value, nb::none(), nb::none()); },
      nb::arg("value").none(), "The value as a tensor of its own dtype.");
  m.def("to_dlpack",
        [](nb::object tensor) { return nb::steal(py::to_dlpack(py::to_tensor(tensor.ptr()))); });
  m.def("from_dlpack",
        [](nb::object object) { return nb::steal(py::wrap(py::from_dlpack(object.ptr()))); });
  m.def(
      "unwritten",
      [](const nb::sequence& sizes, nb::handle dtype) {
        const ef::Ints dims = py::to_ints(sizes.ptr(), "sizes");
        const ef::Shape shape(std::span<const int64_t>(dims.begin(), dims.size()));
        const ef::Tensor tensor = ef::Tensor::empty(py::to_dtype(dtype.ptr()), shape);
        const nb::object array = nb::steal(py::to_writable_array(tensor));
        return nb::make_tuple(nb::steal(py::wrap(ef::Tensor(tensor))), array);
      },
      nb::arg("sizes"), nb::arg("dtype"),
      "A tensor without values, and an array through which they are written before it is read.");
  nb::class_<ef::RecordingTapes>(m, "RecordingTapes", "The tapes that are active at its creation.")
      .def(nb::init<>())
      .def("__enter__", [](const ef::RecordingTapes& self) { self.begin(); })
      .def("__exit__", [](const ef::RecordingTapes& self, const nb::args&) { self.end(); });
  nb::class_<DenseExamples>(m, "DenseExamples")
      .def(nb::init<nb::list, nb::list, nb::list>(), nb::arg("keys"), nb::arg("dtypes"),
           nb::arg("shapes"))
      .def("parse",
           [](const DenseExamples& self, nb::handle serialized) { return self.parse(serialized); });
  m.def("draw_shuffled", draw_shuffled, nb::arg("ring"), nb::arg("start"), nb::arg("left"),
        nb::arg("words"), nb::arg("incoming"), nb::arg("drawn"),
        "Draws from a shuffle buffer: one element for each word; returns the ring's new start.");
  m.def("png_rows", png_rows, nb::arg("lines"), nb::arg("length"), nb::arg("step"),
        "The plain bytes of a PNG image's rows; raises a ValueError for an unknown filter.");
  m.def("snappy_compress", snappy_compress, nb::arg("data"),
        "Compresses bytes into a Snappy block.");
  m.def("snappy_expand", snappy_expand, nb::arg("block"),
        "Decompresses a Snappy block; raises a ValueError if it is damaged.");
  m.def("crc32c", crc32c_of, nb::arg("data"), nb::arg("value") = 0,
        "The CRC-32C of bytes, continued from the checksum `value`.");
  m.def(
      "symbolic",
      [](nb::handle dtype, nb::handle shape) {
        ef::TensorSpec spec;
        spec.dtype = py::to_dtype(dtype.ptr());
        spec.shape = py::to_partial_shape(shape.ptr());
        return nb::steal(py::wrap(ef::symbolic(spec)));
      },
      nb::arg("dtype"), nb::arg("shape").none(),
      "A symbolic tensor without a graph, for inference. The shape is a list whose sizes may be "
      "None, or None.");
  m.def(
      "is_symbolic",
      [](nb::object tensor) { return ef::is_symbolic(py::checked_tensor(tensor.ptr())); },
      "Whether a tensor's value is unknown.");
  m.def(
      "add_observer",
      [](nb::object function, bool bad_only) { py::add_observer(function.ptr(), bad_only); },
      nb::arg("function"), nb::arg("bad_only") = false,
      "Calls function(name, inputs, outputs) after every operation, or only after those whose "
      "results are infinite or NaN.");
  m.def("remove_observer", [](nb::object function) { return py::remove_observer(function.ptr()); });
  m.def("recording", [] { return ef::recording(); }, "Whether a tape of this thread records.");
  m.def(
      "differentiated_once",
      [] {
        const auto tapes = ef::active_tapes();
        return tapes.empty() || (tapes.size() == 1 && !tapes[0]->persistent());
      },
      "Whether operations that run now cannot be differentiated twice.");

  py::add_device_functions(m);
  py::add_host_kernels(m);
  m.def("default_threads", ef::default_threads,
        "The number of threads that a program starts with.");
  m.def(
      "processor_quota",
      []() -> std::optional<double> {
        const double quota = ef::platform::processor_quota();
        return quota == ef::platform::kNoQuota ? std::nullopt : std::optional(quota);
      },
      "The processors that this process may keep busy; None if no quota limits it.");
  m.def("num_threads", ef::max_threads, "The number of threads that a kernel may use.");
  m.def("set_num_threads", ef::set_max_threads, "Limits the number of threads; 0 means all.");
  m.def("isa", isa_name, "The instruction set of the vector kernels.");
  m.def(
      "memory_stats",
      [] {
        const ef::AllocatorStats stats = ef::allocator_stats();
        nb::dict result;
        result["current"] = stats.large_in_use;
        result["peak"] = stats.large_peak;
        return result;
      },
      "The bytes in use in blocks above 1 MiB, and their peak.");
  m.def("compare_by_identity", py::compare_by_identity, nb::arg("always"),
        "Whether == compares what tensors and variables are, and not their values.");
  m.def("all_compare_by_identity", py::all_compare_by_identity);
  m.def("limit_tensors", ef::set_buffer_limit, nb::arg("bytes"),
        "Limits the bytes of a tensor that this thread allocates; returns the previous limit.");
  py::collect_garbage_on_growth();
  m.def("reset_peak_memory", ef::reset_allocator_peak);
  m.def("release_cached_memory", ef::release_cached_memory);
  m.def("fail_allocation", ef::fail_allocation, nb::arg("number"));
}
