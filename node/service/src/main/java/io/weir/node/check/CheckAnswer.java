package io.weir.node.check;

import io.vertx.core.buffer.Buffer;
import io.weir.core.answer.AnswerFields;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.decision.Remarks;
import io.weir.node.admission.UnlistedOperation;
import io.weir.node.answer.LimitsJson;
import io.weir.node.check.CheckOutcome.Decided;
import io.weir.node.check.CheckOutcome.Failed;
import java.util.List;
import java.util.Optional;

/**
 * The answer to a service, as JSON. Written as text: every value is a number, a constant, a ticket, or the name of a
 * bucket or an operation, whose characters need no escapes ({@link io.weir.core.bucket.Names}).
 */
final class CheckAnswer {
  private static final int USUAL_LENGTH = 512;

  private CheckAnswer() {}

  /** The answer to one check. */
  static Buffer of(CheckOutcome outcome) {
    StringBuilder json = new StringBuilder(USUAL_LENGTH);
    write(outcome, json);
    return Buffer.buffer(json.toString());
  }

  /** The answer to a list of checks, in its order. */
  static Buffer of(List<CheckOutcome> outcomes) {
    StringBuilder json = new StringBuilder(USUAL_LENGTH).append("{\"decisions\":[");
    for (int i = 0; i < outcomes.size(); i++) {
      json.append(i == 0 ? "" : ",");
      write(outcomes.get(i), json);
    }
    return Buffer.buffer(json.append("]}").toString());
  }

  private static void write(CheckOutcome outcome, StringBuilder json) {
    if (outcome instanceof Decided decided) {
      write(decided.decision(), decided.unlisted(), json);
    } else if (outcome instanceof Failed failed) {
      json.append("{\"problem\":").append(failed.problem().text()).append('}');
    }
  }

  private static void write(
      Decision decision, Optional<UnlistedOperation> unlisted, StringBuilder json) {
    if (decision instanceof Denied denied) {
      long wait = AnswerFields.retryAfterMillis(denied);
      word("denied", denied.full(), json);
      json.append(",\"retryAfterMs\":").append(wait).append(",\"slotMs\":").append(wait);
      json.append(",\"estimate\":").append(denied.estimate());
      denied
          .ticket()
          .ifPresent(ticket -> json.append(",\"ticket\":\"").append(ticket).append('"'));
    } else if (decision instanceof NeverAllowed never) {
      word("never_allowed", never.full(), json);
      json.append(",\"reason\":\"").append(never.reason().code()).append('"');
      unlisted.ifPresent(operation -> write(operation, json));
    } else {
      word("allowed", List.of(), json);
      json.append(",\"retryAfterMs\":0");
    }
    decision
        .remarks()
        .granted()
        .ifPresent(operations -> json.append(",\"granted\":").append(operations));
    json.append(",\"limits\":");
    LimitsJson.append(decision.limits(), json);
    write(decision.remarks(), json);
    json.append(",\"revision\":").append(decision.revision());
    json.append(decision.degraded() ? ",\"degraded\":true}" : "}");
  }

  private static void write(UnlistedOperation operation, StringBuilder json) {
    json.append(",\"operation\":\"").append(operation.name()).append('"');
    operation
        .nearest()
        .ifPresent(name -> json.append(",\"nearest\":\"").append(name).append('"'));
  }

  private static void write(Remarks remarks, StringBuilder json) {
    remarks.id().ifPresent(id -> json.append(",\"id\":\"").append(id).append('"'));
    if (remarks.isPlain()) {
      return;
    }
    json.append(",\"multiplier\":").append(AnswerFields.multiplier(remarks));
    json.append(",\"paidBy\":");
    LimitsJson.appendNames(remarks.paidBy(), json);
    json.append(",\"near\":");
    LimitsJson.appendNames(remarks.near(), json);
  }

  private static void word(String decision, List<String> full, StringBuilder json) {
    json.append("{\"decision\":\"").append(decision).append("\",\"full\":");
    LimitsJson.appendNames(full, json);
  }
}
