// What the headers throw. They cannot do it themselves in a program that is compiled with -fno-exceptions.
#include <skua/detail/exceptions.hpp>

#include <stdexcept>

#include <skua/topology.hpp>

namespace skua::detail {

void refuse_input(const char* sentence) { throw bad_input(sentence); }
void refuse_use(const char* sentence) { throw std::logic_error(sentence); }
void refuse_index(const char* sentence) { throw std::out_of_range(sentence); }

}  // namespace skua::detail
