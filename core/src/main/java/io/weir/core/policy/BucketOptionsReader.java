package io.weir.core.policy;

import io.weir.core.bucket.Names;
import io.weir.core.kind.Congestion;
import io.weir.core.kind.Congestion.Point;
import io.weir.core.kind.Congestion.Scale;
import io.weir.core.policy.BucketOptions.Kept;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads the options of a bucket besides its rate. */
final class BucketOptionsReader {
  private static final Pattern STEP = Pattern.compile("(\\d{1,3})(?:\\.\\d*)?,(\\d{1,7})x?");
  private static final Pattern POINT = Pattern.compile("(\\d{1,5}),(\\d{4,10})");
  private static final int BASIS_POINTS = 10_000;
  private static final long MAX_MULTIPLIER_MILLIS = 1_000_000_000;
  private static final Map<String, Boolean> COUNTS = counts();

  private BucketOptionsReader() {}

  static BucketOptions read(Section bucket, boolean leased) {
    boolean requests = bucket.choice("counts", COUNTS).orElse(false);
    Optional<String> overflow = bucket.text("overflow", Names::isName, Names.NAME_PATTERN);
    Optional<Section> congestion = bucket.section("congestion");
    boolean isPrice = congestion.filter(section -> section.flag("price")).isPresent();
    Optional<Scale> scale = congestion.flatMap(BucketOptionsReader::scale);
    Optional<Kept> kept = bucket.section("keepFor").flatMap(BucketOptionsReader::kept);
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
    return new BucketOptions(requests, overflow, scale, isPrice, kept);
  }

  /** Reads a multiplier such as 10x, in thousandths. */
  static OptionalLong multiplier(Section section, String field) {
    Optional<String> text = section.text(
        field, value -> value.matches("[1-9]\\d{0,5}x"), "a multiplier such as 10x, up to 999999x");
    return text.isEmpty()
        ? OptionalLong.empty()
        : OptionalLong.of(
            Congestion.ONE * Long.parseLong(text.get().substring(0, text.get().length() - 1)));
  }

  private static Optional<Kept> kept(Section section) {
    OptionalLong share = section.wholeNumber("share", 1, 99);
    Set<String> plans = names(section, "plans");
    Set<String> operations = names(section, "operations");
    section.refuseUnknown();
    if (share.isEmpty() || (plans.isEmpty() && operations.isEmpty())) {
      section.error(
          "share_for_nobody",
          "expected: share in percent, and plans or operations that may use it");
      return Optional.empty();
    }
    return Optional.of(new Kept((int) share.getAsLong(), plans, operations));
  }

  private static Set<String> names(Section section, String field) {
    return section.texts(field, Names::isName, Names.NAME_PATTERN).stream()
        .map(Section.Item::text)
        .collect(Collectors.toSet());
  }

  private static Optional<Scale> scale(Section section) {
    Optional<List<Point>> steps = section
        .text("steps", text -> points(text, STEP).isPresent(), "pairs such as 90,10x,95,25x")
        .flatMap(text -> points(text, STEP))
        .map(BucketOptionsReader::asBasisPoints);
    Optional<List<Point>> curve = section
        .text("curve", text -> points(text, POINT).isPresent(), "pairs such as 0,1000,9000,5000")
        .flatMap(text -> points(text, POINT));
    Optional<Duration> period = section.duration("period", Duration.ZERO, Duration.ofHours(1));
    section.refuseUnknown();
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
    return Optional.of(new Scale(
        points,
        steps.isEmpty()
            ? OptionalLong.empty()
            : OptionalLong.of(period.map(SlotsReader::micros).orElse(60L * 1_000_000))));
  }

  private static Optional<List<Point>> points(String text, Pattern form) {
    Pattern all =
        Pattern.compile("\\s*" + form.pattern() + "(\\s*,\\s*" + form.pattern() + ")*\\s*");
    if (!all.matcher(text).matches()) {
      return Optional.empty();
    }
    List<Point> points = new ArrayList<>();
    Matcher each = form.matcher(text);
    while (each.find()) {
      points.add(new Point(Long.parseLong(each.group(1)), Long.parseLong(each.group(2))));
    }
    return Optional.of(points);
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

  private static Map<String, Boolean> counts() {
    Map<String, Boolean> words = new LinkedHashMap<>();
    words.put("cost", false);
    words.put("requests", true);
    return words;
  }
}
