package io.weir.bucket;

/** Whose bucket it is: all requests of the same key, tenant or cluster demand from the same bucket. */
public enum Scope {
  /** One bucket for each API key. */
  KEY,
  /** One bucket for all keys of a tenant. */
  TENANT,
  /** One bucket for everybody. */
  CLUSTER
}
