package io.weir.node.envoy.rule;

/** The bounds of requests and rules. */
public final class EnvoyBounds {
  /** The most descriptors of a request. */
  public static final int DESCRIPTORS = 32;
  /** The most entries of a descriptor. */
  public static final int ENTRIES = 16;
  /** The most bytes of a key. */
  public static final int KEY = 512;
  /** The most bytes of a value. */
  public static final int VALUE = 8192;
  /** The most bytes of the name of a domain. */
  public static final int DOMAIN = 256;

  /** The most buckets of a stream. */
  public static final int BUCKETS = 1000;

  private EnvoyBounds() {}
}
