package io.weir.state.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.weir.core.assignment.DividedLimit;
import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Names;
import io.weir.core.bucket.Scope;

/**
 * Every key that Weir writes, see {@code docs/reference/redis.md}. The prefix names the format; another format would
 * have another prefix. The limits of one tenant have its {@link Partition} as hash tag, so that Redis Cluster keeps
 * them together, together with those of many other tenants.
 */
public final class RedisKeys {
  private static final String PREFIX = "weir:";
  private static final byte[][] PARTITION_BEGINS = Partition.all()
      .mapToObj(partition -> (PREFIX + Partition.tag(partition) + ":").getBytes(US_ASCII))
      .toArray(byte[][]::new);
  private static final byte[] SUBJECT_BEGINS = ":key:".getBytes(US_ASCII);

  /** A hash: the policy in force. */
  public static final String POLICY = PREFIX + "policy";

  /** A sorted set: the nodes that are alive. */
  public static final String NODES = PREFIX + "nodes";

  /** A sorted set: the libraries of functions that nodes need. */
  public static final String LIBRARIES = PREFIX + "libraries";

  /** A channel: notices of policies that are proposed, and of those in force. */
  public static final String POLICY_NOTICES = PREFIX + "policy:notices";

  /** A channel: revisions in force, for programs whose reading of a policy nobody waits for. */
  public static final String POLICY_IN_FORCE = PREFIX + "policy:in-force";

  /** A channel: questions to all nodes. */
  public static final String QUESTIONS = PREFIX + "questions";

  /** A hash: the callers that each node denied most, and those that were nearly denied. */
  public static final String TOP = PREFIX + "top";

  /** A hash: what the nodes of the last hour said of themselves. */
  public static final String NODES_SEEN = NODES + ":seen";

  /** A hash: the candidate for the policy that is rehearsed. */
  public static final String REHEARSAL = PREFIX + "rehearsal";

  /** A hash: the sessions of operators' browsers. */
  public static final String SESSIONS = PREFIX + "sessions";

  /** A packed text: the buckets of scope {@code cluster}. */
  public static final String CLUSTER = PREFIX + "cluster";

  /** A text: shows that Redis accepted a write a moment ago. */
  public static final String PROBE = PREFIX + "probe";

  private RedisKeys() {}

  /**
   * A text: shows that a warning was told a while ago.
   *
   * @param owner of the limit
   * @param at the percentage that was reached
   */
  public static String warning(String rule, String owner, String limit, int at) {
    return PREFIX + "warning:" + rule + ":" + owner + ":" + limit + ":" + at;
  }

  /** A hash: the drafts of the policy that an operator writes, by session. */
  public static String drafts(String operator) {
    return PREFIX + "drafts:" + operator;
  }

  /** A text: a policy that all nodes read before it is in force. */
  public static String policyProposal(String name) {
    return POLICY + ":next:" + name;
  }

  /** A stream: the last changes by operators, in a part of the shared state. */
  public static String audit(int parts, int part) {
    return parts == 1 ? PREFIX + "keys:audit" : ofPart(part, "keys:audit");
  }

  /** A channel: answers to the questions of a node. */
  public static String answersTo(String node) {
    return PREFIX + "answers:" + node;
  }

  /** A hash: the newest revision of the policy in a partition of a Redis Cluster. */
  public static String policyOf(int partition) {
    return PREFIX + Partition.tag(partition) + ":policy";
  }

  /** A text: shows that the master of a partition accepted a write a moment ago. */
  public static String probeOf(int partition) {
    return PREFIX + Partition.tag(partition) + ":probe";
  }

  /** A packed text: the buckets of one API key. */
  public static String key(String tenant, String subject) {
    return limitsOf(tenant) + ":key:" + Names.escaped(subject);
  }

  /** Writes {@link #key} as a bulk string of the protocol. */
  public static void writeKey(ByteBuf to, String tenant, String subject) {
    byte[] name = tenant.getBytes(US_ASCII);
    byte[] begin = PARTITION_BEGINS[Partition.of(name)];
    String end = Names.escaped(subject);
    Bulk.writeLength(to, begin.length + name.length + SUBJECT_BEGINS.length + end.length());
    to.writeBytes(begin).writeBytes(name);
    to.writeBytes(SUBJECT_BEGINS).writeCharSequence(end, US_ASCII);
    to.writeByte('\r').writeByte('\n');
  }

  /** A bitmap: the unused tickets of an API key, by its state. */
  public static String tickets(String keyState) {
    return keyState + ":tickets";
  }

  /** A packed text: the buckets of one tenant. */
  public static String tenant(String tenant) {
    return limitsOf(tenant) + ":tenant";
  }

  /**
   * A hash: a bucket with leases.
   *
   * @param tenant of the owner, if the bucket is not of scope {@code cluster}
   * @param subject of the owner, if it is of scope {@code key}
   */
  public static String pool(Bucket bucket, String tenant, String subject) {
    String name = bucket.name();
    return switch (bucket.scope()) {
      case KEY, TENANT -> leased(state(bucket.scope(), tenant, subject), name);
      case CLUSTER -> pool(name);
    };
  }

  /** The same of a bucket of scope {@code cluster}. */
  public static String pool(String bucket) {
    return PREFIX + Partition.tag(Partition.of(bucket)) + ":cluster:" + bucket;
  }

  /** A hash: a bucket with leases of the owner of a state, which is not the cluster. */
  public static String leased(String state, String bucket) {
    return state + ":leased:" + bucket;
  }

  /** A hash: a limit of a key that is divided among clients. */
  public static String divided(String tenant, String subject, DividedLimit limit) {
    return key(tenant, subject) + ":divided:" + limit.requests() + "/" + limit.seconds();
  }

  /** The state of an owner. */
  public static String state(Scope scope, String tenant, String subject) {
    return switch (scope) {
      case KEY -> key(tenant, subject);
      case TENANT -> tenant(tenant);
      case CLUSTER -> CLUSTER;
    };
  }

  /** A text: the counters of an owner's limits other than rates. */
  public static String counters(String state) {
    return state + ":counters";
  }

  /** A sorted set: the holders of the permits of a limit, by the end of each. */
  public static String permits(String state, String limit) {
    return state + ":permits:" + limit;
  }

  /** A text: the reservation of a request of an API key, or its end. */
  public static String hold(String keyState, String id) {
    return keyState + ":hold:" + id;
  }

  /**
   * A sorted set: open reservations, by the end of each; {@code policy} is the key of the revision that belongs to
   * them.
   */
  public static String holds(String policy) {
    return policy.substring(0, policy.length() - "policy".length()) + "holds";
  }

  /** The key of a thing of an extension; further keys of the thing begin with it and a colon. */
  public static String ofExtension(String kind, String name) {
    return ofPart(ExtensionPartition.of(name), kind + ":" + name);
  }

  /** The key of a thing of an extension that belongs to a {@link ExtensionPartition} of a Redis Cluster. */
  public static String ofPart(int partition, String name) {
    return PREFIX + ExtensionPartition.tag(partition) + ":" + name;
  }

  /** The begin of the keys that extensions keep for a tenant: further words follow after a colon. */
  public static String ofTenant(String tenant) {
    return ofPart(ExtensionPartition.of(tenant), tenant);
  }

  private static String limitsOf(String tenant) {
    return PREFIX + Partition.tag(Partition.of(tenant)) + ":" + tenant;
  }
}
