// The attributes of operations: the arguments of a call besides tensors.
//
// They are the members of a plain struct that is declared in the same header as the `Op`:
//
//   struct TopKAttrs {
//     int64_t k = 1;
//     bool sorted = true;
//   };
//
// Nothing else declares them: names, types and initializers are the parameters and defaults of the
// Python function, too. A list is required, and so is a number, flag, dtype or enum without an
// initializer. A std::optional may be None. A member that is such a struct itself contributes its
// members. Kernels read `context.attrs<TopKAttrs>().k`, callers write
// `call(top_k, {x}, TopKAttrs{.k = 3})`.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "ops/attr_fields.h"

namespace ef {

// How to handle a struct of attributes by its address.
struct AttrsType {
  size_t size;
  void (*construct)(void* at);  // with the defaults
  void (*copy)(void* at, const void* from);
  void (*destroy)(void* attrs);  // null if there is nothing to do
  bool (*equal)(const void* a, const void* b);
  std::vector<AttrField> (*fields)();
};

inline constexpr size_t kMaxAttrsSize = 512;

template <AttrsStruct T>
inline constexpr AttrsType kAttrsType = {
    .size = sizeof(T),
    // Default-initialized, so that compilers do not clear the storage of lists. Members without an
    // initializer have no value: calls must pass one.
    .construct = [](void* at) { new (at) T; },
    .copy = [](void* at, const void* from) { new (at) T(*static_cast<const T*>(from)); },
    .destroy = std::is_trivially_destructible_v<T>
                   ? nullptr
                   : +[](void* attrs) { static_cast<T*>(attrs)->~T(); },
    .equal =
        [](const void* a, const void* b) {
          return attr_fields::equal(*static_cast<const T*>(a), *static_cast<const T*>(b));
        },
    .fields = attr_fields_of<T>,
};

// For `OpSpec::attrs`.
template <AttrsStruct T>
constexpr const AttrsType* attrs_of() {
  static_assert(sizeof(T) <= kMaxAttrsSize && alignof(T) <= alignof(std::max_align_t));
  return &kAttrsType<T>;
}

// A non-owning reference to the attributes of some operation, for parameters.
class AttrsRef {
 public:
  AttrsRef() = default;  // of an operation without attributes
  template <AttrsStruct T>
  AttrsRef(const T& attrs) : type_(&kAttrsType<T>), attrs_(&attrs) {}
  AttrsRef(const AttrsType* type, const void* attrs) : type_(type), attrs_(attrs) {}

  explicit operator bool() const { return type_ != nullptr; }
  const AttrsType* type() const { return type_; }
  const void* data() const { return attrs_; }

  // Throws unless they are of this type.
  template <AttrsStruct T>
  const T& as() const {
    if (type_ != &kAttrsType<T>) [[unlikely]]
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
