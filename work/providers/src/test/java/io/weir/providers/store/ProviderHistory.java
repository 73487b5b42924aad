package io.weir.providers.store;

import io.weir.core.policy.RepeatRule;
import io.weir.core.policy.RetryRule;
import io.weir.providers.rule.AdaptiveRule;
import io.weir.providers.rule.Booking;
import io.weir.providers.rule.Booking.Asking;
import io.weir.providers.rule.Booking.Booked;
import io.weir.providers.rule.Booking.End;
import io.weir.providers.rule.Booking.Lesson;
import io.weir.providers.rule.Bounds;
import io.weir.providers.rule.BreakerRule;
import io.weir.providers.rule.JsonRpcRule;
import io.weir.providers.rule.KeySlot;
import io.weir.providers.rule.Provider;
import io.weir.providers.rule.ProviderStore;
import io.weir.providers.rule.Providers;
import io.weir.providers.rule.Sending;
import io.weir.testkit.History;
import io.weir.testkit.ManualClock;
import io.weir.testkit.OddTimes;
import io.weir.testkit.StorePair;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A history of one upstream: callers of several nodes that ask, end, renew, die, and tell ends twice or too late; all
 * lessons; changed settings; a clock that is set back. Mutable; owned by one test.
 */
final class ProviderHistory implements History {
  private static final long SECOND = 1_000_000;
  private static final long LONGEST_STEP = 1300 * SECOND;
  private static final int KEPT = 30;
  private static final List<String> NAMES = List.of("a", "b", "c", "d");
  private static final List<String> GROUPS = List.of("g0", "g1", "g2");
  private static final List<String> CALLERS = List.of("n0", "n1", "n2", "n3", "n4");
  private static final List<String> PROBES = List.of("", "", "good", "bad", "unknown", "well");

  private record Sent(String id, Booked booked) {}

  private final Random random;
  private final StorePair<ProviderStore> stores;
  private final OddTimes times;
  private final String name;
  private final List<Sent> held = new ArrayList<>();
  private final List<Sent> ended = new ArrayList<>();
  private Providers upstream;
  private int ids;

  ProviderHistory(
      long seed, String name, ManualClock clock, ProviderStore model, ProviderStore other) {
    this.random = new Random(seed);
    this.stores = new StorePair<>(seed, clock, model, other);
    this.times = new OddTimes(random, clock, LONGEST_STEP);
    this.name = name;
    this.upstream = anyUpstream();
  }

  @Override
  public StorePair<ProviderStore> stores() {
    return stores;
  }

  /** Makes the next call. */
  @Override
  public void step() {
    times.move();
    if (random.nextInt(60) == 0) {
      upstream = anyUpstream();
      stores.count("changed");
    }
    if (random.nextInt(10) == 0) {
      renew();
    } else {
      book();
    }
  }

  private Providers anyUpstream() {
    List<Provider> all = NAMES.stream()
        .filter(one -> random.nextInt(4) > 0)
        .map(this::anyProvider)
        .toList();
    Optional<AdaptiveRule> adaptive = random.nextInt(3) == 0
        ? Optional.of(new AdaptiveRule(
            200_000, 1 + random.nextInt(4), 3 + random.nextInt(20), 1 + random.nextInt(10)))
        : Optional.empty();
    return new Providers(
        name,
        all.isEmpty() ? List.of(anyProvider("a")) : all,
        random.nextBoolean(),
        new Bounds(1 + random.nextInt(12), adaptive, 10, 1000, SECOND * (1 + random.nextInt(20))),
        new Sending(
            random.nextInt(1000),
            1 + random.nextInt(3000),
            1000,
            false,
            JsonRpcRule.NONE,
            RepeatRule.NONE),
        new Providers.Resilience(RetryRule.DEFAULT, BreakerRule.DEFAULT, Optional.empty()));
  }

  private Provider anyProvider(String provider) {
    List<KeySlot> keys = IntStream.range(0, random.nextInt(4))
        .mapToObj(i -> new KeySlot("k" + i, "Authorization", "Bearer ", "KEY"))
        .toList();
    Set<String> groups = random.nextBoolean() ? Set.of() : Set.copyOf(List.of(any(GROUPS), "g0"));
    long interval = random.nextInt(3) == 0 ? 0 : random.nextLong(anyOf(100_000, 3 * SECOND));
    return new Provider(
        provider,
        URI.create("http://127.0.0.1:1"),
        new Provider.Rank(random.nextInt(3), 1 + random.nextInt(5)),
        new Provider.Load(random.nextInt(3) == 0 ? 1 + random.nextInt(4) : 0, interval),
        groups,
        keys);
  }

  private long anyOf(long one, long other) {
    return random.nextBoolean() ? one : other;
  }

  private <T> T any(List<T> some) {
    return some.get(random.nextInt(some.size()));
  }

  private void book() {
    List<End> ends = Stream.generate(this::anyEnd)
        .limit(random.nextInt(3))
        .flatMap(Optional::stream)
        .toList();
    List<Asking> asking =
        Stream.generate(this::anyAsking).limit(random.nextInt(4)).toList();
    String caller = any(CALLERS);
    Booking.BookingAnswer told = stores.ask(
        "book %s %s %s %s".formatted(caller, ends, asking, shown()),
        it -> it.book(upstream, caller, ends, asking));
    for (int i = 0; i < asking.size(); i++) {
      answered(asking.get(i), told.bookings().get(i));
    }
    told.held().forEach(isHeld -> stores.count(isHeld ? "held" : "not held"));
    told.open().values().forEach(isTried -> stores.count(isTried ? "probe told" : "open told"));
  }

  private String shown() {
    return upstream.bounds() + " tiered " + upstream.isTiered() + " "
        + upstream.all().stream()
            .map(one -> "%s tier %d weight %d most %d %s %s every %d"
                .formatted(
                    one.name(),
                    one.rank().tier(),
                    one.rank().weight(),
                    one.load().maxInflight(),
                    one.groups(),
                    one.slots(),
                    one.load().intervalMicros()))
            .toList();
  }

  private void answered(Asking asking, Booking booking) {
    stores.count(booking.getClass().getSimpleName());
    if (booking instanceof Booked booked) {
      held.add(new Sent(asking.id(), booked));
      stores.count(booked.isProbe() ? "probe" : booked.delayMicros() > 0 ? "ahead" : "now");
      times.endsIn(booked.delayMicros() + upstream.bounds().leaseMicros());
      upstream.named(booked.provider()).ifPresent(one -> times.endsIn(one.load().intervalMicros()));
    } else if (booking instanceof Booking.Later later) {
      times.endsIn(later.waitMicros());
    } else if (booking instanceof Booking.Open open) {
      times.endsIn(open.waitMicros());
    } else if (booking instanceof Booking.Full) {
      times.endsIn(100_000);
    }
  }

  private Asking anyAsking() {
    long patience = random.nextBoolean() ? 0 : random.nextLong(anyOf(200_000, 2 * SECOND));
    List<String> before = NAMES.stream()
        .filter(one -> random.nextInt(10) == 0)
        .map(one ->
            (random.nextBoolean() ? "!" : "") + one + "/" + any(List.of("-", "k0", "k1", "k2")))
        .toList();
    return new Asking("r" + ids++, any(GROUPS), patience, before, random.nextBoolean());
  }

  // Mostly of a request under way; some again, some of a request whose booking is unknown, and
  // lessons alone.
  private Optional<End> anyEnd() {
    int dice = random.nextInt(20);
    if (dice == 0) {
      return Optional.of(new End("", any(NAMES), anyLesson()));
    } else if (dice == 1) {
      return Optional.of(End.unknown("r" + random.nextInt(ids + 1)));
    }
    List<Sent> some = dice < 5 ? ended : held;
    if (some.isEmpty()) {
      return Optional.empty();
    }
    Sent sent = some.remove(random.nextInt(some.size()));
    ended.add(sent);
    if (ended.size() > KEPT) {
      ended.remove(random.nextInt(KEPT));
    }
    String provider = random.nextInt(30) == 0 ? any(NAMES) : sent.booked.provider();
    return Optional.of(
        random.nextInt(10) == 0
            ? End.unknown(sent.id)
            : new End(sent.id, provider, random.nextBoolean() ? Lesson.NONE : anyLesson()));
  }

  private Lesson anyLesson() {
    String key = any(List.of("-", "k0", "k1", "k2"));
    String scope = any(List.of("", key, key + "/" + any(GROUPS)));
    long cool = random.nextInt(4) == 0 ? random.nextLong(4 * SECOND) : 0;
    long open = random.nextInt(12) == 0 ? random.nextLong(8 * SECOND) : 0;
    times.endsIn(cool);
    times.endsIn(open);
    long sample = random.nextInt(3) == 0 ? random.nextInt(900_000) - 1 : 0;
    int load = random.nextInt(6) == 0 ? random.nextInt(1100) : -1;
    return new Lesson(scope, cool, open, any(PROBES), sample, load);
  }

  private void renew() {
    List<String> members = Stream.concat(held.stream(), ended.stream())
        .filter(sent -> random.nextInt(4) == 0)
        .map(
            sent -> sent.id + " " + (random.nextInt(20) == 0 ? any(NAMES) : sent.booked.provider()))
        .toList();
    stores
        .ask("renew %s %s".formatted(members, shown()), it -> it.renew(upstream, members))
        .forEach(isHeld -> stores.count(isHeld ? "renewed" : "not renewed"));
    times.endsIn(upstream.bounds().leaseMicros());
  }
}
