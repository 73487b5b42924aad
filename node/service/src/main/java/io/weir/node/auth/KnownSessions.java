package io.weir.node.auth;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The sessions that a node has met, for use while Redis does not answer. One that Redis knows is used for 15 minutes
 * after Redis last confirmed it, because another node may have ended it since. One that began while Redis was away
 * belongs to this node alone, which no other node can end: it lasts 15 minutes. Bounded as those in Redis are. Mutable;
 * safe for use by many threads.
 */
final class KnownSessions {
  static final Duration WITHOUT_REDIS = Duration.ofMinutes(15);

  private final LongSupplier nanos;
  /** By name, those first that were noted first. */
  private final Map<String, Known> known = new LinkedHashMap<>();

  /** @param nanos a clock that is never moved back */
  KnownSessions(LongSupplier nanos) {
    this.nanos = nanos;
  }

  private record Known(StoredSession session, boolean isOfNode, long untilNanos) {
    boolean isOver(long nowNanos) {
      return nowNanos - untilNanos >= 0;
    }
  }

  /** Notes a session that Redis has. */
  void note(String name, StoredSession session) {
    put(name, session, false, WITHOUT_REDIS);
  }

  /** Notes a session that began while Redis was away. */
  void noteOfNode(String name, StoredSession session) {
    put(name, session, true, WITHOUT_REDIS);
  }

  private synchronized void put(
      String name, StoredSession session, boolean isOfNode, Duration lasts) {
    long now = nanos.getAsLong();
    known.values().removeIf(each -> each.isOver(now));
    known.remove(name);
    makeRoom(session.operator());
    known.put(name, new Known(session, isOfNode, now + lasts.toNanos()));
  }

  private void makeRoom(String operator) {
    Map<String, Long> counts =
        known.values().stream().collect(groupingBy(each -> each.session().operator(), counting()));
    if (counts.getOrDefault(operator, 0L) >= RedisSessions.MOST_OF_OPERATOR) {
      removeOldest(operator);
    } else if (known.size() >= RedisSessions.MOST) {
      counts.entrySet().stream()
          .max(Map.Entry.comparingByValue())
          .ifPresent(most -> removeOldest(most.getKey()));
    }
  }

  private void removeOldest(String operator) {
    known.entrySet().stream()
        .filter(each -> each.getValue().session().operator().equals(operator))
        .findFirst()
        .map(Map.Entry::getKey)
        .ifPresent(known::remove);
  }

  /** A session that may be used while Redis does not answer. */
  synchronized Optional<StoredSession> find(String name) {
    return open(name).map(Known::session);
  }

  private Optional<Known> open(String name) {
    long now = nanos.getAsLong();
    return Optional.ofNullable(known.get(name)).filter(each -> !each.isOver(now));
  }

  /** A session that Redis does not know: one of this node goes on, any other is over. */
  synchronized Optional<StoredSession> findOfNode(String name) {
    Optional<Known> found = open(name).filter(Known::isOfNode);
    if (found.isEmpty()) {
      known.remove(name);
    }
    return found.map(Known::session);
  }

  /** Forgets a session. */
  synchronized void forget(String name) {
    known.remove(name);
  }
}
