package io.weir.core.policy.read;

import io.weir.core.kind.Congestion;
import io.weir.core.kind.Congestion.Point;
import io.weir.core.kind.Congestion.Scale;
import io.weir.core.policy.read.BucketOptions.Kept;
import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.FractionType;
import io.weir.core.policy.schema.FractionType.Unit;
import io.weir.core.policy.schema.Section;
import io.weir.core.policy.schema.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the options of a bucket besides its rate. */
final class BucketOptionsReader {
  private static final int BASIS_POINTS = 10_000;
  private static final long MAX_MULTIPLIER_MILLIS = 1_000_000_000;
  private static final FractionType PERCENTAGE = new FractionType(Unit.PER_CENT, 0, 100);
  private static final FractionType LEVEL =
      new FractionType(Unit.HUNDREDTHS_OF_A_PER_CENT, 0, BASIS_POINTS);
  private static final FractionType MULTIPLIER =
      new FractionType(Unit.THOUSANDTHS, Congestion.ONE, MAX_MULTIPLIER_MILLIS);
  private static final Pattern DECIMALS =
      Pattern.compile("([1-9]\\d{0,2})\\.(?=\\d*[1-9])\\d{1,9}");
  private static final Pattern TIMES = Pattern.compile("(\\d{1,7})x?");

  private static final Field<String> OVERFLOW = Field.name(
      "overflow",
      "another bucket of the plan with all of its operations, which pays if this one has no room");

  private static final Field<Long> SHARE =
      Field.percent("share", 1, 99, "the part of rate and burst that is reserved");
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
      text -> points(text, BucketOptionsReader::stepLevel, BucketOptionsReader::times),
      listOf(FractionType.FORM + "\\s*,\\s*" + TIMES),
      "pairs such as 90,10x,95,25x or 0.9,10x,0.95,25x: per cent, or a decimal number, and a whole multiplier",
      "how full it is, and a multiplier, such as `\"90,10x,95,25x,99,100x\"` per cent or `\"0.9,10x,0.95,25x\"`; decimals of"
          + " a percentage are dropped, as in Hedera's files. A step rises once it was reached for the period, and falls at"
          + " once");
  private static final Field<List<Point>> CURVE = Field.parsed(
      "curve",
      text -> points(text, LEVEL::parseText, MULTIPLIER::parseText),
      listOf(FractionType.FORM + "\\s*,\\s*" + FractionType.FORM),
      "pairs such as 0,1000,9000,5000 or 0,1.5,0.9,5: hundredths of a per cent and thousandths, or decimal numbers",
      "instead of steps: how full it is in hundredths of a per cent, and a multiplier in thousandths, such as"
          + " `\"0,1000,9000,5000\"`, or both as decimal numbers, `\"0,1,0.9,5\"`; linear between");
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
      section.error("share_for_nobody", "expected: share, and plans or operations that may use it");
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

  private static Optional<List<Point>> points(
      String text,
      Function<String, Optional<Long>> level,
      Function<String, Optional<Long>> multiplier) {
    String[] numbers = text.split(",", -1);
    if (numbers.length % 2 != 0) {
      return Optional.empty();
    }
    List<Point> points = new ArrayList<>();
    for (int i = 0; i < numbers.length; i += 2) {
      Optional<Long> basisPoints = level.apply(numbers[i].strip());
      Optional<Long> millis = multiplier.apply(numbers[i + 1].strip());
      if (basisPoints.isEmpty() || millis.isEmpty()) {
        return Optional.empty();
      }
      points.add(new Point(basisPoints.get(), millis.get()));
    }
    return Optional.of(points);
  }

  // As in Hedera's files, the decimals of a percentage are dropped.
  private static Optional<Long> stepLevel(String text) {
    Matcher decimals = DECIMALS.matcher(text);
    Optional<Long> percent = decimals.matches()
        ? Optional.of(Long.valueOf(decimals.group(1)))
        : PERCENTAGE.parseText(text);
    return percent.map(level -> level * (BASIS_POINTS / 100));
  }

  private static Optional<Long> times(String text) {
    Matcher matcher = TIMES.matcher(text);
    return matcher.matches()
        ? Optional.of(Long.parseLong(matcher.group(1)) * Congestion.ONE)
        : Optional.empty();
  }

  private static String listOf(String form) {
    return "\\s*" + form + "(\\s*,\\s*" + form + ")*\\s*";
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
