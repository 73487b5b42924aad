package io.weir.client.check;

/** The result of a check that no node decides. */
public enum OutageMode {
  /** It passes, uncounted. */
  ALLOW,
  /** It is held back. */
  DENY,
  /** Its future fails with {@link CheckException}: the caller decides. */
  FAIL
}
