// The process: its identity, its forks, random bytes, shared libraries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace ef::platform {

int process_id();
// The identity of the calling thread, as Python has it.
uint64_t thread_id();

using ForkHandler = void (*)();

// Has handlers called before each fork, and after it in the parent and in the child; null for none.
// `before` handlers are called in reverse order of registration. Returns 0 or an errno. Systems
// without forks ignore it.
int at_fork(ForkHandler before, ForkHandler in_parent, ForkHandler in_child);

// Fills memory with random bytes of the system; false if it has none.
bool random_bytes(void* data, size_t bytes);

// Loads a shared library, whose names stay its own; nullptr if that fails, and `library_error` says
// why.
void* load_library(const char* path);
std::string library_error();

// The address of a library's function; nullptr if there is none of this name.
void* library_symbol(void* library, const char* name);

}  // namespace ef::platform
