#!/usr/bin/env python3
"""Checks that each file includes the standard, system and third-party headers that it uses.

    tools/check_includes.py              the whole project
    tools/check_includes.py --self-test  plants mistakes and expects their complaints

clang's check for warnings reads these headers precompiled, all of them for each file (cmake/outside_headers.cmake). So it does
not notice if a file lacks one. This script does. A file must include a header that declares the name, or must include it
through skua's own headers. What a standard header happens to include does not count, only what the C++ standard says that it
includes or declares. A name of std:: that is not in the table is a complaint: add it to STANDARD.

It knows names, not declarations. So it does not see what is used without its name: a member of an object of an incomplete type,
a function that is found by the types of its arguments, or a name after `using namespace`.
"""
import argparse
import functools
import pathlib
import re
import sys

import planted_files

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("include", "src", "workloads", "bench", "examples", "tests")

# The standard headers that declare a name of std::, one group a line: headers, a colon, names. A name may be a regular expression.
STANDARD = r"""
algorithm: adjacent_find|all_of|any_of|binary_search|clamp|copy|copy_(backward|if|n)|count|count_if|equal|equal_range|fill|fill_n
algorithm: find|find_(end|first_of|if|if_not)|for_each|for_each_n|generate|generate_n|includes|inplace_merge|is_(heap|partitioned)
algorithm: is_permutation|is_sorted|is_sorted_until|iter_swap|lexicographical_compare|lower_bound|make_heap|max|max_element
algorithm: merge|min|min_element|minmax|minmax_element|mismatch|next_permutation|none_of|nth_element|partial_sort|partition
algorithm: partition_point|pop_heap|prev_permutation|push_heap|remove_(copy|copy_if|if)|replace|replace_if|reverse|reverse_copy
algorithm: rotate|rotate_copy|sample|search|search_n|set_(difference|intersection|symmetric_difference|union)|shift_(left|right)
algorithm: shuffle|sort|sort_heap|stable_partition|stable_sort|swap_ranges|transform|unique|unique_copy|upper_bound
algorithm cstdio: remove
algorithm: ranges::(adjacent_find|all_of|any_of|binary_search|clamp|copy|copy_(backward|if|n)|count|count_if|equal|equal_range)
algorithm: ranges::(fill|fill_n|find|find_(end|first_of|if|if_not)|for_each|for_each_n|generate|includes|is_permutation|is_sorted)
algorithm: ranges::(is_sorted_until|lexicographical_compare|lower_bound|make_heap|max|max_element|merge|min|min_element|minmax)
algorithm: ranges::(minmax_element|mismatch|move|none_of|nth_element|partial_sort|partition|pop_heap|push_heap|remove|remove_if)
algorithm: ranges::(replace|replace_if|reverse|rotate|search|shuffle|sort|sort_heap|stable_partition|stable_sort|swap_ranges)
algorithm: ranges::(transform|unique|upper_bound)
any: any(_cast)?
array: array|to_array
atomic: atomic(_\w+)?|memory_order(_\w+)?
barrier: barrier
bit: bit_(cast|ceil|floor|width)|countl_(one|zero)|countr_(one|zero)|endian|has_single_bit|popcount|rot[lr]
bitset: bitset
cctype: is(alnum|alpha|digit|graph|lower|print|punct|space|upper|xdigit)|to(lower|upper)
charconv: (from|to)_chars(_result)?|chars_format
chrono: chrono|chrono_literals
cmath cstdlib: abs
cmath: acos|asin|atan|atan2|cbrt|ceil|copysign|cos|cosh|erf|erfc|exp|exp2|fabs|floor|fma|fmax|fmin|fmod|frexp|hypot|isfinite|isinf
cmath: isnan|ldexp|lgamma|llround|log|log10|log1p|log2|lround|modf|nan|nearbyint|nextafter|pow|remainder|rint|round|signbit|sin
cmath: sinh|sqrt|tan|tanh|tgamma|trunc
compare: (strong|weak|partial)_ordering|compare_three_way|three_way_comparable(_with)?
complex: complex|conj|norm|polar
concepts: assignable_from|constructible_from|convertible_to|copy_constructible|copyable|default_initializable|derived_from
concepts: destructible|equality_comparable|floating_point|integral|invocable|move_constructible|movable|predicate|regular
concepts: regular_invocable|same_as|semiregular|signed_integral|strict_weak_order|swappable|totally_ordered|unsigned_integral
condition_variable: condition_variable(_any)?|cv_status
coroutine: coroutine_\w+|suspend_(always|never)
csignal: raise|sig_atomic_t|signal
cstdarg: va_list
cstddef cstdio cstdlib cstring ctime cwchar: size_t
cstddef: byte|max_align_t|nullptr_t|ptrdiff_t|to_integer
cstdint: u?int(_fast|_least)?\d+_t|u?intmax_t|u?intptr_t
cstdio: FILE|f(close|eof|error|flush|getc|gets|open|printf|putc|puts|read|scanf|seek|tell|write)|getchar|perror|printf|putchar|puts
cstdio: rename|rewind|scanf|setbuf|setvbuf|snprintf|sprintf|sscanf|tmpfile|v(f|s|sn)?printf
cstdlib: _Exit|abort|aligned_alloc|at_quick_exit|atexit|ato[fil]|atoll|calloc|div|exit|free|getenv|malloc|mbstowcs|qsort|quick_exit
cstdlib: rand|realloc|srand|strto(d|f|l|ld|ll|ul|ull)|system
cstring: mem(chr|cmp|cpy|move|set)|str(cat|chr|cmp|coll|cpy|cspn|error|len|ncat|ncmp|ncpy|pbrk|rchr|spn|str|tok)
ctime: asctime|clock|clock_t|ctime|difftime|gmtime|localtime|mktime|strftime|time|time_t|timespec|tm
deque: deque
exception: current_exception|exception|exception_ptr|get_terminate|make_exception_ptr|nested_exception|rethrow_exception
exception: rethrow_if_nested|set_terminate|terminate|terminate_handler|throw_with_nested|uncaught_exceptions
execution: execution
filesystem: filesystem
forward_list: forward_list
fstream: w?(basic_)?[io]?f(stream|ilebuf)
functional: bind(_front)?|bit_(and|not|or|xor)|boyer_moore\w*|c?ref|divides|equal_to|function|greater|greater_equal|identity|invoke
functional: is_bind_expression\w*|less|less_equal|logical_(and|not|or)|mem_fn|minus|modulus|multiplies|negate|not_equal_to|not_fn
functional: placeholders|plus|reference_wrapper
functional: ranges::(equal_to|greater|greater_equal|less|less_equal|not_equal_to)
functional string string_view memory optional variant thread system_error typeindex: hash
future: async|future|future_error|launch|packaged_task|promise|shared_future
initializer_list: initializer_list
iomanip: get_time|put_time|quoted|set(base|fill|precision|w)
ios: boolalpha|dec|defaultfloat|fixed|hex|ios|ios_base|left|noboolalpha|oct|right|scientific|showbase|streamoff|streampos|streamsize
iostream: w?c(in|out|err|log)
istream: basic_istream|istream|ws
istream string: getline
iterator: advance|back_insert_iterator|back_inserter|bidirectional_iterator|contiguous_iterator|default_sentinel(_t)?|distance
iterator: forward_iterator|front_inserter|incrementable\w*|indirect\w+|input_iterator|insert_iterator|inserter|istream_iterator
iterator: istreambuf_iterator|iter_\w+_t|iterator_traits|make_(move|reverse)_iterator|(move|reverse)_iterator|mergeable|next
iterator: ostream_iterator|ostreambuf_iterator|output_iterator|permutable|prev|projected|random_access_iterator|sentinel_for
iterator: sized_sentinel_for|sortable|\w+_iterator_tag|unreachable_sentinel(_t)?|weakly_incrementable|counted_iterator
iterator: ranges::(advance|distance|iter_move|iter_swap|next|prev)
iterator array deque forward_list list map regex set span string string_view unordered_map unordered_set vector: c?r?(begin|end)
iterator array deque forward_list list map regex set span string string_view unordered_map unordered_set vector: data|empty|s?size
latch: latch
limits: numeric_limits|float_round_style
list: list
locale: locale
map: (multi)?map
memory: align|allocate_shared|allocator|allocator_arg(_t)?|allocator_traits|assume_aligned|bad_weak_ptr|construct_at
memory: const_pointer_cast|default_delete|destroy|destroy_(at|n)|dynamic_pointer_cast|enable_shared_from_this|make_shared
memory: make_unique|make_(shared|unique)_for_overwrite|owner_less|pointer_traits|reinterpret_pointer_cast|shared_ptr|static_pointer_cast
memory: to_address|uninitialized_\w+|unique_ptr|uses_allocator\w*|weak_ptr
memory: addressof|ranges::(construct_at|destroy\w*|uninitialized_\w+)
memory_resource: pmr
mutex shared_mutex: adopt_lock(_t)?|defer_lock(_t)?|try_to_lock(_t)?|unique_lock
mutex: call_once|lock|lock_guard|mutex|once_flag|recursive_mutex|recursive_timed_mutex|scoped_lock|timed_mutex|try_lock
new: align_val_t|bad_alloc|bad_array_new_length|destroying_delete|get_new_handler|hardware_\w+_interference_size|launder
new: new_handler|nothrow|nothrow_t|set_new_handler
numbers: numbers
numeric: accumulate|adjacent_difference|exclusive_scan|gcd|inclusive_scan|inner_product|iota|lcm|midpoint|partial_sum|reduce
numeric: transform_(exclusive_scan|inclusive_scan|reduce)
optional: bad_optional_access|make_optional|nullopt|nullopt_t|optional
ostream: basic_ostream|endl|ends|flush|osyncstream
ostream istream iosfwd: ostream
queue: (priority_)?queue
random: bernoulli_distribution|default_random_engine|discrete_distribution|generate_canonical|geometric_distribution|minstd_rand0?
random: exponential_distribution|mt19937(_64)?|normal_distribution|poisson_distribution|random_device|seed_seq
random: uniform_(int|real)_distribution
ranges: ranges(::(all_t|begin|bidirectional_range|borrowed_\w+|c?(begin|end|data)|common_range|contiguous_range|dangling))?
ranges: ranges::(empty|end)
ranges: ranges::(enable_\w+|forward_range|input_range|iterator_t|\w+_view|output_range|random_access_range|range|range_\w+_t)
ranges: ranges::(sentinel_t|size|sized_range|ssize|subrange|view|view_interface|views|viewable_range)
ranges: views
ratio chrono: atto|femto|pico|nano|micro|milli|centi|deci|deca|hecto|kilo|mega|giga|tera|peta|exa|ratio(_\w+)?
regex: c?s?regex_\w+|regex|[cs]match|[cs]sub_match|[cs]regex_(token_)?iterator
semaphore: (binary|counting)_semaphore
set: (multi)?set
shared_mutex: shared_lock|shared_(timed_)?mutex
source_location: source_location
span: as_(writable_)?bytes|dynamic_extent|span
sstream: [io]?stringstream|stringbuf
stack: stack
stdexcept: domain_error|invalid_argument|length_error|logic_error|out_of_range|overflow_error|range_error|runtime_error
stdexcept: underflow_error
stop_token: nostopstate|stop_(callback|source|token)
streambuf: (basic_)?streambuf
string string_view: char_traits
string: basic_string|sto(d|f|i|l|ld|ll|ul|ull)|string|string_literals|to_string|to_wstring|u(8|16|32)string|wstring
string_view: basic_string_view|string_view|string_view_literals
string vector deque list map set unordered_map unordered_set forward_list: erase|erase_if
system_error: errc|error_(category|code|condition)|(generic|system)_category|is_error_\w+|make_error_\w+|system_error
thread: jthread|this_thread|thread
tuple utility array ranges: tuple_(element|size)(_[tv])?
tuple utility array ranges variant: get
tuple: apply|forward_as_tuple|ignore|make_from_tuple|make_tuple|tie|tuple|tuple_cat
typeindex: type_index
typeinfo: bad_cast|bad_typeid|type_info
type_traits: add_\w+|aligned_(storage|union)(_t)?|alignment_of\w*|bool_constant|common_(reference|type)(_t)?|conditional(_t)?
type_traits: conjunction(_v)?|decay(_t)?|disjunction(_v)?|enable_if(_t)?|extent\w*|false_type|has_\w+|integral_constant
type_traits: invoke_result(_t)?|is_\w+|make_(un)?signed(_t)?|negation(_v)?|rank\w*|remove_\w+|true_type|type_identity(_t)?
type_traits: underlying_type(_t)?|void_t|is_constant_evaluated
unordered_map: unordered_(multi)?map
unordered_set: unordered_(multi)?set
utility optional variant: in_place(_\w+)?
utility: as_const|cmp_\w+|declval|exchange|forward|in_range|index_sequence(_for)?|integer_sequence|make_pair
utility: make_(index|integer)_sequence|move|move_if_noexcept|pair|piecewise_construct(_t)?|ranges::swap|swap|unreachable
variant: bad_variant_access|get_if|holds_alternative|monostate|variant|variant_(alternative|size)\w*|visit
vector: vector
"""

# The same for names outside of std: of C, of the system and of libraries. They are those that come with the precompiled headers.
OTHERS = r"""
cassert assert.h: assert
cerrno errno.h: errno
cfloat float.h: (DBL|FLT|LDBL)_(DIG|EPSILON|MANT_DIG|MAX|MIN)
cinttypes inttypes.h: PRI[diouxX](8|16|32|64|MAX|PTR)
climits limits.h: CHAR_BIT|U?(CHAR|SHRT|INT|LONG|LLONG)_M(AX|IN)|PATH_MAX
cstdint stdint.h: U?INT(8|16|32|64|MAX|PTR)_M(AX|IN)|SIZE_MAX|PTRDIFF_M(AX|IN)|u?int(8|16|32|64|ptr)_t
cstddef: offsetof
cstdio stdio.h: stdin|stdout|stderr|EOF|popen|pclose|fileno|fdopen
cstdlib stdlib.h: EXIT_(FAILURE|SUCCESS)|mkdtemp|mkstemp|setenv|unsetenv|putenv|realpath
cstring string.h: strsignal|strdup|strtok_r
csignal signal.h: SIG[A-Z]{2,6}|SIG_(DFL|IGN|BLOCK|UNBLOCK|SETMASK)|sigaction|sigset_t|sigaltstack|pthread_sigmask|pthread_kill
ctime time.h sys/time.h sys/stat.h: timespec
ctime time.h: clock_get(time|res)|CLOCK_[A-Z_]+|nanosleep|(gm|local)time_r
pthread.h: pthread_(?!sigmask\b|kill\b)\w+
sched.h: sched_\w+|cpu_set_t|CPU_(ALLOC|COUNT|ISSET|SET|ZERO|SETSIZE|CLR|ALLOC_SIZE|COUNT_S|SET_S|ZERO_S|ISSET_S|FREE)
semaphore.h: sem_(init|post|wait|timedwait|trywait|destroy|t)
sys/syscall.h: SYS_\w+|__NR_\w+
sys/time.h sys/resource.h: timeval
sys/wait.h: waitpid|WIFEXITED|WEXITSTATUS|WIFSIGNALED|WTERMSIG|WNOHANG
unistd.h: _exit|_SC_[A-Z_]+|sysconf|isatty|dup2|pipe2|gettid|getpid|getppid|STD(IN|OUT|ERR)_FILENO|environ|fsync|ftruncate|rmdir
unistd.h: syscall|geteuid|getuid|usleep|execvp?e?|execl|[CR-X]_OK|sethostname|gethostname
sys/types.h unistd.h sys/wait.h sched.h csignal signal.h: pid_t
sys/types.h unistd.h cstdio stdio.h: ssize_t|off_t
fmt/core.h: fmt::(format|format_args|format_string|format_to|formatted_size|make_format_args|print|runtime|vformat|vprint)
fmt/format.h: fmt::(join|memory_buffer|to_string)
nlohmann/json.hpp nlohmann/json_fwd.hpp: nlohmann::\w+
"""
# Functions of <unistd.h> whose names are common words. They count only where they are called with a leading `::`.
COMMON_WORDS = "access alarm close dup fork getopt lseek pipe pread read sleep unlink write".split()
FORWARD = {"iosfwd", "nlohmann/json_fwd.hpp"}  # headers that suffice for a header, but not for a source

# What comes with a header for certain. For the standard headers, the C++ standard says so. The streams come with their base
# classes, since a program cannot use one without them.
COMES_WITH = {
    **dict.fromkeys("array deque forward_list iterator list map memory queue ranges regex set stack string string_view "
                    "unordered_map unordered_set utility vector".split(), ("compare", "initializer_list")),
    **dict.fromkeys("chrono coroutine optional system_error thread tuple typeindex variant".split(), ("compare",)),
    **dict.fromkeys("algorithm random valarray".split(), ("initializer_list",)),
    "ranges": ("compare", "initializer_list", "iterator"),
    "bitset": ("iosfwd", "string"),
    "istream": ("ios", "iosfwd", "streambuf"),
    "ostream": ("ios", "iosfwd", "streambuf"),
    **dict.fromkeys("fstream iostream sstream".split(), ("ios", "iosfwd", "istream", "ostream", "streambuf")),
    "pthread.h": ("sched.h", "time.h"),  # POSIX says so
    "fmt/format.h": ("fmt/core.h",),
    "fmt/ranges.h": ("fmt/format.h", "fmt/core.h"),
    "nlohmann/json.hpp": ("nlohmann/json_fwd.hpp",),
}
PER_NAME = ("ranges",)  # namespaces in std whose names are in several headers

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:<([^>\n]+)>|"([^"\n]+)")', re.MULTILINE)
NO_CODE = re.compile(  # a disabled part, a comment, a raw string, a string, a character (but not the ' in 1'000)
    r'^[ \t]*#[ \t]*if 0\b.*?^[ \t]*#[ \t]*(?:endif|else)\b|//[^\n]*|/\*.*?\*/|\bu?8?R"([^()\\ ]{0,16})\(.*?\)\1"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'", re.DOTALL | re.MULTILINE)
STANDARD_NAME = re.compile(r"\bstd::(\w+)(?:::(\w+))?")
OTHER_NAME = re.compile(r"(?<![\w:.>])(?:::)?(?:(?:fmt|nlohmann)::)?[A-Za-z_]\w+")
SYNTAX = [  # what needs a header without a name
    (re.compile(r"\btypeid\s*\("), ("typeinfo",)),
    (re.compile(r"\boperator<=>\([^;{]*= default"), ("compare",)),
    (re.compile(r"(?<!operator )\bnew \((?!std::nothrow)"), ("new",)),
]


def table(text):
    """[(headers, pattern of names)] of a table above."""
    lines = (line.split(": ", 1) for line in text.strip().splitlines())
    return [(tuple(headers.split()), re.compile(names)) for headers, names in lines]


STANDARD_TABLE, OTHER_TABLE = table(STANDARD), table(OTHERS)


@functools.cache
def headers_of(name, standard):
    """The headers that declare a name; none if it is not in the table."""
    if name.startswith("::"):
        name = name[2:]
        if name in COMMON_WORDS:
            return ("unistd.h",)
    lines = STANDARD_TABLE if standard else OTHER_TABLE
    return tuple(header for headers, names in lines if names.fullmatch(name) for header in headers)


def without_comments(text):
    """The same text with the same lines, without comments, strings and disabled parts."""
    return NO_CODE.sub(lambda match: "\n" * match[0].count("\n") or " ", text)


def keep_strings(match):
    """For without_comments, where the strings matter: an include has one."""
    return match[0] if match[0].startswith('"') else "\n" * match[0].count("\n")


def names_of(code):
    """[(place, name as written, headers that declare it)]. No headers: the table does not know the name."""
    for match in STANDARD_NAME.finditer(code):
        name = match[1]
        if name in PER_NAME and match[2]:
            name += "::" + match[2]
        yield match.start(), "std::" + name, headers_of(name, True)
    for match in OTHER_NAME.finditer(code):
        if headers := headers_of(match[0], False):
            yield match.start(), match[0], headers
    for pattern, headers in SYNTAX:
        for match in pattern.finditer(code):
            yield match.start(), f"`{match[0]}`", headers


class Checker:
    def __init__(self, root):
        self.root = root
        self.complaints = []

    def find(self, file, header):
        """The project's file behind an include, or None."""
        folders = (file.parent, self.root / "include", self.root / "src", self.root, self.root / "bench/shims")
        return next((path for path in (folder / header for folder in folders) if path.is_file()), None)

    @functools.cache
    def included(self, file):
        """(outside headers, the project's files) that a file includes itself."""
        outside, ours = set(), set()
        for angled, quoted in INCLUDE.findall(NO_CODE.sub(keep_strings, file.read_text(encoding="utf-8"))):
            path = self.find(file, angled or quoted)
            if path is None:
                outside |= {angled or quoted, *COMES_WITH.get(angled, ())}
            else:
                ours.add(path.resolve())
        return outside, ours

    def reached(self, file):
        """The outside headers that a file includes itself or through the project's files."""
        outside, seen, left = set(), set(), {file.resolve()}
        while left:
            seen |= left
            for path in left:
                outside |= self.included(path)[0]
            left = {path for one in left for path in self.included(one)[1]} - seen
        return outside

    def check_file(self, file):
        reached = self.reached(file)
        code = without_comments(file.read_text(encoding="utf-8"))
        complained = set()
        for place, name, headers in names_of(code):
            if file.suffix == ".cpp":
                headers = tuple(header for header in headers if header not in FORWARD)
            declared_here = re.search(rf"\bextern [^;]*\b{re.escape(name)};", code)
            if name in complained or declared_here or not reached.isdisjoint(headers):
                continue
            complained.add(name)
            where = f"{file.relative_to(self.root)}:{code.count(chr(10), 0, place) + 1}: {name}"
            instead = " or ".join(f"<{header}>" for header in headers)
            self.complaints.append(f"{where}: " + (f"include {instead}" if headers
                                                   else "add this name to STANDARD in tools/check_includes.py"))

    def check_project(self):
        files = 0
        for folder in FOLDERS:
            for path in sorted((self.root / folder).rglob("*.[ch]pp")):
                self.check_file(path)
                files += 1
        return files


HEADER = "#pragma once\n"
PLANTED = [  # (file, text, a part of the complaint; None: no complaint is expected)
    ("include/skua/fine.hpp", HEADER + "#include <vector>\nstd::vector<int> list();\n", None),
    ("src/core/reached.hpp", HEADER + "#include <skua/fine.hpp>\n", None),
    ("src/core/reached.cpp", '#include "core/reached.hpp"\nstd::vector<int> list;\n', None),
    ("src/core/guaranteed.cpp", "#include <vector>\nvoid f(std::initializer_list<int>);\n", None),
    ("src/core/comment.cpp", "// std::vector\n/* std::map\n   std::set */ int a = 1'000; char b = 'x', c = '\"';\n", None),
    ("src/core/text.cpp", 'const char* a = "std::vector \\" std::map";\nconst char* b = R"(std::set " )";\n', None),
    ("src/core/disabled.cpp", "#if 0\nstd::vector<int> list;\n#endif\n", None),
    ("src/core/any_of_two.cpp", "#include <cstdio>\nstd::size_t size;\n", None),
    ("src/core/own.cpp", "extern char** environ;\nchar** first() { return environ; }\n", None),
    ("src/core/member.cpp", "int f(file& a, file* b) { return a.sysconf(1) + b->errno; }\n", None),
    ("src/core/forward.hpp", HEADER + "#include <nlohmann/json_fwd.hpp>\n#include <iosfwd>\n"
     "void f(const nlohmann::json&, std::ostream&);\n", None),
    ("include/skua/bare.hpp", HEADER + "std::vector<int> list();\n", "bare.hpp:2: std::vector: include <vector>"),
    ("src/core/nothing.cpp", "int a;\nstd::vector<int> list;\n", "nothing.cpp:2: std::vector: include <vector>"),
    ("src/core/by_chance.cpp", "#include <functional>\nstd::vector<int> list;\n", "include <vector>"),
    ("src/core/quote.cpp", "#include <string>\nint a = 1'000;\nstd::string b() { return \"'\"; }\nstd::map<int, int> c;\n",
     "quote.cpp:4: std::map: include <map>"),
    ("src/core/after_disabled.cpp", "#if 0\n#else\nstd::vector<int> list;\n#endif\n", "include <vector>"),
    ("src/core/disabled_include.cpp", "#if 0\n#include <vector>\n#endif\nstd::vector<int> list;\n", "include <vector>"),
    ("src/core/commented_include.cpp", "// #include <vector>\n/*\n#include <vector>\n*/\nstd::vector<int> list;\n",
     "include <vector>"),
    ("src/core/two.cpp", "#include <cmath>\nstd::uint64_t a = std::sqrt(2);\n", "std::uint64_t: include <cstdint>"),
    ("src/core/ranges.cpp", "#include <ranges>\nvoid f(int* a) { std::ranges::sort(a, a + 1); }\n",
     "std::ranges::sort: include <algorithm>"),
    ("src/core/nested.cpp", "std::chrono::seconds wait;\n", "std::chrono: include <chrono>"),
    ("src/core/unknown.cpp", "#include <vector>\nstd::invented a;\n", "std::invented: add this name"),
    ("src/core/macro.cpp", "#include <mutex>\nint f() { return errno; }\n", "errno: include <cerrno>"),
    ("src/core/system.cpp", "#include <thread>\nauto f() { return pthread_self(); }\n", "pthread_self: include <pthread.h>"),
    ("src/core/global.cpp", "void f(int a) { ::close(a); }\n", "::close: include <unistd.h>"),
    ("src/core/forward.cpp", '#include "core/forward.hpp"\nint f(const nlohmann::json& a) { return a[0]; }\n',
     "nlohmann::json: include <nlohmann/json.hpp>"),
    ("src/core/format.cpp", '#include <string>\nauto a = fmt::format("{}", 1);\n', "fmt::format: include <fmt/core.h>"),
    ("src/core/placement.cpp", "#include <memory>\nvoid f(void* a) { new (a) int; }\n", "include <new>"),
    ("src/core/spaceship.cpp", "struct a { bool operator<=>(const a&) const = default; };\n", "include <compare>"),
    ("tests/unit/core/a_test.cpp", "#include <gtest/gtest.h>\nstd::string a;\n", "include <string>"),
]


def self_test():
    with planted_files.written(PLANTED) as root:
        checker = Checker(root)
        checker.check_project()
    return planted_files.wrong_complaints(PLANTED, checker.complaints)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        complaints, done = self_test(), f"{len(PLANTED)} planted files checked correctly"
    else:
        checker = Checker(ROOT)
        files = checker.check_project()
        complaints, done = checker.complaints, f"{files} files include what they use"
    print("\n".join(complaints) if complaints else done)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
