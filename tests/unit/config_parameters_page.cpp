// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "tessera/core/config/parameters_page.hpp"
#include "tests/unit/config_example.hpp"

namespace tessera::config {
namespace {

/// A page without its title and first paragraph.
std::string body(const std::string& page) { return page.substr(page.find("\n## ")); }

TEST(ConfigParametersPage, OneTableForEachSection) {
  Document document = Document::defaults();
  Example::read(document.root());
  const std::string page = parameters_page("tessera-example", {{"", "", &document.declarations()}});
  EXPECT_EQ(page.substr(0, page.find("\n\n")), "# Parameters of tessera-example");
  EXPECT_NE(page.find("`tessera-example --print-defaults --markdown`"), std::string::npos) << page;
  EXPECT_EQ(body(page), R"(
## Top level

| key | type | default | unit | limits | meaning |
|---|---|---|---|---|---|
| `app` | text | `example` |  |  |  |

## `grid`

The grid that follows the mass.

| key | type | default | unit | limits | meaning |
|---|---|---|---|---|---|
| `threshold` | real number | `1.0e-07` |  | > 0 | mass below which a cell does not grow |
| `spacing` | list of real numbers | required | km | > 0, 3 elements | width of a cell |
| `cells` | integer | `10` |  | 1 to 1000000 | largest number of cells \| per axis |

### `grid.scheme`

How the mass moves.

| key | type | default | unit | limits | meaning |
|---|---|---|---|---|---|
| `limiter` | text | `minmod` |  | one of none, minmod, superbee | slope limiter |
| `adaptive` | boolean | `true` |  |  | whether the step adapts |

## `run`

| key | type | default | unit | limits | meaning |
|---|---|---|---|---|---|
| `seed` | integer | `18446744073709551615` |  |  |  |
| `offset` | integer | `-9223372036854775808` |  |  | where the random numbers begin |
| `outputs` | list of texts | `[density, "no", "two words: here"]` |  |  |  |
| `order` | list of integers | `[3, -1]` |  |  |  |
| `covariance` | matrix of real numbers | `[[1, 0.5], [0.5, 2]]` |  | 2 x 2 |  |
| `center` | list of real numbers | that of the mass |  | 2 elements | center of the view |
| `note` | text | `"a \"quoted\" text,\n\tin two lines\x01 )"
                        "\xC3\xA9"
                        R"("` |  |  |  |
| `rate` | real number | `0` |  |  |  |

## `prior`

Optional. What is known before.

| key | type | default | unit | limits | meaning |
|---|---|---|---|---|---|
| `width` | real number | required |  | > 0 | standard deviation |

## `measurements[]`

A list of sections: what is observed.

| key | type | default | unit | limits | meaning |
|---|---|---|---|---|---|
| `time` | real number | required | s | >= 0 | when it is taken |
| `sensor` | text | `radar` |  | one of radar, camera | what takes it |
| `value` | list of real numbers | `[1, 2]` | km | 2 elements | what it says |
)");
}

/// Parameters that depend on each other.
Document shapes(const std::string& shape) {
  Document document = Document::defaults();
  if (shape != "ball") document.apply_override("body.shape=" + shape);
  Section root = document.root();
  Section in = root.section("body", "what falls");
  std::string name = "ball", finish = "painted";
  in.get("shape", name).one_of({"ball", "box", "egg"});
  double radius = 2;
  std::vector<double> edges(3, 1.0), center(name == "box" ? 3 : 2, 0.0);
  int count = name == "ball" ? 1 : 4;
  if (name != "box")
    in.get("radius", radius)
        .positive()
        .doc("of the " + std::string(name == "ball" ? "ball" : "waist"));
  if (name == "box") in.get("edges", edges).size(3).doc("lengths");
  in.get("center", center).size(center.size(), "one for each axis");
  in.get("count", count).range(0, count, "0 to the number of bodies");
  if (name != "ball") root.section("corners", "how they are rounded").get("finish", finish);
  return document;
}

TEST(ConfigParametersPage, SaysWhatGoesWithWhat) {
  const Document ball = shapes("ball"), box = shapes("box"), egg = shapes("egg");
  const std::string page =
      parameters_page("tessera-fall", {{"", "", &ball.declarations()},
                                       {"body.shape", "box", &box.declarations()},
                                       {"body.shape", "egg", &egg.declarations()}});
  EXPECT_EQ(body(page), R"(
## `body`

What falls.

| key | type | default | unit | limits | meaning | only with |
|---|---|---|---|---|---|---|
| `shape` | text | `ball` |  | one of ball, box, egg |  |  |
| `radius` | real number | `2` |  | > 0 | of the ball | `body.shape`: ball |
| `edges` | list of real numbers | `[1, 1, 1]` |  | 3 elements | lengths | `body.shape`: box |
| `radius` | real number | `2` |  | > 0 | of the waist | `body.shape`: egg |
| `center` | list of real numbers | depends on `body.shape` |  | one for each axis |  |  |
| `count` | integer | depends on `body.shape` |  | 0 to the number of bodies |  |  |

## `corners`

How they are rounded. Only with `body.shape`: box, egg.

| key | type | default | unit | limits | meaning |
|---|---|---|---|---|---|
| `finish` | text | `painted` |  |  |  |
)");
}

TEST(ConfigParametersPage, TextIsWrapped) {
  Document document = Document::defaults();
  Section root = document.root();
  std::string words;
  for (int i = 0; i < 40; ++i) words += (i > 0 ? " " : "") + std::string("word");
  int x = 1;
  root.section("long", words).get("x", x);
  const std::string page = parameters_page("tessera-long", {{"", "", &document.declarations()}});
  for (std::size_t start = 0; start < page.size();) {
    const std::size_t end = page.find('\n', start);
    EXPECT_LE(end - start, 100u) << page.substr(start, end - start);
    start = end + 1;
  }
}

TEST(ConfigParametersPage, LongListsAreShortened) {
  Document document = Document::defaults();
  Section root = document.root();
  std::vector<double> few{0.125, 0.25}, many;
  for (int i = 0; i <= 40; ++i) many.push_back(0.25 * i);
  std::string text(200, 'a');
  root.get("few", few);
  root.get("many", many);
  root.get("text", text);
  const std::string page = parameters_page("tessera-long", {{"", "", &document.declarations()}});
  EXPECT_NE(page.find("| `[0.125, 0.25]` |"), std::string::npos) << page;
  EXPECT_NE(page.find("| `[0, 0.25, ..., 10]` |"), std::string::npos) << page;
  EXPECT_NE(page.find("| `" + text + "` |"), std::string::npos) << page;
}

TEST(ConfigDeclaration, IsFoundByItsPath) {
  Document document = Document::defaults();
  Example::read(document.root());
  const Declaration* found = find(document.declarations(), "grid.scheme.limiter");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->key, "limiter");
  EXPECT_EQ(find(document.declarations(), "grid.scheme.limit"), nullptr);
}

}  // namespace
}  // namespace tessera::config
