package io.weir.providers.store;

import io.weir.providers.rule.Booking.End;
import io.weir.providers.rule.Booking.Lesson;
import io.weir.providers.rule.Provider;
import io.weir.providers.rule.Providers;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The state of an upstream that all nodes share: the times from which its keys and providers may be used, and the
 * requests under way. Mutable; owned by its store.
 */
final class ModelUpstream {
  static final long NEAR = 1_000_000;
  private static final long SECOND = 1_000_000;
  private static final long STEP_BACK = 100_000;
  private static final long OLD_SLOT = 600_000_000;
  private static final long LOAD_COUNTS = 10_000_000;

  /** The slot of a provider without keys: if it cools down, the provider does. */
  private static final String ONLY_KEY = "-";

  private record Load(int thousandths, long until) {}

  private record Permit(String provider, long until) {}

  final ModelLimit limit = new ModelLimit();
  final ModelMarks marks = new ModelMarks();
  /** The smooth weighted turn of each provider. */
  final Map<String, Long> turns = new HashMap<>();

  private final Map<String, Long> slots = new HashMap<>();
  private final Map<String, Long> cools = new HashMap<>();
  private final Map<String, Long> opens = new HashMap<>();
  private final Map<String, Long> probes = new HashMap<>();
  private final Map<String, Load> loads = new HashMap<>();
  private final Map<String, Permit> permits = new HashMap<>();
  private long lastCall = -1;

  /** Follows the clock, and ends the leases of dead nodes. */
  void beginCall(Providers upstream, long now) {
    long back = lastCall < 0 ? 0 : lastCall - now;
    if (back > STEP_BACK) {
      setBack(back, now + NEAR + upstream.bounds().leaseMicros());
    }
    // Once a second, for a clock that goes back by less than a step.
    if (Math.floorDiv(Math.max(0, lastCall), SECOND) != Math.floorDiv(now, SECOND)) {
      slots.values().removeIf(slot -> slot <= now - OLD_SLOT);
      cools.values().removeIf(cool -> cool <= now);
      loads.values().removeIf(load -> load.until <= now);
      forgetOthers(upstream, now);
    }
    lastCall = now;
    permits.values().removeIf(permit -> permit.until <= now);
  }

  // Those of providers that the policy no longer has.
  private void forgetOthers(Providers upstream, long now) {
    turns.keySet().removeIf(name -> upstream.named(name).isEmpty());
    for (Map<String, Long> instants : List.of(opens, probes)) {
      instants
          .entrySet()
          .removeIf(
              one -> upstream.named(one.getKey()).isEmpty() && one.getValue() <= now - OLD_SLOT);
    }
  }

  // All instants move back with the clock, and no lease is longer than one that begins now.
  private void setBack(long back, long latest) {
    for (Map<String, Long> instants : List.of(slots, cools, opens, probes)) {
      instants.replaceAll((name, at) -> at - back);
    }
    loads.replaceAll((name, load) -> new Load(load.thousandths, load.until - back));
    marks.shift(back);
    permits.replaceAll((id, permit) -> new Permit(permit.provider, Math.min(latest, permit.until)));
  }

  /** Ends a request; returns whether it was under way. */
  boolean end(Providers upstream, End end, long now) {
    Permit permit = permits.get(end.id());
    boolean isOf = permit != null
        && (end.provider().isEmpty()
            ? upstream.named(permit.provider).isPresent()
            : end.provider().equals(permit.provider));
    if (isOf) {
      permits.remove(end.id());
    }
    if (isOf || end.id().isEmpty()) {
      learn(upstream, end.provider(), end.lesson(), now);
    }
    return isOf;
  }

  private void learn(Providers upstream, String provider, Lesson lesson, long now) {
    if (lesson.coolMicros() > 0) {
      boolean isOfAll = lesson.scope().isEmpty() || lesson.scope().equals(ONLY_KEY);
      String scope = isOfAll ? provider : provider + "/" + lesson.scope();
      cools.merge(scope, now + lesson.coolMicros(), Math::max);
    }
    learnOfProbe(provider, lesson.probe(), now);
    if (lesson.openMicros() > 0) {
      opens.merge(provider, now + lesson.openMicros(), Math::max);
    }
    if (lesson.loadThousandths() >= 0) {
      loads.put(provider, new Load(lesson.loadThousandths(), now + LOAD_COUNTS));
    }
    if (lesson.sampleMicros() != 0) {
      upstream.bounds().adaptive().ifPresent(rule -> limit.learn(rule, lesson.sampleMicros()));
    }
  }

  // A health check closes a breaker only after its time.
  private void learnOfProbe(String provider, String probe, long now) {
    boolean isTooEarly = probe.equals("well") && opens.getOrDefault(provider, now) >= now;
    if (probe.isEmpty() || isTooEarly) {
      return;
    }
    if (probe.equals("good") || probe.equals("well")) {
      opens.remove(provider);
    }
    probes.remove(provider);
  }

  /** Books a request from an instant on. */
  void book(Providers upstream, String id, Provider provider, String key, long at) {
    slots.put(provider.name() + "/" + key, at + provider.load().intervalMicros());
    if (isOpen(provider.name())) {
      long probeMillis =
          (long) upstream.sending().connectTimeoutMillis() + upstream.sending().timeoutMillis();
      probes.put(provider.name(), at + 1000 * probeMillis);
    }
    permits.put(id, new Permit(provider.name(), at + upstream.bounds().leaseMicros()));
  }

  boolean renew(Providers upstream, String member, long now) {
    String[] words = member.split(" ", 2);
    Permit permit = permits.get(words[0]);
    if (permit == null || !permit.provider.equals(words[1]) || permit.until <= now) {
      return false;
    }
    permits.put(words[0], new Permit(words[1], now + upstream.bounds().leaseMicros()));
    return true;
  }

  int inflight() {
    return permits.size();
  }

  int inflight(String provider) {
    return (int) permits.values().stream()
        .filter(permit -> permit.provider.equals(provider))
        .count();
  }

  /** Whether a breaker was opened and no probe has closed it. */
  boolean isOpen(String provider) {
    return opens.containsKey(provider);
  }

  long openUntil(String provider) {
    return opens.getOrDefault(provider, 0L);
  }

  long probeUntil(String provider) {
    return probes.getOrDefault(provider, 0L);
  }

  long coolUntil(String scope) {
    return cools.getOrDefault(scope, 0L);
  }

  /** When a key may be used next; a booking of a longer interval is cut to the present one. */
  long slot(Provider provider, String key, long now) {
    String name = provider.name() + "/" + key;
    long latest = now + provider.load().intervalMicros() + NEAR;
    slots.computeIfPresent(name, (same, at) -> Math.min(at, latest));
    return slots.getOrDefault(name, 0L);
  }

  /** The load that a provider reports, in thousandths; 0 without a recent report. */
  int load(String provider, long now) {
    Load load = loads.get(provider);
    return load != null && load.until > now ? load.thousandths : 0;
  }

  /** The breakers that are open: true if a probe is under way. */
  Map<String, Boolean> open(Collection<Provider> providers, long now) {
    Map<String, Boolean> open = new HashMap<>();
    for (Provider one : providers) {
      if (isOpen(one.name())) {
        open.put(one.name(), probeUntil(one.name()) > now);
      }
    }
    return open;
  }
}
