package io.weir.keys.record;

import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.OptionalLong;

/**
 * An override of limits, which may end by itself.
 *
 * @param fields as the policy has them, without the end
 * @param untilMillis the moment from which it no longer counts, by Redis's clock; empty for never
 */
public record TimedOverride(JsonObject fields, OptionalLong untilMillis) {
  static final String UNTIL = "until";

  /** Whether it counts at this moment. */
  public boolean isInForceAt(long nowMillis) {
    return untilMillis.isEmpty() || nowMillis < untilMillis.getAsLong();
  }

  JsonObject toJson() {
    JsonObject json = fields.copy();
    untilMillis.ifPresent(until -> json.put(UNTIL, Instant.ofEpochMilli(until).toString()));
    return json;
  }
}
