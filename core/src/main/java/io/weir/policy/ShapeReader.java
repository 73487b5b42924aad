package io.weir.policy;

import io.weir.bucket.Bucket;
import io.weir.bucket.Demand;
import io.weir.bucket.Names;
import io.weir.bucket.Scope;
import io.weir.policy.BucketShape.Group;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Reads rates, bursts and groups in Hedera's form and makes buckets of them.
 *
 * <p>The logical rate of a bucket is the least common multiple of its groups' rates, so that an operation
 * of each group costs a whole number of logical operations.
 */
final class ShapeReader {
  private static final long MAX_MILLI_OPS_PER_SEC = Bucket.MAX_PRECISION;
  private static final long MAX_OPS_PER_SEC = MAX_MILLI_OPS_PER_SEC / 1000;
  private static final long MILLI_OP_MILLIS_PER_OP = 1_000_000;

  private final BurstRule burstRule;

  ShapeReader(BurstRule burstRule) {
    this.burstRule = burstRule;
  }

  /** The rate of a section, in thousandths of operations per second; 0 where it says 0. */
  OptionalLong milliOpsPerSec(Section section) {
    OptionalLong ops = section.wholeNumber("opsPerSec", 0, MAX_OPS_PER_SEC);
    OptionalLong milli = section.wholeNumber("milliOpsPerSec", 0, MAX_MILLI_OPS_PER_SEC);
    return finer(section, "opsPerSec", ops, "milliOpsPerSec", milli);
  }

  /** The burst of a section in milliseconds. */
  OptionalLong burstMillis(Section section) {
    OptionalLong seconds = section.wholeNumber("burstPeriod", 0, MAX_OPS_PER_SEC);
    OptionalLong millis = section.wholeNumber("burstPeriodMs", 0, MAX_MILLI_OPS_PER_SEC);
    return finer(section, "burstPeriod", seconds, "burstPeriodMs", millis);
  }

  /** The groups of a section, each without its repetitions; empty where any of them has a problem. */
  Optional<List<Group>> groups(Section section) {
    List<Section> sections = section.sections("throttleGroups");
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

  /** The bucket of these groups; empty, with a problem at {@code section}, where it cannot be counted. */
  Optional<BucketShape> shape(
      Section section, String name, Scope scope, long burstMillis, List<Group> groups) {
    Optional<Long> burst = sufficientBurst(section, burstMillis, groups);
    BigInteger rate = logicalRate(groups);
    if (burst.isEmpty() || isTooLong(section, burst.get())) {
      return Optional.empty();
    }
    if (!Bucket.isPrecise(rate, burst.get())) {
      section.error("bucket_precision_exceeded", imprecise(groups, rate, burst.get()));
      return Optional.empty();
    }
    Bucket bucket = new Bucket(name, scope, rate.longValueExact(), burst.get());
    return Optional.of(new BucketShape(bucket, groups, demands(bucket, groups)));
  }

  private Optional<Group> group(Section section, Map<String, Section> seen) {
    OptionalLong rate = milliOpsPerSec(section);
    List<Section.Item> listed = section.texts("operations", Names::isName, Names.NAME_PATTERN);
    section.refuseUnknown();
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
        ? Optional.of(new Group(rate.orElseThrow(), List.copyOf(operations)))
        : Optional.empty();
  }

  private static boolean rateIsPositive(Section section, OptionalLong rate) {
    if (rate.orElse(0) > 0) {
      return true;
    }
    section.error(
        "group_rate_zero",
        "a rate of 0 operations per second (expected: opsPerSec or milliOpsPerSec > 0)");
    return false;
  }

  // The published reader takes an operation twice in one group for once, but refuses it in a second
  // one.
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
        .min((a, b) -> Long.compare(a.milliOpsPerSec(), b.milliOpsPerSec()))
        .orElseThrow();
    long rate = slowest.milliOpsPerSec();
    long smallest = Math.max(1, (MILLI_OP_MILLIS_PER_OP + rate - 1) / rate);
    if (burstMillis >= smallest) {
      return Optional.of(burstMillis);
    }
    String figures =
        "%d ms hold not one operation of the group of %d milliOpsPerSec (expected: at least %d ms)"
            .formatted(burstMillis, rate, smallest);
    if (burstRule == BurstRule.EXTEND) {
      section.warning("burst_extended", figures + ", extended to that");
      return Optional.of(smallest);
    }
    section.error("burst_too_small", figures);
    return Optional.empty();
  }

  // Beyond it an instant to come back could not be told exactly.
  private static boolean isTooLong(Section section, long burstMillis) {
    if (burstMillis <= Bucket.MAX_BURST_MILLIS) {
      return false;
    }
    section.error(
        "burst_too_long",
        "%d ms (expected: at most %d, 366 days)".formatted(burstMillis, Bucket.MAX_BURST_MILLIS));
    return true;
  }

  private static BigInteger logicalRate(List<Group> groups) {
    BigInteger lcm = BigInteger.ONE;
    for (Group group : groups) {
      BigInteger rate = BigInteger.valueOf(group.milliOpsPerSec());
      lcm = lcm.divide(lcm.gcd(rate)).multiply(rate);
      if (!Bucket.isPrecise(lcm, 1)) {
        return lcm; // refused in any case, and a thousand groups would make it a very long number
      }
    }
    return lcm;
  }

  private static String imprecise(List<Group> groups, BigInteger rate, long burstMillis) {
    List<String> rates = groups.stream()
        .map(group -> Long.toString(group.milliOpsPerSec()))
        .distinct()
        .limit(20)
        .toList();
    return "the rates %s milliOpsPerSec have the least common multiple %d (or more); × %d ms burst (expected: at most %d)"
        .formatted(String.join(", ", rates), rate, burstMillis, Bucket.MAX_PRECISION);
  }

  private static Map<String, Demand> demands(Bucket bucket, List<Group> groups) {
    Map<String, Demand> demands = new LinkedHashMap<>();
    for (Group group : groups) {
      long logicalOperations = bucket.milliOpsPerSec() / group.milliOpsPerSec();
      Demand demand = new Demand(bucket, logicalOperations * Bucket.UNITS_PER_OPERATION);
      group.operations().forEach(operation -> demands.put(operation, demand));
    }
    return demands;
  }

  // Real files carry both forms side by side; the finer one counts where it says more than 0.
  private static OptionalLong finer(
      Section section,
      String coarseField,
      OptionalLong coarse,
      String fineField,
      OptionalLong fine) {
    if (fine.isEmpty() || (fine.getAsLong() == 0 && coarse.isPresent())) {
      return coarse.isEmpty() ? coarse : OptionalLong.of(coarse.getAsLong() * 1000);
    }
    if (coarse.orElse(0) > 0 && coarse.getAsLong() * 1000 != fine.getAsLong()) {
      String message = "%d is not what %s says, %d; that counts";
      section.warning(
          "field_ignored",
          coarseField,
          message.formatted(coarse.getAsLong(), fineField, fine.getAsLong()));
    }
    return fine;
  }
}
