package io.weir.operators.denial;

import io.vertx.core.json.JsonObject;
import java.util.Optional;

/**
 * Which denials are asked for. Immutable.
 *
 * @param id of the only one
 * @param isRehearsed whether those are asked for that only would have been denied, instead of the others; an id finds any
 * @param most of them, the newest
 */
public record DenialQuery(
    Optional<String> id,
    Optional<String> tenant,
    Optional<String> key,
    boolean isRehearsed,
    int most) {
  /** The denial with an id. */
  public static DenialQuery ofId(String id, Optional<String> tenant) {
    return new DenialQuery(Optional.of(id), tenant, Optional.empty(), false, 1);
  }

  /** Whether a denial is asked for. */
  public boolean matches(Denial denial) {
    return id.map(denial.event().id()::equals).orElse(true)
        && tenant.map(denial.asked().who().tenant()::equals).orElse(true)
        && key.map(denial.asked().who().id()::equals).orElse(true);
  }

  String text() {
    JsonObject json = new JsonObject().put("most", most).put("rehearsed", isRehearsed);
    id.ifPresent(it -> json.put("id", it));
    tenant.ifPresent(it -> json.put("tenant", it));
    key.ifPresent(it -> json.put("key", it));
    return json.encode();
  }

  static DenialQuery parse(JsonObject json) {
    return new DenialQuery(
        Optional.ofNullable(json.getString("id")),
        Optional.ofNullable(json.getString("tenant")),
        Optional.ofNullable(json.getString("key")),
        json.getBoolean("rehearsed"),
        json.getInteger("most"));
  }
}
