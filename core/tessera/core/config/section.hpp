// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace tessera::config {

class Document;
struct Declaration;
struct Interval;
struct Node;

using Matrix = std::vector<std::vector<double>>;
using TextRows = std::vector<std::vector<std::string>>;

/// A number that may have a unit: 3.5, or 3.5 km/s.
struct Quantity {
  double number = 0;
  std::string unit;         ///< as the input has it, or empty
  std::size_t unit_at = 0;  ///< the offset of its first character in the text of the input
};

/// The result of a conversion: the number without its unit, or the problem with the unit and the
/// offset of the character of the text that it concerns.
struct Conversion {
  double value = 0;
  std::string problem = {};  ///< empty: none
  std::size_t at = 0;
};

namespace detail {

template <class T>
struct ElementOf {
  using Type = T;
};
template <class T>
struct ElementOf<std::vector<T>> : ElementOf<T> {};

}  // namespace detail

/// The scalar that T consists of: T itself, or the element of a vector or matrix.
template <class T>
using Element = typename detail::ElementOf<T>::Type;

template <class T>
concept NumericParameter = std::is_arithmetic_v<Element<T>> && !std::is_same_v<Element<T>, bool>;
template <class T>
concept TextParameter = std::is_same_v<Element<T>, std::string>;
template <class T>
concept ListParameter = !std::is_same_v<T, Element<T>>;

/// A parameter that has just been read: add its unit, its documentation and its limits.
///
/// A value that fails a check is recorded as an error at its place, once; the variable then keeps
/// its default. T is one of bool, int, std::int64_t, std::uint64_t, double, Quantity, std::string
/// and std::vector of double, int or std::string, or Matrix or TextRows. Limits on a vector or a
/// matrix hold for each element. A default must lie within them.
///
/// A parameter without a default is read into a std::optional, which stays empty when the input
/// says nothing: the lists of parameters have it as not set, or say by `otherwise` what holds then.
template <class T>
class Parameter {
 public:
  /// `value`: null where the parameter is not set. `optional`: the variable that is read into,
  /// where that is a std::optional.
  Parameter(Document& document, Declaration& declaration, const Node* node, T* value,
            std::optional<T>* optional, std::optional<T> fallback);

  Parameter& doc(const std::string& text);

  /// Says what holds when the parameter is not set, in a few words: "half an initial standard
  /// deviation".
  Parameter& otherwise(const std::string& text);
  Parameter& unit(const std::string& text);

  /// low <= value <= high; either may be infinite. Where they depend on the rest of the input,
  /// `rule` says how in the list of parameters.
  Parameter& range(double low, double high,
                   const std::string& rule = {}) requires NumericParameter<T>;
  Parameter& positive()  ///< value > 0
      requires NumericParameter<T>;
  Parameter& non_negative()  ///< value >= 0
      requires NumericParameter<T>;
  Parameter& one_of(const std::vector<std::string>& names)  ///< suggests the nearest name
      requires TextParameter<T>;
  /// Vectors: n elements; matrices: n x n. Where n depends on the rest of the input, `rule` says
  /// how in the list of parameters.
  Parameter& size(std::size_t n, const std::string& rule = {}) requires ListParameter<T>;

  /// A file or folder, or each element of a list one: a relative path counts from the folder of the
  /// input file (on the command line: from the working directory). An empty one stays empty.
  Parameter& path() requires TextParameter<T>;

  /// Returns whether the input (or the command line) gave a value.
  bool given() const { return m_node != nullptr; }

 private:
  void limit_to(const Interval& interval, const std::string& rule = {});
  void add_limits(const std::string& text, const std::string& rule = {});
  void reject(const Node& place, const std::string& message);
  [[noreturn]] void refuse_default() const;
  template <class Check>
  void check_elements(const Check& holds, const std::string& requirement);

  Document& m_document;
  Declaration& m_declaration;
  const Node* m_node;
  T* m_value;  // null: not set
  std::optional<T>* m_optional;
  std::optional<T> m_default;
};

/// The form of what an input has in the place of a value.
enum class Form { nothing, scalar, list, rows, mapping };  // rows: a list that begins with a list

/// A mapping of the input in which parameters are declared, read and checked together.
///
/// Reading never throws for what the user wrote: problems are recorded in the document, with file,
/// line and column, and reported all together. A section that the input lacks reads as empty, so
/// every parameter takes its default.
///
///     config::Section grid = root.section("grid", "the grid");
///     grid.get("threshold", p.threshold).positive().doc("mass below which a cell does not grow");
///     grid.finish();
///
/// A section refers to its document and to the variables it reads into; it must not outlive them.
class Section {
 public:
  Section(Document& document, const Node* node, Declaration& declaration, bool demanding);

  /// An optional parameter: `value` holds the default on entry and the value read on return.
  template <class T>
  Parameter<T> get(const std::string& key, T& value);

  /// An optional parameter that need not have a default: `value` is empty on return when the input
  /// has none. A value that it holds on entry is the default.
  template <class T>
  Parameter<T> get(const std::string& key, std::optional<T>& value);

  /// A parameter that must be given: a missing one is an error at the section's place. `value`
  /// holds the example that --print-defaults shows. The error also names `alternative`, a key that
  /// can stand for this one; with it in the input use get.
  template <class T>
  Parameter<T> require(const std::string& key, T& value, const std::string& alternative = {});

  /// Lets the next reading of `key`, of real numbers, accept numbers with a unit. `convert` says
  /// which number such a text stands for, by its row and column where `key` is a list or a matrix.
  void convert_units(const std::string& key,
                     const std::function<Conversion(const Quantity&, std::size_t row,
                                                    std::size_t column)>& convert);

  /// A nested mapping; `present()` tells whether the input has it. `key:` with nothing below it is
  /// an empty mapping.
  Section section(const std::string& key, const std::string& doc = {});

  /// A list of mappings, e.g. `measurements:`; empty when absent. While defaults are documented it
  /// holds one empty section, so that the parameters of an entry are declared.
  std::vector<Section> list(const std::string& key, const std::string& doc = {});

  /// Returns whether the input has this section. Asking makes the section an optional one:
  /// --print-defaults shows it commented out, and so that its parameters are declared there the
  /// answer is yes while defaults are documented.
  bool present() const;

  /// Returns whether the input gives `key` a value.
  bool has(const std::string& key) const;

  /// Returns the form of what the input has for `key`, for parameters that may be given in several
  /// ways: declare the one that was used.
  Form form(const std::string& key) const;

  /// The keys of this section that the input has, in its order, for sections whose keys are the
  /// user's own names.
  std::vector<std::string> keys() const;

  /// Records an error at a character of the text that `key` has: of its element `item`, when it is
  /// a list (item < 0: it is not). What was not given in the input, or was rejected already, is
  /// treated as by `error`.
  void error_within(const std::string& key, int item, std::size_t offset,
                    const std::string& message);

  /// Records an error at an element of the list that `key` has, {2}, or of a list in it, {2, 0}.
  /// What is not there is treated as by `error`.
  void error_at(const std::string& key, const std::vector<std::size_t>& element,
                const std::string& message);

  /// Records an error at the place of `key` (or of the section when the key is absent or empty). A
  /// value that was rejected already is not complained about again.
  void error(const std::string& key, const std::string& message);

  /// Returns the place of `key` (or of the section, when the key is absent or empty) in the input,
  /// "input.yaml:12:3", for messages about what shows only while the program runs.
  std::string place(const std::string& key = {}) const;

  /// Records an error for every key that was not declared, with a suggestion (of more than 20 keys
  /// the rest together). Keys that begin with `x-` and the key `comment` are free.
  void finish();

  /// Returns whether the parameters are declared for documentation only (--print-defaults), without
  /// an input: nothing that is missing is an error then, and values that depend on each other may
  /// not fit.
  bool documenting() const;

  /// Comments `key` out in the listing of --print-defaults, because an input that is otherwise as
  /// listed has no use of it. In such an input the key is an error.
  void comment_out(const std::string& key);

  /// Writes `key` out in the listing of --print-defaults, because an input as listed needs it.
  /// Where it has no default the listing shows `example` (YAML).
  void write_out(const std::string& key, const std::string& example = {});

  /// Returns whether errors were found in the input so far: it is no use then to read the files
  /// that it names.
  bool has_errors() const;

  /// "grid", "measurements[0]"; empty for the root.
  const std::string& path() const;

 private:
  template <class T>
  Parameter<T> read(const std::string& key, T* value, std::optional<T>* optional, bool required,
                    const std::string& alternative = {});
  Section open(const Node* node, Declaration& declaration) const;
  Declaration& declared(const std::string& key) const;

  Document& m_document;
  // the mapping; null when the input lacks it or has something else in its place
  const Node* m_node;
  Declaration& m_declaration;
  bool m_demanding;  // whether a missing required key is an error
};

}  // namespace tessera::config
