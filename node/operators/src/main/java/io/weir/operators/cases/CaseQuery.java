package io.weir.operators.cases;

import io.vertx.core.json.JsonObject;
import java.util.Optional;

/**
 * Which cases are asked for. Immutable.
 *
 * @param tenant the only one whose cases are asked for
 * @param most of them
 */
public record CaseQuery(CaseState state, Optional<String> tenant, int most) {
  /** So many are asked for at most. */
  public static final int MOST = 32;
  /** Each event loop and node sends as many, so that the sums of the first ones are complete. */
  static final int MOST_OF_NODE = 2 * MOST;

  boolean matches(CaseName name) {
    return tenant.map(name.tenant()::equals).orElse(true);
  }

  String text() {
    JsonObject json = new JsonObject().put("state", state.word());
    tenant.ifPresent(it -> json.put("tenant", it));
    return json.encode();
  }

  static CaseQuery parse(JsonObject json) {
    return new CaseQuery(
        CaseState.of(json.getString("state")).orElseThrow(),
        Optional.ofNullable(json.getString("tenant")),
        MOST_OF_NODE);
  }
}
