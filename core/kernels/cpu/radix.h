// Radix sort: keys whose order as unsigned integers is that of the elements.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "device/parallel.h"
#include "tensor/dtype.h"

namespace ef::cpu {

template <int kBytes>
struct UnsignedOf;
template <>
struct UnsignedOf<1> {
  using Type = uint8_t;
};
template <>
struct UnsignedOf<2> {
  using Type = uint16_t;
};
template <>
struct UnsignedOf<4> {
  using Type = uint32_t;
};
template <>
struct UnsignedOf<8> {
  using Type = uint64_t;
};

// Keys of elements. All NaNs come after all other values, whatever their sign and payload.
template <class T>
struct Keys {
  using Key = typename UnsignedOf<sizeof(T)>::Type;
  static constexpr bool kFloating = !std::is_integral_v<T>;
  static constexpr Key kTop = static_cast<Key>(Key{1} << (8 * sizeof(T) - 1));
  static constexpr Key kAll = static_cast<Key>(~Key{0});
  // The bits of infinity.
  static constexpr Key kInfinity = std::is_same_v<T, Half>       ? Key(0x7c00)
                                   : std::is_same_v<T, Bfloat16> ? Key(0x7f80)
                                   : sizeof(T) == 4              ? Key(0x7f800000)
                                                                 : Key(0x7ff0000000000000);

  static Key of(T value) {
    const Key bits = std::bit_cast<Key>(value);
    if constexpr (kFloating) {
      if (static_cast<Key>(bits & ~kTop) > kInfinity) return kAll;
      return static_cast<Key>(bits & kTop ? ~bits : bits | kTop);
    } else {
      return static_cast<Key>(std::is_signed_v<T> ? bits ^ kTop : bits);
    }
  }
  // The same, with one key for both zeros.
  static Key equal_zeros(T value) {
    const Key key = of(value);
    return kFloating && key == static_cast<Key>(kTop - 1) ? kTop : key;
  }
  static T value(Key key) {
    Key bits = key;
    if constexpr (kFloating) {
      bits = static_cast<Key>(key & kTop ? key ^ kTop : ~key);
    } else if constexpr (std::is_signed_v<T>) {
      bits = static_cast<Key>(key ^ kTop);
    }
    return std::bit_cast<T>(bits);
  }
};

// A key with the index of its element.
template <class Key>
struct Placed {
  Key key;
  int32_t place;
};

template <class Key>
Key key_of(Key item) {
  return item;
}
template <class Key>
Key key_of(const Placed<Key>& item) {
  return item.key;
}

// Below this number of items, insertion sort is faster than counting digits.
constexpr int64_t kFewItems = 24;

// A stable sort by keys. Uses both arrays, and returns the one that holds the result.
template <class Item>
Item* radix_sort(Item* items, Item* other, int64_t count) {
  using Key = decltype(key_of(*items));
  if (count <= kFewItems) {
    for (int64_t i = 1; i < count; ++i) {
      const Item item = items[i];
      int64_t k = i;
      for (; k > 0 && key_of(items[k - 1]) > key_of(item); --k) items[k] = items[k - 1];
      items[k] = item;
    }
    return items;
  }
  constexpr int kDigits = sizeof(Key);
  const auto digit = [](const Item& item, int d) {
    return static_cast<uint8_t>(key_of(item) >> (8 * d));
  };
  int64_t counts[kDigits][256] = {};
  serial_for(count, [&](int64_t i) {
#pragma GCC unroll 8
    for (int d = 0; d < kDigits; ++d) ++counts[d][digit(items[i], d)];
  });
  for (int d = 0; d < kDigits; ++d) {
    if (counts[d][digit(items[0], d)] == count) continue;
    int64_t start = 0;
    for (int64_t& bucket : counts[d]) {
      const int64_t size = bucket;
      bucket = start;
      start += size;
    }
    serial_for(count, [&](int64_t i) { other[counts[d][digit(items[i], d)]++] = items[i]; });
    std::swap(items, other);
  }
  return items;
}

}  // namespace ef::cpu
