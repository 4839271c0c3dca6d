// Windows.
#define NOMINMAX
#define WIN32_LEAN_AND_MEAN
#include <errno.h>
#include <io.h>
#include <malloc.h>
#include <stdlib.h>
#include <windows.h>

#include <algorithm>
#include <cstring>

#include "platform/files.h"
#include "platform/memory.h"
#include "platform/process.h"

namespace ef::platform {
namespace {

HANDLE handle_of(int file) { return reinterpret_cast<HANDLE>(_get_osfhandle(file)); }

// The errno of the calling thread's last error.
int last_errno() {
  switch (GetLastError()) {
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION: return EACCES;
    case ERROR_INVALID_HANDLE: return EBADF;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL: return ENOSPC;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
    case ERROR_COMMITMENT_LIMIT: return ENOMEM;
    case ERROR_INVALID_PARAMETER:
    case ERROR_FILE_INVALID: return EINVAL;
    default: return EIO;
  }
}

OVERLAPPED position(int64_t offset) {
  OVERLAPPED place{};
  place.Offset = static_cast<DWORD>(offset);
  place.OffsetHigh = static_cast<DWORD>(offset >> 32);
  return place;
}

// One call transfers less than 2^32 bytes.
DWORD at_once(size_t bytes) { return static_cast<DWORD>(std::min<size_t>(bytes, 1u << 30)); }

std::wstring wide(const char* text) {
  const int count = MultiByteToWideChar(CP_UTF8, 0, text, -1, nullptr, 0);
  std::wstring result(static_cast<size_t>(std::max(count, 1)), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, text, -1, result.data(), count);
  return result;
}

}  // namespace

size_t physical_memory() {
  static const size_t total = [] {
    MEMORYSTATUSEX status{};
    status.dwLength = sizeof status;
    return GlobalMemoryStatusEx(&status) ? static_cast<size_t>(status.ullTotalPhys) : ~size_t{0};
  }();
  return total;
}

size_t page_size() {
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  return info.dwPageSize;
}

// Reserves them: here memory is limited, not addresses, and pages of two reservations do not join.
void* find_addresses(size_t bytes) {
  return VirtualAlloc(nullptr, bytes, MEM_RESERVE, PAGE_NOACCESS);
}

bool map_at(void* address, size_t bytes) {
  return VirtualAlloc(address, bytes, MEM_COMMIT, PAGE_READWRITE) != nullptr;
}

bool unmap(void*, size_t) { return false; }

void discard(void* address, size_t bytes) {
  VirtualAlloc(address, bytes, MEM_RESET, PAGE_READWRITE);
}

void* allocate_aligned(size_t alignment, size_t bytes) { return _aligned_malloc(bytes, alignment); }

void free_aligned(void* address) { _aligned_free(address); }

int64_t read_at(int file, void* data, size_t bytes, int64_t offset) {
  OVERLAPPED place = position(offset);
  DWORD moved = 0;
  if (ReadFile(handle_of(file), data, at_once(bytes), &moved, &place)) return moved;
  if (GetLastError() == ERROR_HANDLE_EOF) return 0;
  errno = last_errno();
  return -1;
}

int64_t write_at(int file, const void* data, size_t bytes, int64_t offset) {
  OVERLAPPED place = position(offset);
  DWORD moved = 0;
  if (WriteFile(handle_of(file), data, at_once(bytes), &moved, &place)) return moved;
  errno = last_errno();
  return -1;
}

// Writes report a full disk.
int reserve_space(int, int64_t, size_t) { return 0; }

int process_id() { return static_cast<int>(GetCurrentProcessId()); }

uint64_t thread_id() { return GetCurrentThreadId(); }

int at_fork(ForkHandler, ForkHandler, ForkHandler) { return 0; }

bool random_bytes(void* data, size_t bytes) {
  auto* to = static_cast<std::byte*>(data);
  for (size_t done = 0; done < bytes; done += sizeof(unsigned)) {
    unsigned word;
    if (rand_s(&word) != 0) return false;
    std::memcpy(to + done, &word, std::min(sizeof word, bytes - done));
  }
  return true;
}

void* load_library(const char* path) {
  return reinterpret_cast<void*>(LoadLibraryW(wide(path).c_str()));
}

std::string library_error() {
  char text[512];
  const DWORD size = FormatMessageA(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS,
                                    nullptr, GetLastError(), 0, text, sizeof text, nullptr);
  return {text, size};
}

void* library_symbol(void* library, const char* name) {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), name));
}

}  // namespace ef::platform
