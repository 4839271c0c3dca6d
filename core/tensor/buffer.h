// Reference-counted storage that tensors share.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace ef {

// A block of memory with a reference count. Pool buffers come from the caching allocator, string
// buffers hold constructed std::string elements, variant buffers VariantRefs, external ones call
// the deleter of their owner.
class Buffer {
 public:
  using Deleter = void (*)(void* context);

  // Uninitialised memory of `bytes` bytes, aligned to 64. Throws ResourceExhausted.
  static Buffer* allocate(size_t bytes);
  // `count` empty strings.
  static Buffer* allocate_strings(size_t count);
  // `count` empty variants.
  static Buffer* allocate_variants(size_t count);
  // External memory, freed by `deleter(context)`, also if this throws ResourceExhausted.
  static Buffer* adopt(void* data, size_t bytes, Deleter deleter, void* context);

  std::byte* data() const { return data_; }
  size_t bytes() const { return bytes_; }

  void retain() { refs_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    // The only owner needs no atomic read-modify-write: no other thread can take a reference.
    if (refs_.load(std::memory_order_acquire) == 1 ||
        refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      destroy();
    }
  }
  bool unique() const { return refs_.load(std::memory_order_acquire) == 1; }
  // Whether the engine may write to it as the only owner.
  bool writable() const { return kind_ != Kind::kExternal; }

 private:
  enum class Kind : uint8_t { kPool, kString, kVariant, kExternal };
  Buffer() = default;
  void destroy();

  std::atomic<uint32_t> refs_{1};
  Kind kind_ = Kind::kPool;
  std::byte* data_ = nullptr;
  size_t bytes_ = 0;
  Deleter deleter_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace ef
