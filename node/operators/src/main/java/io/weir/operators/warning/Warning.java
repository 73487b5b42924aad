package io.weir.operators.warning;

import io.vertx.core.json.JsonObject;
import io.weir.core.bucket.Names;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Limit;
import io.weir.core.kind.Kind;
import io.weir.core.policy.Subject;
import io.weir.node.admission.Witness.Question;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * A limit has reached a percentage. Immutable.
 *
 * @param at the percentage of the rule
 * @param percent how much is used, rounded down
 * @param question the request that was decided
 */
record Warning(WarningRule rule, int at, int percent, Limit limit, Question question) {
  private static final String TYPE = "limit.reached";

  /** The owner of the limit, as a part of other names: a key, a tenant or the cluster. */
  String owner() {
    Subject subject = question.subject();
    return switch (limit.scope()) {
      case KEY -> Names.escaped(subject.tenant()) + "/" + Names.escaped(subject.id());
      case TENANT -> Names.escaped(subject.tenant()) + "/";
      case CLUSTER -> "cluster";
    };
  }

  /** For so long the same is not told again. */
  Duration lasts() {
    Duration reset = Duration.ofMillis(TimeUnit.MICROSECONDS.toMillis(limit.resetMicros()) + 1);
    return limit.kind() == Kind.QUOTA ? reset : rule.again();
  }

  JsonObject toJson(Instant time, String node) {
    Subject subject = question.subject();
    JsonObject data = new JsonObject()
        .put("rule", rule.name())
        .put("at", at)
        .put("usedPercent", percent)
        .put("limit", limit.bucket())
        .put("kind", limit.kind().word())
        .put("scope", limit.scope().name().toLowerCase(Locale.ROOT))
        .put("quota", limit.quota())
        .put("remaining", limit.remaining())
        .put("resetMs", TimeUnit.MICROSECONDS.toMillis(limit.resetMicros() + 999))
        .put("plan", subject.plan().name())
        .put("operation", subject.plan().tagOf(question.operation()))
        .put("node", node);
    if (limit.scope() != Scope.CLUSTER) {
      data.put("tenant", subject.tenant());
    }
    if (limit.scope() == Scope.KEY) {
      data.put("key", subject.id());
    }
    return new JsonObject().put("type", TYPE).put("timestamp", time.toString()).put("data", data);
  }
}
