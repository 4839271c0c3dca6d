// The members of a struct of attributes as data: names, kinds, defaults and offsets.
//
// C++20 has no reflection. But a structured binding returns the members of a struct, and compilers
// can print the name of a member that is a template's argument.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "ops/attrs.h"
#include "tensor/dtype.h"
#include "tensor/ints.h"
#include "tensor/shape.h"

namespace ef {

enum class AttrKind : uint8_t {
  kInt,
  kBool,
  kFloat,
  kDType,
  kInts,   // a list of integers, or a 1-D integer tensor; a single integer becomes a list of one
  kShape,  // the same, but a non-integer raises TypeError, as in tf.zeros
  kEnum,   // one of several words
};

struct AttrField {
  AttrKind kind;
  bool required;  // otherwise the struct has a default
  size_t offset;  // of the member in the struct
  // For a std::optional: sets a value, if it has none, and returns its address. Null for other
  // members.
  void* (*engage)(void* member);
  DTypeSet dtypes;  // allowed dtypes of a kDType
  std::string name;
  std::string fallback;    // the default as Python shows it
  std::string_view words;  // of a kEnum, separated by '|'

  // The address of the value: an int64_t, bool, double, DType, Ints or Shape; for a kEnum, the
  // index of the word as a uint8_t.
  void* value_in(void* attrs) const {
    void* const member = static_cast<char*>(attrs) + offset;
    return engage ? engage(member) : member;
  }
};

namespace attr_fields {

template <AttrsStruct T>
constexpr auto members_of(T& s) {
  using S = std::remove_const_t<T>;
  static_assert(
      !requires { S{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; },
      "Members beyond the ninth belong into a struct of their own.");
  if constexpr (requires { S{{}, {}, {}, {}, {}, {}, {}, {}, {}}; }) {
    auto& [a, b, c, d, e, f, g, h, i] = s;
    return std::tie(a, b, c, d, e, f, g, h, i);
  } else if constexpr (requires { S{{}, {}, {}, {}, {}, {}, {}, {}}; }) {
    auto& [a, b, c, d, e, f, g, h] = s;
    return std::tie(a, b, c, d, e, f, g, h);
  } else if constexpr (requires { S{{}, {}, {}, {}, {}, {}, {}}; }) {
    auto& [a, b, c, d, e, f, g] = s;
    return std::tie(a, b, c, d, e, f, g);
  } else if constexpr (requires { S{{}, {}, {}, {}, {}, {}}; }) {
    auto& [a, b, c, d, e, f] = s;
    return std::tie(a, b, c, d, e, f);
  } else if constexpr (requires { S{{}, {}, {}, {}, {}}; }) {
    auto& [a, b, c, d, e] = s;
    return std::tie(a, b, c, d, e);
  } else if constexpr (requires { S{{}, {}, {}, {}}; }) {
    auto& [a, b, c, d] = s;
    return std::tie(a, b, c, d);
  } else if constexpr (requires { S{{}, {}, {}}; }) {
    auto& [a, b, c] = s;
    return std::tie(a, b, c);
  } else if constexpr (requires { S{{}, {}}; }) {
    auto& [a, b] = s;
    return std::tie(a, b);
  } else {
    auto& [a] = s;
    return std::tie(a);
  }
}

template <class T>
using Members = decltype(members_of(std::declval<T&>()));
template <class T>
using Indices = std::make_index_sequence<std::tuple_size_v<Members<T>>>;
template <class T, size_t I>
using Member = std::remove_cvref_t<std::tuple_element_t<I, Members<T>>>;

// Only the addresses of its members are used.
template <class T>
struct Example {
  static const T value;
};

template <class M>
struct Address {
  const M* member;
};

template <Address kAddress>
consteval auto spell() {
  return std::string_view(__PRETTY_FUNCTION__);
}

// The last identifier in the compiler's text, "… {(& Example<TopKAttrs>::value.TopKAttrs::k)}]".
template <class T, size_t I>
consteval std::string_view name_of() {
  const auto in_name = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  std::string_view text =
      spell<Address<Member<T, I>>{&std::get<I>(members_of(Example<T>::value))}>();
  while (!in_name(text.back())) text.remove_suffix(1);
  size_t begin = text.size();
  while (in_name(text[begin - 1])) --begin;
  return text.substr(begin);
}

// Reads a member of a struct in which only members with initializers have values: reading an
// uninitialised value is not a constant expression.
template <class T, size_t I>
constexpr bool read_initial() {
  T s;
  [[maybe_unused]] const auto value = std::get<I>(members_of(s));
  return true;
}

template <class M>
struct Optional : std::false_type {
  using Value = M;
};
template <class M>
struct Optional<std::optional<M>> : std::true_type {
  using Value = M;
};
template <class M>
using Value = typename Optional<M>::Value;

template <class T, size_t I>
consteval bool must_be_given() {
  using M = Member<T, I>;
  if constexpr (Optional<M>::value) return false;
  if constexpr (std::is_same_v<M, Ints> || std::is_same_v<M, Shape>) return true;
  return !requires { typename std::bool_constant<read_initial<T, I>()>; };
}

template <class V>
struct Dtypes {
  static constexpr DTypeSet kAllowed = kAllTypes;
};
template <DTypeSet kSet>
struct Dtypes<DTypeIn<kSet>> {
  static constexpr DTypeSet kAllowed = kSet;
};

template <class V>
consteval AttrKind kind_of() {
  if constexpr (std::is_same_v<V, int64_t>) {
    return AttrKind::kInt;
  } else if constexpr (std::is_same_v<V, bool>) {
    return AttrKind::kBool;
  } else if constexpr (std::is_same_v<V, double>) {
    return AttrKind::kFloat;
  } else if constexpr (std::is_same_v<V, Ints>) {
    return AttrKind::kInts;
  } else if constexpr (std::is_same_v<V, Shape>) {
    return AttrKind::kShape;
  } else if constexpr (std::is_convertible_v<V, DType>) {
    return AttrKind::kDType;
  } else {
    static_assert(std::is_enum_v<V> && sizeof(V) == 1,
                  "Attributes are int64_t, bool, double, DType, Ints, Shape, enums of uint8_t with "
                  "words_of, and std::optional of these.");
    return AttrKind::kEnum;
  }
}

template <class M>
void* engage(void* member) {
  M& optional = *static_cast<M*>(member);
  return optional ? &*optional : &optional.emplace();
}

std::string shown(int64_t value);
std::string shown(bool value);
std::string shown(double value);
std::string shown(DType value);
std::string shown(const Ints& values);
std::string shown_word(std::string_view words, size_t position);

template <class M>
std::string shown_default(const M& value) {
  if constexpr (Optional<M>::value) {
    return value ? shown_default(*value) : "None";
  } else if constexpr (kind_of<M>() == AttrKind::kEnum) {
    return shown_word(words_of(value), static_cast<size_t>(value));
  } else if constexpr (kind_of<M>() == AttrKind::kDType) {
    return shown(static_cast<DType>(value));
  } else {
    return shown(value);
  }
}

template <class T, size_t... I>
void append(const T& defaults, const void* start, std::vector<AttrField>& fields,
            std::index_sequence<I...>);

template <class T, size_t I>
void append_member(const T& defaults, const void* start, std::vector<AttrField>& fields) {
  using M = Member<T, I>;
  const M& member = std::get<I>(members_of(defaults));
  if constexpr (AttrsStruct<M>) {
    append(member, start, fields, Indices<M>());
  } else {
    using V = Value<M>;
    AttrField& field = fields.emplace_back();
    field.name = std::string(name_of<T, I>());
    field.kind = kind_of<V>();
    field.dtypes = Dtypes<V>::kAllowed;
    if constexpr (kind_of<V>() == AttrKind::kEnum) field.words = words_of(V());
    field.required = must_be_given<T, I>();
    if constexpr (!must_be_given<T, I>()) field.fallback = shown_default(member);
    field.offset = static_cast<size_t>(reinterpret_cast<const char*>(&member) -
                                       static_cast<const char*>(start));
    field.engage = nullptr;
    if constexpr (Optional<M>::value) field.engage = engage<M>;
  }
}

template <class T, size_t... I>
void append(const T& defaults, const void* start, std::vector<AttrField>& fields,
            std::index_sequence<I...>) {
  (append_member<T, I>(defaults, start, fields), ...);
}

template <class M>
bool equal(const M& a, const M& b) {
  if constexpr (AttrsStruct<M>) {
    return [&]<size_t... I>(std::index_sequence<I...>) {
      return (equal(std::get<I>(members_of(a)), std::get<I>(members_of(b))) && ...);
    }(Indices<M>());
  } else if constexpr (std::is_same_v<M, double>) {
    return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);  // so that NaN equals itself
  } else {
    return a == b;
  }
}

}  // namespace attr_fields

// The attributes that a struct declares, in order, with nested structs expanded.
template <AttrsStruct T>
std::vector<AttrField> attr_fields_of() {
  const T defaults{};
  std::vector<AttrField> fields;
  attr_fields::append(defaults, &defaults, fields, attr_fields::Indices<T>());
  return fields;
}

template <AttrsStruct T>
constinit const AttrsType AttrsTypeOf<T>::value = {
    .size = sizeof(T),
    // Default-initialized, so that the storage of lists is not cleared. Members without an
    // initializer have no value: calls must set them.
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
  return &AttrsTypeOf<T>::value;
}

}  // namespace ef
