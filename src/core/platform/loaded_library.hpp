// Libraries that a program loads while it runs.
#pragma once

namespace skua::core {

/// Keeps the library that contains this address loaded, also after dlclose().
void keep_loaded(const void* address) noexcept;

}  // namespace skua::core
