package io.weir.node.admission;

import io.vertx.core.buffer.Buffer;
import io.weir.core.job.JobRule;
import io.weir.core.policy.CostRule;
import io.weir.core.policy.GroupRule;
import io.weir.core.policy.OperationLimit.Limited;
import io.weir.core.policy.OperationRule;
import io.weir.core.policy.Plan;
import io.weir.core.policy.Policy;
import io.weir.core.policy.SettleRule;
import io.weir.core.policy.Subject;
import io.weir.core.policy.Upstream;
import io.weir.core.upstream.Providers;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * An identified request: its subject, its operation, and its destination.
 *
 * @param upstream the destination, unless it is one of the providers
 * @param rule empty if the policy does not list the operation
 * @param group of the upstream's operations
 */
public record Asked(
    Request request,
    Subject subject,
    Upstream upstream,
    Optional<Providers> providers,
    Optional<OperationRule> rule,
    String group) {
  private static final CostRule ONE = new CostRule.Fixed(1);

  /** The operation's name. */
  public String operation() {
    return rule.map(OperationRule::name).orElse(Plan.UNLISTED);
  }

  /** The longest wait, in milliseconds, for which the request is held. */
  public long maxDelayMillis() {
    return rule.map(OperationRule::maxDelayMillis).orElse(0L);
  }

  /** Whether, as a later step of a batch, it is counted but not rejected. */
  public boolean continues() {
    return rule.filter(OperationRule::continues).isPresent();
  }

  /** How its actual cost is found, if it is settled. */
  public Optional<SettleRule> settle() {
    return rule.flatMap(OperationRule::settle);
  }

  /** Whether it demands more than rates, or is settled. */
  public boolean isOfSeveralKinds() {
    return settle().isPresent()
        || (subject.plan().limit(operation()) instanceof Limited limited
            && !limited.others().isEmpty());
  }

  /** The code of a denial, if the operation has its own. */
  public Optional<String> denialCode() {
    return rule.flatMap(OperationRule::stage).map(OperationRule.Stage::code);
  }

  /** The rule for jobs, if the operation is accepted now and done later. */
  public Optional<JobRule> job() {
    return rule.flatMap(OperationRule::job);
  }

  /** Whether its cost or its group is in its body. */
  public boolean needsBody() {
    return CostReader.needsBody(costRule())
        || (providers.isPresent() && groupRule().needsBody());
  }

  /** A copy with the group that is read from this body. */
  public Asked with(Optional<Buffer> body) {
    return groupRule().needsBody() ? in(RequestGroup.of(groupRule(), request, body)) : this;
  }

  private Asked in(String group) {
    return new Asked(request, subject, upstream, providers, rule, group);
  }

  private GroupRule groupRule() {
    return rule.map(OperationRule::group).orElse(GroupRule.DEFAULT);
  }

  /** A copy by another policy; the body is not read again. */
  Asked by(Policy policy, Subject known) {
    Optional<OperationRule> now = rule.flatMap(old -> policy.rule(old.name())).or(() -> rule);
    GroupRule groups = now.map(OperationRule::group).orElse(GroupRule.DEFAULT);
    Optional<Providers> nowTo = providersOf(policy, now);
    return new Asked(
        request,
        known,
        Admission.upstream(policy, nowTo),
        nowTo,
        now,
        groups.needsBody() && groups.all().contains(group)
            ? group
            : RequestGroup.of(groups, request, Optional.empty()));
  }

  /** The providers that a rule names. */
  static Optional<Providers> providersOf(Policy policy, Optional<OperationRule> rule) {
    return rule.flatMap(OperationRule::upstream)
        .flatMap(name -> Optional.ofNullable(policy.upstreams().get(name)));
  }

  /** A copy with another destination. */
  public Asked to(Upstream other) {
    return new Asked(request, subject, other, providers, rule, group);
  }

  /** The largest number of attempts at these providers. */
  public int attempts(Providers upstream) {
    return (int) rule.map(OperationRule::attempts)
        .orElseGet(OptionalLong::empty)
        .orElse(upstream.retry().attempts());
  }

  CostRule costRule() {
    return rule.map(OperationRule::cost).orElse(ONE);
  }
}
