// A vector that keeps its first N elements inline: argument lists without heap traffic.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>

namespace ef {

template <class T, size_t N>
class InlineVector {
 public:
  constexpr InlineVector() {}  // the elements inline are not zeroed
  InlineVector(std::initializer_list<T> items) {
    for (const T& item : items) push_back(item);
  }
  explicit InlineVector(std::span<const T> items) {
    reserve(items.size());
    for (const T& item : items) push_back(item);
  }
  InlineVector(const InlineVector& other) : InlineVector(std::span<const T>(other)) {}
  InlineVector(InlineVector&& other) noexcept { take(other); }
  InlineVector& operator=(const InlineVector& other) {
    if (this != &other) {
      clear();
      reserve(other.size());
      for (const T& item : other) push_back(item);
    }
    return *this;
  }
  InlineVector& operator=(InlineVector&& other) noexcept {
    if (this != &other) {
      clear();
      release_heap();
      take(other);
    }
    return *this;
  }
  constexpr ~InlineVector() {
    if (size_ > 0) clear();
    if (heap_) release_heap();
  }

  T* data() { return heap_ ? heap_ : inline_data(); }
  const T* data() const { return heap_ ? heap_ : inline_data(); }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }
  T& back() { return data()[size_ - 1]; }
  operator std::span<T>() { return {data(), size_}; }
  operator std::span<const T>() const { return {data(), size_}; }

  friend bool operator==(const InlineVector& a, const InlineVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

  void push_back(T item) {
    if (size_ == capacity_) reserve(capacity_ * 2);
    std::construct_at(data() + size_, std::move(item));
    ++size_;
  }
  template <class... Args>
  T& emplace_back(Args&&... args) {
    if (size_ == capacity_) reserve(capacity_ * 2);
    T* slot = std::construct_at(data() + size_, std::forward<Args>(args)...);
    ++size_;
    return *slot;
  }
  void resize(size_t size) {
    reserve(size);
    while (size_ < size) emplace_back();
    while (size_ > size) std::destroy_at(data() + --size_);
  }
  void clear() {
    std::destroy_n(data(), size_);
    size_ = 0;
  }
  void reserve(size_t capacity) {
    if (capacity <= capacity_) return;
    T* grown = std::allocator<T>().allocate(capacity);
    std::uninitialized_move_n(data(), size_, grown);
    std::destroy_n(data(), size_);
    release_heap();
    heap_ = grown;
    capacity_ = capacity;
  }

 private:
  T* inline_data() { return reinterpret_cast<T*>(inline_); }
  const T* inline_data() const { return reinterpret_cast<const T*>(inline_); }
  void release_heap() {
    if (heap_) std::allocator<T>().deallocate(heap_, capacity_);
    heap_ = nullptr;
    capacity_ = N;
  }
  void take(InlineVector& other) {
    if (other.heap_) {
      heap_ = std::exchange(other.heap_, nullptr);
      capacity_ = std::exchange(other.capacity_, N);
      size_ = std::exchange(other.size_, 0);
    } else {
      std::uninitialized_move_n(other.data(), other.size_, inline_data());
      size_ = other.size_;
      other.clear();
    }
  }

  T* heap_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = N;
  alignas(T) std::byte inline_[N * sizeof(T)];
};

}  // namespace ef
