package io.weir.operators.rehearsal;

import static java.util.Objects.requireNonNull;

import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.policy.Plan;
import io.weir.core.policy.Subject;
import io.weir.core.throttle.BucketStore;
import io.weir.node.admission.Witness.Question;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The rehearsals of a node: of limits in audit mode, always, and of a candidate, while there is one. Safe for use by
 * many threads.
 */
public final class NodeRehearsals {
  private static final String AUDIT = "audit";

  private final BucketStore store;
  private final LongSupplier revision;
  private final MeterRegistry meters;
  private final WouldDeny listener;
  private final Map<Thread, Loop> loops = new ConcurrentHashMap<>();
  private volatile Optional<Candidate> candidate = Optional.empty();

  /**
   * Rehearsals that are decided in the shared state.
   *
   * @param store without leases and without shares for outages
   * @param revision of the policy in force
   * @param listener hears of what would be denied
   */
  public NodeRehearsals(
      BucketStore store, LongSupplier revision, MeterRegistry meters, WouldDeny listener) {
    this.store = store;
    this.revision = revision;
    this.meters = meters;
    this.listener = listener;
  }

  /** Rehearses on an event loop; called on it. */
  public void begin(Context loop) {
    loops.put(Thread.currentThread(), new Loop(loop));
  }

  /** Rehearses a candidate from now on, or none. */
  public void use(Optional<Candidate> other) {
    candidate = other;
  }

  /** The candidate that is rehearsed. */
  public Optional<Candidate> candidate() {
    return candidate;
  }

  /** Decides a request once more, if anything is rehearsed. Called on an event loop, and costs little if nothing is. */
  public void answered(Question question, Decision decision) {
    Optional<Plan> audited = question.subject().plan().audited();
    Optional<Candidate> next = candidate;
    if (audited.isPresent() || next.isPresent()) {
      Loop loop = loops.get(Thread.currentThread());
      if (loop != null) {
        audited
            .filter(plan -> decision instanceof Allowed) // what is denied takes nothing
            .ifPresent(plan -> loop.audit.decide(question, decision, plan, revision.getAsLong()));
        next.ifPresent(it -> loop.of(it).decide(question, decision));
      }
    }
  }

  /** The decisions that a request would get by limits in audit mode; none if there are none. Called on an event loop. */
  public Future<List<Decision>> peekAudited(Question question) {
    Loop loop = loops.get(Thread.currentThread());
    return question
        .subject()
        .plan()
        .audited()
        .filter(plan -> loop != null)
        .map(plan -> Future.fromCompletionStage(
            requireNonNull(loop).audit.peek(question, plan, revision.getAsLong()), loop.context))
        .orElse(Future.succeededFuture(List.of()));
  }

  /** The findings of this node: {@code audit}, and {@code candidate} with its id if there is one. */
  public Future<JsonObject> accounts() {
    List<Loop> all = new ArrayList<>(loops.values());
    Optional<Candidate> now = candidate;
    Future<JsonObject> audit =
        sum(all.stream().map(loop -> loop.audit.account()).toList());
    if (now.isEmpty()) {
      return audit.map(json -> new JsonObject().put(AUDIT, json));
    }
    return audit.compose(json -> sum(all.stream()
            .map(loop -> loop.account(now.get()))
            .toList())
        .map(found -> new JsonObject()
            .put(AUDIT, json)
            .put("candidate", found.put("id", now.get().id()))));
  }

  private static Future<JsonObject> sum(List<Future<Account>> accounts) {
    return Future.all(accounts).map(all -> Account.sum(all.<Account>list()).toJson());
  }

  /** The rehearsals of one event loop. Mutable; owned by it. */
  private final class Loop {
    private final Context context;
    private final LoopRehearsal audit;
    private @Nullable OfCandidate now;

    Loop(Context context) {
      this.context = context;
      this.audit = rehearsal(context, AUDIT, AUDIT);
    }

    OfCandidate of(Candidate wanted) {
      OfCandidate current = now;
      if (current == null || !current.candidate.id().equals(wanted.id())) {
        current = new OfCandidate(wanted, context);
        now = current;
      }
      return current;
    }

    // Any thread may ask.
    Future<Account> account(Candidate of) {
      Promise<Account> reply = Promise.promise();
      context.runOnContext(here -> this.of(of).rehearsal.account().onComplete(reply));
      return reply.future();
    }
  }

  private record Known(Plan inForce, Optional<Plan> byCandidate) {}

  /** The rehearsal of a candidate on one event loop. Mutable; owned by it. */
  private final class OfCandidate {
    private static final int MOST_PLANS = 4096;

    private final Candidate candidate;
    private final LoopRehearsal rehearsal;
    /** By subject; the oldest is forgotten. */
    private final Map<String, Known> plans = new LinkedHashMap<>();

    OfCandidate(Candidate candidate, Context context) {
      this.candidate = candidate;
      this.rehearsal = rehearsal(context, candidate.id(), "candidate");
    }

    void decide(Question question, Decision decision) {
      plan(question.subject())
          .ifPresentOrElse(
              plan -> rehearsal.decide(question, decision, plan, revision.getAsLong()),
              () -> rehearsal.unknownKey(question, decision));
    }

    // A key that was changed meanwhile has another plan in force, and by the candidate too.
    private Optional<Plan> plan(Subject subject) {
      Known known = plans.get(subject.id());
      if (known == null || !known.inForce().equals(subject.plan())) {
        known = new Known(subject.plan(), subject.in(candidate.policy()).map(Subject::plan));
        if (plans.size() >= MOST_PLANS) {
          plans.remove(plans.keySet().iterator().next());
        }
        plans.put(subject.id(), known);
      }
      return known.byCandidate();
    }
  }

  private LoopRehearsal rehearsal(Context loop, String states, String name) {
    return new LoopRehearsal(
        loop, store, new ShadowCharges(states), new RehearsalMeters(meters, name), listener);
  }
}
