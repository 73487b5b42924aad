package io.weir.node.admission;

import io.vertx.core.buffer.Buffer;
import io.weir.core.policy.CostRule;
import io.weir.core.policy.Destination;
import io.weir.core.policy.GroupRule;
import io.weir.core.policy.OperationLimit.Limited;
import io.weir.core.policy.OperationRule;
import io.weir.core.policy.OperationUpstream;
import io.weir.core.policy.Plan;
import io.weir.core.policy.Policy;
import io.weir.core.policy.SettleRule;
import io.weir.core.policy.Subject;
import io.weir.core.policy.Upstream;
import io.weir.node.admission.Witness.Question;
import io.weir.state.hold.HoldWish;
import java.util.Optional;

/**
 * An identified request: its subject, its operation, and its destination.
 *
 * @param rule empty if the policy does not list the operation
 * @param group of the upstream's operations
 */
public record IdentifiedRequest(
    Request request, Subject subject, Destination to, Optional<OperationRule> rule, String group) {
  static final CostRule ONE = new CostRule.Fixed(1);

  /** The settings of its destination. */
  public Upstream upstream() {
    return to.settings();
  }

  /** The operation's name. */
  public String operation() {
    return rule.map(OperationRule::name).orElse(Plan.UNLISTED);
  }

  /** The longest wait, in milliseconds, for which the request is held. */
  public long maxDelayMillis() {
    return rule.map(of -> of.excess().maxDelayMillis()).orElse(0L);
  }

  /** Whether, as a later step of a batch, it is counted but not rejected. */
  public boolean continues() {
    return rule.filter(of -> of.excess().continues()).isPresent();
  }

  /** How its actual cost is found, if it is settled. */
  public Optional<SettleRule> settle() {
    return rule.flatMap(OperationRule::settle);
  }

  /** The hold that it takes, if any. */
  HoldWish hold() {
    return HoldWish.of(subject, settle());
  }

  /** The question whether it may pass at this cost, in operations. */
  Question question(long cost) {
    return new Question(subject, operation(), cost);
  }

  /** Whether it demands more than rates, or is settled. */
  public boolean isOfSeveralKinds() {
    return settle().isPresent()
        || (subject.plan().limit(operation()) instanceof Limited limited
            && !limited.others().isEmpty());
  }

  /** The least that it can cost, whatever its body holds. */
  public long leastCost() {
    return costRule() instanceof CostRule.Fixed fixed ? fixed.cost() : 1;
  }

  /** Whether its cost or its group is in its body. */
  public boolean needsBody() {
    return CostReader.needsBody(costRule()) || (to.hasGroups() && groupRule().needsBody());
  }

  /** A copy with the group that is read from this body. */
  public IdentifiedRequest with(Optional<Buffer> body) {
    return groupRule().needsBody() ? in(RequestGroup.of(groupRule(), request, body)) : this;
  }

  private IdentifiedRequest in(String group) {
    return new IdentifiedRequest(request, subject, to, rule, group);
  }

  private GroupRule groupRule() {
    return groups(rule);
  }

  static GroupRule groups(Optional<OperationRule> rule) {
    return use(rule).group();
  }

  private static OperationUpstream use(Optional<OperationRule> rule) {
    return rule.map(OperationUpstream::of).orElse(OperationUpstream.NONE);
  }

  /** A copy by another policy; the body is not read again. */
  IdentifiedRequest by(Policy policy, Subject known) {
    Optional<OperationRule> now = rule.flatMap(old -> policy.rule(old.name())).or(() -> rule);
    GroupRule groups = groups(now);
    return new IdentifiedRequest(
        request,
        known,
        Admission.destination(policy, now),
        now,
        groups.needsBody() && groups.all().contains(group)
            ? group
            : RequestGroup.of(groups, request, Optional.empty()));
  }

  CostRule costRule() {
    return rule.map(OperationRule::cost).orElse(ONE);
  }
}
