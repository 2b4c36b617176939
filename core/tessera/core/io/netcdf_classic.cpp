// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/io/netcdf_classic.hpp"

#include <fstream>

#include "tessera/core/error.hpp"

#ifdef TESSERA_HAVE_NETCDF
#include <netcdf.h>

#include <algorithm>
#include <vector>

#include "tessera/core/io/files_read.hpp"
#include "tessera/core/io/hdf5.hpp"
#include "tessera/core/io/netcdf.hpp"
#endif

namespace tessera::io {

bool is_classic_netcdf(const std::string& path) {
  char magic[4] = "";
  std::ifstream file(path, std::ios::binary);
  return file.read(magic, sizeof magic) && std::string(magic, 3) == "CDF" &&
         (magic[3] == 1 || magic[3] == 2 || magic[3] == 5);
}

#ifdef TESSERA_HAVE_NETCDF

namespace {

/// One file that is read.
class ClassicFile {
 public:
  explicit ClassicFile(const std::string& path) : m_path(path) {
    check(nc_open(path.c_str(), NC_NOWRITE, &m_id));
    FilesRead::global().add_file(path);
  }
  ~ClassicFile() { nc_close(m_id); }
  ClassicFile(const ClassicFile&) = delete;
  ClassicFile& operator=(const ClassicFile&) = delete;

  operator int() const { return m_id; }

  void check(int status) const {
    if (status == NC_NOERR) return;
    throw Error(ErrorKind::file,
                "cannot read '" + m_path + "' (netCDF: " + nc_strerror(status) + ")",
                "the file may be damaged");
  }

 private:
  const std::string& m_path;
  int m_id = -1;
};

hid_t number_type(nc_type type) {
  switch (type) {
    case NC_BYTE:
      return H5T_NATIVE_SCHAR;
    case NC_UBYTE:
      return H5T_NATIVE_UCHAR;
    case NC_SHORT:
      return H5T_NATIVE_SHORT;
    case NC_USHORT:
      return H5T_NATIVE_USHORT;
    case NC_INT:
      return H5T_NATIVE_INT;
    case NC_UINT:
      return H5T_NATIVE_UINT;
    case NC_INT64:
      return H5T_NATIVE_LLONG;
    case NC_UINT64:
      return H5T_NATIVE_ULLONG;
    case NC_FLOAT:
      return H5T_NATIVE_FLOAT;
    default:
      return H5T_NATIVE_DOUBLE;
  }
}

struct Variable {
  std::string name;
  nc_type type = NC_NAT;
  std::vector<int> dimensions;
};

/// Copies the file, variable by variable.
class Copy {
 public:
  Copy(const ClassicFile& from, const Group& to) : m_from(from), m_to(to) {}

  void describe() {
    int dimensions = 0, variables = 0, attributes = 0;
    m_from.check(nc_inq(m_from, &dimensions, &variables, &attributes, nullptr));
    for (int d = 0; d < dimensions; ++d) {
      char name[NC_MAX_NAME + 1] = "";
      std::size_t length = 0;
      m_from.check(nc_inq_dim(m_from, d, name, &length));
      m_dimensions.emplace_back(name);
      m_lengths.push_back(length);
    }
    for (int v = 0; v < variables; ++v) create(v);
    for (std::size_t d = 0; d < m_dimensions.size(); ++d) {
      if (!m_to.has(m_dimensions[d])) write_bare_dimension(m_to, m_dimensions[d], m_lengths[d]);
    }
    for (std::size_t v = 0; v < m_variables.size(); ++v) attach(v);
    copy_attributes(NC_GLOBAL, attributes, "");
  }

  void copy_numbers(const std::string& path) {
    const std::string name = path.substr(path.rfind('/') + 1);
    const auto found = std::find_if(m_variables.begin(), m_variables.end(),
                                    [&](const Variable& v) { return v.name == name; });
    if (found == m_variables.end() || found->type == NC_CHAR) return;
    const Id dataset = open_dataset(m_to, name), type(H5Dget_type(dataset));
    std::size_t size = H5Tget_size(type), numbers = 1;
    for (const int d : found->dimensions) numbers *= m_lengths[static_cast<std::size_t>(d)];
    check_memory(numbers, size, m_to.place(name));
    std::vector<char> buffer(numbers * size);
    m_from.check(nc_get_var(m_from, static_cast<int>(found - m_variables.begin()), buffer.data()));
    if (numbers > 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer.data()) < 0)
      throw Error(ErrorKind::resource,
                  "cannot hold '" + m_to.place(name) + "' in memory" + hdf5_reason());
  }

 private:
  void create(int number) {
    Variable variable;
    char name[NC_MAX_NAME + 1] = "";
    int rank = 0;
    m_from.check(nc_inq_varndims(m_from, number, &rank));
    variable.dimensions.resize(static_cast<std::size_t>(rank));
    m_from.check(nc_inq_var(m_from, number, name, &variable.type, nullptr,
                            variable.dimensions.data(), nullptr));
    variable.name = name;
    std::vector<hsize_t> extents;
    for (const int d : variable.dimensions)
      extents.push_back(m_lengths[static_cast<std::size_t>(d)]);
    const Id space(rank == 0 ? H5Screate(H5S_SCALAR)
                             : H5Screate_simple(rank, extents.data(), nullptr));
    const Id text(H5Tcopy(H5T_C_S1));
    const Id dataset(
        H5Dcreate2(static_cast<hid_t>(m_to.id()), name,
                   variable.type == NC_CHAR ? static_cast<hid_t>(text) : number_type(variable.type),
                   space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    if (dataset < 0)
      throw Error(ErrorKind::file, "cannot take over '" + m_to.place(name) + "'" + hdf5_reason());
    m_variables.push_back(variable);
    int attributes = 0;
    m_from.check(nc_inq_varnatts(m_from, number, &attributes));
    copy_attributes(number, attributes, variable.name);
    if (rank == 1 &&
        m_dimensions[static_cast<std::size_t>(variable.dimensions[0])] == variable.name)
      make_scale(m_to, variable.name);
  }

  void attach(std::size_t number) {
    const Variable& variable = m_variables[number];
    std::vector<std::string> names;
    for (const int d : variable.dimensions)
      names.push_back(m_dimensions[static_cast<std::size_t>(d)]);
    if (names.size() != 1 || names[0] != variable.name)
      attach_scales(m_to, variable.name, m_to, names);
  }

  void copy_attributes(int variable, int count, const std::string& on) {
    const Id object(
        H5Oopen(static_cast<hid_t>(m_to.id()), on.empty() ? "." : on.c_str(), H5P_DEFAULT));
    for (int a = 0; a < count; ++a) {
      char name[NC_MAX_NAME + 1] = "";
      nc_type type = NC_NAT;
      std::size_t length = 0;
      m_from.check(nc_inq_attname(m_from, variable, a, name));
      m_from.check(nc_inq_att(m_from, variable, name, &type, &length));
      if (type == NC_CHAR) {
        std::string text(length, '\0');
        m_from.check(nc_get_att_text(m_from, variable, name, text.data()));
        write_text_attribute(m_to, on, name, text);
        continue;
      }
      std::vector<double> numbers(length + 1);  // of 8 bytes at most
      m_from.check(nc_get_att(m_from, variable, name, numbers.data()));
      const hsize_t extent = length;
      const Id space(H5Screate_simple(1, &extent, nullptr));
      const Id attribute(
          H5Acreate2(object, name, number_type(type), space, H5P_DEFAULT, H5P_DEFAULT));
      if (attribute < 0 ||
          (length > 0 && H5Awrite(attribute, number_type(type), numbers.data()) < 0))
        throw Error(ErrorKind::file, "cannot take over the attribute '" + m_to.place(on) + "@" +
                                         name + "'" + hdf5_reason());
    }
  }

  const ClassicFile& m_from;
  Group m_to;
  std::vector<std::string> m_dimensions;
  std::vector<std::size_t> m_lengths;
  std::vector<Variable> m_variables;
};

}  // namespace

File open_classic_netcdf(const std::string& path, const std::string& variable) {
  const QuietHdf5 quiet;
  const ClassicFile from(path);
  File file = File::in_memory(path);
  const Group root = file.root();
  Copy copy(from, root);
  copy.describe();
  if (variable.empty() || !root.has(variable)) return file;
  copy.copy_numbers(variable);
  for (const std::string& related : related_variables(root, variable)) copy.copy_numbers(related);
  return file;
}

#else

File open_classic_netcdf(const std::string& path, const std::string&) {
  throw Error(ErrorKind::file,
              "'" + path +
                  "' is a NetCDF-3 (classic) file, and this build of Tessera has no netCDF library",
              "convert it with 'nccopy -k nc4 " + path +
                  " new.nc', or build where the library is installed (Debian: libnetcdf-dev)");
}

#endif

}  // namespace tessera::io
