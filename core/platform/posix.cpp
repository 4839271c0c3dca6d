// Linux and macOS.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "platform/files.h"
#include "platform/memory.h"
#include "platform/process.h"

namespace ef::platform {

size_t physical_memory() {
  static const size_t total = [] {
    const long pages = sysconf(_SC_PHYS_PAGES);
    return pages <= 0 ? ~size_t{0} : static_cast<size_t>(pages) * page_size();
  }();
  return total;
}

size_t page_size() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

void* find_addresses(size_t bytes) {
  void* const start =
      mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) return nullptr;
  munmap(start, bytes);
  return start;
}

bool map_at(void* address, size_t bytes) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
#if defined(MAP_FIXED_NOREPLACE)
  flags |= MAP_FIXED_NOREPLACE;
#endif
  void* const start = mmap(address, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (start == MAP_FAILED) return false;
  if (start != address) {  // systems that do not know the flag take the address as a wish
    munmap(start, bytes);
    return false;
  }
#if defined(__linux__)
  madvise(address, bytes, MADV_HUGEPAGE);
#endif
  return true;
}

bool unmap(void* address, size_t bytes) { return munmap(address, bytes) == 0; }

void discard(void* address, size_t bytes) {
#if defined(__APPLE__)
  madvise(address, bytes, MADV_FREE);  // MADV_DONTNEED keeps the memory there
#else
  madvise(address, bytes, MADV_DONTNEED);
#endif
}

void* allocate_aligned(size_t alignment, size_t bytes) {
  return std::aligned_alloc(alignment, bytes);
}

void free_aligned(void* address) { std::free(address); }

int64_t read_at(int file, void* data, size_t bytes, int64_t offset) {
  return pread(file, data, bytes, offset);
}

int64_t write_at(int file, const void* data, size_t bytes, int64_t offset) {
  return pwrite(file, data, bytes, offset);
}

int reserve_space([[maybe_unused]] int file, [[maybe_unused]] int64_t offset,
                  [[maybe_unused]] size_t bytes) {
#if defined(__linux__)
  if (fallocate(file, 0, offset, static_cast<off_t>(bytes)) != 0 && errno != EOPNOTSUPP &&
      errno != ENOSYS && errno != EINTR) {
    return errno;
  }
#endif
  return 0;
}

int process_id() { return getpid(); }

uint64_t thread_id() {
  const pthread_t self = pthread_self();  // a number or a pointer
  uint64_t id = 0;
  std::memcpy(&id, &self, sizeof self);
  return id;
}

int at_fork(ForkHandler before, ForkHandler in_parent, ForkHandler in_child) {
  return pthread_atfork(before, in_parent, in_child);
}

bool random_bytes(void* data, size_t bytes) { return getentropy(data, bytes) == 0; }

void* load_library(const char* path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL); }

std::string library_error() {
  const char* const text = dlerror();
  return text ? text : "";
}

void* library_symbol(void* library, const char* name) { return dlsym(library, name); }

}  // namespace ef::platform
