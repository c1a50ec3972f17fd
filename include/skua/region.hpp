// The old name of <skua/trace_span.hpp>, for one release.
#pragma once

#include <skua/deprecated.hpp>
