package io.weir.core.bucket;

/** The requests that share a bucket: all of the same key, tenant or cluster. */
public enum Scope {
  /** One bucket for each API key. */
  KEY,
  /** One bucket for all keys of a tenant. */
  TENANT,
  /** One bucket for the whole cluster. */
  CLUSTER
}
