package io.weir.benchmarks.http;

import io.weir.core.policy.SecretHash;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;

/**
 * Measures isolation over HTTP: a caller at 200/s, first alone, then beside a hostile caller with a wrong key, then
 * with a right one.
 */
public final class HostileBench {
  private static final int PER_SECOND = 200;
  private static final int THREADS = 16;
  private static final int MOST_WARM_UPS = 10;

  private final HttpBench http;
  private final Duration duration;
  private final PrintWriter out;

  /** @param http starts the servers */
  public HostileBench(HttpBench http, Duration duration, PrintWriter out) {
    this.http = http;
    this.duration = duration;
    this.out = out;
  }

  /**
   * One phase.
   *
   * @param notOk answers of the victim other than 200, and missing ones
   * @param residentBytes memory of the node at the end of the phase
   */
  public record Result(
      String phase,
      long medianMicros,
      long p99Micros,
      long notOk,
      long attacks,
      long residentBytes) {}

  /** Measures all phases on one node. */
  public List<Result> measure() throws IOException, InterruptedException {
    List<Result> results = new ArrayList<>();
    http.withNode(HostileBench::policy, node -> {
      warmUp(node);
      results.add(phase("alone", Optional.empty(), node));
      results.add(phase("a wrong key", Optional.of("hostile.wrong"), node));
      results.add(phase("a right key", Optional.of("hostile.secret"), node));
      warmUp(node); // until the attack's last requests are answered
      results.add(phase("alone again", Optional.empty(), node));
    });
    out.printf(
        Locale.ROOT,
        "%n%-14s | %10s | %10s | %7s | %8s | %8s%n",
        "Ten attacks by",
        "victim p50",
        "victim p99",
        "not 200",
        "attacks",
        "node MB");
    for (Result result : results) {
      out.printf(
          Locale.ROOT,
          "%-14s | %7d us | %7d us | %7d | %8d | %8d%n",
          result.phase(),
          result.medianMicros(),
          result.p99Micros(),
          result.notOk(),
          result.attacks(),
          result.residentBytes() >> 20);
    }
    out.flush();
    return results;
  }

  // Until the victim is answered every time, and hardly sooner than in the phase before.
  private void warmUp(ServerProcess node) throws IOException, InterruptedException {
    long before = Long.MAX_VALUE;
    for (int i = 0; i < MOST_WARM_UPS; i++) {
      Result result = phase("warming up", Optional.empty(), node);
      if (result.notOk() == 0 && result.medianMicros() > before - before / 5) {
        return;
      }
      before = result.medianMicros();
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // it ends with the timer
  private Result phase(String name, Optional<String> key, ServerProcess node)
      throws IOException, InterruptedException {
    ScheduledExecutorService timer = Executors.newScheduledThreadPool(THREADS);
    Optional<HostileCaller> hostile = key.map(shown -> new HostileCaller(node.port(), shown));
    hostile.ifPresent(caller -> caller.begin(timer));
    ConcurrentHistogram nanos = new ConcurrentHistogram(3);
    LongAdder notOk = new LongAdder();
    HttpClient client = HttpClient.newHttpClient();
    HttpRequest request = HttpRequest.newBuilder(
            URI.create("http://127.0.0.1:%d/ping".formatted(node.port())))
        .header("X-Api-Key", "victim.secret")
        .timeout(Duration.ofSeconds(5))
        .build();
    timer.scheduleAtFixedRate(
        () -> ask(client, request, nanos, notOk), 0, 1_000_000 / PER_SECOND, TimeUnit.MICROSECONDS);
    CountDownLatch never = new CountDownLatch(1);
    // The first half is the warm-up: the start of the attack is not measured.
    never.await(duration.toMillis() / 2, TimeUnit.MILLISECONDS);
    nanos.reset();
    notOk.reset();
    never.await(duration.toMillis() / 2, TimeUnit.MILLISECONDS);
    timer.shutdown();
    timer.awaitTermination(5, TimeUnit.SECONDS);
    long attacks = hostile.map(HostileCaller::sent).orElse(0L);
    if (hostile.isPresent()) {
      hostile.get().end();
    }
    return new Result(
        name,
        nanos.getValueAtPercentile(50) / 1000,
        nanos.getValueAtPercentile(99) / 1000,
        notOk.sum(),
        attacks,
        node.residentBytes());
  }

  @SuppressWarnings("FutureReturnValueIgnored") // it is counted at its end
  private static void ask(
      HttpClient client, HttpRequest request, ConcurrentHistogram nanos, LongAdder notOk) {
    long begun = System.nanoTime();
    client.sendAsync(request, BodyHandlers.discarding()).whenComplete((answer, error) -> {
      nanos.recordValue(System.nanoTime() - begun);
      if (error != null || answer.statusCode() != 200) {
        notOk.increment();
      }
    });
  }

  private static String policy(int upstream) {
    return """
        operations:
          - { name: Ping, match: { method: GET, path: /ping } }
          - { name: Upload, match: { method: POST, path: /upload } }
          - { name: Gas, match: { method: POST, path: /gas }, cost: { json: /gas } }
        buckets:
          - { name: wide, burstPeriodMs: 1000, throttleGroups: [{ opsPerSec: 1000, operations: [Ping, Upload, Gas] }] }
        upstream: { url: "http://127.0.0.1:%d", timeoutMs: 10000, connectTimeoutMs: 1000, maxBodyBytes: 10000000 }
        subjects:
          victim: { tenant: victim, secretHash: "%s" }
          hostile: { tenant: hostile, secretHash: "%s" }
        """.formatted(
        upstream, SecretHash.of("secret").formatted(), SecretHash.of("secret").formatted());
  }
}
