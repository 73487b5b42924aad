package io.weir.operators;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.decision.Limit;
import io.weir.core.kind.Kind;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.node.admission.Witness;
import io.weir.node.resp.limit.RequestLimits;
import io.weir.node.trace.RequestTrace;
import io.weir.operators.cases.CaseName;
import io.weir.operators.cases.CaseQuery;
import io.weir.operators.cases.CaseType;
import io.weir.operators.cases.Cases;
import io.weir.operators.cases.LoopCases;
import io.weir.operators.denial.Denial;
import io.weir.operators.denial.Denial.Full;
import io.weir.operators.denial.DenialQuery;
import io.weir.operators.denial.LoopDenials;
import io.weir.operators.rehearsal.WouldDeny;
import io.weir.operators.top.Counts;
import io.weir.operators.top.LimitFill;
import io.weir.operators.top.LimitName;
import io.weir.operators.top.LimitScope;
import io.weir.operators.top.LoopCounts;
import io.weir.operators.top.ReasonCode;
import io.weir.operators.top.SubjectName;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * The memory of one event loop about its decisions. Mutable; owned by that event loop, through which other threads read
 * it.
 */
final class LoopMemory implements Witness {
  /** A limit is nearly full from here on. */
  private static final int NEAR_PERCENT = 80;

  private final Context loop;
  private final LongSupplier nanos;
  private final LoopCounts counts = new LoopCounts();
  private final LoopCases cases = new LoopCases();
  private final LimitedCallers callers = new LimitedCallers(counts, cases);
  private final LoopDenials denials = new LoopDenials();
  /** Apart: what is only rehearsed pushes out no denial. */
  private final LoopDenials rehearsed = new LoopDenials();

  private final Consumer<Denial> log;

  LoopMemory(Context loop, LongSupplier nanos, Consumer<Denial> log) {
    this.loop = loop;
    this.nanos = nanos;
    this.log = log;
  }

  @Override
  public Decision answered(Question question, Decision decision) {
    return decision.fold(
        allowed -> admitted(question, allowed),
        denied -> denied(question, denied),
        never -> never(question, never));
  }

  @Override
  public void undecided(Question question, Throwable error) {
    if (error instanceof StoreUnavailableException) {
      Denied undecided = new Denied(0, List.of(), List.of(), 0, true, Optional.empty());
      // It is a fault of the cluster, and no limit: no case of its key.
      long now = nanos.getAsLong();
      if (denials.accepts(name(question), now)) {
        LimitName by = by(question, ReasonCode.STORE_UNAVAILABLE);
        Decision unused = remember(question, undecided, by, "unavailable", now);
      }
    }
  }

  private Decision admitted(Question question, Allowed allowed) {
    Limit fullest = null;
    int most = 0;
    for (Limit limit : allowed.limits()) {
      int percent = LimitFill.percent(limit);
      if (percent < NEAR_PERCENT) {
        continue;
      }
      if (isSoft(question, limit)) {
        callers.add(CaseType.WARNED, question, limit.bucket(), nanos.getAsLong());
      } else if (percent > most) {
        fullest = limit;
        most = percent;
      }
    }
    if (fullest != null) {
      callers.add(CaseType.NEAR, question, fullest.bucket(), nanos.getAsLong());
    }
    return allowed;
  }

  // A quota that only warns denies nobody, however full it is.
  private static boolean isSoft(Question question, Limit limit) {
    return limit.kind() == Kind.QUOTA
        && LimitScope.isSoft(question.subject().plan(), limit.bucket());
  }

  private Decision denied(Question question, Denied denied) {
    String reason =
        denied.full().isEmpty() ? ReasonCode.BEFORE_SLOT : denied.full().get(0);
    return refused(question, denied, "denied", reason);
  }

  private Decision never(Question question, NeverAllowed never) {
    String reason = never.full().isEmpty()
        ? ReasonCode.of(never.reason(), question.subject().plan().limit(question.operation()))
        : never.full().get(0);
    return refused(question, never, "never_allowed", reason);
  }

  private Decision refused(Question question, Decision decision, String outcome, String reason) {
    long now = nanos.getAsLong();
    LimitedCaller caller = callers.add(CaseType.DENIED, question, reason, now);
    return caller.isRemembered(denials, now)
        ? remember(question, decision, caller.by(), outcome, now)
        : decision;
  }

  private Decision remember(
      Question question, Decision decision, LimitName by, String outcome, long nowNanos) {
    Denial.Event event = new Denial.Event(LoopDenials.newId(), nowNanos, RequestTrace.id());
    Denial denial = denial(event, question, decision, by, outcome);
    denials.add(denial);
    log.accept(denial);
    return decision.withId(denial.event().id());
  }

  private static Denial denial(
      Denial.Event event, Question question, Decision decision, LimitName by, String outcome) {
    List<String> full = decision.fold(allowed -> List.of(), Denied::full, NeverAllowed::full);
    Duration wait = decision instanceof Denied denied
        ? Duration.of(denied.retryAfterMicros(), ChronoUnit.MICROS)
        : Duration.ZERO;
    return new Denial(
        event,
        new Denial.Asked(
            name(question), question.cost(), RequestLimits.carried(question.subject())),
        by,
        new Denial.Answer(
            outcome,
            full.stream().map(name -> full(name, question, decision)).toList(),
            wait,
            decision instanceof Denied denied && denied.estimate()),
        decision.degraded(),
        decision.revision());
  }

  /** Remembers a request that a limit would have denied which is not enforced. */
  void wouldDeny(WouldDeny.Found found) {
    long now = nanos.getAsLong();
    CaseName name = CaseName.of(found.question(), found.by().limit());
    cases.count(CaseType.WOULD_DENY, name, found.by(), now);
    if (rehearsed.accepts(name(found.question()), now)) {
      Denial.Event event = new Denial.Event(LoopDenials.newId(), now, found.trace());
      Denial denial =
          denial(event, found.question(), found.decision(), found.by(), Denial.WOULD_DENY);
      rehearsed.add(denial);
      log.accept(denial);
    }
  }

  private static Full full(String name, Question question, Decision decision) {
    Optional<Limit> limit =
        decision.limits().stream().filter(it -> it.bucket().equals(name)).findFirst();
    // A node that decided by itself tells no levels, and congestion has none.
    Optional<Kind> kind = limit.map(Limit::kind).or(() -> LimitScope.kind(question, name));
    Optional<Scope> scope = limit.map(Limit::scope).or(() -> LimitScope.of(question, name));
    return new Full(name, kind.map(Kind::word), scope.map(Enum::name).map(LoopMemory::word));
  }

  private static String word(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  private static SubjectName name(Question question) {
    return new SubjectName(question.subject().tenant(), question.subject().id());
  }

  private static LimitName by(Question question, String limit) {
    var plan = question.subject().plan();
    return new LimitName(plan.name(), plan.tagOf(question.operation()), limit);
  }

  /** The denials that are asked for, in any order. Any thread may ask. */
  Future<List<Denial>> find(DenialQuery asked) {
    Promise<List<Denial>> found = Promise.promise();
    loop.runOnContext(now -> found.complete(rings(asked)
        .flatMap(ring -> ring.find(asked, nanos.getAsLong()).stream())
        .toList()));
    return found.future();
  }

  private Stream<LoopDenials> rings(DenialQuery asked) {
    return asked.id().isPresent()
        ? Stream.of(denials, rehearsed)
        : Stream.of(asked.isRehearsed() ? rehearsed : denials);
  }

  /** The cases that are asked for. Any thread may ask. */
  Future<Cases> find(CaseQuery asked, LongFunction<Instant> time) {
    Promise<Cases> found = Promise.promise();
    loop.runOnContext(here -> {
      callers.count();
      long now = nanos.getAsLong();
      found.complete(cases.find(asked, now, time.apply(now)));
    });
    return found.future();
  }

  /** The counts of the last minute. Any thread may ask. */
  Future<Counts> counts(int most) {
    Promise<Counts> counted = Promise.promise();
    loop.runOnContext(now -> {
      callers.count();
      counted.complete(counts.counts(nanos.getAsLong(), most));
    });
    return counted.future();
  }
}
