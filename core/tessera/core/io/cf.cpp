// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/io/cf.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "tessera/core/error.hpp"
#include "tessera/core/io/hdf5.hpp"
#include "tessera/core/names.hpp"

namespace tessera::io {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// A numeric attribute of any length; none where it is missing.
template <class T>
struct NumericAttribute {
  std::vector<T> values;
  bool is_real = false;
};

template <class T>
NumericAttribute<T> read_numbers(const Group& group, const std::string& dataset,
                                 const std::string& name) {
  const QuietHdf5 quiet;
  NumericAttribute<T> read;
  const Id variable = open_dataset(group, dataset);
  if (H5Aexists(variable, name.c_str()) <= 0) return read;
  const Id attribute(H5Aopen(variable, name.c_str(), H5P_DEFAULT)), type(H5Aget_type(attribute)),
      space(H5Aget_space(attribute));
  const H5T_class_t kind = H5Tget_class(type);
  const hssize_t size = H5Sget_simple_extent_npoints(space);
  if ((kind != H5T_INTEGER && kind != H5T_FLOAT) || size < 0 || size > 4096) {
    throw Error(ErrorKind::input,
                "the attribute '" + name + "' of '" + group.place(dataset) + "' holds no numbers");
  }
  read.is_real = kind == H5T_FLOAT;
  read.values.resize(static_cast<std::size_t>(size));
  if (size > 0 &&
      H5Aread(attribute, std::is_same_v<T, double> ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64,
              read.values.data()) < 0)
    throw Error(ErrorKind::file, "cannot read the attribute '" + name + "' of '" +
                                     group.place(dataset) + "'" + hdf5_reason());
  return read;
}

/// An attribute of a dataset with numbers or a text; none where it is missing or holds something
/// else.
std::optional<Attribute> read_attribute(const Group& group, const std::string& dataset,
                                        const std::string& name) {
  const QuietHdf5 quiet;
  H5T_class_t kind = H5T_NO_CLASS;
  {
    const Id variable = open_dataset(group, dataset);
    if (H5Aexists(variable, name.c_str()) <= 0) return {};
    const Id attribute(H5Aopen(variable, name.c_str(), H5P_DEFAULT)), type(H5Aget_type(attribute));
    kind = H5Tget_class(type);
  }
  Attribute found;
  if (kind == H5T_STRING) {
    found.text = group.attribute<std::string>(name, dataset);
  } else if (kind == H5T_INTEGER || kind == H5T_FLOAT) {
    const auto numbers = read_numbers<double>(group, dataset, name);
    found.numbers = numbers.values;
    found.is_real = numbers.is_real;
  }
  return found;
}

/// A number in single precision; those beyond it become infinite.
double to_single(double number) {
  constexpr double kMost = std::numeric_limits<float>::max();
  return std::fabs(number) > kMost * (1 + 0x1p-25)
             ? std::copysign(std::numeric_limits<double>::infinity(), number)
         : std::fabs(number) > kMost ? std::copysign(kMost, number)
                                     : static_cast<double>(static_cast<float>(number));
}

/// The numbers that a text lists, as in "0, 100"; none where it is no such list.
std::vector<double> numbers_of(const std::string& text) {
  std::vector<double> numbers;
  const char* at = text.c_str();
  while (true) {
    while (*at == ' ' || *at == ',' || *at == '\t' || *at == '\n') ++at;
    if (*at == '\0') return numbers;
    char* end = nullptr;
    numbers.push_back(std::strtod(at, &end));
    if (end == at) return {};
    at = end;
    // "-999s", as CDL writes types
    if (*at != '\0' && std::strchr("bBsSfFdDlLuU", *at) != nullptr) ++at;
    if (*at != '\0' && std::strchr(" ,\t\n", *at) == nullptr) return {};
  }
}

/// The numbers of an attribute, also of one that is a text; a text without numbers counts as no
/// attribute.
Attribute find_numbers(const FindAttribute& find, const std::string& name) {
  Attribute found = find(name).value_or(Attribute());
  if (!found.text) return found;
  found.numbers = numbers_of(*found.text);
  found.is_real = found.text->find_first_of(".eE") != std::string::npos;
  return found;
}

double find_number(const FindAttribute& find, const std::string& place, const std::string& name,
                   double fallback) {
  const std::optional<Attribute> found = find(name);
  if (!found) return fallback;
  if (found->text)
    throw Error(ErrorKind::input,
                "the attribute '" + name + "' of '" + place + "' holds no numbers");
  if (found->numbers.empty()) return fallback;
  if (found->numbers.size() != 1 || !std::isfinite(found->numbers.front()))
    throw Error(ErrorKind::input,
                "the attribute '" + name + "' of '" + place + "' is not one finite number");
  return found->numbers.front();
}

std::string read_type(const Group& group, const std::string& dataset) {
  const QuietHdf5 quiet;
  const Id variable = open_dataset(group, dataset), type(H5Dget_type(variable));
  const std::string bits = std::to_string(8 * H5Tget_size(type));
  if (H5Tget_class(type) == H5T_FLOAT) return "float" + bits;
  if (H5Tget_class(type) != H5T_INTEGER) return "other";
  return (H5Tget_sign(type) == H5T_SGN_2 ? "int" : "uint") + bits;
}

bool is_integer(const std::string& type) { return type.find("int") != std::string::npos; }

double bits_of_type(const std::string& type) {
  return std::stod(type.substr(type.find_first_of("0123456789")));
}

/// Returns the least and the largest number of the type; infinite for floating point.
std::pair<double, double> limits(const Packing& packing) {
  if (!is_integer(packing.type))
    return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  const double bits = bits_of_type(packing.type);
  if (packing.without_sign || packing.type[0] == 'u')
    return {0, std::ldexp(1.0, static_cast<int>(bits)) - 1};
  const double half = std::ldexp(1.0, static_cast<int>(bits) - 1);
  return {-half, half - 1};
}

void check_range(const Packing& packing, const std::string& place) {
  if (!(packing.lowest <= packing.highest))
    throw Error(ErrorKind::input, "the valid range of '" + place + "' is empty");
}

/// The attributes of a valid range, as numbers of the file.
void find_valid_range(const FindAttribute& find, const std::string& place, Packing& packing) {
  const Attribute range = find_numbers(find, "valid_range"), low = find_numbers(find, "valid_min"),
                  high = find_numbers(find, "valid_max");
  if (!range.numbers.empty() && range.numbers.size() != 2)
    throw Error(ErrorKind::input,
                "the attribute 'valid_range' of '" + place + "' does not hold two numbers");
  const auto to_number = [&](double bound, bool is_real) {
    const bool is_value = is_real && is_integer(packing.type) && packing.is_packed();
    if (packing.without_sign && !is_value && bound < 0)
      bound += std::ldexp(1.0, static_cast<int>(bits_of_type(packing.type)));
    if (packing.type == "float32" && !is_value) bound = to_single(bound);
    return is_value ? (bound - packing.offset) / packing.scale : bound;
  };
  std::vector<double> lows, highs;
  if (!range.numbers.empty()) {
    lows.push_back(to_number(range.numbers[0], range.is_real));
    highs.push_back(to_number(range.numbers[1], range.is_real));
  } else {
    if (!low.numbers.empty()) lows.push_back(to_number(low.numbers[0], low.is_real));
    if (!high.numbers.empty()) highs.push_back(to_number(high.numbers[0], high.is_real));
  }
  const bool in_values = is_integer(packing.type) && packing.is_packed() &&
                         (range.is_real || low.is_real || high.is_real);
  if (in_values && packing.scale < 0) std::swap(lows, highs);
  const double slack = in_values ? 1e-9 : 0;  // of the division by the scale
  if (!lows.empty() && !std::isnan(lows[0])) packing.lowest = lows[0] - slack * std::fabs(lows[0]);
  if (!highs.empty() && !std::isnan(highs[0]))
    packing.highest = highs[0] + slack * std::fabs(highs[0]);
  check_range(packing, place);
}

/// Adds the numbers of _FillValue or missing_value that the type can meet.
void find_missing(const FindAttribute& find, const std::string& name, Packing& packing) {
  for (double number : find_numbers(find, name).numbers) {
    if (packing.type == "float32") number = to_single(number);
    if (packing.without_sign && number < 0)
      number += std::ldexp(1.0, static_cast<int>(bits_of_type(packing.type)));
    const auto [least, most] = limits(packing);
    const bool can_be_met = !is_integer(packing.type) ||
                            (number == std::floor(number) && number >= least && number <= most);
    if (can_be_met) packing.missing.push_back(number);
  }
}

/// Returns whether netCDF wrote a dataset, and its unwritten numbers hold the default fill value.
bool has_default_fill(const Group& group, const std::string& dataset) {
  const QuietHdf5 quiet;
  const Id variable = open_dataset(group, dataset), creation(H5Dget_create_plist(variable));
  H5D_fill_time_t time = H5D_FILL_TIME_IFSET;
  // NC_NOFILL
  if (creation >= 0 && H5Pget_fill_time(creation, &time) >= 0 && time == H5D_FILL_TIME_NEVER)
    return false;
  for (const char* mark : {"DIMENSION_LIST", "_Netcdf4Dimid", "_Netcdf4Coordinates", "CLASS"}) {
    if (H5Aexists(variable, mark) > 0) return true;
  }
  return group.has_attribute("_NCProperties");
}

}  // namespace

bool Packing::is_valid(double number) const {
  return number >= lowest && number <= highest &&
         std::find(missing.begin(), missing.end(), number) == missing.end();
}

double Packing::decode(double number) const {
  if (without_sign && number < 0) number += std::ldexp(1.0, static_cast<int>(bits_of_type(type)));
  if (!is_valid(number)) return kNan;
  return is_packed() ? number * scale + offset : number;
}

double Packing::encode(double value, bool& clipped) const {
  const bool whole = is_integer(type);
  double number = std::isnan(value) ? (missing.empty() ? kNan : missing.front())
                  : is_packed()     ? (value - offset) / scale
                                    : value;
  if (!std::isnan(value)) {
    if (whole) number = std::nearbyint(number);
    auto [least, most] = limits(*this);
    least = std::max(least, whole ? std::ceil(lowest) : lowest);
    most = std::min(most, whole ? std::floor(highest) : highest);
    const double wanted = number;
    number = std::clamp(number, least, most);
    clipped = clipped || number != wanted;
    // The next number that stands for a value, towards the middle of the range.
    const double step = whole ? (number > 0.5 * least + 0.5 * most ? -1 : 1) : 0;
    for (int i = 0; i < 16 && step != 0 && !is_valid(number); ++i) number += step;
  }
  if (without_sign && type[0] != 'u' &&
      number >= std::ldexp(1.0, static_cast<int>(bits_of_type(type)) - 1))
    number -= std::ldexp(1.0, static_cast<int>(bits_of_type(type)));
  return number;
}

Packing make_packing(const std::string& type, const std::string& place, bool has_default,
                     const FindAttribute& find) {
  Packing packing;
  packing.type = type;
  packing.scale = find_number(find, place, "scale_factor", 1);
  packing.offset = find_number(find, place, "add_offset", 0);
  if (packing.scale == 0)
    throw Error(ErrorKind::input, "the attribute 'scale_factor' of '" + place + "' is 0");
  if (is_integer(type)) {
    const std::optional<Attribute> sign = find("_Unsigned");
    packing.without_sign = sign && sign->text && (*sign->text == "true" || *sign->text == "True");
  }
  packing.has_fill = find("_FillValue").has_value();
  find_missing(find, "_FillValue", packing);
  find_missing(find, "missing_value", packing);
  if (has_default && !packing.has_fill && type != "int8" && type != "uint8")
    packing.missing.push_back(default_fill(type));
  find_valid_range(find, place, packing);
  return packing;
}

Packing read_packing(const Group& group, const std::string& dataset) {
  return make_packing(
      read_type(group, dataset), group.place(dataset), has_default_fill(group, dataset),
      [&](const std::string& name) { return read_attribute(group, dataset, name); });
}

double default_fill(const std::string& type) {
  if (type == "int8") return -127;
  if (type == "uint8") return 255;
  if (type == "int16") return -32767;
  if (type == "uint16") return 65535;
  if (type == "int32") return -2147483647;
  if (type == "uint32") return 4294967295;
  if (type == "int64") return -9223372036854775806.0;
  if (type == "uint64") return 18446744073709551614.0;
  // The fill value of double precision is that of single precision.
  return type == "float32" || type == "float64" ? 9.9692099683868690e+36 : kNan;
}

std::string text_attribute(const Group& group, const std::string& dataset,
                           const std::string& name) {
  const std::optional<Attribute> found = read_attribute(group, dataset, name);
  return found && found->text ? *found->text : std::string();
}

std::vector<double> read_values(const Group& group, const std::string& dataset) {
  const Packing packing = read_packing(group, dataset);
  std::vector<double> values = group.read<double>(dataset);
  for (double& value : values) value = packing.decode(value);
  return values;
}

bool Flags::has(std::int64_t number, std::size_t meaning) const {
  if (masks.empty()) return number == values[meaning];
  const std::int64_t some = number & masks[meaning];
  return values.empty() ? some != 0 : some == values[meaning];
}

Flags read_flags(const Group& group, const std::string& dataset) {
  const std::string place = group.place(dataset);
  if (!group.has_attribute("flag_meanings", dataset)) {
    throw Error(ErrorKind::input,
                "'" + place + "' has no attribute 'flag_meanings' that names its flags",
                "give 'bits', or leave 'flags' out: then all that is not zero is marked");
  }
  Flags flags;
  std::istringstream words(group.attribute<std::string>("flag_meanings", dataset));
  for (std::string word; words >> word;) flags.meanings.push_back(word);
  flags.values = read_numbers<std::int64_t>(group, dataset, "flag_values").values;
  flags.masks = read_numbers<std::int64_t>(group, dataset, "flag_masks").values;
  const auto fits = [&](const std::vector<std::int64_t>& list) {
    return list.empty() || list.size() == flags.meanings.size();
  };
  if ((flags.values.empty() && flags.masks.empty()) || !fits(flags.values) || !fits(flags.masks)) {
    throw Error(ErrorKind::input,
                "'" + place + "' has " + std::to_string(flags.meanings.size()) +
                    " flag_meanings, " + std::to_string(flags.values.size()) + " flag_values and " +
                    std::to_string(flags.masks.size()) + " flag_masks, which do not fit each other",
                "give 'bits' instead of 'flags'");
  }
  return flags;
}

std::vector<std::size_t> find_flags(const Flags& flags, const std::vector<std::string>& names,
                                    const std::string& place) {
  std::vector<std::size_t> indices;
  for (const std::string& name : names) {
    const auto found = std::find(flags.meanings.begin(), flags.meanings.end(), name);
    if (found == flags.meanings.end()) {
      throw Error(ErrorKind::input, "'" + place + "' has no flag '" + name + "'",
                  "choose of: " + join_names(flags.meanings));
    }
    indices.push_back(static_cast<std::size_t>(found - flags.meanings.begin()));
  }
  return indices;
}

}  // namespace tessera::io
