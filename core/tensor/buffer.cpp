// Storage: pool blocks, string arrays and external memory.
#include "tensor/buffer.h"

#include <limits>
#include <memory>
#include <new>
#include <utility>

#include "device/allocator.h"
#include "tensor/buffer_limit.h"
#include "tensor/buffer_watch.h"
#include "tensor/error.h"
#include "tensor/variant.h"

namespace ef {
namespace {

// A small buffer's header and data share one block; the data start at the next cache line.
constexpr size_t kHeader = 64;
static_assert(sizeof(Buffer) <= kHeader);

[[noreturn]] void out_of_memory(size_t bytes) {
  fail(Code::kResourceExhausted, "Out of memory: could not allocate ", bytes, " bytes.");
}

void* header_block(size_t bytes) {
  void* block = pool_allocate(bytes);
  if (!block) out_of_memory(bytes);
  return block;
}

// The kind of pool buffers of whose end somebody is told.
template <class Kind>
constexpr auto kWatched = static_cast<Kind>(4);

const BufferWatch* watching() { return buffer_watch.load(std::memory_order_relaxed); }

constinit thread_local size_t buffer_limit = std::numeric_limits<size_t>::max();

}  // namespace

size_t set_buffer_limit(size_t bytes) { return std::exchange(buffer_limit, bytes); }

bool buffers_are_limited() { return buffer_limit != std::numeric_limits<size_t>::max(); }

Buffer* Buffer::allocate(size_t bytes) {
  if (bytes <= kLargeBlock - kHeader) {
    void* block = header_block(kHeader + bytes);
    auto* buffer = new (block) Buffer;
    buffer->data_ = static_cast<std::byte*>(block) + kHeader;
    buffer->bytes_ = bytes;
    if (const BufferWatch* const watch = watching()) [[unlikely]] {
      buffer->kind_ = kWatched<Kind>;
      watch->allocated(buffer, bytes);
    }
    return buffer;
  }
  if (bytes > buffer_limit) {
    fail(Code::kResourceExhausted, "A tensor of ", bytes, " bytes is refused: here they may have ",
         buffer_limit, ".");
  }
  auto* data = static_cast<std::byte*>(pool_allocate(std::max(bytes, kLargeBlock + 1)));
  if (!data) out_of_memory(bytes);
  void* header = pool_allocate(kHeader);
  if (!header) {
    pool_deallocate(data, std::max(bytes, kLargeBlock + 1));
    out_of_memory(bytes);
  }
  auto* buffer = new (header) Buffer;
  buffer->data_ = data;
  buffer->bytes_ = bytes;
  if (const BufferWatch* const watch = watching()) [[unlikely]] {
    buffer->kind_ = kWatched<Kind>;
    watch->allocated(buffer, bytes);
  }
  return buffer;
}

Buffer* Buffer::allocate_strings(size_t count) {
  Buffer* buffer = allocate(count * sizeof(std::string));
  buffer->kind_ = Kind::kString;
  std::uninitialized_default_construct_n(reinterpret_cast<std::string*>(buffer->data_), count);
  return buffer;
}

Buffer* Buffer::allocate_variants(size_t count) {
  Buffer* buffer = allocate(count * sizeof(VariantRef));
  buffer->kind_ = Kind::kVariant;
  std::uninitialized_default_construct_n(reinterpret_cast<VariantRef*>(buffer->data_), count);
  return buffer;
}

Buffer* Buffer::adopt(void* data, size_t bytes, Deleter deleter, void* context) {
  void* const block = pool_allocate(kHeader);
  if (!block) {
    deleter(context);
    out_of_memory(kHeader);
  }
  auto* buffer = new (block) Buffer;
  buffer->kind_ = Kind::kExternal;
  buffer->data_ = static_cast<std::byte*>(data);
  buffer->bytes_ = bytes;
  buffer->deleter_ = deleter;
  buffer->context_ = context;
  return buffer;
}

[[gnu::hot]] void Buffer::destroy() {
  if (kind_ != Kind::kPool) {
    if (kind_ == Kind::kExternal) {
      deleter_(context_);
      pool_deallocate(this, kHeader);
      return;
    }
    if (kind_ == Kind::kString) {
      std::destroy_n(reinterpret_cast<std::string*>(data_), bytes_ / sizeof(std::string));
    } else if (kind_ == Kind::kVariant) {
      std::destroy_n(reinterpret_cast<VariantRef*>(data_), bytes_ / sizeof(VariantRef));
    } else if (const BufferWatch* const watch = watching()) {
      watch->freed(this);
    }
  }
  if (bytes_ <= kLargeBlock - kHeader) {
    pool_deallocate(this, kHeader + bytes_);
  } else {
    pool_deallocate(data_, std::max(bytes_, kLargeBlock + 1));
    pool_deallocate(this, kHeader);
  }
}

}  // namespace ef
