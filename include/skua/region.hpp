// The old name of <skua/trace_span.hpp>. It stays for one release.
#pragma once

#include <skua/deprecated.hpp>
