package io.weir.node.envoy;

import io.weir.core.policy.OperationLimit;
import io.weir.core.policy.OperationLimit.Limited;
import io.weir.core.policy.Subject;
import io.weir.node.admission.Witness.Question;
import io.weir.node.envoy.RateLimitResponse.NamedLimit;
import io.weir.node.envoy.rule.EnvoyRule;
import io.weir.node.envoy.rule.RuleOption;
import java.util.Optional;

/**
 * A descriptor with a limit, and all that are equal to it.
 *
 * @param operation of the subject
 * @param limit of the rule; empty if the plan of the subject has it
 * @param hits of all of them; 0 only looks, below 0 is given back
 * @param unit the cost of one hit, above 0
 */
record Part(
    EnvoyRule rule,
    Subject subject,
    String operation,
    Optional<NamedLimit> limit,
    long hits,
    long unit) {

  /** How a part is decided; a part has one role. */
  enum Role {
    /** By itself: whatever comes of it denies nothing. */
    AUDITED,
    /** Its hits are given back. */
    REFUNDED,
    /** Its hits are over already, and all are taken. */
    OVER,
    /** One of several such parts suffices. */
    ALTERNATIVE,
    /** It takes nothing: a look, or a limit of nothing. */
    IDLE,
    /** Its hits are taken with those of all others, or none are. */
    CHARGED
  }

  /** A part of a limit of the rule. */
  static Part ofRule(EnvoyRule rule, Subject subject, NamedLimit limit, long hits) {
    return new Part(rule, subject, rule.name(), Optional.of(limit), hits, 1);
  }

  /** A name that no other part of the request has. */
  String id() {
    return isOfPolicy() ? subject.id() + "\n" + operation : subject.id();
  }

  /** Whether its rule has an option. */
  boolean has(RuleOption option) {
    return rule.has(option);
  }

  /** How it is decided. */
  Role role() {
    if (has(RuleOption.AUDIT)) {
      return Role.AUDITED;
    }
    if (isRefund()) {
      return Role.REFUNDED;
    }
    if (hits > 0 && has(RuleOption.AFTERWARDS)) {
      return Role.OVER;
    }
    if (has(RuleOption.QUOTA)) {
      return Role.ALTERNATIVE;
    }
    return takesNothing() ? Role.IDLE : Role.CHARGED;
  }

  /** Whether its limit may deny the request. */
  boolean mayDeny() {
    Role role = role();
    return role != Role.AUDITED && role != Role.REFUNDED;
  }

  /** Whether one of several such parts suffices. */
  boolean isAlternative() {
    return role() == Role.ALTERNATIVE;
  }

  /** Whether a node can decide on it by its share: quotas are counted in the shared state alone. */
  boolean hasRates() {
    return planned() instanceof Limited limited && !limited.demands().isEmpty();
  }

  /** Whether it is charged as a subject of the policy. */
  boolean isOfPolicy() {
    return limit.isEmpty();
  }

  /** The same with more hits; more than any limit has stay so. */
  Part plus(long more) {
    long sum = hits + more;
    boolean isTooMuch = ((hits ^ sum) & (more ^ sum)) < 0;
    long most = hits > 0 ? Long.MAX_VALUE : -Long.MAX_VALUE;
    long all = isTooMuch ? most : Math.max(sum, -Long.MAX_VALUE);
    return new Part(rule, subject, operation, limit, all, unit);
  }

  /** Whether it gives hits back. */
  boolean isRefund() {
    return hits < 0;
  }

  /** Whether it takes nothing: a look, or a limit of nothing. */
  boolean takesNothing() {
    return hits == 0 || isNothing();
  }

  /** Whether it is a look at a limit of more than nothing. */
  boolean looks() {
    return hits == 0 && !isNothing();
  }

  private boolean isNothing() {
    return limit.filter(named -> named.limit().requests() == 0).isPresent();
  }

  /** The limit of the operation in the subject's plan. */
  OperationLimit planned() {
    return subject.plan().limit(operation);
  }

  /** The question for it; a look, or a refund, is answered as one hit would be. */
  Question question() {
    return new Question(subject, operation, cost());
  }

  /** Its cost; one hit's for a look or a refund. */
  long cost() {
    long counted = Math.max(1, hits);
    return counted > Long.MAX_VALUE / unit ? Long.MAX_VALUE : counted * unit;
  }
}
