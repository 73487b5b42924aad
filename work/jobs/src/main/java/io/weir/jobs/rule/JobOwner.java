package io.weir.jobs.rule;

/** The owner of the bound that was reached. */
public enum JobOwner {
  KEY,
  TENANT,
  ALL
}
