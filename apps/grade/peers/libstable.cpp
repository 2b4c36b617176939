// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
//
// libstable for tessera-grade: libstable pdf|cdf|quantile [RELATIVE ABSOLUTE] < points > values. A
// point is x, of quantiles p, then alpha and beta, in S0. RELATIVE and ABSOLUTE are tolerances of
// its integrals instead of its own. Parameters that it refuses give NaN.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

extern "C" {
#include <stable.h>  // defines macros min and max, and so comes last
}

namespace {

using Function = double (*)(StableDist*, double, double*);

struct Entry {
  const char* name;
  Function function;
};

constexpr Entry kEntries[] = {
    {"pdf", stable_pdf_point}, {"cdf", stable_cdf_point}, {"quantile", stable_q_point}};

constexpr int kS0 = 0;

void print_values(Function function) {
  StableDist* const distribution = stable_create(1.5, 0, 1, 0, kS0);
  double x, alpha, beta, error;
  while (std::scanf("%lf %lf %lf", &x, &alpha, &beta) == 3) {
    const bool taken = stable_setparams(distribution, alpha, beta, 1, 0, kS0) != NOVALID;
    std::printf("%.17g\n", taken ? function(distribution, x, &error)
                                 : std::numeric_limits<double>::quiet_NaN());
  }
  stable_free(distribution);
}

}  // namespace

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "";
  if (std::strcmp(name, "version") == 0) {
    std::printf("-\n");  // it does not say
    return 0;
  }
  if (argc > 3) {
    stable_set_relTOL(std::atof(argv[2]));
    stable_set_absTOL(std::atof(argv[3]));
  }
  for (const Entry& entry : kEntries) {
    if (std::strcmp(name, entry.name) == 0) {
      print_values(entry.function);
      return 0;
    }
  }
  std::fprintf(stderr, "unknown function '%s'\n", name);
  return 2;
}
