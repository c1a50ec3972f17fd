// blackscholes and swaptions: published prices, the same bits on any number of workers, files of options.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include <skua/skua.hpp>

#include "workload_checks.hpp"
#include "workloads/common/workload.hpp"
#include "workloads/kernels/blackscholes.hpp"
#include "workloads/kernels/swaptions.hpp"

namespace workloads::pricing_test {
namespace {

using settings = std::map<std::string, std::string, std::less<>>;

answer_check sequential_check(const char* name, const settings& given) {
  const auto program = find(name)->make({.options = given});
  program->prepare();
  program->sequential();
  return program->verify();
}

TEST(blackscholes, prices_as_in_textbooks) {
  EXPECT_NEAR(reference_price(42, 40, .1, .2, .5, false), 4.75942239287, 1e-11);
  EXPECT_NEAR(reference_price(42, 40, .1, .2, .5, true), 0.80859937290, 1e-11);
  EXPECT_NEAR(reference_price(100, 100, .05, .15, 1, false), 8.59165831209, 1e-11);
  EXPECT_NEAR(reference_price(100, 100, .05, .15, 1, true), 3.71460076216, 1e-11);
  EXPECT_NEAR(option_price(42, 40, .1F, .2F, .5F, false), 4.759423036851750, 1e-4);
  EXPECT_NEAR(option_price(42, 40, .1F, .2F, .5F, true), 0.808600016880314, 1e-4);
  EXPECT_NEAR(option_price(100, 100, .05F, .15F, 1, false), 8.591659601309890, 1e-4);
  EXPECT_NEAR(option_price(100, 100, .05F, .15F, 1, true), 3.714602051381290, 1e-4);
}

TEST(blackscholes, first_options_as_published) {
  const option_set o = random_options(42, 4);
  EXPECT_EQ(o.spot, (std::vector<float>{87, 61, 76, 54}));
  EXPECT_EQ(o.strike, (std::vector<float>{58, 90, 76, 85}));
  EXPECT_EQ(o.rate, (std::vector<float>{.03F, .04F, .07F, .1F}));
  EXPECT_EQ(o.put, (std::vector<std::int32_t>{1, 0, 0, 1}));
  std::vector<float> prices(4);
  price_options(o, prices.data(), 0, 4);
  EXPECT_NEAR(prices[0], 8.8e-14, 1e-4);
  EXPECT_NEAR(prices[1], 0.313777830281, 1e-4);
  EXPECT_NEAR(prices[2], 2.17740695612, 1e-4);
  EXPECT_NEAR(prices[3], 26.0499853547, 1e-4);
}

TEST(blackscholes, calls_and_puts_agree) {
  const option_set o = random_options(1, 1000);
  for (std::size_t i = 0; i < o.size(); ++i) {
    const auto price = [&](bool put) {
      return double{option_price(o.spot[i], o.strike[i], o.rate[i], o.volatility[i], o.years[i], put)};
    };
    const double discounted = o.strike[i] * std::exp(-double{o.rate[i]} * o.years[i]);
    EXPECT_NEAR(price(false) - price(true), o.spot[i] - discounted, 1e-4);
  }
}

TEST(blackscholes, sums_as_published) {
  for (const char* n : {"1000", "4096", "65536", "1000000"}) {
    const answer_check v = sequential_check("blackscholes", {{"n", n}, {"sweeps", "1"}});
    EXPECT_TRUE(v.correct) << v.message;
    EXPECT_NE(v.message.find("as published"), std::string::npos) << v.message;
  }
}

TEST(blackscholes, any_number_of_workers) {
  for (const settings& given :
       {settings{{"n", "1"}}, settings{{"n", "999"}, {"sweeps", "3"}}, settings{{"n", "65536"}}})
    expect_verified("blackscholes", given);
}

class options_file : public testing::Test {
 protected:
  void TearDown() override { std::remove(file.c_str()); }
  std::string complaint(const std::string& text) {
    std::ofstream(file, std::ios::trunc) << text;
    try {
      read_options(file);
    } catch (const skua::bad_input& error) {
      return std::string(error.what()).substr(file.size());
    }
    return "accepted";
  }
  const std::string file = testing::TempDir() + "skua_options_" + std::to_string(getpid());
};

TEST_F(options_file, is_read_and_compared) {
  EXPECT_EQ(complaint("2\n42.00 40.00 0.1000 0.00 0.20 0.50 C 0.00 4.759423036851750\n"
                      "42.00 40.00 0.1000 0.00 0.20 0.50 P 0.00 0.808600016880314\n\n"),
            "accepted");
  const answer_check v = sequential_check("blackscholes", {{"input", file}});
  EXPECT_TRUE(v.correct) << v.message;
  EXPECT_NE(v.message.find("each as in the file"), std::string::npos);
  expect_verified("blackscholes", {{"input", file}});
  EXPECT_EQ(complaint("1\r\n42 40 0.1 0 0.2 0.5 C 0 4.70\r\n"), "accepted");
  EXPECT_FALSE(sequential_check("blackscholes", {{"input", file}}).correct);
}

TEST_F(options_file, damage_is_named_with_its_line) {
  EXPECT_EQ(complaint(""), " ends after line 0: expected a number of options");
  EXPECT_EQ(complaint("x\n"), ":1: expected a number of options from 1 to 100000000, found 'x'");
  EXPECT_EQ(complaint("0\n"), ":1: expected a number of options from 1 to 100000000, found '0'");
  EXPECT_EQ(complaint("1 2\n"), ":1: expected the end of the line, found '2'");
  EXPECT_EQ(complaint("1\n"), " ends after line 1: expected 1 options, one in each line");
  EXPECT_EQ(complaint("1\n42 0 0.1 0 0.2 0.5 C 0 4.75\n"),
            ":2: expected a strike price from 1e-6 to 1e9, found '0'");
  EXPECT_EQ(complaint("1\n42 40 0.1 0.5 0.2 0.5 C 0 4.75\n"),
            ":2: expected a dividend rate of 0, found '0.5'");
  EXPECT_EQ(complaint("1\n\n42 40 0.1 0 0.2 0.5 X 0 4.75\n"), ":3: expected P or C, found 'X'");
  EXPECT_EQ(complaint("1\n42 40 0.1 0 nan 0.5 C 0 4.75\n"),
            ":2: expected a volatility from 1e-6 to 100, found 'nan'");
  EXPECT_EQ(complaint("1\n42 40 0.1 0 0.2 0.5 C 0\n"), ":2: expected a price, found nothing");
  EXPECT_EQ(complaint("1\n42 40 0.1 0 0.2 0.5 C 0 4.75\n42 40\n"),
            ":3: expected the end of the file after 1 options, found '42'");
  EXPECT_THROW(read_options("/no/such/file"), skua::bad_input);
}

TEST(swaptions, are_generated_as_by_parsec) {
  const std::vector<swaption> all = make_swaptions(8);
  EXPECT_EQ(all[0].seed, 33261052u);
  EXPECT_EQ(all[7].seed, 33261059u);
  const double known[][2] = {{9.5, 1.7},   {15, 1.7},    {9.75, .5}, {12, 1.7},
                             {16.25, 4.7}, {18.75, 2.4}, {11.25, 4}, {9, 1.1}};
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(all[i].years, known[i][0]);
    EXPECT_NEAR(all[i].strike, known[i][1], 1e-12);
  }
}

TEST(swaptions, the_generator_jumps) {
  park_miller one(5), other(5);
  for (int i = 0; i < 1000; ++i) one.next();
  other.skip(1000);
  EXPECT_EQ(one.next(), other.next());
}

TEST(swaptions, prices_as_published) {
  for (const settings& given :
       {settings{{"n", "4"}, {"trials", "160"}}, settings{{"n", "16"}, {"trials", "1600"}},
        settings{{"n", "3"}, {"trials", "20000"}}}) {
    const answer_check v = sequential_check("swaptions", given);
    EXPECT_TRUE(v.correct) << v.message;
    EXPECT_NE(v.message.find("; " + given.at("n") + " as published"), std::string::npos) << v.message;
  }
}

TEST(swaptions, any_number_of_workers) {
  for (const settings& given :
       {settings{{"n", "1"}, {"trials", "16"}}, settings{{"n", "1"}, {"trials", "1600"}},
        settings{{"n", "17"}, {"trials", "48"}}})
    expect_verified("swaptions", given);
}

TEST(pricing, bad_options_are_refused) {
  EXPECT_THROW(find("blackscholes")->make({.options = {{"n", "0"}}}), skua::bad_input);
  EXPECT_THROW(find("blackscholes")->make({.options = {{"input", "/no/such/file"}}}), skua::bad_input);
  EXPECT_THROW(find("swaptions")->make({.options = {{"n", "0"}}}), skua::bad_input);
  try {
    find("swaptions")->make({.options = {{"trials", "100"}}});
    FAIL();
  } catch (const skua::bad_input& error) {
    EXPECT_STREQ(error.what(),
                 "trials is '100'; allowed: a multiple of 16 from 16 to 100000000; nearest: 96");
  }
}

}  // namespace
}  // namespace workloads::pricing_test
