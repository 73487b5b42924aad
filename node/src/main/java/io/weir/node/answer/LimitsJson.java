package io.weir.node.answer;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Limit;
import java.util.List;

/**
 * Limits as JSON. Written as text where they are in each answer: every value is a number, a constant, or the name of a
 * bucket, whose characters need no escapes ({@link io.weir.core.bucket.Names}).
 */
public final class LimitsJson {
  private LimitsJson() {}

  /** Appends the state of limits: {@code [{"bucket":"b","kind":"rate",…},…]}. */
  public static void append(List<Limit> limits, StringBuilder json) {
    json.append('[');
    for (int i = 0; i < limits.size(); i++) {
      Limit limit = limits.get(i);
      json.append(i == 0 ? "{\"bucket\":\"" : ",{\"bucket\":\"").append(limit.bucket());
      json.append("\",\"kind\":\"").append(limit.kind().word());
      json.append("\",\"scope\":\"").append(wordOf(limit.scope()));
      json.append("\",\"remaining\":").append(limit.remaining());
      json.append(",\"resetMs\":").append(DecisionAnswers.resetMillis(limit)).append('}');
    }
    json.append(']');
  }

  /** Appends names of limits: {@code ["b",…]}. */
  public static void appendNames(List<String> names, StringBuilder json) {
    json.append('[');
    for (int i = 0; i < names.size(); i++) {
      json.append(i == 0 ? "\"" : ",\"").append(names.get(i)).append('"');
    }
    json.append(']');
  }

  /** The full limits of a denial, with their kind and scope. */
  static JsonArray full(Denied denied) {
    JsonArray full = new JsonArray();
    for (Limit limit : denied.limits()) {
      if (denied.full().contains(limit.bucket())) {
        full.add(new JsonObject()
            .put("name", limit.bucket())
            .put("kind", limit.kind().word())
            .put("scope", wordOf(limit.scope())));
      }
    }
    return full;
  }

  private static String wordOf(Scope scope) {
    return switch (scope) {
      case KEY -> "key";
      case TENANT -> "tenant";
      case CLUSTER -> "cluster";
    };
  }
}
