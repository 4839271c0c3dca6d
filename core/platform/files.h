// Files of the operating system by their descriptors.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ef::platform {

// Transfer bytes at a position of a file, also while other threads use the file. They return how
// many bytes were transferred, 0 at the end of the file, or -1 with an errno.
int64_t read_at(int file, void* data, size_t bytes, int64_t offset);
int64_t write_at(int file, const void* data, size_t bytes, int64_t offset);

// Reserves space on the disk, where the system can; returns 0 or an errno.
int reserve_space(int file, int64_t offset, size_t bytes);

}  // namespace ef::platform
