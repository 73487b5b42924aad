package io.weir.state.memory;

import io.weir.bucket.Bucket;
import io.weir.bucket.Draw;
import io.weir.bucket.LeakyBucket;
import io.weir.bucket.Scope;
import io.weir.decision.Verdict;
import io.weir.decision.Verdict.Outcome;
import io.weir.decision.Verdict.Wait;
import io.weir.slot.Appointment;
import io.weir.slot.Appointment.Share;
import io.weir.slot.Booking;
import io.weir.slot.BucketState;
import io.weir.slot.QueueReport;
import io.weir.slot.QueueReport.Returned;
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
import java.util.stream.Stream;

/**
 * Buckets in the memory of one process: for services of one node, and the specification of every other
 * store. Mutable; safe for use by many threads, one at a time inside.
 */
public final class InMemoryBucketStore implements BucketStore {
  private static final int FIRST_SWEEP = 1024;

  private final LongSupplier clockMicros;
  private final Map<Object, State> states = new HashMap<>();
  private final Map<Object, Line> lines = new HashMap<>();
  private final Map<Object, Map<String, Estimate>> estimates = new HashMap<>();
  private int sweepAt = FIRST_SWEEP;
  private long sweptRevision;

  /** @param clockMicros microseconds since any fixed instant in the past; at least 0 */
  public InMemoryBucketStore(LongSupplier clockMicros) {
    this.clockMicros = clockMicros;
  }

  @Override
  public synchronized CompletionStage<StoreAnswer> tryCharge(Charge charge) {
    Look look = new Look(charge);
    if (look.newestRevision() > charge.revision()) {
      return CompletableFuture.completedFuture(new StoreAnswer.Stale(look.newestRevision()));
    }
    Verdict verdict = charge.verdict();
    if (isNever(verdict)) {
      return never(look, verdict);
    }
    look.settle(look.scopes).forEach(look::write);
    boolean alone = !look.hasLine() && charge.ticket().shown().isEmpty();
    look.draw();
    Outcome outcome = verdict.outcome(look.used());
    forgetWhatIsEmpty(look.now);
    return alone && (outcome == Outcome.ALLOWED || charge.slots().mode() == SlotMode.OFF)
        ? withoutLine(look, verdict, outcome)
        : inLine(look, verdict);
  }

  @Override
  public synchronized CompletionStage<StoreAnswer> peek(Charge charge) {
    Look look = new Look(charge);
    if (look.newestRevision() > charge.revision()) {
      return CompletableFuture.completedFuture(new StoreAnswer.Stale(look.newestRevision()));
    }
    Verdict verdict = charge.verdict();
    if (isNever(verdict)) {
      return never(look, verdict);
    }
    look.settle(look.scopes);
    look.draw();
    Booking.Result result = new Booking(
            look.now,
            SlotRules.OFF,
            TicketRequest.NONE,
            charge.draws(),
            charge.cost(),
            look.drawn,
            look.estimates(),
            false)
        .newcomer(Returned.NOT);
    Wait wait = new Wait(result.waitMicros(), true, Optional.empty());
    return decided(verdict, result.outcome(), look.shown(look.drawn), wait, QueueReport.NONE);
  }

  private static boolean isNever(Verdict verdict) {
    return verdict.outcome(new long[verdict.draws().size()]) == Outcome.NEVER_ALLOWED;
  }

  private static CompletionStage<StoreAnswer> never(Look look, Verdict verdict) {
    look.draw();
    return decided(
        verdict, Outcome.NEVER_ALLOWED, look.shown(look.drawn), Wait.NONE, QueueReport.NONE);
  }

  private static CompletionStage<StoreAnswer> withoutLine(
      Look look, Verdict verdict, Outcome outcome) {
    long[] used = look.used();
    List<BucketState> after = new ArrayList<>();
    long wait = 0;
    for (int i = 0; i < used.length; i++) {
      Bucket bucket = look.charge.draws().get(i).bucket();
      if (outcome == Outcome.ALLOWED) {
        used[i] += verdict.units(i);
      } else {
        wait = Math.max(wait, LeakyBucket.waitMicros(bucket, used[i], verdict.units(i)));
      }
      after.add(new BucketState(look.now, bucket.milliOpsPerSec(), used[i], 0, 0, 0));
    }
    look.commit(after, outcome == Outcome.ALLOWED);
    Wait told = new Wait(wait, true, Optional.empty());
    return decided(verdict, outcome, look.shown(after), told, QueueReport.NONE);
  }

  private CompletionStage<StoreAnswer> inLine(Look look, Verdict verdict) {
    Charge charge = look.charge;
    look.settle(EnumSet.of(Scope.KEY)).forEach(look::write);
    long lost = look.letGo();
    List<Share> kind = Booking.shares(charge.draws(), charge.cost());
    Booking booking = new Booking(
        look.now,
        look.rules(),
        charge.ticket(),
        charge.draws(),
        charge.cost(),
        look.drawn,
        look.estimates(),
        look.hasRoom());
    Optional<Appointment> mine = look.find(kind);
    Booking.Result result =
        mine.map(booking::comeBack).orElseGet(() -> booking.newcomer(look.withoutPlace()));
    if (!result.place().equals(mine)) {
      look.store(
          mine, Stream.concat(result.gap().stream(), result.place().stream()).toList());
    }
    look.commit(result.states(), result.changed());
    if (result.estimate() && charge.slots().mode() != SlotMode.OFF) {
      look.remember(result.estimates());
    }
    Wait wait = new Wait(
        result.waitMicros(), result.estimate(), result.place().flatMap(Appointment::ticket));
    long length = result.made() ? look.size(Scope.KEY) : 0;
    QueueReport report = new QueueReport(result.returned(), result.made(), lost, length);
    return decided(verdict, result.outcome(), look.shown(result.states()), wait, report);
  }

  private static Object owner(Charge charge, Scope scope) {
    return switch (scope) {
      case KEY -> List.of(charge.tenant(), charge.subject());
      case TENANT -> List.of(charge.tenant());
      case CLUSTER -> List.of();
    };
  }

  private static CompletionStage<StoreAnswer> decided(
      Verdict verdict, Outcome outcome, long[] shown, Wait wait, QueueReport report) {
    return CompletableFuture.completedFuture(
        new StoreAnswer.Decided(verdict.decision(outcome, shown, wait), report));
  }

  // Now and then, whenever there are twice as many: what is empty is as good as absent.
  private void forgetWhatIsEmpty(long nowMicros) {
    if (states.size() + lines.size() + estimates.size() >= sweepAt) {
      lines.values().removeIf(line -> line.isOver(nowMicros));
      estimates
          .values()
          .removeIf(some -> some.values().stream().allMatch(one -> one.atMicros() <= nowMicros));
      states
          .entrySet()
          .removeIf(entry -> forgottenIfEmpty(entry.getKey(), entry.getValue(), nowMicros));
      sweepAt = Math.max(FIRST_SWEEP, (states.size() + lines.size() + estimates.size()) * 2);
    }
  }

  private boolean forgottenIfEmpty(Object owner, State state, long nowMicros) {
    boolean empty = !lines.containsKey(owner)
        && state.buckets().values().stream()
            .allMatch(b -> b.at(nowMicros).withoutLine().isForgettable());
    if (empty) {
      // Forgotten with the state; an older revision must not decide for all that.
      sweptRevision = Math.max(sweptRevision, state.revision());
    }
    return empty;
  }

  /** What a charge finds, and what becomes of it. Mutable; lives for one charge. */
  private final class Look {
    private final Charge charge;
    private final long now = clockMicros.getAsLong();
    private final Map<Scope, State> found = new EnumMap<>(Scope.class);
    private final Set<Scope> scopes = EnumSet.noneOf(Scope.class);
    private final Set<Scope> ended = EnumSet.noneOf(Scope.class);
    private List<BucketState> drawn = List.of();

    Look(Charge charge) {
      this.charge = charge;
      charge.draws().forEach(draw -> scopes.add(draw.bucket().scope()));
      scopes.forEach(scope -> found.put(scope, stored(scope)));
      found.put(Scope.KEY, stored(Scope.KEY));
    }

    long newestRevision() {
      return scopes.stream().mapToLong(scope -> state(scope).revision()).max().orElse(0);
    }

    /**
     * Moves states back that are ahead of the clock, and ends queues whose slots are no slots any more. Gives the
     * states that are others now.
     */
    Set<Scope> settle(Set<Scope> which) {
      Set<Scope> changed = EnumSet.noneOf(Scope.class);
      for (Scope scope : which) {
        State state = state(scope);
        long ahead = state.atMicros() - now;
        if (ahead > charge.slots().latenessMicros() || hasOtherRate(scope)) {
          ended.add(scope);
          state = state.withoutLine();
        }
        if (ahead > 0 || ended.contains(scope)) {
          found.put(scope, state.rebased(now).at(now));
          changed.add(scope);
        }
      }
      return changed;
    }

    /** Writes what became of a state; where its queue has ended, its places are gone. */
    void write(Scope scope) {
      states.put(owner(scope), state(scope));
      if (ended.contains(scope)) {
        lines.remove(owner(scope));
      }
    }

    // Slots of another rate are no slots: whoever waits begins anew.
    private boolean hasOtherRate(Scope scope) {
      return state(scope).hasLine()
          && charge.draws().stream()
              .filter(draw -> draw.bucket().scope() == scope)
              .anyMatch(draw -> state(scope).hasOtherRate(draw.bucket()));
    }

    /** Drains the buckets of the charge, and carries them over to its policy. */
    void draw() {
      drawn = charge.draws().stream()
          .map(draw -> state(draw.bucket().scope()).bucket(draw.bucket(), now))
          .toList();
    }

    /** Lets go who did not come in time; gives how many of the key's they were. */
    long letGo() {
      long lost = letGo(Scope.KEY);
      if (found.containsKey(Scope.TENANT)) {
        letGo(Scope.TENANT);
      }
      draw();
      return lost;
    }

    private long letGo(Scope scope) {
      Line line = line(scope);
      List<Appointment> overdue = line.overdue(now);
      if (!lines.containsKey(owner(scope)) || overdue.isEmpty()) {
        return 0;
      }
      if (line.isOver(now)) {
        ended.add(scope);
        found.put(scope, state(scope).withoutLine().at(now));
        write(scope);
        return line.size();
      }
      State state = state(scope);
      for (Appointment gone : overdue) {
        line.remove(gone);
        state = state.letGo(scope, gone);
      }
      found.put(scope, state.at(now));
      states.put(owner(scope), state(scope));
      return overdue.stream().filter(gone -> !gone.isForNobody()).count();
    }

    SlotRules rules() {
      // A key that waits already leaves the other half of the tenant's queue to its other keys.
      return scopes.contains(Scope.TENANT) && size(Scope.KEY) > 0
          ? charge.slots().halved()
          : charge.slots();
    }

    boolean hasRoom() {
      return size(Scope.KEY) < rules().maxQueue()
          && (!scopes.contains(Scope.TENANT) || size(Scope.TENANT) < rules().maxQueue());
    }

    int size(Scope scope) {
      return line(scope).size();
    }

    /** The place that the caller comes back to, where it has one that is in time and for such a request. */
    Optional<Appointment> find(List<Share> kind) {
      Line mine = line(Scope.KEY);
      Optional<Appointment> place = Optional.empty();
      if (charge.ticket().shown().isPresent()) {
        place = mine.byTicket(charge.ticket().shown().get(), now);
      } else if (!charge.ticket().wantsAlways()) {
        place = mine.due(now, kind);
      }
      return place
          .filter(found -> found.isFor(kind))
          .filter(found -> !found.holdsIn(Scope.TENANT) || line(Scope.TENANT).contains(found));
    }

    /** What became of the ticket of a caller that has no place. */
    Returned withoutPlace() {
      return charge.ticket().deadlineMicros().stream()
          .mapToObj(deadline -> deadline < now ? Returned.LATE : Returned.UNKNOWN)
          .findFirst()
          .orElse(Returned.NOT);
    }

    /** Adds places to the queues, and removes the one that was there. */
    void store(Optional<Appointment> mine, List<Appointment> made) {
      for (Scope scope : List.of(Scope.KEY, Scope.TENANT)) {
        if (!found.containsKey(scope)) {
          continue;
        }
        Line line = lines.computeIfAbsent(owner(scope), owner -> new Line());
        made.stream().filter(place -> belongsTo(scope, place)).forEach(line::add);
        mine.filter(place -> belongsTo(scope, place)).ifPresent(line::remove);
        if (line.size() == 0) {
          lines.remove(owner(scope));
        }
        found.put(scope, state(scope).at(now));
        states.put(owner(scope), state(scope));
      }
    }

    private static boolean belongsTo(Scope scope, Appointment place) {
      return scope == Scope.KEY || place.holdsIn(scope);
    }

    long[] used() {
      return drawn.stream().mapToLong(BucketState::usedUnits).toArray();
    }

    long[] shown(List<BucketState> after) {
      long[] shown = new long[after.size()];
      for (int i = 0; i < shown.length; i++) {
        shown[i] = after.get(i).shownUnits(charge.draws().get(i).bucket());
      }
      return shown;
    }

    // A denial that changed no bucket keeps only what a change of policy made of them: a burst that
    // shrank caps what was used at this instant, and the wait counts from here.
    void commit(List<BucketState> after, boolean changed) {
      for (Scope scope : scopes) {
        State state = state(scope);
        boolean carried = charge.draws().stream()
            .filter(draw -> draw.bucket().scope() == scope)
            .anyMatch(draw -> state.carries(draw.bucket(), now));
        if (changed || carried) {
          State written = state.at(now);
          for (int i = 0; i < after.size(); i++) {
            Bucket bucket = charge.draws().get(i).bucket();
            written = bucket.scope() == scope
                ? written.with(bucket, after.get(i), charge.revision())
                : written;
          }
          found.put(scope, written);
          states.put(owner(scope), written);
        }
      }
    }

    /** Per draw, the last moment that was told without a place. */
    List<Long> estimates() {
      return charge.draws().stream()
          .map(Draw::bucket)
          .map(bucket -> Optional.ofNullable(
                  estimates.getOrDefault(owner(bucket.scope()), Map.of()).get(bucket.name()))
              .filter(told -> told.milliOpsPerSec() == bucket.milliOpsPerSec())
              .map(Estimate::atMicros)
              .orElse(0L))
          .toList();
    }

    void remember(List<Long> after) {
      for (int i = 0; i < after.size(); i++) {
        Bucket bucket = charge.draws().get(i).bucket();
        if (after.get(i) > now) {
          Map<String, Estimate> told =
              estimates.computeIfAbsent(owner(bucket.scope()), owner -> new HashMap<>());
          told.put(bucket.name(), new Estimate(bucket.milliOpsPerSec(), after.get(i)));
          told.values().removeIf(one -> one.atMicros() <= now);
        }
      }
    }

    boolean hasLine() {
      return scopes.stream().anyMatch(scope -> state(scope).hasLine());
    }

    private Object owner(Scope scope) {
      return InMemoryBucketStore.owner(charge, scope);
    }

    private Line line(Scope scope) {
      return lines.getOrDefault(owner(scope), new Line());
    }

    private State state(Scope scope) {
      return found.getOrDefault(scope, stored(scope));
    }

    private State stored(Scope scope) {
      return states.getOrDefault(owner(scope), new State(0, sweptRevision, Map.of()));
    }
  }

  /** The last moment that was told of a bucket without a place. */
  private record Estimate(long milliOpsPerSec, long atMicros) {}
}
