package io.weir.insight.denial;

import io.vertx.core.json.JsonObject;
import java.util.Optional;

/**
 * Which denials are asked for. Immutable.
 *
 * @param id of the only one
 * @param most of them, the newest
 */
public record DenialQuery(
    Optional<String> id, Optional<String> tenant, Optional<String> key, int most) {
  /** Whether a denial is asked for. */
  public boolean matches(Denial denial) {
    return id.map(denial.id()::equals).orElse(true)
        && tenant.map(denial.who().tenant()::equals).orElse(true)
        && key.map(denial.who().id()::equals).orElse(true);
  }

  String text() {
    JsonObject json = new JsonObject().put("most", most);
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
        json.getInteger("most"));
  }
}
