package io.weir.model;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.slot.QueueReport.Returned;
import io.weir.core.slot.SlotRules;
import io.weir.core.throttle.Charge;
import io.weir.model.Memory.Estimate;
import io.weir.model.Place.Share;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The states that a charge reads and changes. Mutable; lives for one charge. */
final class Look {
  private final Charge charge;
  private final Memory memory;
  private final long now;
  private final Map<Scope, State> found = new EnumMap<>(Scope.class);
  private final Set<Scope> scopes = EnumSet.noneOf(Scope.class);
  private final Set<Scope> ended = EnumSet.noneOf(Scope.class);
  private List<BucketState> buckets = List.of();

  /** Reads the states for a charge from a memory. */
  Look(Charge charge, Memory memory, long nowMicros) {
    this.charge = charge;
    this.memory = memory;
    this.now = nowMicros;
    charge.demands().forEach(demand -> scopes.add(demand.bucket().scope()));
    scopes.forEach(scope -> found.put(scope, stored(scope)));
    found.put(Scope.KEY, stored(Scope.KEY));
  }

  Charge charge() {
    return charge;
  }

  long now() {
    return now;
  }

  Set<Scope> scopes() {
    return scopes;
  }

  /** The loaded states, one per demand. */
  List<BucketState> buckets() {
    return buckets;
  }

  long newestRevision() {
    return scopes.stream().mapToLong(scope -> state(scope).revision()).max().orElse(0);
  }

  /**
   * Moves states back that are ahead of the clock, and ends queues whose slots are void. Returns the scopes whose
   * states have changed.
   */
  Set<Scope> settle(Set<Scope> which) {
    Set<Scope> changed = EnumSet.noneOf(Scope.class);
    for (Scope scope : which) {
      State state = state(scope);
      long ahead = state.atMicros() - now;
      if (ahead > charge.slots().latenessMicros() || hasOtherRate(scope)) {
        ended.add(scope);
        state = state.withoutQueue();
      }
      if (ahead > 0 || ended.contains(scope)) {
        found.put(scope, state.rebased(now).at(now));
        changed.add(scope);
      }
    }
    return changed;
  }

  /** Writes a changed state; if its queue has ended, its places are removed. */
  void write(Scope scope) {
    memory.put(owner(scope), state(scope));
    if (ended.contains(scope)) {
      memory.endQueue(owner(scope));
    }
  }

  // A slot of another rate is void: its caller starts again.
  private boolean hasOtherRate(Scope scope) {
    return state(scope).hasQueue()
        && charge.demands().stream()
            .filter(demand -> demand.bucket().scope() == scope)
            .anyMatch(demand -> state(scope).hasOtherRate(demand.bucket()));
  }

  /** Drains the buckets of the charge and converts them to its policy. */
  void load() {
    buckets = charge.demands().stream()
        .map(demand -> state(demand.bucket().scope()).bucket(demand.bucket(), now))
        .toList();
  }

  /** Removes overdue places; returns how many of them were the key's. */
  long letGo() {
    long lost = letGo(Scope.KEY);
    if (found.containsKey(Scope.TENANT)) {
      letGo(Scope.TENANT);
    }
    load();
    return lost;
  }

  private long letGo(Scope scope) {
    PlaceQueue queue = queue(scope);
    List<Place> overdue = queue.overdue(now);
    if (!memory.hasQueue(owner(scope)) || overdue.isEmpty()) {
      return 0;
    }
    if (queue.isOver(now)) {
      ended.add(scope);
      found.put(scope, state(scope).withoutQueue().at(now));
      write(scope);
      return queue.size();
    }
    State state = state(scope);
    for (Place gone : overdue) {
      queue.remove(gone);
      state = state.letGo(scope, gone);
    }
    found.put(scope, state.at(now));
    memory.put(owner(scope), state(scope));
    return overdue.stream().filter(gone -> !gone.isForNobody()).count();
  }

  SlotRules rules() {
    // A key that already waits leaves the other half of the tenant's queue to the tenant's other
    // keys.
    return scopes.contains(Scope.TENANT) && size(Scope.KEY) > 0
        ? charge.slots().halved()
        : charge.slots();
  }

  boolean hasRoom() {
    return size(Scope.KEY) < rules().maxQueue()
        && (!scopes.contains(Scope.TENANT) || size(Scope.TENANT) < rules().maxQueue());
  }

  int size(Scope scope) {
    return queue(scope).size();
  }

  /** The place of the returning caller, if it is not overdue and fits the request. */
  Optional<Place> find(List<Share> kind) {
    PlaceQueue mine = queue(Scope.KEY);
    Optional<Place> place = Optional.empty();
    if (charge.ticket().shown().isPresent()) {
      place = mine.byTicket(charge.ticket().shown().get(), now);
    } else if (!charge.ticket().wantsAlways()) {
      place = mine.due(now, kind);
    }
    return place
        .filter(found -> found.isFor(kind))
        .filter(found -> !found.holdsIn(Scope.TENANT) || queue(Scope.TENANT).contains(found));
  }

  /** The place of a ticket, for any request, if it is not overdue. */
  Optional<Place> placeOf(String ticket) {
    return queue(Scope.KEY).byTicket(ticket, now);
  }

  /** The units used of a bucket of the charge; 0 of any other. */
  long usedOf(String bucket) {
    for (int i = 0; i < buckets.size(); i++) {
      if (charge.demands().get(i).bucket().name().equals(bucket)) {
        return buckets.get(i).usedUnits();
      }
    }
    return 0;
  }

  /** The result for the ticket of a caller without a place. */
  Returned withoutPlace() {
    return charge.ticket().deadlineMicros().stream()
        .mapToObj(deadline -> deadline < now ? Returned.LATE : Returned.UNKNOWN)
        .findFirst()
        .orElse(Returned.NOT);
  }

  /** Adds places to the queues and removes the previous one. */
  void store(Optional<Place> mine, List<Place> made) {
    for (Scope scope : List.of(Scope.KEY, Scope.TENANT)) {
      if (!found.containsKey(scope)) {
        continue;
      }
      PlaceQueue queue = queue(scope);
      made.stream().filter(place -> belongsTo(scope, place)).forEach(queue::add);
      mine.filter(place -> belongsTo(scope, place)).ifPresent(queue::remove);
      memory.put(owner(scope), queue);
      found.put(scope, state(scope).at(now));
      memory.put(owner(scope), state(scope));
    }
  }

  private static boolean belongsTo(Scope scope, Place place) {
    return scope == Scope.KEY || place.holdsIn(scope);
  }

  long[] used() {
    return buckets.stream().mapToLong(BucketState::usedUnits).toArray();
  }

  long[] shown(List<BucketState> after) {
    long[] shown = new long[after.size()];
    for (int i = 0; i < shown.length; i++) {
      shown[i] = after.get(i).shownUnits(charge.demands().get(i).bucket());
    }
    return shown;
  }

  // A denial that changed no bucket keeps only the effects of a change of policy: a shrunken burst
  // caps the usage at this instant, and the wait counts from here.
  void commit(List<BucketState> after, boolean changed) {
    for (Scope scope : scopes) {
      State state = state(scope);
      boolean carried = charge.demands().stream()
          .filter(demand -> demand.bucket().scope() == scope)
          .anyMatch(demand -> state.carries(demand.bucket(), now));
      if (changed || carried) {
        State written = state.at(now);
        for (int i = 0; i < after.size(); i++) {
          Bucket bucket = charge.demands().get(i).bucket();
          written = bucket.scope() == scope
              ? written.with(bucket, after.get(i), charge.revision())
              : written;
        }
        found.put(scope, written);
        memory.put(owner(scope), written);
      }
    }
  }

  /** The buckets of the charge as seen by a request of its cost. */
  List<BucketTurn> turns() {
    return turns(charge.cost());
  }

  /** The buckets of the charge as seen by a request of another cost. */
  List<BucketTurn> turns(long cost) {
    List<BucketTurn> turns = new ArrayList<>();
    for (int i = 0; i < buckets.size(); i++) {
      Demand demand = charge.demands().get(i);
      turns.add(new BucketTurn(
          demand.bucket(), buckets.get(i), demand.units(cost), false, estimate(demand.bucket())));
    }
    return turns;
  }

  private long estimate(Bucket bucket) {
    @Nullable Estimate told = memory.estimates(owner(bucket.scope())).get(bucket.name());
    return told != null && told.rate().equals(bucket.rate()) ? told.atMicros() : 0;
  }

  void remember(List<BucketTurn> after) {
    for (BucketTurn turn : after) {
      Bucket bucket = turn.bucket();
      if (turn.estimateMicros() > now) {
        Estimate told = new Estimate(bucket.rate(), turn.estimateMicros());
        memory.put(owner(bucket.scope()), bucket.name(), told, now);
      }
    }
  }

  boolean hasQueue() {
    return scopes.stream().anyMatch(scope -> state(scope).hasQueue());
  }

  private Object owner(Scope scope) {
    return Memory.owner(charge, scope);
  }

  private PlaceQueue queue(Scope scope) {
    return memory.queue(owner(scope));
  }

  private State state(Scope scope) {
    return found.getOrDefault(scope, stored(scope));
  }

  private State stored(Scope scope) {
    return memory.state(owner(scope));
  }
}
