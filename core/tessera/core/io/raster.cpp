// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/io/raster.hpp"

#include <cctype>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>

#include "tessera/core/error.hpp"

#ifdef TESSERA_HAVE_GDAL
#include <cpl_error.h>
#include <cpl_string.h>
#include <gdal.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tessera/core/io/files_read.hpp"
#include "tessera/core/io/temporary_file.hpp"
#endif

namespace tessera::io {

double RasterBand::decode(double number) const {
  // both are numbers of the type
  if (missing_value && number == *missing_value) return std::numeric_limits<double>::quiet_NaN();
  return scale == 1 && offset == 0 ? number : number * scale + offset;
}

namespace {

/// Throws Error (file) for files that are no rasters, as far as their name tells, with the way out.
void refuse_what_is_no_raster(const std::string& path) {
  std::error_code ignored;
  const auto refuse = [&](const std::string& what, const std::string& remedy) {
    throw Error(ErrorKind::file, "cannot read '" + path + "': " + what, remedy);
  };
  std::string ending = std::filesystem::path(path).extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (std::filesystem::is_directory(path, ignored)) refuse("it is a folder", "give a file");
  // GDAL has names that are no files
  if (!std::filesystem::exists(path, ignored) && path.find(':') == std::string::npos)
    refuse("No such file or directory", "check the name");
  if (ending == ".npz")
    refuse("it holds several arrays", "save the one wanted with numpy.save, as .npy");
  if (ending == ".csv" || ending == ".txt" || ending == ".dat")
    refuse("it is a table, not an image",
           "save the image as .npy (numpy.save), HDF5, NetCDF or a raster");
}

}  // namespace

#ifdef TESSERA_HAVE_GDAL

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;  // pixels that are read or written at once
constexpr GIntBig kCacheBytes = GIntBig{64} << 20;

/// A guard that silences GDAL: while it lives, GDAL prints nothing of its own.
class QuietGdal {
 public:
  QuietGdal() {
    GDALAllRegister();
    GDALSetCacheMax64(kCacheBytes);
    CPLPushErrorHandler(CPLQuietErrorHandler);
    CPLErrorReset();
  }
  ~QuietGdal() { CPLPopErrorHandler(); }
  QuietGdal(const QuietGdal&) = delete;
  QuietGdal& operator=(const QuietGdal&) = delete;
};

std::string reason() {
  const std::string text = CPLGetLastErrorMsg();
  return text.empty() ? "" : " (GDAL: " + text + ")";
}

struct CloseDataset {
  void operator()(void* dataset) const { GDALClose(dataset); }
};
using Dataset = std::unique_ptr<void, CloseDataset>;

std::string type_text(GDALDataType type) {
  switch (type) {
    case GDT_Byte:
      return "uint8";
    case GDT_UInt16:
      return "uint16";
    case GDT_Int16:
      return "int16";
    case GDT_UInt32:
      return "uint32";
    case GDT_Int32:
      return "int32";
    case GDT_Float32:
      return "float32";
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 5, 0)
    case GDT_Int64:
      return "int64";
    case GDT_UInt64:
      return "uint64";
#endif
    default:
      return "float64";
  }
}

/// Calls `work(first row, rows)` for runs of rows.
template <class Work>
void for_each_rows(int nx, int ny, const Work& work) {
  const int step = static_cast<int>(std::clamp<std::size_t>(kPiece / static_cast<std::size_t>(nx),
                                                            1, static_cast<std::size_t>(ny)));
  for (int row = 0; row < ny; row += step) work(row, std::min(step, ny - row));
}

/// The number for no data, as one of the band's type; none where it has none.
std::optional<double> missing_value_of(GDALRasterBandH band) {
  int has = 0;
  const GDALDataType type = GDALGetRasterDataType(band);
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 5, 0)
  if (type == GDT_Int64) {
    const auto whole = GDALGetRasterNoDataValueAsInt64(band, &has);
    return has ? std::optional<double>(static_cast<double>(whole)) : std::nullopt;
  }
  if (type == GDT_UInt64) {
    const auto whole = GDALGetRasterNoDataValueAsUInt64(band, &has);
    return has ? std::optional<double>(static_cast<double>(whole)) : std::nullopt;
  }
#endif
  const double missing = GDALGetRasterNoDataValue(band, &has);
  if (!has) return {};
  constexpr double kMost = std::numeric_limits<float>::max();
  if (type != GDT_Float32 || std::isnan(missing)) return missing;
  return std::fabs(missing) > kMost ? std::copysign(kMost, missing)
                                    : static_cast<double>(static_cast<float>(missing));
}

RasterBand describe(GDALRasterBandH band, int number) {
  RasterBand found;
  found.number = number;
  found.type = type_text(GDALGetRasterDataType(band));
  found.units = GDALGetRasterUnitType(band);
  found.missing_value = missing_value_of(band);
  found.scale = GDALGetRasterScale(band, nullptr);
  found.offset = GDALGetRasterOffset(band, nullptr);
  return found;
}

}  // namespace

bool have_gdal() { return true; }

Raster describe_raster(const std::string& path, const std::vector<int>& bands) {
  const QuietGdal quiet;
  const Dataset dataset(GDALOpen(path.c_str(), GA_ReadOnly));
  if (!dataset) {
    const std::string why = reason();
    refuse_what_is_no_raster(path);
    throw Error(ErrorKind::file, "cannot read '" + path + "'" + why);
  }
  // The list includes headers and the like, which stand in files of their own.
  char** const files = GDALGetFileList(dataset.get());
  for (char** file = files; file != nullptr && *file != nullptr; ++file) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(*file, ignored)) FilesRead::global().add_file(*file);
  }
  CSLDestroy(files);
  const int there = GDALGetRasterCount(dataset.get());
  if (there == 0)
    throw Error(ErrorKind::input,
                "'" + path + "' holds no band, but may hold data sets: see gdalinfo");
  std::vector<int> wanted = bands;
  if (wanted.empty()) {
    wanted.resize(static_cast<std::size_t>(there));
    std::iota(wanted.begin(), wanted.end(), 1);
  }
  Raster raster;
  raster.path = path;
  raster.nx = GDALGetRasterXSize(dataset.get());
  raster.ny = GDALGetRasterYSize(dataset.get());
  if (GDALGetGeoTransform(dataset.get(), raster.transform.data()) != CE_None)
    raster.transform = {0, 1, 0, 0, 0, 1};
  raster.projection = GDALGetProjectionRef(dataset.get());
  for (const int number : wanted) {
    if (number < 1 || number > there)
      throw Error(ErrorKind::input, "'" + path + "' has no band " + std::to_string(number) +
                                        "; it has " + std::to_string(there));
    const GDALRasterBandH band = GDALGetRasterBand(dataset.get(), number);
    if (GDALDataTypeIsComplex(GDALGetRasterDataType(band)))
      throw Error(ErrorKind::input,
                  "band " + std::to_string(number) + " of '" + path + "' holds complex numbers");
    raster.bands.push_back(describe(band, number));
    int columns = 0;
    GDALGetBlockSize(band, &columns, &raster.block_rows);
  }
  return raster;
}

namespace {

/// Throws Error (input) for whole numbers that double precision may not hold.
void check_exact(const std::string& path, const RasterBand& band, const Box& box,
                 const double* values) {
  for (std::size_t i = 0; i < box.size(); ++i) {
    if (std::fabs(values[i]) < 0x1p53 || values[i] == band.missing_value) continue;
    throw Error(ErrorKind::input,
                "band " + std::to_string(band.number) + " of '" + path + "' holds " +
                    std::to_string(std::llround(values[i])) +
                    ", and double precision does not hold whole numbers of that size exactly",
                "take an offset off the numbers, or make this one the number for no data");
  }
}

}  // namespace

struct RasterReader::State {
  Raster raster;
  Dataset dataset;
  std::vector<std::uint8_t> valid;
};

RasterReader::RasterReader(const Raster& raster) : m_state(std::make_unique<State>()) {
  const QuietGdal quiet;
  m_state->raster = raster;
  m_state->dataset.reset(GDALOpen(raster.path.c_str(), GA_ReadOnly));
  if (!m_state->dataset)
    throw Error(ErrorKind::file, "cannot read '" + raster.path + "'" + reason());
}

RasterReader::~RasterReader() = default;

void RasterReader::read(std::size_t b, RasterNumbers numbers, const Box& box,
                        double* values) const {
  const QuietGdal quiet;
  const RasterBand& about = m_state->raster.bands[b];
  const GDALRasterBandH band = GDALGetRasterBand(m_state->dataset.get(), about.number);
  const auto read = [&](GDALRasterBandH from, void* to, GDALDataType type) {
    if (GDALRasterIO(from, GF_Read, box.x0, box.y0, box.nx, box.ny, to, box.nx, box.ny, type, 0,
                     0) != CE_None)
      throw Error(ErrorKind::file, "cannot read band " + std::to_string(about.number) + " of '" +
                                       m_state->raster.path + "'" + reason());
  };
  read(band, values, GDT_Float64);
  if (about.type == "int64" || about.type == "uint64")
    check_exact(m_state->raster.path, about, box, values);
  if (numbers == RasterNumbers::as_stored) return;
  std::vector<std::uint8_t>& valid = m_state->valid;
  valid.assign(box.size(), 1);
  // Pixels that the file masks by other means than a number are not valid.
  if ((GDALGetMaskFlags(band) & (GMF_ALL_VALID | GMF_NODATA)) == 0)
    read(GDALGetMaskBand(band), valid.data(), GDT_Byte);
  for (std::size_t i = 0; i < valid.size(); ++i)
    values[i] = valid[i] == 0 ? std::numeric_limits<double>::quiet_NaN() : about.decode(values[i]);
}

void read_raster(const Raster& raster, RasterNumbers numbers,
                 const std::function<void(std::size_t, std::size_t, const double*)>& take) {
  const RasterReader reader(raster);
  const std::size_t image = static_cast<std::size_t>(raster.nx) * raster.ny;
  std::vector<double> values;
  for (std::size_t b = 0; b < raster.bands.size(); ++b) {
    for_each_rows(raster.nx, raster.ny, [&](int row, int rows) {
      const Box box{0, row, raster.nx, rows};
      values.resize(box.size());
      reader.read(b, numbers, box, values.data());
      take(b * image + static_cast<std::size_t>(row) * raster.nx, values.size(), values.data());
    });
  }
}

namespace {

GDALDataType gdal_type(const std::string& type) {
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 5, 0)
  for (const GDALDataType candidate : {GDT_Int64, GDT_UInt64}) {
    if (type_text(candidate) == type) return candidate;
  }
#endif
  for (const GDALDataType candidate :
       {GDT_Byte, GDT_UInt16, GDT_Int16, GDT_UInt32, GDT_Int32, GDT_Float32}) {
    if (type_text(candidate) == type) return candidate;
  }
  return GDT_Float64;
}

/// Turns values into the numbers of a band. Returns how many it cannot hold.
std::size_t encode(const RasterBand& band, std::vector<double>& values) {
  const GDALDataType type = gdal_type(band.type);
  const bool whole = type != GDT_Float32 && type != GDT_Float64;
  std::size_t clipped = 0;
  for (double& v : values) {
    if (std::isnan(v)) {
      v = band.missing_value.value_or(v);
      continue;
    }
    double number = (v - band.offset) / band.scale;
    if (whole) {
      number = std::nearbyint(number);
      int is_clamped = 0, is_rounded = 0;
      number = GDALAdjustValueToDataType(type, number, &is_clamped, &is_rounded);
      clipped += is_clamped != 0 ? 1 : 0;
      // the next one: this stands for no data
      if (band.missing_value && number == *band.missing_value) {
        const double next = GDALAdjustValueToDataType(type, number + 1, &is_clamped, &is_rounded);
        number = next == number ? number - 1 : next;
      }
    }
    v = number;
  }
  return clipped;
}

/// Copies what the source says of itself.
void copy_description(GDALDatasetH from, GDALDatasetH to) {
  char** metadata = GDALGetMetadata(from, nullptr);
  if (metadata != nullptr) GDALSetMetadata(to, metadata, nullptr);
  const int points = GDALGetGCPCount(from);
  if (points > 0) GDALSetGCPs(to, points, GDALGetGCPs(from), GDALGetGCPProjection(from));
}

void copy_band_description(GDALRasterBandH from, GDALRasterBandH to) {
  GDALSetDescription(to, GDALGetDescription(from));
  if (GDALGetRasterColorInterpretation(from) != GCI_Undefined)
    GDALSetRasterColorInterpretation(to, GDALGetRasterColorInterpretation(from));
  if (const GDALColorTableH colours = GDALGetRasterColorTable(from))
    GDALSetRasterColorTable(to, colours);
  if (char** names = GDALGetRasterCategoryNames(from)) GDALSetRasterCategoryNames(to, names);
}

void write_missing_value(GDALRasterBandH band, double number) {
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 5, 0)
  if (GDALGetRasterDataType(band) == GDT_Int64) {
    GDALSetRasterNoDataValueAsInt64(
        band, number < 0x1p63 ? static_cast<std::int64_t>(number) : INT64_MAX);
    return;
  }
  if (GDALGetRasterDataType(band) == GDT_UInt64) {
    GDALSetRasterNoDataValueAsUInt64(
        band, number < 0x1p64 ? static_cast<std::uint64_t>(number) : UINT64_MAX);
    return;
  }
#endif
  GDALSetRasterNoDataValue(band, number);
}

/// Creates the file, describes it and fills its bands.
class GeotiffWriter {
 public:
  GeotiffWriter(const std::string& path, const Raster& like, const std::vector<RasterLayer>& layers,
                const GeotiffOptions& options)
      : m_path(path), m_like(like), m_layers(layers), m_options(options), m_temporary(path) {}

  std::size_t write() {
    if (!m_options.cloud) {
      write_plain(m_temporary.temporary_path());
    } else {
      TemporaryFile plain(m_path + ".plain");
      write_plain(plain.temporary_path());
      write_cloud_optimised(plain.temporary_path());
    }
    m_temporary.commit();
    return m_clipped;
  }

 private:
  [[noreturn]] void fail() const {
    throw Error(ErrorKind::file, "cannot write '" + m_path + "'" + reason());
  }

  GDALDataType type() const {
    if (!m_options.packed) return m_options.single ? GDT_Float32 : GDT_Float64;
    // a GeoTIFF has one for all of its bands
    GDALDataType all = gdal_type(m_like.bands.front().type);
    for (const RasterBand& band : m_like.bands) all = GDALDataTypeUnion(all, gdal_type(band.type));
    return all;
  }

  void write_plain(const std::string& path) {
    const GDALDriverH driver = GDALGetDriverByName("GTiff");
    const char* options[] = {"COMPRESS=DEFLATE", "BIGTIFF=IF_SAFER", "TILED=YES", nullptr};
    const Dataset dataset(driver ? GDALCreate(driver, path.c_str(), m_like.nx, m_like.ny,
                                              static_cast<int>(m_layers.size()), type(),
                                              const_cast<char**>(options))
                                 : nullptr);
    if (!dataset) fail();
    const Dataset source(m_like.path.empty() ? nullptr
                                             : GDALOpen(m_like.path.c_str(), GA_ReadOnly));
    if (source) copy_description(source.get(), dataset.get());
    const std::array<double, 6> none{0, 1, 0, 0, 0, 1};
    if (m_like.transform != none)
      GDALSetGeoTransform(dataset.get(), const_cast<double*>(m_like.transform.data()));
    if (!m_like.projection.empty()) GDALSetProjection(dataset.get(), m_like.projection.c_str());
    for (std::size_t l = 0; l < m_layers.size(); ++l) describe_band(dataset.get(), source.get(), l);
    for (std::size_t l = 0; l < m_layers.size(); ++l) fill_band(dataset.get(), l);
    GDALFlushCache(dataset.get());
    if (CPLGetLastErrorType() >= CE_Failure) fail();
  }

  void describe_band(GDALDatasetH dataset, GDALDatasetH source, std::size_t l) const {
    const GDALRasterBandH band = GDALGetRasterBand(dataset, static_cast<int>(l) + 1);
    const std::string units =
        m_like.bands.empty() ? "" : m_like.bands[m_options.packed ? l : 0].units;
    if (!units.empty()) GDALSetRasterUnitType(band, units.c_str());
    if (!m_options.packed) {
      GDALSetDescription(band, m_layers[l].name.c_str());
      GDALSetRasterNoDataValue(band, std::numeric_limits<double>::quiet_NaN());
      return;
    }
    const RasterBand& like = m_like.bands[l];
    if (source != nullptr) copy_band_description(GDALGetRasterBand(source, like.number), band);
    if (like.missing_value) write_missing_value(band, *like.missing_value);
    if (like.scale != 1 || like.offset != 0) {
      GDALSetRasterScale(band, like.scale);
      GDALSetRasterOffset(band, like.offset);
    }
  }

  void fill_band(GDALDatasetH dataset, std::size_t l) {
    const GDALRasterBandH band = GDALGetRasterBand(dataset, static_cast<int>(l) + 1);
    std::vector<double> values;
    for_each_rows(m_like.nx, m_like.ny, [&](int row, int rows) {
      values.resize(static_cast<std::size_t>(rows) * m_like.nx);
      m_layers[l].values(static_cast<std::size_t>(row) * m_like.nx, values.size(), values.data());
      if (m_options.packed) m_clipped += encode(m_like.bands[l], values);
      if (GDALRasterIO(band, GF_Write, 0, row, m_like.nx, rows, values.data(), m_like.nx, rows,
                       GDT_Float64, 0, 0) != CE_None)
        fail();
    });
  }

  void write_cloud_optimised(const std::string& plain) const {
    const GDALDriverH driver = GDALGetDriverByName("COG");
    if (driver == nullptr)
      throw Error(ErrorKind::file,
                  "cannot write '" + m_path + "': this GDAL has no driver COG (3.1 has)");
    const Dataset source(GDALOpen(plain.c_str(), GA_ReadOnly));
    if (!source) fail();
    const char* options[] = {"COMPRESS=DEFLATE", "BIGTIFF=IF_SAFER", "RESAMPLING=AVERAGE", nullptr};
    const Dataset copy(GDALCreateCopy(driver, m_temporary.temporary_path().c_str(), source.get(),
                                      FALSE, const_cast<char**>(options), nullptr, nullptr));
    if (!copy || CPLGetLastErrorType() >= CE_Failure) fail();
  }

  const std::string& m_path;
  const Raster& m_like;
  const std::vector<RasterLayer>& m_layers;
  const GeotiffOptions& m_options;
  TemporaryFile m_temporary;
  std::size_t m_clipped = 0;
};

}  // namespace

std::size_t write_geotiff(const std::string& path, const Raster& like,
                          const std::vector<RasterLayer>& layers, const GeotiffOptions& options) {
  const QuietGdal quiet;
  check_not_read(path);
  return GeotiffWriter(path, like, layers, options).write();
}

#else

namespace {

[[noreturn]] void without_gdal(const std::string& path) {
  throw Error(
      ErrorKind::file, "'" + path + "': this build of Tessera has no GDAL",
      "build it where GDAL is installed (Debian: libgdal-dev), or use HDF5, NetCDF-4 or .npy");
}

}  // namespace

bool have_gdal() { return false; }

Raster describe_raster(const std::string& path, const std::vector<int>&) {
  refuse_what_is_no_raster(path);
  without_gdal(path);
}

struct RasterReader::State {};

RasterReader::RasterReader(const Raster& raster) { without_gdal(raster.path); }

RasterReader::~RasterReader() = default;

void RasterReader::read(std::size_t, RasterNumbers, const Box&, double*) const {}

void read_raster(const Raster& raster, RasterNumbers,
                 const std::function<void(std::size_t, std::size_t, const double*)>&) {
  without_gdal(raster.path);
}

std::size_t write_geotiff(const std::string& path, const Raster&, const std::vector<RasterLayer>&,
                          const GeotiffOptions&) {
  without_gdal(path);
}

#endif

}  // namespace tessera::io
