# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
#
# The side of GpGp in gpgp.py:  Rscript gpgp.R POINTS NEIGHBOURS SIGMA2 BETA NU NUGGET
# POINTS has columns x, y and z in the order of the approximation. Prints one number a line, after its name.

arguments <- commandArgs(trailingOnly = TRUE)
points <- as.matrix(read.csv(arguments[1]))
m <- as.integer(arguments[2])
theta <- as.numeric(arguments[3:6])
x <- points[, 1:2]
z <- points[, 3]
n <- nrow(x)

# The m nearest points before each, itself first; GpGp's own search moves the points a little before it looks. Points from 2^k on look
# among all up to 2^(k+1), for more and more of the nearest until enough of them come before.
nearest <- matrix(NA_integer_, n, m + 1)
begin <- 1
while (begin <= n) {
  end <- min(2 * begin - 1, n)
  rest <- begin:end
  count <- min(2 * (m + 1), end)
  while (length(rest) > 0) {
    found <- FNN::get.knnx(x[1:end, , drop = FALSE], x[rest, , drop = FALSE], count)$nn.index
    found[found > rest] <- NA
    enough <- rowSums(!is.na(found)) >= pmin(m + 1, rest)
    for (k in which(enough)) {
      row <- found[k, !is.na(found[k, ])]
      row <- c(rest[k], row[row != rest[k]])
      width <- min(m + 1, length(row))
      nearest[rest[k], 1:width] <- row[1:width]
    }
    rest <- rest[!enough]
    count <- min(2 * count, end)
  }
  begin <- end + 1
}

mean <- matrix(1, n, 1)
parameters <- c(theta[1:3], theta[4] / theta[1])
processor <- function(work) {
  time <- system.time(value <- work())
  list(value = value, seconds = time[["user.self"]] + time[["sys.self"]])
}
likelihood <- processor(function() GpGp::vecchia_profbeta_loglik(parameters, "matern_isotropic", z, mean, x, nearest))
gradient <- processor(function() GpGp::vecchia_profbeta_loglik_grad_info(parameters, "matern_isotropic", z, mean, x, nearest))
cat(sprintf("version %s\n", packageVersion("GpGp")))
cat(sprintf("loglik %.17g\n", likelihood$value$loglik))
cat(sprintf("mean %.17g\n", likelihood$value$betahat))
cat(sprintf("likelihood_seconds %.17g\n", likelihood$seconds))
cat(sprintf("gradient_seconds %.17g\n", gradient$seconds))
