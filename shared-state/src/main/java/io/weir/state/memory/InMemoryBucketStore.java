package io.weir.state.memory;

import io.weir.bucket.Bucket;
import io.weir.bucket.Draw;
import io.weir.bucket.LeakyBucket;
import io.weir.bucket.Scope;
import io.weir.decision.Verdict;
import io.weir.decision.Verdict.Outcome;
import io.weir.decision.Verdict.Wait;
import io.weir.slot.Appointment;
import io.weir.slot.Booking;
import io.weir.slot.BucketState;
import io.weir.slot.LineReport;
import io.weir.slot.LineReport.Returned;
import io.weir.slot.SlotMode;
import io.weir.slot.SlotRules;
import io.weir.slot.TicketRequest;
import io.weir.throttle.BucketStore;
import io.weir.throttle.Charge;
import io.weir.throttle.StoreAnswer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Buckets in the memory of one process: for services of one node, and the specification of every other
 * store. Mutable; safe for use by many threads, one at a time inside.
 */
public final class InMemoryBucketStore implements BucketStore {
  private static final int FIRST_SWEEP = 1024;

  private final LongSupplier clockMicros;
  private final Map<Object, State> states = new HashMap<>();
  private final Map<Object, Line> lines = new HashMap<>();
  private int sweepAt = FIRST_SWEEP;
  private long sweptRevision;

  /** @param clockMicros microseconds since any fixed instant in the past; at least 0 */
  public InMemoryBucketStore(LongSupplier clockMicros) {
    this.clockMicros = clockMicros;
  }

  @Override
  public synchronized CompletionStage<StoreAnswer> tryCharge(Charge charge) {
    Look look = new Look(charge);
    if (look.newestRevision > charge.revision()) {
      return CompletableFuture.completedFuture(new StoreAnswer.Stale(look.newestRevision));
    }
    look.drain();
    Verdict verdict = charge.verdict(look.lagMicros());
    Outcome outcome = verdict.outcome(look.used());
    boolean alone = !look.hasLine() && charge.ticket().shown().isEmpty();
    if (outcome == Outcome.NEVER_ALLOWED || (alone && outcome == Outcome.ALLOWED)) {
      return withoutLine(look, verdict, outcome);
    }
    if (alone && charge.slots().mode() == SlotMode.OFF) {
      return withoutLine(look, verdict, outcome);
    }
    return inLine(look, verdict);
  }

  @Override
  public synchronized CompletionStage<StoreAnswer> peek(Charge charge) {
    Look look = new Look(charge);
    if (look.newestRevision > charge.revision()) {
      return CompletableFuture.completedFuture(new StoreAnswer.Stale(look.newestRevision));
    }
    look.drain();
    Verdict verdict = charge.verdict(look.lagMicros());
    Outcome outcome = verdict.outcome(look.used());
    if (outcome != Outcome.NEVER_ALLOWED) {
      Booking.Result result = new Booking(
              look.now,
              SlotRules.OFF,
              TicketRequest.NONE,
              charge.draws(),
              charge.cost(),
              look.drawn,
              false)
          .newcomer(Returned.NOT);
      Wait wait = new Wait(result.waitMicros(), true, Optional.empty());
      return decided(verdict, result.outcome(), look.shown(look.drawn), wait, LineReport.NONE);
    }
    return decided(verdict, outcome, look.shown(look.drawn), Wait.NONE, LineReport.NONE);
  }

  private CompletionStage<StoreAnswer> withoutLine(Look look, Verdict verdict, Outcome outcome) {
    long[] used = look.used();
    List<BucketState> after = new ArrayList<>();
    long wait = 0;
    for (int i = 0; i < used.length; i++) {
      Bucket bucket = look.charge.draws().get(i).bucket();
      if (outcome == Outcome.ALLOWED) {
        used[i] += verdict.units(i);
      } else if (outcome == Outcome.DENIED) {
        wait = Math.max(wait, LeakyBucket.waitMicros(bucket, used[i], verdict.units(i)));
      }
      BucketState state = look.drawn.get(i);
      after.add(new BucketState(
          look.now,
          state.milliOpsPerSec(),
          used[i],
          state.waiting(),
          state.holeUnits(),
          state.lastSlotMicros(),
          state.lastEstimateMicros()));
    }
    look.commit(after, outcome == Outcome.ALLOWED);
    return decided(
        verdict,
        outcome,
        look.shown(after),
        new Wait(wait, true, Optional.empty()),
        LineReport.NONE);
  }

  private CompletionStage<StoreAnswer> inLine(Look look, Verdict verdict) {
    Charge charge = look.charge;
    long lost = look.expire();
    Line mine = line(look.owner(Scope.KEY));
    Line tenants = line(look.owner(Scope.TENANT));
    List<Appointment.Share> shares = Booking.shares(charge.draws(), charge.cost());
    boolean ofTenant = shares.stream().anyMatch(share -> share.scope() == Scope.TENANT);
    SlotRules rules = ofTenant && mine.size() > 0 ? charge.slots().halved() : charge.slots();
    boolean hasRoom =
        mine.size() < rules.maxLine() && (!ofTenant || tenants.size() < rules.maxLine());
    Booking booking = new Booking(
        look.now, rules, charge.ticket(), charge.draws(), charge.cost(), look.drawn, hasRoom);
    Optional<Appointment> place = look.find(
        mine,
        found -> found.isFor(shares) && (!found.holdsIn(Scope.TENANT) || tenants.contains(found)));
    Booking.Result result =
        place.map(booking::comeBack).orElseGet(() -> booking.newcomer(look.withoutPlace()));
    if (place.isPresent() && !result.place().equals(place)) {
      mine.remove(place.get());
      tenants.remove(place.get());
    }
    if (!result.place().equals(place)) {
      Stream.concat(result.gap().stream(), result.place().stream()).forEach(made -> {
        mine.add(made);
        if (made.holdsIn(Scope.TENANT)) {
          tenants.add(made);
        }
      });
    }
    look.commit(result.states(), result.changed());
    Wait wait = new Wait(
        result.waitMicros(), result.estimate(), result.place().flatMap(Appointment::ticket));
    LineReport report =
        new LineReport(result.returned(), result.made(), lost, result.made() ? mine.size() : 0);
    return decided(verdict, result.outcome(), look.shown(result.states()), wait, report);
  }

  private Line line(Object owner) {
    return lines.computeIfAbsent(owner, key -> new Line());
  }

  private static Object owner(Charge charge, Scope scope) {
    return switch (scope) {
      case KEY -> List.of(charge.tenant(), charge.subject());
      case TENANT -> List.of(charge.tenant());
      case CLUSTER -> List.of();
    };
  }

  private static CompletionStage<StoreAnswer> decided(
      Verdict verdict, Outcome outcome, long[] shown, Wait wait, LineReport report) {
    return CompletableFuture.completedFuture(
        new StoreAnswer.Decided(verdict.decision(outcome, shown, wait), report));
  }

  // Now and then, whenever there are twice as many: what is empty is as good as absent.
  private void sweep(long nowMicros) {
    if (states.size() + lines.size() >= sweepAt) {
      lines.values().removeIf(line -> line.isOver(nowMicros));
      states
          .entrySet()
          .removeIf(entry -> sweptIfEmpty(entry.getKey(), entry.getValue(), nowMicros));
      sweepAt = Math.max(FIRST_SWEEP, (states.size() + lines.size()) * 2);
    }
  }

  private boolean sweptIfEmpty(Object owner, State state, long nowMicros) {
    boolean empty = !lines.containsKey(owner)
        && state.buckets().values().stream()
            .allMatch(b -> b.at(nowMicros).withoutLine().isForgettable());
    if (empty) {
      // Forgotten with the state; an older revision must not decide for all that.
      sweptRevision = Math.max(sweptRevision, state.revision());
    }
    return empty;
  }

  /** What a charge finds, moved to the present but not written. Mutable; lives for one charge. */
  private final class Look {
    private final Charge charge;
    private final Map<Scope, State> found = new EnumMap<>(Scope.class);
    private final long clock;
    private final long newestRevision;
    private List<BucketState> drawn = List.of();
    private long now;
    private final Set<Scope> ended = EnumSet.noneOf(Scope.class);
    private boolean changed;

    Look(Charge charge) {
      this.charge = charge;
      clock = clockMicros.getAsLong();
      now = clock;
      long newest = 0;
      for (Draw draw : charge.draws()) {
        State state = stored(draw.bucket().scope());
        now = Math.max(now, state.atMicros());
        newest = Math.max(newest, state.revision());
      }
      newestRevision = newest;
    }

    Object owner(Scope scope) {
      return InMemoryBucketStore.owner(charge, scope);
    }

    long lagMicros() {
      return now - clock;
    }

    /** Lets all water drain, and carries the drawn buckets over to the policy. */
    void drain() {
      List<BucketState> result = new ArrayList<>();
      for (Draw draw : charge.draws()) {
        State state = state(draw.bucket().scope());
        @Nullable BucketState before = state.buckets().get(draw.bucket().name());
        if (before != null && before.milliOpsPerSec() != draw.bucket().milliOpsPerSec()) {
          endLine(draw.bucket().scope());
        }
      }
      for (Draw draw : charge.draws()) {
        @Nullable
        BucketState before =
            state(draw.bucket().scope()).buckets().get(draw.bucket().name());
        result.add(
            before == null
                ? BucketState.empty(now, draw.bucket())
                : before.at(now).carriedTo(draw.bucket()));
      }
      drawn = result;
    }

    // Slots of another rate are no slots: whoever waits begins anew.
    private void endLine(Scope scope) {
      State state = state(scope);
      if (!hasLine(state)) {
        return;
      }
      Map<String, BucketState> buckets = new HashMap<>();
      state.buckets().forEach((name, bucket) -> buckets.put(name, bucket.withoutLine()));
      found.put(scope, new State(state.atMicros(), state.revision(), buckets));
      ended.add(scope);
      changed = true;
    }

    /** Lets go whoever did not come in time. */
    long expire() {
      ended.forEach(scope -> lines.remove(owner(scope)));
      ended.clear();
      now = Math.max(now, state(Scope.KEY).atMicros());
      long lost = expire(Scope.KEY);
      if (found.containsKey(Scope.TENANT)) {
        expire(Scope.TENANT);
      }
      drain();
      return lost;
    }

    private long expire(Scope scope) {
      Line line = line(owner(scope));
      List<Appointment> expired = line.expired(now);
      if (expired.isEmpty() && (line.size() > 0 || !hasLine(state(scope)))) {
        return 0;
      }
      State state = state(scope);
      Map<String, BucketState> buckets = new HashMap<>(state.buckets());
      for (Appointment gone : expired) {
        line.remove(gone);
        for (Appointment.Share share : gone.shares()) {
          if (share.held() && share.scope() == scope) {
            buckets.computeIfPresent(
                share.bucket(),
                (name, bucket) -> bucket.at(gone.deadlineMicros()).released(share.units()));
          }
        }
      }
      if (line.size() == 0) {
        buckets.replaceAll((name, bucket) -> bucket.withoutLine());
      }
      found.put(scope, new State(state.atMicros(), state.revision(), buckets));
      changed = true;
      return expired.stream().filter(gone -> !gone.isForNobody()).count();
    }

    boolean hasLine() {
      return charge.draws().stream()
          .anyMatch(draw -> hasLine(state(draw.bucket().scope())));
    }

    private static boolean hasLine(State state) {
      return state.buckets().values().stream().anyMatch(bucket -> bucket.waiting() > 0);
    }

    Optional<Appointment> find(Line mine, Predicate<Appointment> isMine) {
      if (charge.ticket().shown().isPresent()) {
        return mine.byTicket(charge.ticket().shown().get(), now).filter(isMine);
      }
      return charge.ticket().wantsAlways() ? Optional.empty() : mine.due(now, isMine);
    }

    /** What became of the ticket of a caller that has no place. */
    Returned withoutPlace() {
      return charge.ticket().deadlineMicros().stream()
          .mapToObj(deadline -> deadline < now ? Returned.LATE : Returned.UNKNOWN)
          .findFirst()
          .orElse(Returned.NOT);
    }

    long[] used() {
      return drawn.stream().mapToLong(BucketState::usedUnits).toArray();
    }

    long[] shown(List<BucketState> states) {
      long[] shown = new long[states.size()];
      for (int i = 0; i < shown.length; i++) {
        shown[i] = states.get(i).shownUnits(charge.draws().get(i).bucket());
      }
      return shown;
    }

    // A denial keeps only what a change of policy made of the buckets, and what became of the line:
    // a burst that shrank caps what was used at this instant, and the wait counts from here.
    void commit(List<BucketState> after, boolean decided) {
      ended.forEach(scope -> lines.remove(owner(scope)));
      ended.clear();
      for (int i = 0; i < after.size(); i++) {
        Draw draw = charge.draws().get(i);
        Scope scope = draw.bucket().scope();
        State before = state(scope);
        if (decided || changed || before.carries(draw.bucket(), now)) {
          found.put(scope, before.with(draw.bucket(), after.get(i), now, charge.revision()));
          states.put(owner(scope), state(scope));
        }
      }
      if (changed) {
        found.forEach((scope, state) -> states.put(owner(scope), state));
      }
      sweep(now);
    }

    private State state(Scope scope) {
      return found.computeIfAbsent(scope, this::stored);
    }

    private State stored(Scope scope) {
      return states.getOrDefault(owner(scope), new State(0, sweptRevision, Map.of()));
    }
  }

  /** The buckets of one key, tenant or cluster that are not empty. Immutable. */
  private record State(long atMicros, long revision, Map<String, BucketState> buckets) {

    State with(Bucket bucket, BucketState after, long nowMicros, long newRevision) {
      Map<String, BucketState> changed = new HashMap<>();
      buckets.forEach((name, state) -> {
        BucketState moved = state.at(nowMicros);
        if (!moved.isForgettable()) {
          changed.put(name, moved);
        }
      });
      changed.put(bucket.name(), after);
      return new State(nowMicros, newRevision, changed);
    }

    /** Whether what is used in the bucket was counted by another rate or burst. */
    boolean carries(Bucket bucket, long nowMicros) {
      BucketState state = buckets.get(bucket.name());
      if (state == null) {
        return false;
      }
      long used = state.at(nowMicros).usedUnits();
      return used > bucket.capacityUnits()
          || (used > 0 && state.milliOpsPerSec() != bucket.milliOpsPerSec());
    }
  }
}
