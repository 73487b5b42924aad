package io.weir.job;

/** The owner whose memory bound applies. */
public enum JobOwner {
  KEY,
  TENANT,
  ALL
}
