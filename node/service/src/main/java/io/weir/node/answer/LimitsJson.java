package io.weir.node.answer;

import io.weir.core.answer.AnswerFields;
import io.weir.core.answer.Problem;
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
      json.append("\",\"scope\":\"").append(Problem.wordOf(limit.scope()));
      json.append("\",\"remaining\":").append(limit.remaining());
      json.append(",\"resetMs\":").append(AnswerFields.resetMillis(limit)).append('}');
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
}
