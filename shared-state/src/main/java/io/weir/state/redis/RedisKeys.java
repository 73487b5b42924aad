package io.weir.state.redis;

/**
 * Every key that Weir writes, see {@code docs/reference/redis.md}. The prefix names the format; another
 * format would have another prefix. Keys of one tenant carry it as hash tag, so that Redis Cluster keeps
 * them together.
 */
public final class RedisKeys {
  private static final String PREFIX = "weir:";

  /** A hash: the policy in force. */
  public static final String POLICY = PREFIX + "policy";

  /** A channel: the revision of each policy as it is published. */
  public static final String POLICY_NOTICES = PREFIX + "policy:notices";

  /** A hash: the buckets of scope {@code cluster}. */
  public static final String CLUSTER = PREFIX + "cluster";

  private RedisKeys() {}

  /** A hash: the buckets of one API key. */
  public static String key(String tenant, String subject) {
    return PREFIX + "{" + tenant + "}:key:" + subject;
  }

  /** A sorted set: the appointments of one API key. */
  public static String keyLine(String tenant, String subject) {
    return key(tenant, subject) + ":line";
  }

  /** A sorted set: the appointments that hold water in the buckets of one tenant. */
  public static String tenantLine(String tenant) {
    return tenant(tenant) + ":line";
  }

  /** A hash: the buckets of one tenant. */
  public static String tenant(String tenant) {
    return PREFIX + "{" + tenant + "}:tenant";
  }
}
