package io.weir.state.redis.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;

/**
 * Every key that Weir writes, see {@code docs/reference/redis.md}. The prefix names the format; another
 * format would have another prefix. Keys of one tenant carry it as hash tag, so that Redis Cluster keeps
 * them together.
 */
public final class RedisKeys {
  private static final String PREFIX = "weir:";
  private static final byte[] TENANT_BEGINS = (PREFIX + "{").getBytes(US_ASCII);
  private static final byte[] SUBJECT_BEGINS = "}:key:".getBytes(US_ASCII);

  /** A hash: the policy in force. */
  public static final String POLICY = PREFIX + "policy";

  /** A sorted set: the nodes that are alive. */
  public static final String NODES = PREFIX + "nodes";

  /** A channel: of policies that are about to be in force, and of those that are. */
  public static final String POLICY_NOTICES = PREFIX + "policy:notices";

  /** A packed text: the buckets of scope {@code cluster}. */
  public static final String CLUSTER = PREFIX + "cluster";

  /** A text: that Redis took a write a moment ago. */
  public static final String PROBE = PREFIX + "probe";

  private RedisKeys() {}

  /** A text: a policy that all nodes read before it is in force. */
  public static String policyProposal(String name) {
    return POLICY + ":next:" + name;
  }

  /** A packed text: the buckets of one API key. */
  public static String key(String tenant, String subject) {
    return PREFIX + "{" + tenant + "}:key:" + subject;
  }

  /** Writes {@link #key} as a bulk string of the protocol. */
  public static void writeKey(ByteBuf to, String tenant, String subject) {
    Batch.writeLength(
        to, TENANT_BEGINS.length + tenant.length() + SUBJECT_BEGINS.length + subject.length());
    to.writeBytes(TENANT_BEGINS).writeCharSequence(tenant, US_ASCII);
    to.writeBytes(SUBJECT_BEGINS).writeCharSequence(subject, US_ASCII);
    to.writeByte('\r').writeByte('\n');
  }

  /** A sorted set: the places of whose state this key holds. */
  public static String queue(String state) {
    return state + ":queue";
  }

  /** A sorted set: the places of one API key. */
  public static String keyQueue(String tenant, String subject) {
    return queue(key(tenant, subject));
  }

  /** A sorted set: the places that hold capacity in the buckets of one tenant. */
  public static String tenantQueue(String tenant) {
    return queue(tenant(tenant));
  }

  /** A hash: what became of an item of a batch; {@code item} is made of its idempotency key. */
  public static String answer(String tenant, String subject, String item) {
    return PREFIX + "{" + tenant + "}:answer:" + subject + ":" + item;
  }

  /** A number: the bytes of all answers that are kept for one API key. */
  public static String answerBytes(String tenant, String subject) {
    return PREFIX + "{" + tenant + "}:answers:" + subject;
  }

  /** A packed text: the buckets of one tenant. */
  public static String tenant(String tenant) {
    return PREFIX + "{" + tenant + "}:tenant";
  }
}
