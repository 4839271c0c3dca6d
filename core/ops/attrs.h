// The attributes of operations: the arguments of a call besides tensors.
//
// They are the members of a plain struct that is declared in the same header as the `Op`:
//
//   struct TopKAttrs {
//     int64_t k = 1;
//     bool sorted = true;
//   };
//
// There is no other declaration: names, types and initializers also define the parameters and
// defaults of the Python function. A list is required, and so is a number, flag, dtype or enum
// without an initializer. A std::optional may be None. A member that is such a struct contributes
// its own members. Kernels read `context.attrs<TopKAttrs>().k`; callers write `call(top_k, {x},
// TopKAttrs{.k = 3})`.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "tensor/dtype.h"
#include "tensor/ints.h"

namespace ef {

// A dtype restricted to a set. Members of type DType accept numeric dtypes and strings.
template <DTypeSet kAllowed>
struct DTypeIn {
  DType value;
  DTypeIn() = default;
  constexpr DTypeIn(DType dtype) : value(dtype) {}
  constexpr operator DType() const { return value; }
};

// A plain struct. Its members are attributes, or nested structs of attributes.
template <class T>
concept AttrsStruct = std::is_class_v<T> && std::is_aggregate_v<T>;

struct AttrField;
struct Op;  // an entry of the table, see ops/op.h

// Functions for a struct of attributes, given its address.
struct AttrsType {
  size_t size;
  void (*construct)(void* at);  // with default values
  void (*copy)(void* at, const void* from);
  void (*destroy)(void* attrs);  // null if there is nothing to destroy
  bool (*equal)(const void* a, const void* b);
  std::vector<AttrField> (*fields)();
};

inline constexpr size_t kMaxAttrsSize = 512;

// The functions for attributes T. Code that declares an operation with T defines it, by
// attrs_of<T>() of ops/attr_fields.h; other code only compares its address.
template <AttrsStruct T>
struct AttrsTypeOf {
  static const AttrsType value;
};

// A non-owning reference to the attributes of some operation, for parameters.
class AttrsRef {
 public:
  AttrsRef() = default;  // of an operation without attributes
  template <AttrsStruct T>
  AttrsRef(const T& attrs) : type_(&AttrsTypeOf<T>::value), attrs_(&attrs) {}
  AttrsRef(const AttrsType* type, const void* attrs) : type_(type), attrs_(attrs) {}

  explicit operator bool() const { return type_ != nullptr; }
  const AttrsType* type() const { return type_; }
  const void* data() const { return attrs_; }

  template <AttrsStruct T>
  bool is() const {
    return type_ == &AttrsTypeOf<T>::value;
  }
  // Throws if they have another type.
  template <AttrsStruct T>
  const T& as() const {
    if (!is<T>()) [[unlikely]]
      wrong_type();
    return *static_cast<const T*>(attrs_);
  }

  friend bool operator==(AttrsRef a, AttrsRef b) {
    return a.type_ == b.type_ && (!a.type_ || a.type_->equal(a.attrs_, b.attrs_));
  }

 private:
  [[noreturn]] static void wrong_type();

  const AttrsType* type_ = nullptr;
  const void* attrs_ = nullptr;
};

// A copy of a call's attributes, in memory of their own size.
class SavedAttrs {
 public:
  SavedAttrs() = default;
  SavedAttrs(AttrsRef attrs);
  SavedAttrs(const SavedAttrs& other) : SavedAttrs(AttrsRef(other)) {}
  SavedAttrs(SavedAttrs&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  SavedAttrs& operator=(SavedAttrs other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~SavedAttrs();

  operator AttrsRef() const { return block_ ? AttrsRef(block_->type, block_ + 1) : AttrsRef(); }
  template <AttrsStruct T>
  const T& as() const {
    return AttrsRef(*this).as<T>();
  }
  friend bool operator==(const SavedAttrs& a, const SavedAttrs& b) {
    return AttrsRef(a) == AttrsRef(b);
  }

 private:
  // The attributes follow.
  struct alignas(std::max_align_t) Block {
    const AttrsType* type;
  };
  Block* block_ = nullptr;
};

}  // namespace ef
