package io.weir.operators.top;

import io.vertx.core.json.JsonObject;
import java.util.List;

/**
 * The names that were counted most, of each kind. Immutable.
 *
 * @param total how often all were counted, exactly
 * @param keys by {@link SubjectName}
 * @param tenants by name
 * @param limits by {@link LimitName}
 */
public record Tops(long total, Best keys, Best tenants, Best limits) {
  /** Nobody was counted. */
  public static final Tops NONE = new Tops(0, Best.NONE, Best.NONE, Best.NONE);

  /** The sums of several counts. */
  public static Tops sum(List<Tops> counts, int most) {
    return new Tops(
        counts.stream().mapToLong(Tops::total).sum(),
        Best.sum(counts.stream().map(Tops::keys).toList(), most),
        Best.sum(counts.stream().map(Tops::tenants).toList(), most),
        Best.sum(counts.stream().map(Tops::limits).toList(), most));
  }

  /** The counts as nodes tell each other. */
  public JsonObject toJson() {
    return new JsonObject()
        .put("total", total)
        .put("keys", keys.toJson())
        .put("tenants", tenants.toJson())
        .put("limits", limits.toJson());
  }

  /** Reads what {@link #toJson} wrote. */
  public static Tops parse(JsonObject json) {
    return new Tops(
        json.getLong("total"),
        Best.parse(json.getJsonObject("keys")),
        Best.parse(json.getJsonObject("tenants")),
        Best.parse(json.getJsonObject("limits")));
  }
}
