package io.weir.operators.warning;

import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The deliveries to one receiver of warnings: how many succeeded and failed, and when last. Immutable.
 *
 * @param why the last one failed; empty if none has failed
 * @param failingSince the first failure after the last success; empty if the last one succeeded
 */
record Deliveries(
    long delivered,
    long failed,
    Optional<Instant> lastDelivered,
    Optional<Instant> lastFailed,
    String why,
    Optional<Instant> failingSince) {
  static final Deliveries NONE =
      new Deliveries(0, 0, Optional.empty(), Optional.empty(), "", Optional.empty());

  Deliveries withDelivered(Instant at) {
    return new Deliveries(
        delivered + 1, failed, Optional.of(at), lastFailed, why, Optional.empty());
  }

  Deliveries withFailed(Instant at, String because) {
    Optional<Instant> since = Optional.of(failingSince.orElse(at));
    return new Deliveries(delivered, failed + 1, lastDelivered, Optional.of(at), because, since);
  }

  /** Whether the last message has failed. */
  boolean isFailing() {
    return failingSince.isPresent();
  }

  /** The deliveries of two nodes as one: failing if one of them is. */
  Deliveries plus(Deliveries other) {
    boolean isLater = after(other.lastFailed, lastFailed);
    return new Deliveries(
        delivered + other.delivered,
        failed + other.failed,
        after(other.lastDelivered, lastDelivered) ? other.lastDelivered : lastDelivered,
        isLater ? other.lastFailed : lastFailed,
        isLater ? other.why : why,
        Stream.of(failingSince, other.failingSince)
            .flatMap(Optional::stream)
            .min(Comparator.naturalOrder()));
  }

  private static boolean after(Optional<Instant> one, Optional<Instant> other) {
    return one.isPresent() && (other.isEmpty() || one.get().isAfter(other.get()));
  }

  static Deliveries parse(JsonObject json) {
    return new Deliveries(
        json.getLong("delivered"),
        json.getLong("failed"),
        instant(json, "lastDelivered"),
        instant(json, "lastFailed"),
        json.getString("why", ""),
        instant(json, "failingSince"));
  }

  private static Optional<Instant> instant(JsonObject json, String field) {
    return Optional.ofNullable(json.getString(field)).map(Instant::parse);
  }

  JsonObject toJson() {
    JsonObject json = new JsonObject().put("delivered", delivered).put("failed", failed);
    lastDelivered.ifPresent(at -> json.put("lastDelivered", at.toString()));
    lastFailed.ifPresent(at -> json.put("lastFailed", at.toString()).put("why", why));
    failingSince.ifPresent(at -> json.put("failingSince", at.toString()));
    return json.put("isFailing", isFailing());
  }
}
