package io.weir.operators.warning;

import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.Optional;

/**
 * The deliveries of a node to one receiver of warnings: how many succeeded and failed, and when last. Immutable.
 *
 * @param why the last one failed; empty if none has failed
 */
record Deliveries(
    long delivered,
    long failed,
    Optional<Instant> lastDelivered,
    Optional<Instant> lastFailed,
    String why) {
  static final Deliveries NONE = new Deliveries(0, 0, Optional.empty(), Optional.empty(), "");

  Deliveries withDelivered(Instant at) {
    return new Deliveries(delivered + 1, failed, Optional.of(at), lastFailed, why);
  }

  Deliveries withFailed(Instant at, String because) {
    return new Deliveries(delivered, failed + 1, lastDelivered, Optional.of(at), because);
  }

  /** Whether the last message has failed. */
  boolean isFailing() {
    return lastFailed.isPresent()
        && !lastDelivered.map(at -> !at.isBefore(lastFailed.get())).orElse(false);
  }

  JsonObject toJson() {
    JsonObject json = new JsonObject().put("delivered", delivered).put("failed", failed);
    lastDelivered.ifPresent(at -> json.put("lastDelivered", at.toString()));
    lastFailed.ifPresent(at -> json.put("lastFailed", at.toString()).put("why", why));
    return json.put("isFailing", isFailing());
  }
}
