// Turns the structs of the built-in policies' options into a policy's text.
#include <charconv>
#include <cstddef>
#include <string_view>

#include <skua/policies.hpp>

namespace skua::with {

namespace {

class written {
 public:
  explicit written(std::string_view name) : text_(name) { text_ += '('; }
  written& option(std::string_view name, std::string_view value) {
    if (text_.back() != '(') text_ += ", ";
    text_.append(name).append("=").append(value);
    return *this;
  }
  written& option(std::string_view name, bool value) {
    return option(name, value ? std::string_view("yes") : "no");
  }
  written& option(std::string_view name, std::int64_t value) {
    return option(name, std::string_view(std::to_string(value)));
  }
  written& option(std::string_view name, double value) {
    char digits[32];
    const char* const end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    return option(name, std::string_view(digits, static_cast<std::size_t>(end - digits)));
  }
  operator std::string() const { return text_ + ')'; }

 private:
  std::string text_;
};

std::string_view word(scan s) {
  return s == scan::always ? "always" : s == scan::sometimes ? "sometimes" : "list";
}
std::string_view word(after a) { return a == after::same ? "same" : "top"; }
std::string_view word(scope s) { return s == scope::machine ? "machine" : "domain"; }
std::string_view word(with::deal d) {
  return d == deal::never ? "never" : d == deal::large ? "large" : "always";
}
std::string_view word(steal s) { return s == steal::half ? "half" : "one"; }

}  // namespace

nearest::operator std::string() const {
  return written("nearest")
      .option("persistence", persistence)
      .option("heads", heads)
      .option("half", half)
      .option("deal", word(deal));
}
random::operator std::string() const { return written("random").option("half", half).option("once", once); }
round_robin::operator std::string() const { return written("round_robin").option("half", half); }
most_loaded::operator std::string() const {
  return written("most_loaded")
      .option("how", word(how))
      .option("refresh", refresh)
      .option("after", word(after))
      .option("scope", word(scope))
      .option("half", half);
}
announced::operator std::string() const {
  return written("announced").option("capacity", capacity).option("patience", patience).option("half", half);
}
bitier::operator std::string() const {
  return written("bitier").option("boundary", boundary).option("large", large).option("spread", spread);
}
depth_aware::operator std::string() const {
  return written("depth_aware").option("candidates", candidates).option("half", half);
}
affinity::operator std::string() const {
  return written("affinity").option("candidates", candidates).option("strict", strict);
}
deal_at_start::operator std::string() const { return written("deal_at_start").option("patience", patience); }
managers::operator std::string() const {
  return written("managers")
      .option("radix", radix)
      .option("steal", word(steal))
      .option("underflow", underflow)
      .option("dedicated", dedicated)
      .option("rescue", rescue)
      .option("patience", patience);
}
chase_lev::operator std::string() const { return "chase_lev"; }
mix::operator std::string() const {
  return written("mix").option("share", share).option("first", first).option("second", second);
}
automatic::operator std::string() const { return "auto"; }
chaos::operator std::string() const { return written("chaos").option("refuse", refuse); }

}  // namespace skua::with
