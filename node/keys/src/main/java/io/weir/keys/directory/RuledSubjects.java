package io.weir.keys.directory;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.vertx.core.Future;
import io.weir.core.policy.Plan;
import io.weir.core.policy.Policy;
import io.weir.core.policy.Subject;
import io.weir.core.policy.SubjectRule;
import io.weir.core.policy.SubjectSource;
import io.weir.keys.record.StoredRecord;
import io.weir.node.answer.RefusedException;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * Subjects that a rule of the policy covers, with the record of their tenant: its overrides, its state, and its plan for a
 * rule without one. A record that the node knows costs no call to Redis. While Redis is away, subjects of a tenant whose
 * record is not known go by their rule. Mutable; safe for use by many threads.
 */
final class RuledSubjects {
  private final KeyCache cache;
  private final Feeds feeds;
  private final ToLongFunction<String> nowMillis;

  /** By identity: a rule belongs to one policy. */
  private final Cache<SubjectRule, Memo> compiled =
      Caffeine.newBuilder().weakKeys().build();

  /** @param nowMillis Redis's clock, for the records of a name */
  RuledSubjects(KeyCache cache, Feeds feeds, ToLongFunction<String> nowMillis) {
    this.cache = cache;
    this.feeds = feeds;
    this.nowMillis = nowMillis;
  }

  /**
   * The plan of a rule with the record of its tenant.
   *
   * @param reading of the tenant
   * @param untilMillis when an override ends
   */
  private record Memo(Tenant tenant, int reading, long untilMillis, Optional<Plan> plan) {
    boolean isOf(Tenant other, int now, long nowMillis) {
      return tenant == other && reading == now && nowMillis < untilMillis;
    }
  }

  /** Finds a subject again, as its tenant's record is known then. */
  private record Source(String name, RuledSubjects subjects) implements SubjectSource {
    @Override
    public Optional<Subject> in(Policy policy) {
      return policy
          .listed(name)
          .or(() -> policy.ruleOf(name).flatMap(rule -> subjects.known(name, rule, policy)));
    }
  }

  /** The subject with this name; empty if no rule covers it, or if its tenant may not be used. */
  Future<Optional<Subject>> find(String name, Policy policy) {
    return policy
        .ruleOf(name)
        .map(rule -> find(name, rule, policy))
        .orElseGet(() -> Future.succeededFuture(Optional.empty()));
  }

  private Future<Optional<Subject>> find(String name, SubjectRule rule, Policy policy) {
    return policy.listsTenant(rule.tenant()) || isCurrent(rule.tenant())
        ? found(name, rule, policy)
        : read(rule.tenant())
            .otherwise(Optional.empty())
            .compose(read -> found(name, rule, policy));
  }

  private Future<Optional<Subject>> found(String name, SubjectRule rule, Policy policy) {
    Optional<Subject> subject = known(name, rule, policy);
    return subject.isEmpty() && isUsable(rule.tenant())
        ? Future.failedFuture(new RefusedException(KnownKeys.PLAN_MISSING))
        : Future.succeededFuture(subject);
  }

  private boolean isUsable(String tenant) {
    return cache
        .knownTenant(tenant)
        .flatMap(Tenant::entry)
        .filter(record -> record.isUsableAt(nowMillis.applyAsLong(tenant)))
        .isPresent();
  }

  private boolean isCurrent(String tenant) {
    return feeds.of(tenant).isFresh()
        && cache.knownTenant(tenant).filter(Tenant::isCurrent).isPresent();
  }

  private Future<Optional<Tenant>> read(String tenant) {
    return CallerContext.afterLooking(feeds.of(tenant))
        .compose(isFresh -> isFresh
            ? CallerContext.await(cache.tenant(tenant)).map(Optional::of)
            : Future.succeededFuture(cache.knownTenant(tenant)));
  }

  private Optional<Subject> known(String name, SubjectRule rule, Policy policy) {
    Optional<Tenant> tenant =
        policy.listsTenant(rule.tenant()) ? Optional.empty() : cache.knownTenant(rule.tenant());
    return tenant
        .map(it -> plan(rule, it, policy, nowMillis.applyAsLong(it.name())))
        .orElse(Optional.of(rule.plan()))
        .map(plan -> as(name, rule.tenant(), plan));
  }

  private Subject as(String name, String tenant, Plan plan) {
    return new Subject(name, tenant, plan, Optional.empty(), new Source(name, this));
  }

  private Optional<Plan> plan(SubjectRule rule, Tenant tenant, Policy policy, long now) {
    int reading = tenant.reading();
    Optional<StoredRecord> record = tenant.entry();
    if (record.isEmpty()) {
      return Optional.of(rule.plan());
    }
    if (!record.get().isUsableAt(now)) {
      return Optional.empty();
    }
    Memo last = compiled.getIfPresent(rule);
    if (last == null || !last.isOf(tenant, reading, now)) {
      Optional<Plan> plan =
          policy.compile(rule.with(Subjects.tenant(record, now))).plan();
      last = new Memo(tenant, reading, Subjects.endsMillis(record.get(), now), plan);
      compiled.put(rule, last);
    }
    return last.plan();
  }
}
