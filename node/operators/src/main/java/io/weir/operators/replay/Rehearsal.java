package io.weir.operators.replay;

import io.weir.core.bucket.Names;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.policy.Access;
import io.weir.core.policy.OperationRule;
import io.weir.core.policy.Plan;
import io.weir.core.policy.Policy;
import io.weir.core.policy.PolicyRevision;
import io.weir.core.policy.RequestTarget;
import io.weir.core.policy.Subject;
import io.weir.core.policy.SubjectEntry;
import io.weir.core.policy.SubjectEntry.TenantEntry;
import io.weir.core.policy.SubjectSource;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.Cost;
import io.weir.core.throttle.Failures;
import io.weir.core.throttle.HoldNeededException;
import io.weir.core.throttle.PolicySource;
import io.weir.core.throttle.Throttle;
import io.weir.inmemory.InMemoryBucketStore;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * One policy that decides on the requests of a log at their own times, by the same arithmetic as the shared state. It
 * decides for the subjects of the policy, and knows no records.
 * Mutable, for one thread; its memory is bounded by the limits that are in use at one time.
 */
final class Rehearsal {
  private static final int MOST_SUBJECTS = 100_000;
  private static final String TENANT = "log";

  private final Policy policy;
  private final Optional<String> plan;
  private final Throttle throttle;
  private final Map<String, Optional<Subject>> subjects = new LinkedHashMap<>(16, 0.75f, true) {
    private static final long serialVersionUID = 1L;

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, Optional<Subject>> eldest) {
      return size() > MOST_SUBJECTS;
    }
  };
  private long nowMicros;

  /** @param plan of callers that the policy does not know; without one the policy's default */
  Rehearsal(Policy policy, Optional<String> plan) {
    this.policy = policy;
    this.plan = plan;
    this.throttle = new Throttle(new InMemoryBucketStore(() -> nowMicros), new Fixed(policy));
  }

  private record Fixed(Policy policy) implements PolicySource {
    @Override
    public PolicyRevision current() {
      return new PolicyRevision(1, policy);
    }

    @Override
    public CompletionStage<PolicyRevision> reload(long seenRevision) {
      return CompletableFuture.completedFuture(current());
    }
  }

  /** The decision on a line. */
  sealed interface Verdict {
    /** It passes. */
    record Admitted(Subject subject, String operation) implements Verdict {}

    /** It is denied, by this limit or for this reason. */
    record Refused(Subject subject, String operation, String by, boolean isNever)
        implements Verdict {}

    /** The policy does not know the caller, and has no plan for strangers. */
    record Unknown() implements Verdict {}

    /** The operation takes permits, whose time no log tells. */
    record Skipped() implements Verdict {}
  }

  Verdict decide(LogLine line) {
    nowMicros = Math.max(nowMicros, line.atMicros());
    Optional<Subject> found = subjects.computeIfAbsent(line.subject(), this::subject);
    if (found.isEmpty()) {
      return new Verdict.Unknown();
    }
    Subject subject = found.get();
    String operation = line.operation().orElseGet(() -> operation(line));
    long cost = line.cost().orElseGet(() -> policy.ownCost(operation));
    try {
      Decision decision = throttle
          .tryTake(
              subject, operation, Cost.of(cost), TicketRequest.NONE, limited -> Optional.empty())
          .toCompletableFuture()
          .join();
      return verdict(subject, subject.plan().tagOf(operation), decision);
    } catch (CompletionException e) {
      if (Failures.cause(e) instanceof HoldNeededException) {
        return new Verdict.Skipped();
      }
      throw e;
    }
  }

  private static Verdict verdict(Subject subject, String operation, Decision decision) {
    return decision.fold(
        allowed -> new Verdict.Admitted(subject, operation),
        denied -> new Verdict.Refused(subject, operation, by(denied), false),
        never -> new Verdict.Refused(subject, operation, by(never), true));
  }

  private static String by(Denied denied) {
    return denied.full().isEmpty() ? "before_slot" : denied.full().get(0);
  }

  private static String by(NeverAllowed never) {
    return never.full().isEmpty() ? never.reason().code() : never.full().get(0);
  }

  private String operation(LogLine line) {
    return RequestTarget.segments(line.path())
        .flatMap(path -> policy.rule(line.method(), path))
        .map(OperationRule::name)
        .orElse(Plan.UNLISTED);
  }

  // No records are known: a node would look for one after what the policy lists, before its rules.
  private Optional<Subject> subject(String name) {
    Optional<Subject> known = policy.subject(name);
    if (known.isPresent() || !Names.isSubject(name)) {
      return known;
    }
    SubjectEntry entry =
        new SubjectEntry(name, TENANT, plan, Access.LIMITED, List.of(), TenantEntry.NONE);
    return policy.compile(entry).plan().map(compiled -> new OfLog(name, compiled).subject());
  }

  /** A caller of the log that the policy does not know. */
  private record OfLog(String id, Plan plan) implements SubjectSource {
    Subject subject() {
      return new Subject(id, TENANT, plan, Optional.empty(), this);
    }

    @Override
    public Optional<Subject> in(Policy policy) {
      return Optional.of(subject());
    }
  }
}
