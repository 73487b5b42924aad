package io.weir.whole.formats;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.kind.CalendarPeriods;
import io.weir.core.kind.CalendarPeriods.Period;
import io.weir.core.kind.Extras;
import io.weir.core.kind.Hold;
import io.weir.core.kind.Permits;
import io.weir.core.kind.Quota;
import io.weir.core.policy.FailureMode;
import io.weir.core.slot.SlotMode;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.Amount;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Ended;
import io.weir.core.throttle.Ending;
import io.weir.core.throttle.Held;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.jobs.rule.JobName;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.rule.JobStore.Wanted;
import io.weir.jobs.rule.JobSubmission;
import io.weir.jobs.store.RedisJobs;
import io.weir.state.connection.RedisConnections;
import io.weir.state.hold.RedisHolds;
import io.weir.state.lane.RedisBucketStore;
import io.weir.state.wire.StoreClock;
import io.weir.testkit.ManualClock;
import io.weir.testkit.RedisDatabase;
import io.weir.windows.RedisWindows;
import io.weir.windows.WindowAnswer;
import io.weir.windows.WindowRule;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The state that a build writes to Redis is byte for byte as recorded for its version, and a build goes on from the
 * record: its tickets, reservations, permits, jobs and ranges are good.
 */
final class StateFormatIT {
  private static final String SECRET = "0123456789abcdefghijkl";
  private static final String JOB = "%032x".formatted(7);
  private static final WindowRule BLOCKS =
      new WindowRule("blocks", 10, 4, 30_000_000, 1_000_000, false);
  private static final Pattern LINE =
      Pattern.compile("(\\S+) (string|hash|zset) (.*)", Pattern.DOTALL);
  private static final Pattern BYTE = Pattern.compile("\\\\x([0-9a-f]{2})");

  private final ManualClock clock = new ManualClock();
  private RedisDatabase database;
  private RedisConnections connections;
  private RedisClient client;
  private RedisCommands<String, String> redis;
  private RedisBucketStore store;
  private RedisHolds holds;
  private RedisJobs jobs;
  private RedisWindows windows;

  @BeforeEach
  void open() {
    database = RedisDatabase.open();
    connections = RedisConnections.open(database.uri(), Duration.ofMinutes(1));
    client = RedisClient.create(database.uri());
    redis = client.connect(new StringCodec(StandardCharsets.ISO_8859_1)).sync();
    store = RedisBucketStore.rehearsing(connections, clock);
    holds = new RedisHolds(connections, StoreClock.of(clock));
    jobs = new RedisJobs(connections, StoreClock.of(clock));
    windows = new RedisWindows(connections, StoreClock.of(clock));
  }

  @AfterEach
  void close() {
    client.shutdown();
    connections.close();
    database.close();
  }

  @Test
  void theStateIsAsRecorded() throws IOException {
    String ticket = write();
    RecordedFormat.require("state", lines());
    RecordedFormat.require("tickets", new TreeSet<>(List.of(ticket)));
  }

  @Test
  void theRecordedStateGoesOn() throws IOException {
    RecordedFormat.read("state").lines().forEach(this::restore);
    String ticket = RecordedFormat.read("tickets").lines().first();

    assertThat(decided(rate(Optional.empty()))).isInstanceOf(Denied.class);
    Charge mixed = mixed();
    Held held = Held.of(mixed, mixed.extras().hold().orElseThrow());
    assertThat(of(holds.end(held, new Ending.Cancelled())))
        .extracting(Ended::status)
        .isEqualTo(Ended.Status.CANCELLED);
    assertThat(connections.sync().zcard("weir:{72nw}:acme:key:k2:permits:streams"))
        .isZero();
    assertThat(of(jobs.look("Proof", JOB, ""))).isPresent();
    assertThat(of(jobs.claim("Proof", JobRule.DEFAULT, "n:2", List.of(), new Wanted(0, 0, 1)))
            .work())
        .hasSize(1);
    assertThat(of(windows.claim(BLOCKS, "c2")))
        .isInstanceOfSatisfying(
            WindowAnswer.Claimed.class, claimed -> assertThat(claimed.from()).isEqualTo(2));

    clock.advance(Long.parseLong(ticket.substring(0, 16)) - clock.getAsLong());
    assertThat(decided(rate(Optional.of(ticket)))).isInstanceOf(Allowed.class);
  }

  /** Writes something of each kind; returns the ticket of a caller that waits. */
  private String write() {
    for (int i = 0; i < 2; i++) {
      assertThat(decided(rate(Optional.empty()))).isInstanceOf(Allowed.class);
    }
    Denied denied = (Denied) decided(rate(Optional.empty()));
    assertThat(decided(mixed())).isInstanceOf(Allowed.class);
    of(jobs.submit(
        JobRule.DEFAULT,
        new JobSubmission(new JobName("Proof", JOB, "acme", "k1", "f"), "request")));
    for (int range = 1; range <= 2; range++) {
      of(windows.open(BLOCKS, range, range));
    }
    of(windows.claim(BLOCKS, "c1"));
    return denied.ticket().orElseThrow();
  }

  private static <T> T of(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  private Decision decided(Charge charge) {
    return ((Decided) of(store.tryCharge(charge))).decision();
  }

  // Two operations fit, and one drains in ten seconds.
  private static Charge rate(Optional<String> ticket) {
    List<Demand> demands = List.of(
        Demand.of(new Bucket("requests", Scope.KEY, 100, 20_000)),
        Demand.of(new Bucket("team", Scope.TENANT, 1_000_000, 1000)));
    return new Charge("acme", "k1", 3, demands, 1)
        .with(new Queueing(SlotMode.RESERVE, TicketRequest.wanted(ticket, SECRET)));
  }

  private static Charge mixed() {
    List<Demand> rates = List.of(Demand.of(new Bucket("requests", Scope.KEY, 1_000_000, 1000)));
    Extras extras = new Extras(
        List.of(
            new Quota(
                "month",
                Scope.KEY,
                1000,
                new CalendarPeriods(Period.MONTH, ZoneOffset.UTC, 31),
                false,
                80,
                false,
                false),
            new Permits("streams", Scope.KEY, 10, 60_000_000)),
        Optional.of(new Hold("hold-of-the-record", 60_000_000, true, true)));
    return new Charge(
        "acme", "k2", 3, new Amount(rates, 1, extras), Queueing.NONE, FailureMode.DENY);
  }

  private SortedSet<String> lines() {
    TreeSet<String> lines = new TreeSet<>();
    for (String key : redis.keys("weir:*")) {
      if (!key.matches("weir:(holds|\\{.*)")) {
        continue; // of the process, such as its libraries
      }
      switch (redis.type(key)) {
        case "string" -> lines.add(key + " string " + shown(redis.get(key)));
        case "hash" ->
          redis
              .hgetall(key)
              .forEach((field, value) ->
                  lines.add("%s hash %s=%s".formatted(key, shown(field), shown(value))));
        case "zset" ->
          redis
              .zrangeWithScores(key, 0, -1)
              .forEach(one -> lines.add("%s zset %s=%s"
                  .formatted(key, shown(one.getValue()), "%.0f".formatted(one.getScore()))));
        default -> throw new AssertionError(key);
      }
    }
    return lines;
  }

  private void restore(String line) {
    Matcher parts = LINE.matcher(line);
    if (!parts.matches()) {
      return;
    }
    String key = parts.group(1);
    String value = parts.group(3);
    int split = value.lastIndexOf('=');
    switch (parts.group(2)) {
      case "string" -> redis.set(key, read(value));
      case "hash" -> {
        int first = value.indexOf('=');
        redis.hset(key, read(value.substring(0, first)), read(value.substring(first + 1)));
      }
      default ->
        redis.zadd(
            key, Double.parseDouble(value.substring(split + 1)), read(value.substring(0, split)));
    }
  }

  private static String shown(String text) {
    StringBuilder shown = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char one = text.charAt(i);
      boolean isPlain = one >= ' ' && one < 127 && one != '\\';
      shown.append(isPlain ? one : "\\x%02x".formatted((int) one));
    }
    return shown.toString();
  }

  private static String read(String shown) {
    return BYTE.matcher(shown)
        .replaceAll((MatchResult one) ->
            Matcher.quoteReplacement(String.valueOf((char) Integer.parseInt(one.group(1), 16))));
  }
}
