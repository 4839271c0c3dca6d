// A Message is a piece of a file's bytes. It is checked when it is read; its fields become Python
// objects when a program asks for them, so a function that nobody calls stays bytes.
#include "bindings/messages.h"

#include <nanobind/stl/tuple.h>

#include <bit>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/errors.h"
#include "bindings/py_ref.h"
#include "files/messages.h"

namespace nb = nanobind;

namespace ef::py {
namespace {

// The names of a declaration, beside the numbers that the engine reads.
struct Names {
  PyRef name;                 // of the message
  PyRef indices;              // of its fields, by name
  std::vector<PyRef> fields;  // the name of each field
  std::vector<PyRef> oneofs;  // the name of each group
};

// The declarations of messages that may have each other as fields.
struct Declarations {
  std::vector<MessageType> types;
  std::vector<Names> names;
};

struct Message {
  PyObject_HEAD PyObject* declarations;  // a MessageTypes, which owns what the next ones point to
  const Declarations* declared;
  size_t type;
  PyObject* owner;  // the bytes that have its content
  std::string_view content;
  std::vector<PyRef>* values;  // of the fields that were asked for
};

PyTypeObject* message_type = nullptr;

Message& message_of(PyObject* object) { return *reinterpret_cast<Message*>(object); }

PyObject* new_message(PyObject* declarations, const Declarations* declared, size_t type,
                      PyObject* owner, std::string_view content) {
  PyObject* const made = message_type->tp_alloc(message_type, 0);
  if (!made) throw PythonError();
  Message& message = message_of(made);
  message.declarations = Py_NewRef(declarations);
  message.declared = declared;
  message.type = type;
  message.owner = Py_NewRef(owner);
  message.content = content;
  message.values = nullptr;
  return made;
}

void dealloc(PyObject* self) {
  Message& message = message_of(self);
  delete std::exchange(message.values, nullptr);
  Py_DECREF(message.owner);
  Py_DECREF(message.declarations);
  PyTypeObject* const type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyRef python_value(Message& message, const MessageField& field, const FieldValue& value) {
  const std::string_view bytes = value.bytes;
  const auto size = static_cast<Py_ssize_t>(bytes.size());
  const auto number = static_cast<int64_t>(value.number);
  switch (field.kind) {
    case FieldKind::kDouble: return checked(PyFloat_FromDouble(std::bit_cast<double>(number)));
    case FieldKind::kFloat:
      return checked(PyFloat_FromDouble(std::bit_cast<float>(static_cast<uint32_t>(value.number))));
    case FieldKind::kInt64: return checked(PyLong_FromLongLong(number));
    case FieldKind::kUint64:
    case FieldKind::kFixed64: return checked(PyLong_FromUnsignedLongLong(value.number));
    case FieldKind::kInt32:
    case FieldKind::kEnum: return checked(PyLong_FromLong(static_cast<int32_t>(number)));
    case FieldKind::kUint32:
    case FieldKind::kFixed32:
      return checked(PyLong_FromUnsignedLong(static_cast<uint32_t>(value.number)));
    case FieldKind::kSint64:
      return checked(PyLong_FromLongLong(static_cast<int64_t>(value.number >> 1) ^
                                         -static_cast<int64_t>(value.number & 1)));
    case FieldKind::kBool: return PyRef::share(value.number ? Py_True : Py_False);
    case FieldKind::kString: return checked(PyUnicode_DecodeUTF8(bytes.data(), size, "strict"));
    case FieldKind::kBytes: return checked(PyBytes_FromStringAndSize(bytes.data(), size));
    case FieldKind::kMessage:
      return checked(new_message(message.declarations, message.declared,
                                 static_cast<size_t>(field.message), message.owner, bytes));
  }
  Py_UNREACHABLE();
}

const MessageType& type_of(const Message& message) { return message.declared->types[message.type]; }

// The last value of a field that no later field of its group replaces. A message whose field occurs
// several times has the contents of all.
bool find_single(Message& message, int index, FieldValue& found, std::string& joined) {
  const MessageType& type = type_of(message);
  const MessageField& field = type.fields[static_cast<size_t>(index)];
  MessageReader reader(type, message.content);
  bool has = false;
  for (FieldValue value; reader.next(value);) {
    if (value.field == index) {
      if (has && field.kind == FieldKind::kMessage) {
        if (joined.empty()) joined = found.bytes;
        joined += value.bytes;
      }
      has = true;
      found = value;
    } else if (field.oneof >= 0 &&
               type.fields[static_cast<size_t>(value.field)].oneof == field.oneof) {
      has = false;
      joined.clear();
    }
  }
  return has;
}

PyRef single(Message& message, int index) {
  const MessageField& field = type_of(message).fields[static_cast<size_t>(index)];
  FieldValue value{.field = index};
  std::string joined;
  if (!find_single(message, index, value, joined)) value = {.field = index};
  if (joined.empty()) return python_value(message, field, value);
  const PyRef bytes =
      checked(PyBytes_FromStringAndSize(joined.data(), static_cast<Py_ssize_t>(joined.size())));
  return checked(new_message(message.declarations, message.declared,
                             static_cast<size_t>(field.message), bytes,
                             {PyBytes_AS_STRING(bytes.get()), joined.size()}));
}

PyRef repeated(Message& message, int index) {
  const MessageField& field = type_of(message).fields[static_cast<size_t>(index)];
  const PyRef found = checked(field.is_map ? PyDict_New() : PyList_New(0));
  MessageReader reader(type_of(message), message.content);
  for (FieldValue value; reader.next(value);) {
    if (value.field != index) continue;
    const PyRef item = python_value(message, field, value);
    if (!field.is_map) {
      if (PyList_Append(found, item) < 0) throw PythonError();
      continue;
    }
    // The fields of an entry are its key and its value.
    Message& entry = message_of(item);
    if (PyDict_SetItem(found, single(entry, 0), single(entry, 1)) < 0) throw PythonError();
  }
  return found;
}

// The index of a field; -1 if there is none of that name.
int index_of(const Message& message, PyObject* name) {
  PyObject* const found =
      PyDict_GetItemWithError(message.declared->names[message.type].indices, name);
  if (!found && PyErr_Occurred()) throw PythonError();
  return found ? static_cast<int>(PyLong_AsLong(found)) : -1;
}

PyObject* get_attribute(PyObject* self, PyObject* name) {
  return guarded([&]() -> PyObject* {
    Message& message = message_of(self);
    const int index = index_of(message, name);
    if (index < 0) return PyObject_GenericGetAttr(self, name);
    const std::vector<MessageField>& fields = type_of(message).fields;
    if (!message.values) message.values = new std::vector<PyRef>(fields.size());
    const auto at = static_cast<size_t>(index);
    if (!(*message.values)[at]) {
      PyRef made = fields[at].repeated ? repeated(message, index) : single(message, index);
      (*message.values)[at] = std::move(made);
    }
    return Py_NewRef((*message.values)[at].get());
  });
}

PyObject* which_oneof(PyObject* self, PyObject* name) {
  return guarded([&]() -> PyObject* {
    Message& message = message_of(self);
    const Names& names = message.declared->names[message.type];
    for (size_t group = 0; group < names.oneofs.size(); ++group) {
      const int same = PyObject_RichCompareBool(names.oneofs[group], name, Py_EQ);
      if (same < 0) return nullptr;
      if (!same) continue;
      int last = -1;
      MessageReader reader(type_of(message), message.content);
      for (FieldValue value; reader.next(value);) {
        const auto at = static_cast<size_t>(value.field);
        if (type_of(message).fields[at].oneof == static_cast<int>(group)) last = value.field;
      }
      return Py_NewRef(last < 0 ? Py_None : names.fields[static_cast<size_t>(last)].get());
    }
    PyErr_Format(PyExc_ValueError, "The message has no oneof %R.", name);
    return nullptr;
  });
}

PyObject* has_field(PyObject* self, PyObject* name) {
  return guarded([&]() -> PyObject* {
    Message& message = message_of(self);
    const int index = index_of(message, name);
    if (index < 0) {
      PyErr_Format(PyExc_ValueError, "The message has no field %R.", name);
      return nullptr;
    }
    FieldValue value;
    std::string joined;
    return PyBool_FromLong(find_single(message, index, value, joined));
  });
}

PyObject* serialize(PyObject* self, PyObject*) {
  const std::string_view content = message_of(self).content;
  return PyBytes_FromStringAndSize(content.data(), static_cast<Py_ssize_t>(content.size()));
}

PyObject* represent(PyObject* self) {
  const Message& message = message_of(self);
  return PyUnicode_FromFormat("<message %U of %zu bytes>",
                              message.declared->names[message.type].name.get(),
                              message.content.size());
}

PyMethodDef methods[] = {
    {"WhichOneof", which_oneof, METH_O, "The field that a oneof has; None if it has none."},
    {"HasField", has_field, METH_O, "Whether a single field is there."},
    {"SerializeToString", serialize, METH_NOARGS, "The bytes that it was read from."},
    {nullptr, nullptr, 0, nullptr},
};

// Takes (name, oneofs, fields) for each message; a field is (name, number, kind, repeated, is_map,
// index of the message, index of the oneof).
class MessageTypes {
 public:
  explicit MessageTypes(nb::list declarations) {
    for (const nb::handle declaration : declarations) {
      const auto [name, oneofs, fields] =
          nb::cast<std::tuple<nb::str, nb::list, nb::list>>(declaration);
      Names names;
      names.name = PyRef::share(name.ptr());
      names.indices = checked(PyDict_New());
      for (const nb::handle oneof : oneofs) names.oneofs.push_back(PyRef::share(oneof.ptr()));
      MessageType type;
      for (const nb::handle field : fields) {
        const auto [own, number, kind, repeated, is_map, message, group] =
            nb::cast<std::tuple<nb::str, uint32_t, int, bool, bool, int, int>>(field);
        const PyRef index = checked(PyLong_FromSize_t(type.fields.size()));
        if (PyDict_SetItem(names.indices, own.ptr(), index) < 0) throw nb::python_error();
        names.fields.push_back(PyRef::share(own.ptr()));
        type.fields.push_back(
            {number, static_cast<FieldKind>(kind), repeated, is_map, message, group});
      }
      declared_.types.push_back(std::move(type));
      declared_.names.push_back(std::move(names));
    }
  }

  nb::object read(nb::handle self, size_t type, nb::bytes content) const {
    const std::string_view view(content.c_str(), content.size());
    if (type >= declared_.types.size()) throw nb::index_error("there is no such message");
    if (!is_well_formed(declared_.types, static_cast<int>(type), view)) {
      throw nb::value_error("Error parsing message: the encoding is damaged");
    }
    return nb::steal(new_message(self.ptr(), &declared_, type, content.ptr(), view));
  }

 private:
  Declarations declared_;
};

}  // namespace

void add_messages(nb::module_& module) {
  PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char*>("A message that was read: its fields are attributes.")},
      {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
      {Py_tp_getattro, reinterpret_cast<void*>(get_attribute)},
      {Py_tp_repr, reinterpret_cast<void*>(represent)},
      {Py_tp_methods, methods},
      {0, nullptr},
  };
  PyType_Spec spec = {"eagerflow._core.Message", sizeof(Message), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  message_type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)).release());
  module.attr("Message") = nb::handle(reinterpret_cast<PyObject*>(message_type));
  nb::class_<MessageTypes>(module, "MessageTypes")
      .def(nb::init<nb::list>())
      .def("read", [](nb::handle self, size_t type, nb::bytes content) {
        return nb::cast<const MessageTypes&>(self).read(self, type, content);
      });
}

}  // namespace ef::py
