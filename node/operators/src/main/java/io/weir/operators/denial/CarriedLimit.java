package io.weir.operators.denial;

import io.vertx.core.json.JsonObject;
import io.weir.node.resp.limit.RequestLimit;
import java.util.Optional;

/** The limit that a denied request carried, in JSON: in the words of the command that carries it. */
public final class CarriedLimit {
  private static final String MAX_BURST = "maxBurst";
  private static final String COUNT = "count";
  private static final String PERIOD = "periodSeconds";

  private CarriedLimit() {}

  static JsonObject toJson(RequestLimit limit) {
    return new JsonObject()
        .put(MAX_BURST, limit.atOnce() - 1)
        .put(COUNT, limit.count())
        .put(PERIOD, limit.periodSeconds());
  }

  /** The limit of the newest of these denials that has one. */
  public static Optional<RequestLimit> newest(DenialSearch.Found found) {
    return found.denials().stream()
        .filter(denial -> denial.containsKey(Denial.CARRIED))
        .map(denial -> denial.getJsonObject(Denial.CARRIED))
        .map(json -> new RequestLimit(
            1 + json.getLong(MAX_BURST), json.getLong(COUNT), json.getLong(PERIOD)))
        .findFirst();
  }
}
