// Reading and writing of files with CRC-32C checksums, computed while the data are in the caches.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ef {

// Large pieces are divided among the threads. All functions return the CRC-32C of the bytes, and
// throw std::system_error if a system call fails.

// Writes at a position of a file.
uint32_t write_checked(int file, int64_t offset, const void* data, size_t bytes);

// Reads from a position of a file. A file that ends before is an error with the code EIO.
uint32_t read_checked(int file, int64_t offset, void* data, size_t bytes);

}  // namespace ef
