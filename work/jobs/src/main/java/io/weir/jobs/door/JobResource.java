package io.weir.jobs.door;

import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.OperationRule;
import io.weir.core.throttle.PolicySource;
import io.weir.jobs.rule.JobParameter;
import io.weir.jobs.rule.JobRule;
import io.weir.node.admin.Operators;
import io.weir.node.auth.Operator;
import io.weir.node.intake.Door;
import io.weir.node.intake.Route;
import io.weir.node.intake.RoutedRequest;
import java.util.List;
import java.util.Map;

/** The settings of jobs, for operators: description, bounds and value in force of each. They are set in the policy. */
public final class JobResource implements Door {
  private static final Map<JobParameter.Type, String> TYPES = Map.of(
      JobParameter.Type.NUMBER,
      "number",
      JobParameter.Type.THOUSANDTHS,
      "thousandths",
      JobParameter.Type.DURATION,
      "milliseconds");

  private final PolicySource policies;
  private final Operators operators;

  public JobResource(PolicySource policies, Operators operators) {
    this.policies = policies;
    this.operators = operators;
  }

  @Override
  public List<Route> routes() {
    return List.of(Route.get("/v1/policy/jobs", this::get).withHead());
  }

  private Future<Void> get(RoutedRequest request) {
    operators.require(request.http(), Operator.Scope.READ);
    return request.answer(200, settings());
  }

  // All parameters, and their values for each operation.
  private JsonObject settings() {
    JsonObject operations = new JsonObject();
    for (OperationRule rule : policies.current().policy().routing().rules()) {
      JobRule.of(rule).ifPresent(job -> operations.put(rule.name(), values(job)));
    }
    return new JsonObject()
        .put("revision", policies.current().revision())
        .put("operations", operations)
        .put("parameters", parameters());
  }

  private static JsonArray parameters() {
    JsonArray all = new JsonArray();
    for (JobParameter parameter : JobParameter.values()) {
      all.add(new JsonObject()
          .put("name", parameter.field())
          .put("type", TYPES.get(parameter.type()))
          .put("min", parameter.min())
          .put("max", parameter.max())
          .put("default", parameter.initial())
          .put("meaning", parameter.meaning()));
    }
    return all;
  }

  private static JsonObject values(JobRule rule) {
    JsonObject values = new JsonObject();
    for (JobParameter parameter : JobParameter.values()) {
      values.put(parameter.field(), rule.value(parameter));
    }
    rule.protocol().readinessPath().ifPresent(path -> values.put("readinessPath", path));
    JsonArray waits = new JsonArray();
    rule.waits()
        .receiptWaits()
        .forEach(wait -> waits.add(
            new JsonObject().put("after", wait.afterMillis()).put("wait", wait.waitMillis())));
    return values
        .put("batches", rule.waits().batches())
        .put("learned", rule.waits().isLearned())
        .put("callbacks", rule.protocol().takesCallbacks())
        .put("receiptWaits", waits)
        .put(
            "failures",
            new JsonArray(rule.protocol().failures().stream().sorted().toList()));
  }
}
