package io.weir.job;

/** Whose share of the memory. */
public enum JobOwner {
  KEY,
  TENANT,
  ALL
}
