package io.weir.operators.live;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.CountAtBucket;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * A meter as it stands. Immutable.
 *
 * @param name without the prefix of the project
 * @param grows whether its value counts since the start of the node
 * @param buckets of times, else empty; one that counts as many times as the one before is left out
 */
record MeterRow(
    String name, Map<String, String> tags, boolean grows, double value, List<Bucket> buckets) {
  private static final String PREFIX = "throttle.";

  /**
   * Times up to a bound.
   *
   * @param bound in milliseconds
   */
  record Bucket(double bound, double count) {}

  /** Attempts of all keys of a provider are one; a gauge that has nothing to tell is left out. */
  static Optional<MeterRow> of(Meter meter) {
    Map<String, String> tags = new TreeMap<>();
    for (Tag tag : meter.getId().getTags()) {
      tags.put(tag.getKey(), tag.getValue());
    }
    tags.remove("key");
    String name = meter.getId().getName().substring(PREFIX.length());
    if (meter instanceof Timer timer) {
      return Optional.of(
          new MeterRow(name, tags, true, (double) timer.count(), distinct(counts(timer))));
    }
    if (meter instanceof Counter counter) {
      return Optional.of(new MeterRow(name, tags, true, counter.count(), List.of()));
    }
    return meter instanceof Gauge gauge && Double.isFinite(gauge.value())
        ? Optional.of(new MeterRow(name, tags, false, gauge.value(), List.of()))
        : Optional.empty();
  }

  private static List<Bucket> counts(Timer timer) {
    List<CountAtBucket> all = Arrays.asList(timer.takeSnapshot().histogramCounts());
    return all.stream()
        .map(at -> new Bucket(at.bucket(TimeUnit.MILLISECONDS), at.count()))
        .filter(bucket -> Double.isFinite(bucket.bound()))
        .toList();
  }

  private static List<Bucket> distinct(List<Bucket> all) {
    return IntStream.range(0, all.size())
        .filter(i -> all.get(i).count() > (i == 0 ? 0 : all.get(i - 1).count()))
        .mapToObj(all::get)
        .toList();
  }

  /** The same for two meters that are counted as one. */
  String id() {
    return name + tags;
  }

  MeterRow plus(MeterRow other) {
    return new MeterRow(name, tags, grows, value + other.value, buckets);
  }

  /** The counts since it stood as {@code earlier}. */
  MeterRow since(MeterRow earlier) {
    List<Bucket> grown = buckets.stream()
        .map(bucket -> new Bucket(bucket.bound(), bucket.count() - earlier.upTo(bucket.bound())))
        .toList();
    return new MeterRow(name, tags, grows, value - earlier.value, distinct(grown));
  }

  private double upTo(double bound) {
    return buckets.stream()
        .filter(bucket -> bucket.bound() <= bound)
        .mapToDouble(Bucket::count)
        .max()
        .orElse(0);
  }

  JsonObject toJson() {
    JsonObject labels = new JsonObject();
    tags.forEach(labels::put);
    return figures().put("name", name).put("tags", labels);
  }

  /** Its value and its buckets. */
  JsonObject figures() {
    JsonObject json = new JsonObject().put("value", value);
    if (buckets.isEmpty()) {
      return json;
    }
    JsonArray counts = new JsonArray();
    buckets.forEach(bucket -> counts.add(JsonArray.of(bucket.bound(), bucket.count())));
    return json.put("buckets", counts);
  }
}
