package io.weir.node.admin;

import io.vertx.core.Future;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.job.JobParameter;
import io.weir.core.job.JobRule;
import io.weir.core.policy.OperationRule;
import io.weir.core.throttle.PolicySource;
import java.util.Map;

/** The settings of jobs, for operators: description, bounds and value in force of each. They are set in the policy. */
public final class JobResource {
  private static final Map<JobParameter.Type, String> TYPES =
      Map.of(JobParameter.Type.NUMBER, "number", JobParameter.Type.DURATION, "milliseconds");

  private final PolicySource policies;

  public JobResource(PolicySource policies) {
    this.policies = policies;
  }

  /**
   * Answers with all parameters, and their values for each operation. The caller is already known to be an operator.
   */
  Future<Void> get(HttpServerRequest request) {
    JsonObject operations = new JsonObject();
    for (OperationRule rule : policies.current().policy().rules()) {
      rule.job().ifPresent(job -> operations.put(rule.name(), values(job)));
    }
    JsonObject answer = new JsonObject()
        .put("revision", policies.current().revision())
        .put("operations", operations)
        .put("parameters", parameters());
    return request
        .response()
        .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
        .end(answer.toBuffer());
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
    rule.readinessPath().ifPresent(path -> values.put("readinessPath", path));
    JsonArray waits = new JsonArray();
    rule.receiptWaits()
        .forEach(wait -> waits.add(
            new JsonObject().put("after", wait.afterMillis()).put("wait", wait.waitMillis())));
    return values
        .put("batches", rule.batches())
        .put("learned", rule.isLearned())
        .put("callbacks", rule.takesCallbacks())
        .put("receiptWaits", waits)
        .put("failures", new JsonArray(rule.failures().stream().sorted().toList()));
  }
}
