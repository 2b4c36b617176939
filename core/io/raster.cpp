// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/io/raster.hpp"

#include <filesystem>
#include <limits>
#include <memory>

#include "tessera/core/error.hpp"

#ifdef TESSERA_HAVE_GDAL
#include <cpl_error.h>
#include <cpl_string.h>
#include <gdal.h>

#include "tessera/core/io/detail/temporary_file.hpp"
#include "tessera/core/io/files_read.hpp"
#endif

namespace tessera::io {

double Raster::decode(double number) const {
  if (missing_value && number == *missing_value) return std::numeric_limits<double>::quiet_NaN();
  return scale == 1 && offset == 0 ? number : number * scale + offset;
}

#ifdef TESSERA_HAVE_GDAL

namespace {

/// While it lives, GDAL prints nothing of its own.
class QuietGdal {
 public:
  QuietGdal() {
    GDALAllRegister();
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
    default:
      return "float64";
  }
}

}  // namespace

bool have_gdal() { return true; }

Raster read_raster(const std::string& path, int band_number) {
  const QuietGdal quiet;
  const Dataset dataset(GDALOpen(path.c_str(), GA_ReadOnly));
  if (!dataset) throw Error(ErrorKind::file, "cannot read '" + path + "'" + reason());
  char** const files = GDALGetFileList(dataset.get());  // with headers and the like, which stand in files of their own
  for (char** file = files; file != nullptr && *file != nullptr; ++file) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(*file, ignored)) FilesRead::global().add_file(*file);
  }
  CSLDestroy(files);
  if (band_number < 1 || band_number > GDALGetRasterCount(dataset.get())) {
    throw Error(ErrorKind::input, "'" + path + "' has no band " + std::to_string(band_number) + "; it has " +
                                      std::to_string(GDALGetRasterCount(dataset.get())));
  }
  const GDALRasterBandH band = GDALGetRasterBand(dataset.get(), band_number);
  Raster raster;
  raster.nx = GDALGetRasterXSize(dataset.get());
  raster.ny = GDALGetRasterYSize(dataset.get());
  raster.type = type_text(GDALGetRasterDataType(band));
  raster.units = GDALGetRasterUnitType(band);
  int has = 0;
  const double missing = GDALGetRasterNoDataValue(band, &has);
  if (has) raster.missing_value = missing;
  raster.scale = GDALGetRasterScale(band, nullptr);
  raster.offset = GDALGetRasterOffset(band, nullptr);
  if (GDALGetGeoTransform(dataset.get(), raster.transform.data()) != CE_None) raster.transform = {0, 1, 0, 0, 0, 1};
  raster.projection = GDALGetProjectionRef(dataset.get());
  raster.values.resize(static_cast<std::size_t>(raster.nx) * raster.ny);
  if (GDALRasterIO(band, GF_Read, 0, 0, raster.nx, raster.ny, raster.values.data(), raster.nx, raster.ny, GDT_Float64, 0, 0) != CE_None) {
    throw Error(ErrorKind::file, "cannot read band " + std::to_string(band_number) + " of '" + path + "'" + reason());
  }
  return raster;
}

void write_geotiff(const std::string& path, const Raster& like, const std::vector<std::pair<std::string, std::vector<double>>>& layers,
                   bool single) {
  const QuietGdal quiet;
  for (const FileDigest& file : FilesRead::global().list()) {
    if (stamp_file(path) != FileStamp() && stamp_file(path) == stamp_file(file.name)) {
      throw Error(ErrorKind::file, "cannot write '" + path + "': it is what this run reads", "choose another name");
    }
  }
  TemporaryFile temporary(path);
  const auto fail = [&] { throw Error(ErrorKind::file, "cannot write '" + path + "'" + reason()); };
  {
    const GDALDriverH driver = GDALGetDriverByName("GTiff");
    const char* options[] = {"COMPRESS=DEFLATE", "BIGTIFF=IF_SAFER", nullptr};
    const Dataset dataset(driver ? GDALCreate(driver, temporary.temporary_path().c_str(), like.nx, like.ny, static_cast<int>(layers.size()),
                                              single ? GDT_Float32 : GDT_Float64, const_cast<char**>(options))
                                 : nullptr);
    if (!dataset) fail();
    GDALSetGeoTransform(dataset.get(), const_cast<double*>(like.transform.data()));
    if (!like.projection.empty()) GDALSetProjection(dataset.get(), like.projection.c_str());
    int number = 0;
    for (const auto& [name, values] : layers) {
      const GDALRasterBandH band = GDALGetRasterBand(dataset.get(), ++number);
      GDALSetDescription(band, name.c_str());
      GDALSetRasterNoDataValue(band, std::numeric_limits<double>::quiet_NaN());
      if (!like.units.empty()) GDALSetRasterUnitType(band, like.units.c_str());
      if (GDALRasterIO(band, GF_Write, 0, 0, like.nx, like.ny, const_cast<double*>(values.data()), like.nx, like.ny, GDT_Float64, 0, 0) !=
          CE_None)
        fail();
    }
    GDALFlushCache(dataset.get());
    if (CPLGetLastErrorType() >= CE_Failure) fail();
  }
  temporary.commit();
}

#else

namespace {
[[noreturn]] void without_gdal(const std::string& path) {
  throw Error(ErrorKind::file, "'" + path + "': this build of Tessera has no GDAL",
              "build it where GDAL is installed (Debian: libgdal-dev), or use HDF5, NetCDF-4 or .npy");
}
}  // namespace

bool have_gdal() { return false; }
Raster read_raster(const std::string& path, int) { without_gdal(path); }
void write_geotiff(const std::string& path, const Raster&, const std::vector<std::pair<std::string, std::vector<double>>>&, bool) {
  without_gdal(path);
}

#endif

}  // namespace tessera::io
