package io.weir.node.admission;

import io.vertx.core.buffer.Buffer;
import io.weir.core.policy.GroupRule;
import io.weir.node.answer.RefusedException;
import java.util.List;
import java.util.Optional;

/** Finds the group of a request, among the groups of an upstream's operations. */
final class RequestGroup {
  private RequestGroup() {}

  /**
   * The group, or the rule's fallback if the request names none or can be read in more than one way.
   *
   * @param body the whole body if it has been read
   */
  static String of(GroupRule rule, Request request, Optional<Buffer> body) {
    return rule.named().flatMap(named -> named(named, request, body)).orElse(rule.fallback());
  }

  private static Optional<String> named(
      GroupRule.Named rule, Request request, Optional<Buffer> body) {
    List<String> values;
    try {
      values = CostReader.values(rule.source(), rule.name(), request, body);
    } catch (RefusedException e) {
      return Optional.empty();
    }
    return values.size() == 1
        ? Optional.ofNullable(rule.groups().get(values.get(0)))
        : Optional.empty();
  }
}
