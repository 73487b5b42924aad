package io.weir.core.policy;

/** The part of a request whose freeze refuses it. */
public enum FrozenPart {
  KEY,
  TENANT,
  PLAN,
  /** The operation of a key or a tenant, by a limit of zero. */
  OPERATION
}
