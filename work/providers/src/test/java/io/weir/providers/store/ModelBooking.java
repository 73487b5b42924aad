package io.weir.providers.store;

import io.weir.providers.rule.Booking;
import io.weir.providers.rule.Booking.Asking;
import io.weir.providers.rule.Booking.Booked;
import io.weir.providers.rule.Provider;
import io.weir.providers.rule.Providers;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The requests of one caller that ask at one instant. Mutable; for one call. */
final class ModelBooking {
  private static final Booking FULL = new Booking.Full();
  private static final long PROBE_TOLD = 1_000_000;
  private static final long PROBE_GRACE = 10_000_000;
  private static final int WHOLE_WEIGHT = 1000;
  private static final int LEAST_WEIGHT = 100;

  private final ModelUpstream state;
  private final Providers upstream;
  private final String caller;
  private final long now;
  private final long limit;
  private final long share;
  private final Set<String> blocked = new HashSet<>();

  ModelBooking(ModelUpstream state, Providers upstream, String caller, long now) {
    this.state = state;
    this.upstream = upstream;
    this.caller = caller;
    this.now = now;
    this.limit = state.limit.of(upstream.bounds());
    this.share = upstream.all().size() > 1 ? Math.max(1, limit * 3 / 4) : limit;
  }

  /** A provider that may take a request at an instant, with one of its keys. */
  private record Candidate(Provider of, String key, long at) {}

  /** The candidates for a request, and why others are none. */
  private static final class Candidates {
    final List<Candidate> fresh = new ArrayList<>();
    final List<Candidate> again = new ArrayList<>();
    final List<Candidate> risky = new ArrayList<>();
    long openUntil = Long.MAX_VALUE;
    boolean isFull;
  }

  long limit() {
    return limit;
  }

  /** Requests of a group are served in their order: none after one that was not booked. */
  Booking ask(Asking asking) {
    if (blocked.contains(asking.group())) {
      return new Booking.NotAsked();
    }
    Booking answer = answer(asking);
    if (!(answer instanceof Booked)) {
      blocked.add(asking.group());
    }
    state.marks.answered(caller, asking.group(), answer.equals(FULL), now);
    return answer;
  }

  private Booking answer(Asking asking) {
    Map<String, Integer> ahead = state.marks.before(caller, asking.group(), now);
    if (state.inflight() >= limit || isTurnOfOthers(ahead, asking.group())) {
      return FULL;
    }
    Candidates found = candidates(asking, ahead);
    List<Candidate> chosen = choice(found, asking);
    long openFor = found.openUntil == Long.MAX_VALUE ? 0 : found.openUntil - now;
    if (chosen.isEmpty()) {
      return found.isFull ? FULL : new Booking.Open(Math.max(0, openFor));
    }
    long soonest = chosen.stream().mapToLong(Candidate::at).min().orElseThrow();
    if (soonest - now > asking.patienceMicros()) {
      long wait = openFor > 0 ? Math.min(openFor, soonest - now) : soonest - now;
      return found.isFull ? FULL : new Booking.Later(wait);
    }
    return book(asking, next(chosen, soonest));
  }

  /** Whether all room is owed to callers that were answered without room earlier. */
  private boolean isTurnOfOthers(Map<String, Integer> ahead, String group) {
    if (ahead.isEmpty()) {
      return false;
    }
    long taken = state.inflight();
    for (Map.Entry<String, Integer> other : ahead.entrySet()) {
      taken += Math.min(other.getValue(), places(other.getKey()));
    }
    long free = places(group);
    return taken >= limit || (free > 0 && free <= ahead.getOrDefault(group, 0));
  }

  /** The places of all providers that may serve a group now. */
  private long places(String group) {
    return upstream.serving(group).stream()
        .filter(one -> leftAloneUntil(one) == 0 && !isResting(one, group))
        .mapToLong(one -> Math.max(0, places(one)))
        .sum();
  }

  /** Below 0 if the limit has been lowered. */
  private long places(Provider one) {
    return (one.load().maxInflight() > 0 ? one.load().maxInflight() : share)
        - state.inflight(one.name());
  }

  /** Until when its breaker is open or another request probes it; 0 if it is available. */
  private long leftAloneUntil(Provider one) {
    if (state.openUntil(one.name()) > now) {
      return state.openUntil(one.name());
    }
    long probe = state.probeUntil(one.name());
    return state.isOpen(one.name()) && probe > now ? Math.min(probe, now + PROBE_TOLD) : 0;
  }

  /** Whether the provider, or each of its keys, cools down or is booked too far ahead. */
  private boolean isResting(Provider one, String group) {
    return state.coolUntil(one.name()) > now
        || one.slots().stream()
            .allMatch(key -> coolUntil(one, key, group) > now
                || state.slot(one, key, now) > now + ModelUpstream.NEAR);
  }

  private long coolUntil(Provider one, String key, String group) {
    String name = one.name() + "/" + key;
    return Math.max(state.coolUntil(name), state.coolUntil(name + "/" + group));
  }

  private Candidates candidates(Asking asking, Map<String, Integer> ahead) {
    Candidates found = new Candidates();
    for (Provider one : upstream.serving(asking.group())) {
      long until = leftAloneUntil(one);
      if (until > 0) {
        found.openUntil = Math.min(found.openUntil, until);
      } else if (places(one) <= 0 || places(one) <= owed(one, ahead, asking.group())) {
        found.isFull = true;
      } else {
        Candidate candidate = candidate(one, asking);
        list(found, candidate, asking).add(candidate);
      }
    }
    return found;
  }

  /** The places of a provider that are owed to earlier callers of groups without a place elsewhere. */
  private long owed(Provider one, Map<String, Integer> ahead, String group) {
    return ahead.entrySet().stream()
        .filter(other -> !other.getKey().equals(group) && one.serves(other.getKey()))
        .filter(other -> !isResting(one, other.getKey()))
        .mapToLong(other ->
            Math.max(0, other.getValue() - (places(other.getKey()) - Math.max(0, places(one)))))
        .sum();
  }

  // A probe is left to requests that are sent again after a failure, for a while.
  private List<Candidate> list(Candidates found, Candidate candidate, Asking asking) {
    Provider one = candidate.of;
    boolean isLeftToOthers = state.isOpen(one.name())
        && !asking.mayProbe()
        && now < state.openUntil(one.name()) + PROBE_GRACE;
    boolean wasSentTo =
        asking.before().stream().anyMatch(before -> before.startsWith(one.name() + "/"));
    if (isLeftToOthers) {
      return found.risky;
    }
    return wasSentTo || wasSentWith(one, candidate.key, asking) ? found.again : found.fresh;
  }

  /** With the key that is free first; of several, one that was not tried, and was used longest ago. */
  private Candidate candidate(Provider one, Asking asking) {
    Comparator<String> order = Comparator.<String>comparingLong(key -> at(one, key, asking.group()))
        .thenComparing(
            key -> wasSentWith(one, key, asking) ? Long.MAX_VALUE : state.slot(one, key, now));
    String first = one.slots().stream().min(order).orElseThrow();
    long at = Math.max(at(one, first, asking.group()), state.coolUntil(one.name()));
    return new Candidate(one, first, at);
  }

  /** Also if the key was refused. */
  private static boolean wasSentWith(Provider one, String key, Asking asking) {
    String place = one.name() + "/" + key;
    return asking.before().contains(place) || asking.before().contains("!" + place);
  }

  private long at(Provider one, String key, String group) {
    return Math.max(now, Math.max(state.slot(one, key, now), coolUntil(one, key, group)));
  }

  /** Providers without an attempt of this request, if one is free in time; otherwise the first. */
  private List<Candidate> choice(Candidates found, Asking asking) {
    List<Candidate> again =
        found.fresh.isEmpty() && found.again.isEmpty() && !found.isFull ? found.risky : found.again;
    long ofFresh = soonest(found.fresh);
    boolean isInTime = ofFresh <= now + asking.patienceMicros();
    return isInTime || ofFresh <= soonest(again) ? found.fresh : again;
  }

  private static long soonest(List<Candidate> some) {
    return some.stream().mapToLong(Candidate::at).min().orElse(Long.MAX_VALUE);
  }

  /** Of the lowest tier that is free now, or of the one that is free first: whose turn it is. */
  private Candidate next(List<Candidate> chosen, long soonest) {
    Comparator<Candidate> byTier = Comparator.comparingInt(one -> tier(one.of));
    int tier = soonest <= now
        ? tier(chosen.stream().filter(one -> one.at <= now).min(byTier).orElseThrow().of)
        : tier(chosen.stream().filter(one -> one.at == soonest).findFirst().orElseThrow().of);
    List<Candidate> some = chosen.stream()
        .filter(one -> tier(one.of) == tier && one.at <= Math.max(now, soonest))
        .toList();
    long total = some.stream().mapToLong(one -> weight(one.of)).sum();
    some.forEach(one -> state.turns.merge(one.of.name(), weight(one.of), Long::sum));
    Candidate best = some.get(0);
    for (Candidate one : some) {
      if (turn(one) > turn(best)) {
        best = one;
      }
    }
    state.turns.merge(best.of.name(), -total, Long::sum);
    return best;
  }

  private int tier(Provider one) {
    return upstream.isTiered() ? one.rank().tier() : 0;
  }

  private long turn(Candidate one) {
    return state.turns.getOrDefault(one.of.name(), 0L);
  }

  /** Reduced by the load that the provider reports. */
  private long weight(Provider one) {
    return (long) one.rank().weight()
        * Math.max(LEAST_WEIGHT, WHOLE_WEIGHT - state.load(one.name(), now));
  }

  private Booking book(Asking asking, Candidate best) {
    long at = Math.max(now, best.at);
    boolean isProbe = state.isOpen(best.of.name());
    state.book(upstream, asking.id(), best.of, best.key, at);
    return new Booked(best.of.name(), best.key, at - now, isProbe);
  }
}
