package io.weir.core.policy.read;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Rate;
import io.weir.core.bucket.Scope;
import io.weir.core.policy.read.BucketShape.Group;
import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Section;
import io.weir.core.policy.schema.Table;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reads rates, bursts and groups in Hedera's form and makes buckets of them.
 *
 * <p>The logical rate of a bucket is the least common multiple of its groups' rates, so that an operation
 * of each group costs a whole number of logical operations.
 */
record ShapeReader(BurstRule burstRule) {
  private static final long MAX_NUMBER = Bucket.MAX_PRECISION;
  private static final int MOST_RATES_TOLD = 20;

  private static final Field<Long> BURST_PERIOD = Field.number(
      "burstPeriod", 0, MAX_NUMBER / 1000, "seconds in which an idle bucket fills up: its burst");
  private static final Field<Long> BURST_PERIOD_MS = Field.number(
      "burstPeriodMs",
      0,
      MAX_NUMBER,
      "the same in milliseconds; if both are given, this one applies if it is above 0");
  private static final Field<List<Section.Item>> OPERATIONS = Field.names(
          "operations", "the limited operations; each is in one group of the bucket")
      .counts(1, Integer.MAX_VALUE);
  private static final Table GROUP =
      Table.of("throttleGroup").with(GivenRate.FIELDS).with(List.of(OPERATIONS));
  private static final Field<List<Section>> GROUPS = Field.sections(
      "throttleGroups", GROUP, "operations with one rate; the groups share the bucket");

  /** The fields of a burst and of groups. */
  static final List<Field<?>> FIELDS = List.of(BURST_PERIOD, BURST_PERIOD_MS, GROUPS);

  /** The burst of a section in milliseconds. */
  Optional<Long> burstMillis(Section section) {
    return finer(section, BURST_PERIOD, BURST_PERIOD_MS);
  }

  /** The groups of a section, without repeated operations; empty if any of them has a problem. */
  Optional<List<Group>> groups(Section section) {
    List<Section> sections = section.get(GROUPS);
    if (sections.isEmpty()) {
      section.error(
          "bucket_without_groups", "throttleGroups", "no throttle groups (expected: at least one)");
      return Optional.empty();
    }
    Map<String, Section> seen = new HashMap<>();
    List<Group> groups = new ArrayList<>();
    sections.forEach(group -> group(group, seen).ifPresent(groups::add));
    return groups.size() == sections.size() ? Optional.of(groups) : Optional.empty();
  }

  /** The bucket of these groups; empty, with a problem at {@code section}, if it cannot be counted. */
  Optional<BucketShape> shape(
      Section section, String name, Scope scope, long burstMillis, List<Group> groups) {
    Optional<Long> burst = sufficientBurst(section, burstMillis, groups);
    Logical rate = logicalRate(groups);
    if (burst.isEmpty() || isTooLong(section, burst.get())) {
      return Optional.empty();
    }
    if (!Bucket.isPrecise(rate.unitsPerMicro(), burst.get())) {
      section.error(
          "bucket_precision_exceeded", imprecise(groups, rate.unitsPerMicro(), burst.get()));
      return Optional.empty();
    }
    Bucket bucket = new Bucket(name, scope, rate.exactly(), burst.get());
    return Optional.of(new BucketShape(bucket, groups, demands(bucket, groups)));
  }

  private Optional<Group> group(Section section, Map<String, Section> seen) {
    Optional<GivenRate> rate = GivenRate.read(section);
    List<Section.Item> listed = section.get(OPERATIONS);
    boolean sound = rateIsPositive(section, rate);
    if (listed.isEmpty()) {
      section.error(
          "group_without_operations", "operations", "no operations (expected: at least one)");
      return Optional.empty();
    }
    Set<String> operations = new LinkedHashSet<>();
    for (Section.Item item : listed) {
      sound &= isFirst(section, seen, operations, item);
    }
    return sound
        ? Optional.of(Group.of(rate.orElseThrow(), List.copyOf(operations)))
        : Optional.empty();
  }

  // A rate that cannot be read is a problem of its field already.
  private static boolean rateIsPositive(Section section, Optional<GivenRate> rate) {
    if (rate.isPresent() ? rate.get().isZero() : GivenRate.isMissing(section)) {
      section.error(
          "group_rate_zero",
          "a rate of 0 operations per second (expected: opsPerSec, milliOpsPerSec or rate > 0)");
    }
    return rate.isPresent() && !rate.get().isZero();
  }

  // The published reader accepts an operation twice in one group, but refuses it in a second group.
  private static boolean isFirst(
      Section group, Map<String, Section> seen, Set<String> operations, Section.Item item) {
    Section before = seen.putIfAbsent(item.text(), group);
    if (before == group) {
      if (!operations.add(item.text())) {
        group.warningAt("operation_listed_twice", item, item.text() + " is already in this group");
      }
      return true;
    }
    if (before != null) {
      String message = "%s is already in %s (expected: one group a bucket)";
      group.errorAt("operation_repeated", item, message.formatted(item.text(), before.path()));
      return false;
    }
    return operations.add(item.text());
  }

  private Optional<Long> sufficientBurst(Section section, long burstMillis, List<Group> groups) {
    Group slowest = groups.stream()
        .reduce((one, other) -> other.rate().isBelow(one.rate()) ? other : one)
        .orElseThrow();
    long smallest = (slowest.rate().microsPerOperation() + 999) / 1000;
    if (burstMillis >= smallest) {
      return Optional.of(burstMillis);
    }
    String figures = "%d ms hold not one operation of the group of %s (expected: at least %d ms)"
        .formatted(burstMillis, slowest.written(), smallest);
    if (burstRule == BurstRule.EXTEND) {
      section.warning("burst_extended", figures + ", extended to that");
      return Optional.of(smallest);
    }
    section.error("burst_too_small", figures);
    return Optional.empty();
  }

  // With a longer burst, a retry time could not be given exactly.
  private static boolean isTooLong(Section section, long burstMillis) {
    if (burstMillis <= Bucket.MAX_BURST_MILLIS) {
      return false;
    }
    section.error(
        "burst_too_long",
        "%d ms (expected: at most %d, 366 days)".formatted(burstMillis, Bucket.MAX_BURST_MILLIS));
    return true;
  }

  // The least rate that is a multiple of all: the least common multiple of the numerators over the
  // greatest common divisor of the denominators. It is in lowest terms, as the fractions are: no
  // prime divides both.
  private static Logical logicalRate(List<Group> groups) {
    BigInteger units = BigInteger.ONE;
    BigInteger perOperation = BigInteger.ZERO;
    for (Group group : groups) {
      BigInteger rate = BigInteger.valueOf(group.rate().unitsPerMicro());
      units = units.divide(units.gcd(rate)).multiply(rate);
      perOperation = perOperation.gcd(BigInteger.valueOf(group.rate().unitsPerOperation()));
      if (!Bucket.isPrecise(units, 1)) {
        break; // refused anyway; a thousand groups would make it a very long number
      }
    }
    return new Logical(units, perOperation);
  }

  private static String imprecise(List<Group> groups, BigInteger unitsPerMicro, long burstMillis) {
    List<String> rates =
        groups.stream().map(Group::written).distinct().limit(MOST_RATES_TOLD).toList();
    return "together the rates %s need a unit that drains %d times per microsecond (or more); × %d ms burst (expected: at most %d)"
        .formatted(String.join(", ", rates), unitsPerMicro, burstMillis, Bucket.MAX_PRECISION);
  }

  private static Map<String, Demand> demands(Bucket bucket, List<Group> groups) {
    Map<String, Demand> demands = new LinkedHashMap<>();
    for (Group group : groups) {
      Demand demand = Demand.of(bucket, logicalOperations(bucket.rate(), group.rate()));
      group.operations().forEach(operation -> demands.put(operation, demand));
    }
    return demands;
  }

  // Exact, because the rate of the bucket is a multiple of the group's.
  private static long logicalOperations(Rate of, Rate group) {
    return (of.unitsPerMicro() / group.unitsPerMicro())
        * (group.unitsPerOperation() / of.unitsPerOperation());
  }

  /** The rate of a bucket before it is known whether it can be counted exactly. */
  private record Logical(BigInteger unitsPerMicro, BigInteger unitsPerOperation) {
    Rate exactly() {
      return new Rate(unitsPerMicro.longValueExact(), unitsPerOperation.longValueExact());
    }
  }

  // Real files contain both forms; the finer one counts if it is above 0.
  static Optional<Long> finer(Section section, Field<Long> coarseField, Field<Long> fineField) {
    Optional<Long> coarse = section.find(coarseField);
    Optional<Long> fine = section.find(fineField);
    if (fine.isEmpty() || (fine.get() == 0 && coarse.isPresent())) {
      return coarse.map(number -> number * 1000);
    }
    if (coarse.orElse(0L) > 0 && coarse.get() * 1000 != fine.get()) {
      String message = "%d is not what %s says, %d; that counts";
      section.warning(
          "field_ignored",
          coarseField.name(),
          message.formatted(coarse.get(), fineField, fine.get()));
    }
    return fine;
  }
}
