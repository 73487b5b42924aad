package io.weir.state.redis;

import io.weir.state.redis.wire.LuaScript;
import io.weir.state.redis.wire.RedisKeys;
import io.weir.upstream.AdaptiveRule;
import io.weir.upstream.Booking;
import io.weir.upstream.Provider;
import io.weir.upstream.Providers;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * What all nodes together may send to the providers of upstreams, in Redis. Safe for use by many threads; never blocks. What
 * fails does so with {@link io.weir.throttle.StoreUnavailableException}.
 */
public final class RedisProviders {
  private static final long MICROS_PER_MILLI = 1000;

  private final RedisConnections redis;
  private final LuaScript book;
  private final LuaScript unbook;
  private final LuaScript rebook;
  private final Supplier<List<String>> clock;

  public RedisProviders(RedisConnections redis) {
    this(redis, Map.of(), List::of);
  }

  private RedisProviders(
      RedisConnections redis, Map<String, String> includes, Supplier<List<String>> clock) {
    this.redis = redis;
    this.book = LuaScript.load("book", includes);
    this.unbook = LuaScript.load("unbook", includes);
    this.rebook = LuaScript.load("rebook", includes);
    this.clock = clock;
  }

  /** By another clock than Redis's, as {@link RedisBucketStore#rehearsing}. */
  public static RedisProviders rehearsing(RedisConnections redis, LongSupplier clockMicros) {
    return new RedisProviders(
        redis, Map.of("now", "now_text"), () -> List.of(Long.toString(clockMicros.getAsLong())));
  }

  /**
   * Books a key slot and a permit in flight.
   *
   * @param id of the request, without commas
   * @param patienceMicros how far ahead a slot may be
   * @param before where it was sent to, {@code provider/key}
   */
  public CompletionStage<Booking.Told> book(
      Providers upstream, String group, String id, long patienceMicros, Collection<String> before) {
    String providers = upstream.serving(group).stream()
        .map(provider -> words(upstream, provider))
        .collect(Collectors.joining(";"));
    List<String> arguments = List.of(
        id,
        group,
        Integer.toString(upstream.bounds().most()),
        Long.toString(upstream.bounds().leaseMicros()),
        Long.toString(patienceMicros),
        Long.toString(MICROS_PER_MILLI
            * (upstream.sending().connectTimeoutMillis() + upstream.sending().timeoutMillis())),
        String.join(",", before),
        providers,
        upstream
            .bounds()
            .adaptive()
            .map(rule -> Integer.toString(rule.initial()))
            .orElse("0"));
    return run(book, RedisKeys.upstream(upstream.name()), arguments)
        .thenApply(RedisProviders::told);
  }

  private static String words(Providers upstream, Provider provider) {
    return "%s %d %d %d %d %s"
        .formatted(
            provider.name(),
            upstream.isTiered() ? provider.tier() : 0,
            provider.weight(),
            provider.intervalMicros(),
            provider.maxInflight(),
            String.join(",", provider.slots()));
  }

  private static Booking.Told told(List<Object> answer) {
    Map<String, Boolean> open = new HashMap<>();
    for (String one : ((String) answer.get(2)).split(",", -1)) {
      boolean isTried = one.endsWith("?");
      if (!one.isEmpty()) {
        open.put(isTried ? one.substring(0, one.length() - 1) : one, isTried);
      }
    }
    return new Booking.Told(
        booking(answer.subList(3, answer.size())),
        ((Long) answer.get(0)).intValue(),
        ((Long) answer.get(1)).intValue(),
        open);
  }

  private static Booking booking(List<Object> answer) {
    return switch (((Long) answer.get(0)).intValue()) {
      case 0 ->
        new Booking.Booked(
            (String) answer.get(1),
            (String) answer.get(2),
            (Long) answer.get(3),
            (Long) answer.get(4) == 1);
      case 1 -> new Booking.Later((Long) answer.get(1));
      case 2 -> new Booking.Full();
      default -> new Booking.Open((Long) answer.get(1));
    };
  }

  private static String words(AdaptiveRule rule) {
    return "%d %d %d %d".formatted(rule.min(), rule.max(), rule.initial(), rule.targetMicros());
  }

  /** Ends what was booked; gives whether its permit was held. */
  public CompletionStage<Boolean> end(
      Providers upstream, String id, String provider, Booking.Lesson lesson) {
    List<String> arguments = List.of(
        id,
        provider,
        lesson.scope(),
        Long.toString(lesson.coolMicros()),
        Long.toString(lesson.openMicros()),
        lesson.probe(),
        Long.toString(lesson.sampleMicros()),
        Integer.toString(lesson.loadThousandths()),
        upstream.bounds().adaptive().map(RedisProviders::words).orElse(""));
    return run(unbook, RedisKeys.upstream(upstream.name()), arguments)
        .thenApply(answer -> (Long) answer.get(0) == 1);
  }

  /** A request that is under way, as it is renewed. */
  public static String member(String id, String provider) {
    return id + " " + provider;
  }

  /** Ends a booking of which nobody knows whether it was made. */
  public CompletionStage<Boolean> forget(Providers upstream, String id) {
    String any = upstream.all().stream().map(Provider::name).collect(Collectors.joining(","));
    return end(upstream, id, any, Booking.Lesson.NONE);
  }

  /**
   * Holds on to permits; gives for each whether it is held.
   *
   * @param members as {@link #member} has them
   */
  public CompletionStage<List<Boolean>> renew(Providers upstream, Collection<String> members) {
    return run(
            rebook,
            RedisKeys.upstream(upstream.name()).subList(1, 2),
            List.of(Long.toString(upstream.bounds().leaseMicros()), String.join(",", members)))
        .thenApply(answer -> answer.stream().map(held -> (Long) held == 1).toList());
  }

  private CompletionStage<List<Object>> run(
      LuaScript script, List<String> keys, List<String> arguments) {
    List<String> with = new ArrayList<>(arguments);
    with.addAll(clock.get());
    return Scripts.run(redis, script, keys, with);
  }
}
