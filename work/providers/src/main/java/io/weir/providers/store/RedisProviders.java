package io.weir.providers.store;

import io.weir.providers.rule.AdaptiveRule;
import io.weir.providers.rule.Booking;
import io.weir.providers.rule.Bounds;
import io.weir.providers.rule.Provider;
import io.weir.providers.rule.ProviderStore;
import io.weir.providers.rule.Providers;
import io.weir.providers.rule.Sending;
import io.weir.providers.store.ProviderStatuses.Book;
import io.weir.state.connection.RedisConnections;
import io.weir.state.connection.RedisLibrary;
import io.weir.state.wire.LuaLibrary;
import io.weir.state.wire.Statuses;
import io.weir.state.wire.StoreClock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/** Bookings in Redis: the state of an upstream is in two keys, and a script makes each call. */
public final class RedisProviders implements ProviderStore {
  private static final long MICROS_PER_MILLI = 1000;
  private static final int HEAD = 3;
  private static final int OF_BOOKING = 5;
  private static final Booking FULL = new Booking.Full();
  private static final Booking NOT_ASKED = new Booking.NotAsked();

  private static final List<String> COMMANDS = List.of("book", "rebook", "watch");

  private final RedisConnections redis;
  private final RedisLibrary library;

  public RedisProviders(RedisConnections redis) {
    this(redis, StoreClock.REDIS);
  }

  /** @param clock Redis's own but to rehearse and in tests */
  public RedisProviders(RedisConnections redis, StoreClock clock) {
    this.redis = redis;
    this.library =
        new RedisLibrary(redis, LuaLibrary.of("providers", COMMANDS, clock.modules()), clock);
  }

  /** An upstream as arguments of the script: made once for many calls. */
  public record Prepared(Providers upstream, List<String> keys, List<String> head, String any) {}

  /** Prepares an upstream. */
  public static Prepared prepare(Providers upstream) {
    Bounds bounds = upstream.bounds();
    Sending sending = upstream.sending();
    List<String> head = List.of(
        Long.toString(bounds.leaseMicros()),
        Integer.toString(bounds.most()),
        bounds.adaptive().map(rule -> Integer.toString(rule.initial())).orElse("0"),
        Long.toString(
            MICROS_PER_MILLI * (sending.connectTimeoutMillis() + sending.timeoutMillis())),
        bounds.adaptive().map(RedisProviders::words).orElse(""),
        upstream.all().stream()
            .map(provider -> words(upstream, provider))
            .collect(Collectors.joining(";")));
    String any = upstream.all().stream().map(Provider::name).collect(Collectors.joining(","));
    return new Prepared(upstream, UpstreamKeys.of(upstream.name()), head, any);
  }

  private static String words(Providers upstream, Provider provider) {
    return "%s %d %d %d %d %s %s"
        .formatted(
            provider.name(),
            upstream.isTiered() ? provider.rank().tier() : 0,
            provider.rank().weight(),
            provider.load().intervalMicros(),
            provider.load().maxInflight(),
            provider.groups().isEmpty() ? "*" : String.join(",", provider.groups()),
            String.join(",", provider.slots()));
  }

  private static String words(AdaptiveRule rule) {
    return "%d %d %d %d".formatted(rule.min(), rule.max(), rule.initial(), rule.targetMicros());
  }

  @Override
  public CompletionStage<Booking.BookingAnswer> book(
      Providers upstream, String caller, List<Booking.End> ends, List<Booking.Asking> asking) {
    return book(prepare(upstream), caller, ends, asking);
  }

  /** The same for an upstream that is prepared. */
  public CompletionStage<Booking.BookingAnswer> book(
      Prepared upstream, String caller, List<Booking.End> ends, List<Booking.Asking> asking) {
    List<String> arguments =
        new ArrayList<>(upstream.head().size() + 3 * ends.size() + 5 * asking.size() + 3);
    arguments.addAll(upstream.head());
    arguments.add(caller);
    arguments.add(Integer.toString(ends.size()));
    arguments.add(Integer.toString(asking.size()));
    for (Booking.End end : ends) {
      arguments.add(end.id());
      arguments.add(end.provider().isEmpty() ? upstream.any() : end.provider());
      arguments.add(words(end.lesson()));
    }
    for (Booking.Asking one : asking) {
      arguments.add(one.id());
      arguments.add(one.group());
      arguments.add(Long.toString(one.patienceMicros()));
      arguments.add(String.join(",", one.before()));
      arguments.add(one.mayProbe() ? "1" : "0");
    }
    return library
        .run("book", upstream.keys(), arguments)
        .thenApply(answer -> booked(answer, ends.size(), asking.size()));
  }

  private static String words(Booking.Lesson lesson) {
    if (lesson.equals(Booking.Lesson.NONE)) {
      return "";
    }
    return String.join(
        " ",
        lesson.scope().isEmpty() ? "-" : lesson.scope(),
        Long.toString(lesson.coolMicros()),
        Long.toString(lesson.openMicros()),
        lesson.probe().isEmpty() ? "-" : lesson.probe(),
        Long.toString(lesson.sampleMicros()),
        Integer.toString(lesson.loadThousandths()));
  }

  private static Booking.BookingAnswer booked(List<Object> answer, int ends, int asking) {
    List<Boolean> held = new ArrayList<>(ends);
    for (int i = 0; i < ends; i++) {
      held.add((Long) answer.get(HEAD + i) == 1);
    }
    List<Booking> bookings = new ArrayList<>(asking);
    for (int i = 0; i < asking; i++) {
      int at = HEAD + ends + i * OF_BOOKING;
      bookings.add(booking(answer.subList(at, at + OF_BOOKING)));
    }
    return new Booking.BookingAnswer(
        held,
        bookings,
        ((Long) answer.get(0)).intValue(),
        ((Long) answer.get(1)).intValue(),
        open((String) answer.get(2)));
  }

  private static Map<String, Boolean> open(String names) {
    if (names.isEmpty()) {
      return Map.of();
    }
    Map<String, Boolean> open = new HashMap<>();
    for (String one : names.split(",", -1)) {
      boolean isTried = one.endsWith("?");
      open.put(isTried ? one.substring(0, one.length() - 1) : one, isTried);
    }
    return open;
  }

  private static Booking booking(List<Object> answer) {
    long micros = (Long) answer.get(3);
    return switch (Statuses.of(Book.class, answer.get(0))) {
      case BOOKED ->
        new Booking.Booked(
            (String) answer.get(1), (String) answer.get(2), micros, (Long) answer.get(4) == 1);
      case LATER -> new Booking.Later(micros);
      case FULL -> FULL;
      case OPEN -> new Booking.Open(micros);
      case NOT_ASKED -> NOT_ASKED;
    };
  }

  /** A request under way, in the form in which it is renewed. */
  public static String member(String id, String provider) {
    return id + " " + provider;
  }

  @Override
  public CompletionStage<List<Boolean>> renew(Providers upstream, Collection<String> members) {
    return library
        .run(
            "rebook",
            UpstreamKeys.of(upstream.name()),
            List.of(Long.toString(upstream.bounds().leaseMicros()), String.join(",", members)))
        .thenApply(answer -> answer.stream().map(held -> (Long) held == 1).toList());
  }

  @Override
  public CompletionStage<Boolean> watch(String upstream, String node, long leaseMillis) {
    return library
        .run(
            "watch",
            List.of(UpstreamKeys.watch(upstream)),
            List.of(node, Long.toString(leaseMillis)))
        .thenApply(answer -> (Long) answer.get(0) == 1);
  }

  /**
   * Ends the waits of a key before their time.
   *
   * @param scopes the key, and {@code key/group}
   * @return how many there were
   */
  public CompletionStage<Long> endRests(String upstream, String provider, List<String> scopes) {
    String[] fields =
        scopes.stream().map(scope -> "cool:" + provider + "/" + scope).toArray(String[]::new);
    return redis.ask(commands -> commands.hdel(UpstreamKeys.of(upstream).get(0), fields));
  }
}
