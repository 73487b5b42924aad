package io.weir.providers.rule;

import io.weir.client.answer.IdempotentMethods;
import io.weir.core.policy.OperationRule;
import io.weir.core.policy.OperationRule.Route;
import io.weir.core.policy.OperationUpstream;
import io.weir.core.policy.Policy;
import io.weir.core.policy.schema.Section;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Warns of configured retries that do not apply after a failure: neither the method of the operation nor the policy says
 * that repeating a request is safe. An operation or upstream that decides by {@code safeToRepeat} is not warned of.
 */
final class RetryLint {
  private static final String CODE = "retry_not_safe";
  private static final int MAX_NAMED = 20;

  private RetryLint() {}

  /** Warns of the {@code attempts} of operations. */
  static void operations(Section root, Policy policy, Map<String, Providers> upstreams) {
    for (OperationRule rule : policy.routing().rules()) {
      OperationUpstream use = OperationUpstream.of(rule);
      boolean isMeant = use.attempts().orElse(1) > 1;
      use.upstream()
          .map(upstreams::get)
          .filter(upstream -> isMeant && isUndecided(rule) && !mayRepeat(rule, upstream))
          .ifPresent(upstream -> root.warning(CODE, "operations", unsafe(List.of(rule))));
    }
  }

  /** Warns of the {@code retry} of an upstream if no operation is retried by it. */
  static void upstream(Section section, Providers upstream, Policy policy) {
    List<OperationRule> users = policy.routing().rules().stream()
        .filter(rule -> rule.route().isPresent() && isRetriedAs(rule, upstream))
        .toList();
    List<OperationRule> undecided =
        users.stream().filter(RetryLint::isUndecided).toList();
    boolean isMeant = !section.isAbsent("retry") && upstream.retry().attempts() > 1;
    boolean isInVain = users.stream().noneMatch(rule -> mayRepeat(rule, upstream));
    if (isMeant && isInVain && !undecided.isEmpty()) {
      section.warning(CODE, "retry", unsafe(undecided));
    }
  }

  private static boolean isRetriedAs(OperationRule rule, Providers upstream) {
    OperationUpstream use = OperationUpstream.of(rule);
    return use.upstream().filter(upstream.name()::equals).isPresent()
        && use.attempts().isEmpty();
  }

  private static boolean isUndecided(OperationRule rule) {
    return OperationUpstream.of(rule).safeToRepeat().isEmpty();
  }

  private static boolean mayRepeat(OperationRule rule, Providers upstream) {
    return OperationUpstream.of(rule)
        .safeToRepeat()
        .orElseGet(() -> rule.route().stream().allMatch(RetryLint::hasIdempotentMethod)
            || upstream.repeat().isSafe()
            || !upstream.repeat().jsonRpcMethods().isEmpty()
            || upstream.sending().honoursIdempotencyKeys());
  }

  private static boolean hasIdempotentMethod(Route route) {
    return route.methods().isEmpty()
        || route.methods().stream().anyMatch(IdempotentMethods::contains);
  }

  private static String unsafe(List<OperationRule> rules) {
    String names =
        rules.stream().map(OperationRule::name).limit(MAX_NAMED).collect(Collectors.joining(", "));
    String methods = rules.stream()
        .flatMap(rule -> rule.route().stream())
        .flatMap(route -> route.methods().stream())
        .distinct()
        .sorted()
        .collect(Collectors.joining(", "));
    return ("%s: after 503, a timeout or a broken connection, %s is not sent again, as a provider may have acted upon it"
            + " (expected: safeToRepeat: true where repeating is safe, else false)")
        .formatted(names, methods);
  }
}
