// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/program/input/forces.hpp"

#include <algorithm>

#include "tessera/core/config/record_errors.hpp"
#include "tessera/core/names.hpp"
#include "tessera/gbees/dynamics/forces.hpp"
#include "tessera/gbees/program/input/numbers.hpp"

namespace tessera::gbees::input {

namespace {

const Dimension kLength{1, 0, 0}, kGravity{3, -2, 0}, kAreaToMass{2, 0, -1}, kDensity{-3, 0, 1},
    kRate{0, -1, 0}, kPressure{-1, -2, 1}, kNumber{};

/// Declares and reads the numbers of one force, and notes their dimensions.
class ForceReader {
 public:
  ForceReader(config::Section& in, const Units& units, const std::vector<Table>& tables,
              EquationText& text)
      : m_in(in), m_units(units), m_tables(tables), m_text(text) {}

  /// Notes the name of a force that is a part of a central field.
  void read(FieldForces& of_field) {
    m_in.require("kind", m_kind)
        .one_of({"two_body", "j2", "third_body", "drag", "srp"})
        .doc("which acceleration; METHOD.md has the formulas");
    m_name = m_kind;
    m_in.get("name", m_name)
        .doc(
            "F in the definitions F_x, F_y (and F_z) that it makes, for positions x, y, z; "
            "default: the kind");
    config::record_errors(m_in, "kind", [&] {
      if (is("two_body")) read_two_body();
      if (is("j2")) read_j2();
      if (is("third_body")) read_third_body();
      if (is("drag")) read_drag();
      if (is("srp")) read_srp();
    });
    m_in.finish();
    if (m_in.documenting()) return;
    if (m_kind == "two_body") of_field.two_body.push_back(m_name);
    if (m_kind == "j2") of_field.j2.push_back(m_name);
  }

 private:
  bool is(const char* kind) const { return m_in.documenting() || m_kind == kind; }

  double number(const std::string& key, const Dimension& dimension, const std::string& doc,
                bool is_required = true) {
    config::Quantity quantity{is_required ? 1.0 : 0.0, "", 0};
    if (is_required && !m_in.documenting()) {
      m_in.require(key, quantity).doc(doc);
    } else {
      m_in.get(key, quantity).doc(doc);
    }
    const NumberRead read = convert(m_in, key, quantity, m_units, dimension);
    if (m_units.given) m_text.dimensions[m_name + "_" + key] = dimension;
    return read.value;
  }

  double gravity() {
    return number("mu", kGravity, "gravitational parameter of the body, length^3/time^2");
  }
  double radius(const std::string& doc) { return number("radius", kLength, doc); }

  void read_two_body() {
    const double mu = gravity();
    if (!m_in.documenting()) add_two_body(m_text, m_name, mu);
  }

  void read_j2() {
    const double mu = gravity(), j2 = number("j2", kNumber, "second zonal coefficient of the body");
    const double r = radius("of j2: the equator's; of drag: where the air has 'density'");
    if (!m_in.documenting()) add_j2(m_text, m_name, mu, j2, r);
  }

  void read_third_body() {
    const double mu = gravity();
    const std::vector<std::string> body = table();
    bool indirect = true;
    m_in.get("indirect", indirect)
        .doc("of third_body: the body attracts the origin too, which is that of a planet");
    if (!m_in.documenting() && !body.empty()) add_third_body(m_text, m_name, body, mu, indirect);
  }

  void read_drag() {
    Drag drag;
    drag.ballistic = number("ballistic", kAreaToMass,
                            "of drag: drag coefficient times area by mass, length^2/mass");
    drag.density = number("density", kDensity, "of drag: of the air at 'radius', mass/length^3");
    drag.radius = radius("of j2: the equator's; of drag: where the air has 'density'");
    drag.scale_height =
        number("scale_height", kLength, "of drag: over which the density falls by e");
    drag.rotation =
        number("rotation", kRate, "of drag: of the air about the third axis, 1/time", false);
    if (!m_in.documenting()) add_drag(m_text, m_name, drag);
  }

  void read_srp() {
    RadiationPressure light;
    light.pressure =
        number("pressure", kPressure,
               "of srp: of the light at 'distance' from the Sun, mass/(length time^2)");
    light.distance = number("distance", kLength, "of srp: from the Sun");
    light.area_to_mass =
        number("area_to_mass", kAreaToMass,
               "of srp: reflectivity coefficient times area by mass, length^2/mass");
    const bool has_shadow = m_in.has("shadow_radius");
    const double shadow = number(
        "shadow_radius", kLength,
        "of srp: of a body at the origin that casts a cylinder's shadow; 0: none does", false);
    if (has_shadow && shadow > 0) light.shadow_radius = shadow;
    const std::vector<std::string> sun = table();
    if (!m_in.documenting() && !sun.empty()) add_radiation_pressure(m_text, m_name, sun, light);
  }

  /// The names of the coordinates of the body that a force belongs to.
  std::vector<std::string> table() {
    std::string name = "moon";
    (m_in.documenting() ? m_in.get("table", name) : m_in.require("table", name))
        .doc(
            "of third_body and srp: the name of the table, in model.tables, of the body's or the "
            "Sun's coordinates");
    if (m_in.documenting()) return {};
    const auto found = std::find_if(m_tables.begin(), m_tables.end(),
                                    [&](const Table& table) { return table.name == name; });
    if (found != m_tables.end()) {
      return {found->names.begin(),
              found->names.begin() + static_cast<std::ptrdiff_t>(found->functions.size())};
    }
    std::vector<std::string> known;
    for (const Table& table : m_tables) known.push_back(table.name);
    m_in.error("table", "there is no table '" + name + "' in model.tables" +
                            (known.empty() ? "" : "; there are " + join_names(known)));
    return std::vector<std::string>(m_text.variables.size() / 2, "0");
  }

  config::Section& m_in;
  const Units& m_units;
  const std::vector<Table>& m_tables;
  EquationText& m_text;
  std::string m_kind = "two_body", m_name;
};

}  // namespace

FieldForces read_forces(config::Section& model, const Units& units,
                        const std::vector<Table>& tables, EquationText& text) {
  FieldForces of_field;
  for (config::Section& in :
       model.list("forces", "accelerations, as names to compose equations of")) {
    ForceReader(in, units, tables, text).read(of_field);
  }
  return of_field;
}

}  // namespace tessera::gbees::input
