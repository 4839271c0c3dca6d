// Memory of the operating system.
#pragma once

#include <cstddef>

namespace ef::platform {

// The machine's memory in bytes; the largest size if the system does not say. Asked for once.
size_t physical_memory();

// The size of a page.
size_t page_size();

// Addresses that nothing uses now, for `map_at`; nullptr if the system refuses. Where a limit on
// the addresses of a process is usual, none are taken.
void* find_addresses(size_t bytes);

// Maps whole pages at a found address, as huge pages where that is possible; false if something
// else is there by now, or the system refuses.
bool map_at(void* address, size_t bytes);

// Returns pages of `map_at` and their addresses to the system; false if it refuses.
bool unmap(void* address, size_t bytes);

// Returns the memory of accessible pages to the system. They stay accessible; their content is
// lost.
void discard(void* address, size_t bytes);

// Memory at a multiple of a power of two, of which `bytes` is a multiple; nullptr if there is none.
void* allocate_aligned(size_t alignment, size_t bytes);
void free_aligned(void* address);

}  // namespace ef::platform
