package io.weir.core.job;

/** The owner of the bound that was reached. */
public enum JobOwner {
  KEY,
  TENANT,
  ALL
}
