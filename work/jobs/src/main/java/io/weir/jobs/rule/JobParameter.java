package io.weir.jobs.rule;

import io.weir.core.policy.schema.Field;
import java.time.Duration;

/**
 * The settings of a queue of jobs that are numbers or durations, with their bounds. The policy reader and the admin API
 * use them. Durations are in milliseconds.
 */
public enum JobParameter {
  DISPATCH_PER_SECOND(
      "dispatchPerSecond",
      Type.NUMBER,
      1,
      10_000,
      20,
      "jobs that are sent in a second, cluster-wide"),
  READINESS_CONCURRENCY(
      "readinessConcurrency",
      Type.NUMBER,
      1,
      100_000,
      50,
      "jobs that are checked at once, cluster-wide"),
  READINESS_INTERVAL(
      "readinessInterval", Type.DURATION, 50, 60_000, 500, "time between two checks of a job"),
  READINESS_TIME("readinessTime", Type.DURATION, 1, 3_600_000, 4000, "how long checking takes"),
  DISPATCH_TIME("dispatchTime", Type.DURATION, 0, 60_000, 250, "how long sending takes"),
  PROCESSING_TIME(
      "processingTime", Type.DURATION, 1, 3_600_000, 6000, "how long the upstream takes"),
  MARGIN("margin", Type.THOUSANDTHS, 0, 1000, 200, "what an eta is more than computed"),
  MIN_WAIT("minWait", Type.DURATION, 1000, 3_600_000, 1000, "the shortest wait in an answer"),
  MAX_WAIT("maxWait", Type.DURATION, 1000, 3_600_000, 300_000, "the longest wait in an answer"),
  CAPACITY("capacity", Type.NUMBER, 1, 1_000_000, 10_000, "jobs that may wait"),
  CAPACITY_OF_KEY(
      "capacityOfKey", Type.NUMBER, 1, 1_000_000, 2500, "jobs of one key that are not done"),
  CAPACITY_OF_TENANT(
      "capacityOfTenant", Type.NUMBER, 1, 1_000_000, 5000, "jobs of one tenant that are not done"),
  ATTEMPTS("attempts", Type.NUMBER, 1, 20, 5, "how often a job is sent at most"),
  LEASE("lease", Type.DURATION, 1000, 300_000, 10_000, "after which a dead node's jobs go back"),
  TIMEOUT("timeout", Type.DURATION, 1000, 86_400_000, 1_800_000, "how long a job may take in all"),
  KEEP("keep", Type.DURATION, 1000, 86_400_000, 3_600_000, "how long a job is known after its end"),
  MAX_BODY_BYTES("maxBodyBytes", Type.NUMBER, 0, 1 << 20, 64 << 10, "the longest body"),
  MAX_RESULT_BYTES("maxResultBytes", Type.NUMBER, 0, 1 << 20, 16 << 10, "the longest result"),
  BYTES_OF_KEY(
      "bytesOfKey", Type.NUMBER, 1024, 1L << 34, 64 << 20, "bodies and results of one key"),
  BYTES_OF_TENANT(
      "bytesOfTenant", Type.NUMBER, 1024, 1L << 34, 256 << 20, "bodies and results of one tenant"),
  BYTES_IN_ALL("bytesInAll", Type.NUMBER, 1024, 1L << 34, 1L << 30, "bodies and results of all");

  /** The type of a value. */
  public enum Type {
    /** A whole number. */
    NUMBER,
    /** A fraction in thousandths; a policy may also write it as a decimal number. */
    THOUSANDTHS,
    /** A duration such as 250ms, 10s or 24h. */
    DURATION
  }

  private final String field;
  private final Type type;
  private final long min;
  private final long max;
  private final long initial;
  private final String meaning;

  JobParameter(String field, Type type, long min, long max, long initial, String meaning) {
    this.field = field;
    this.type = type;
    this.min = min;
    this.max = max;
    this.initial = initial;
    this.meaning = meaning;
  }

  /** A new field for a policy, with its bounds, default and meaning. */
  Field<Long> inPolicy() {
    Field<Long> plain = switch (type) {
      case NUMBER -> Field.number(field, min, max, meaning);
      case THOUSANDTHS -> Field.thousandths(field, min, max, meaning);
      case DURATION ->
        Field.duration(field, Duration.ofMillis(min), Duration.ofMillis(max), meaning);
    };
    return plain.or(initial);
  }

  /** Its name in a policy. */
  public String field() {
    return field;
  }

  public Type type() {
    return type;
  }

  public long min() {
    return min;
  }

  public long max() {
    return max;
  }

  /** The default value. */
  public long initial() {
    return initial;
  }

  /** A description in words. */
  public String meaning() {
    return meaning;
  }
}
