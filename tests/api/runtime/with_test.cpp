// Options as structs have the same meaning as options as text.
#include <skua/skua.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace with_test {
namespace {

namespace with = skua::with;

const std::string structs[] = {
    with::nearest{},   with::random{},      with::round_robin{}, with::most_loaded{},   with::announced{},
    with::bitier{},    with::depth_aware{}, with::affinity{},    with::deal_at_start{}, with::managers{},
    with::chase_lev{}, with::mix{},         with::automatic{},   with::chaos{}};

std::string name_of(const std::string& text) { return text.substr(0, text.find('(')); }

TEST(api_with, there_is_one_for_every_built_in_policy) {
  std::set<std::string> there, wanted;
  for (const std::string& text : structs) there.insert(name_of(text));
  for (const skua::policy_info* info : skua::policies()) wanted.emplace(info->name);
  EXPECT_EQ(there, wanted);
}

TEST(api_with, each_says_every_option_with_the_same_default) {
  for (const std::string& text : structs) {
    EXPECT_TRUE(skua::make_policy(text)) << text;
    for (const skua::policy_info* info : skua::policies()) {
      if (info->name != name_of(text)) continue;
      for (const skua::policy_option& option : info->options) {
        if (option.kind == skua::policy_option::policy) continue;  // its value is written out in full
        const std::string written = std::string(option.name) + "=" + std::string(option.default_value);
        EXPECT_NE(text.find(written), std::string::npos) << text << " lacks " << written;
      }
    }
  }
}

TEST(api_with, a_scheduler_gets_the_chosen_options) {
  skua::scheduler pool(
      {.workers = 2,
       .policy = with::most_loaded{.how = with::scan::list, .refresh = 5, .scope = with::scope::domain}});
  EXPECT_EQ(pool.policy(), "most_loaded(how=list, refresh=5, after=same, scope=domain, half=no)");
  EXPECT_EQ(std::string(with::mix{.share = 0.9, .first = with::nearest{.heads = true}}),
            "mix(share=0.9, first=nearest(persistence=no, heads=yes, half=no, deal=large), "
            "second=random(half=no, once=no))");
  EXPECT_THROW(skua::scheduler({.policy = with::most_loaded{.refresh = 0}}), skua::bad_input);
}

}  // namespace
}  // namespace with_test
