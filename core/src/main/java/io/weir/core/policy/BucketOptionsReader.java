package io.weir.core.policy;

import io.weir.core.kind.Congestion;
import io.weir.core.kind.Congestion.Point;
import io.weir.core.kind.Congestion.Scale;
import io.weir.core.policy.BucketOptions.Kept;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the options of a bucket besides its rate. */
final class BucketOptionsReader {
  private static final Pattern STEP = Pattern.compile("(\\d{1,3})(?:\\.\\d*)?,(\\d{1,7})x?");
  private static final Pattern POINT = Pattern.compile("(\\d{1,5}),(\\d{4,10})");
  private static final int BASIS_POINTS = 10_000;
  private static final long MAX_MULTIPLIER_MILLIS = 1_000_000_000;

  private static final Field<String> OVERFLOW = Field.name(
      "overflow",
      "another bucket of the plan with all of its operations, which pays where this one has no room");

  private static final Field<Long> SHARE =
      Field.number("share", 1, 99, "percentage of rate and burst that is reserved");
  private static final Field<List<Section.Item>> PLANS =
      Field.names("plans", "plans that use the reserved part first, and then the rest");
  private static final Field<List<Section.Item>> OPERATIONS =
      Field.names("operations", "operations that use the reserved part first, and then the rest");
  private static final Field<Section> KEEP_FOR = Field.section(
      "keepFor",
      Table.of("keepFor", SHARE, PLANS, OPERATIONS),
      "reserves a part for some plans and operations, such as `{ share: 20, plans: [gold], operations: [Pay] }`");

  private static final Field<Boolean> PRICE = Field.flag(
      "price",
      "whether the cost of operations is multiplied; denied callers get estimates instead of slots");
  private static final Field<List<Point>> STEPS = Field.parsed(
      "steps",
      text -> points(text, STEP).map(BucketOptionsReader::asBasisPoints),
      listOf(STEP),
      "pairs such as 90,10x,95,25x",
      "percent full and multiplier, such as `\"90,10x,95,25x,99,100x\"`; a step rises once it was reached for the period,"
          + " and falls at once");
  private static final Field<List<Point>> CURVE = Field.parsed(
      "curve",
      text -> points(text, POINT),
      listOf(POINT),
      "pairs such as 0,1000,9000,5000",
      "instead of steps: hundredths of a percent and multiplier in thousandths, such as `\"0,1000,9000,5000\"`; linear"
          + " between");
  private static final Field<Long> PERIOD = Field.duration(
          "period", Duration.ZERO, Duration.ofHours(1), "how long a step has to be reached")
      .or(60_000L);
  private static final Field<Section> CONGESTION = Field.section(
      "congestion",
      Table.of("congestion", STEPS, CURVE, PERIOD, PRICE),
      "a multiplier that grows with the level; a plan with `shedAt` is denied from its own on");

  /** The fields of these options. */
  static final List<Field<?>> FIELDS =
      List.of(KindsReader.COUNTS, OVERFLOW, KEEP_FOR, CONGESTION, LimitMode.FIELD);

  private BucketOptionsReader() {}

  static BucketOptions read(Section bucket, boolean leased) {
    boolean requests = bucket.get(KindsReader.COUNTS);
    Optional<String> overflow = bucket.find(OVERFLOW);
    Optional<Section> congestion = bucket.find(CONGESTION);
    boolean isPrice = congestion.filter(section -> section.get(PRICE)).isPresent();
    Optional<Scale> scale = congestion.flatMap(BucketOptionsReader::scale);
    Optional<Kept> kept = bucket.find(KEEP_FOR).flatMap(BucketOptionsReader::kept);
    if (overflow.isPresent() && kept.isPresent()) {
      bucket.error("overflow_with_share", "overflow", "beside keepFor (expected: one of them)");
    }
    boolean isPlain = !requests && overflow.isEmpty() && scale.isEmpty() && kept.isEmpty();
    if (leased && !isPlain) {
      bucket.error(
          "leased_with_options",
          "leased",
          "beside counts, overflow, congestion or keepFor (expected: none of them)");
    }
    LimitMode mode = bucket.get(LimitMode.FIELD);
    boolean isAlone = overflow.isEmpty() && scale.isEmpty() && kept.isEmpty() && !leased;
    if (mode == LimitMode.AUDIT && !isAlone) {
      bucket.error(
          "audit_with_options",
          "mode",
          "audit beside overflow, congestion, keepFor or leased (expected: none of them)");
    }
    return new BucketOptions(requests, overflow, scale, isPrice, kept, mode);
  }

  private static Optional<Kept> kept(Section section) {
    Optional<Long> share = section.find(SHARE);
    Set<String> plans = Section.Item.texts(section.get(PLANS));
    Set<String> operations = Section.Item.texts(section.get(OPERATIONS));
    if (share.isEmpty() || (plans.isEmpty() && operations.isEmpty())) {
      section.error(
          "share_for_nobody",
          "expected: share in percent, and plans or operations that may use it");
      return Optional.empty();
    }
    return Optional.of(new Kept(Math.toIntExact(share.get()), plans, operations));
  }

  private static Optional<Scale> scale(Section section) {
    Optional<List<Point>> steps = section.find(STEPS);
    Optional<List<Point>> curve = section.find(CURVE);
    long period = section.micros(PERIOD);
    if (steps.isPresent() == curve.isPresent()) {
      section.error("congestion_ambiguous", "both or neither (expected: steps or a curve)");
      return Optional.empty();
    }
    List<Point> points = steps.or(() -> curve).orElseThrow();
    if (!isRising(points)) {
      section.error(
          "congestion_not_rising",
          "levels that do not rise, are above the whole, or more than %d (expected: rising ones)"
              .formatted(Congestion.MOST_POINTS));
      return Optional.empty();
    }
    return Optional.of(
        new Scale(points, steps.isEmpty() ? OptionalLong.empty() : OptionalLong.of(period)));
  }

  private static Optional<List<Point>> points(String text, Pattern form) {
    if (!text.matches(listOf(form))) {
      return Optional.empty();
    }
    List<Point> points = new ArrayList<>();
    Matcher each = form.matcher(text);
    while (each.find()) {
      points.add(new Point(Long.parseLong(each.group(1)), Long.parseLong(each.group(2))));
    }
    return Optional.of(points);
  }

  private static String listOf(Pattern form) {
    return "\\s*" + form.pattern() + "(\\s*,\\s*" + form.pattern() + ")*\\s*";
  }

  private static List<Point> asBasisPoints(List<Point> steps) {
    return steps.stream()
        .map(step -> new Point(step.basisPoints() * 100, step.multiplierMillis() * Congestion.ONE))
        .toList();
  }

  private static boolean isRising(List<Point> points) {
    boolean isSound = points.size() <= Congestion.MOST_POINTS;
    Point before = new Point(-1, 0);
    for (Point point : points) {
      isSound &= point.basisPoints() > before.basisPoints()
          && point.basisPoints() <= BASIS_POINTS
          && point.multiplierMillis() >= Math.max(Congestion.ONE, before.multiplierMillis())
          && point.multiplierMillis() <= MAX_MULTIPLIER_MILLIS;
      before = point;
    }
    return isSound;
  }
}
