package io.weir.whole.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.client.check.Check;
import io.weir.client.check.CheckClient;
import io.weir.client.check.CheckOptions;
import io.weir.client.check.Checked;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.testkit.RealTime;
import io.weir.testkit.RedisProcess;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What tables of crowds say on a simulated clock, over HTTP: eight cells of each, two nodes, one Redis, real time. */
@Tag("faults")
@Timeout(120)
final class CrowdsOverHttpIT {
  private static final int CALLERS = 10;
  private static final long AGAIN_MILLIS = 10;
  private static final int SMALL_SECONDS = 20;
  private static final double LEAST_USED = 0.3;
  private static final int CROWD = 30;
  private static final long MOST_THIRD = CROWD / 10;

  /** Names of limits of one operation, and their rates. */
  private static final Map<String, String> SLOW = Map.of(
      "ten-seconds", "6/min",
      "half-minute", "2/min",
      "minute", "1/min",
      "three-minutes", "20/h",
      "twelve-minutes", "5/h",
      "hour", "1/h",
      "third-of-a-day", "3/d",
      "day", "1/d");

  private static final Map<String, Long> SECONDS = Map.of(
      "ten-seconds", 10L,
      "half-minute", 30L,
      "minute", 60L,
      "three-minutes", 180L,
      "twelve-minutes", 720L,
      "hour", 3600L,
      "third-of-a-day", 28_800L,
      "day", 86_400L);

  private static final List<Integer> SMALL = List.of(1, 2, 3, 4);
  private static final List<Integer> KEYS = List.of(1, 2, 3, 4, 5, 6, 8, 10);

  private static RedisProcess redis;
  private static NodeFixture one;
  private static NodeFixture two;
  private static List<CheckClient> clients;

  /** A request of a caller, and how often it has asked. */
  private record Request(String subject, boolean wantsTicket, AtomicInteger attempts) {
    Request(String subject, boolean wantsTicket) {
      this(subject, wantsTicket, new AtomicInteger());
    }

    Check first() {
      Check check = Check.ofSubject(subject, "Ask");
      return wantsTicket ? check.wantingTicket() : check;
    }

    // The next node answers, as behind a load balancer.
    CompletableFuture<Checked> ask(Check check) {
      return clients.get(attempts.getAndIncrement() % clients.size()).check(check);
    }

    // Without a ticket, a caller waits whole seconds.
    long waitMillis(Checked denied) {
      long millis = denied.retryAfter().toMillis();
      return wantsTicket ? millis : (millis + 999) / 1000 * 1000;
    }

    CompletableFuture<Request> untilAdmitted(Check check) {
      return ask(check)
          .thenCompose(answer -> answer.isAllowed()
              ? CompletableFuture.completedFuture(this)
              : after(waitMillis(answer))
                  .thenCompose(any ->
                      untilAdmitted(answer.ticket().map(check::showing).orElseGet(this::first))));
    }
  }

  @BeforeAll
  static void start() {
    redis = RedisProcess.start();
    one = NodeFixture.at(redis.uri(), policy(), FailureMode.DENY);
    two = NodeFixture.at(redis.uri(), policy(), FailureMode.DENY);
    clients = List.of(client(one), client(two));
  }

  @AfterAll
  static void end() {
    one.close();
    two.close();
    redis.close();
  }

  private static CheckClient client(NodeFixture node) {
    return new CheckClient(
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build(),
        List.of(node.uri("/")),
        CheckOptions.DEFAULT.with(
            o -> o.serviceToken(NodeFixture.SERVICE).timeout(Duration.ofSeconds(20))));
  }

  private static CompletableFuture<Void> after(long millis) {
    return new CompletableFuture<Void>().completeOnTimeout(null, millis, TimeUnit.MILLISECONDS);
  }

  // Slow: one request in seconds, by name. Small: the rate. Shared: a tenant for each number of
  // keys.
  private static String policy() {
    StringBuilder buckets = new StringBuilder();
    StringBuilder plans = new StringBuilder();
    StringBuilder tenants = new StringBuilder("  small:\n");
    StringBuilder subjects = new StringBuilder();
    SLOW.forEach((name, rate) -> {
      buckets.append(bucket(name, "key", SECONDS.get(name) * 1000, rate));
      plans.append(plan(name));
      subjects.append(subject(name + "-true", "small", name));
      subjects.append(subject(name + "-false", "small", name));
    });
    SMALL.forEach(perSecond -> {
      String name = "small" + perSecond;
      buckets.append(bucket(name, "key", 999 / perSecond + 1, perSecond + "/s"));
      plans.append(plan(name));
      subjects.append(subject(name + "-true", "small", name));
      subjects.append(subject(name + "-false", "small", name));
    });
    buckets.append(bucket("shared", "tenant", 1000, "10/s"));
    plans.append(plan("shared"));
    for (int keys : KEYS) {
      tenants.append("  t%d:\n".formatted(keys));
      for (int key = 0; key < keys; key++) {
        subjects.append(subject("t%d-%d".formatted(keys, key), "t" + keys, "shared"));
      }
    }
    return "buckets:\n%splans:\n%stenants:\n%ssubjects:\n%s"
        .formatted(buckets, plans, tenants, subjects);
  }

  private static String bucket(String name, String scope, long burstMillis, String rate) {
    return """
          - { name: %s, scope: %s, burstPeriodMs: %d, throttleGroups: [{ rate: %s, operations: [Ask] }] }
        """.formatted(name, scope, burstMillis, rate);
  }

  private static String plan(String name) {
    return "  %s: { buckets: [%s] }%n".formatted(name, name);
  }

  private static String subject(String id, String tenant, String plan) {
    return "  %s: { tenant: %s, plan: %s }%n".formatted(id, tenant, plan);
  }

  static List<String> slow() {
    return SLOW.keySet().stream().sorted().toList();
  }

  // In needs: what has drained when the last of them asks is below one, and turns leave room for
  // late holders.
  @ParameterizedTest
  @MethodSource("slow")
  void tenCallersOfASlowLimitAreToldTenTimes(String limit) {
    for (boolean tickets : new boolean[] {true, false}) {
      String subject = limit + "-" + tickets;
      assertThat(new Request(subject, tickets).untilAdmitted(Check.ofSubject(subject, "Ask")))
          .succeedsWithin(Duration.ofSeconds(20));
      List<Request> callers = IntStream.range(0, CALLERS)
          .mapToObj(i -> new Request(subject, tickets))
          .toList();
      List<CompletableFuture<Checked>> asked =
          callers.stream().map(caller -> caller.ask(caller.first())).toList();
      List<Long> told = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        Checked answer = asked.get(i).join();
        assertThat(answer.isAllowed()).isFalse();
        told.add(callers.get(i).waitMillis(answer));
      }
      double last = Collections.max(told) / 1000.0 / SECONDS.get(limit);
      assertThat(told).as("%s, tickets: %s", limit, tickets).doesNotHaveDuplicates();
      assertThat(last).as("%s, tickets: %s", limit, tickets).isBetween(9.0, 11.3);
    }
  }

  // Closed crowds that come within a second, all limits at once. More than drains is never
  // admitted; how much less depends on
  // the machine, too.
  @Test
  void callersUseSmallBuckets() {
    Map<String, AtomicInteger> admitted = new TreeMap<>();
    AtomicBoolean isOver = new AtomicBoolean();
    long began = System.nanoTime();
    for (int perSecond : SMALL) {
      for (boolean tickets : new boolean[] {true, false}) {
        String subject = "small%d-%s".formatted(perSecond, tickets);
        AtomicInteger count = new AtomicInteger();
        admitted.put(subject, count);
        for (int i = 0; i < CALLERS; i++) {
          CompletableFuture<Void> unused =
              after(i * 1000L / CALLERS).thenRun(() -> again(subject, tickets, count, isOver));
        }
      }
    }
    RealTime.pass(Duration.ofSeconds(SMALL_SECONDS));
    isOver.set(true);
    Map<String, Integer> counts = new TreeMap<>();
    admitted.forEach((subject, count) -> counts.put(subject, count.get()));
    double seconds = (System.nanoTime() - began) / 1e9;
    System.out.println("admitted in %.1f s: %s".formatted(seconds, counts));
    counts.forEach((subject, count) -> {
      int perSecond = subject.charAt("small".length()) - '0';
      assertThat(count)
          .as(subject)
          .isBetween(
              (int) (LEAST_USED * perSecond * SMALL_SECONDS), 1 + (int) (perSecond * seconds));
    });
  }

  private static void again(
      String subject, boolean tickets, AtomicInteger count, AtomicBoolean isOver) {
    if (isOver.get()) {
      return;
    }
    Request request = new Request(subject, tickets);
    CompletableFuture<Void> unused = request
        .untilAdmitted(request.first())
        .thenCompose(any -> {
          count.incrementAndGet();
          return after(AGAIN_MILLIS);
        })
        .thenRun(() -> again(subject, tickets, count, isOver));
  }

  @Test
  void callersOfKeysThatShareABucketComeTwice() {
    Map<Integer, List<CompletableFuture<Request>>> asked = new TreeMap<>();
    for (int keys : KEYS) {
      asked.put(
          keys,
          IntStream.range(0, CROWD)
              .mapToObj(i -> new Request("t%d-%d".formatted(keys, i % keys), true))
              .map(request -> request.untilAdmitted(request.first()))
              .toList());
    }
    Map<Integer, Long> third = new TreeMap<>();
    asked.forEach((keys, requests) -> third.put(
        keys,
        requests.stream()
            .map(CompletableFuture::join)
            .filter(request -> request.attempts().get() > 2)
            .count()));
    System.out.println("of %d callers, a third time: %s".formatted(CROWD, third));
    assertThat(third.values())
        .allSatisfy(count -> assertThat(count).isLessThanOrEqualTo(MOST_THIRD));
  }
}
