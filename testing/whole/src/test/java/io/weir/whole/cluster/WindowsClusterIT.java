package io.weir.whole.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.cluster.local.NodeProcess;
import io.weir.testkit.RealTime;
import io.weir.testkit.RedisDatabase;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A planner and workers at three nodes, of which one is killed; workers that fail, are slow, or die with a range;
 * ranges that always fail. {@code -Dweir.ranges=100000} makes the test long.
 */
@Tag("faults")
final class WindowsClusterIT {
  private static final int RANGES = Integer.getInteger("weir.ranges", 1500);
  private static final int WIDTH = 40;
  private static final int WORKERS = 16;
  private static final int SIZE = 10;
  private static final int HOPELESS = 211;

  private final HttpClient client = HttpClient.newHttpClient();
  private final AtomicBoolean isOver = new AtomicBoolean();
  private final AtomicInteger deaths = new AtomicInteger();
  private final AtomicInteger lost = new AtomicInteger();
  private final AtomicInteger failures = new AtomicInteger();
  private final List<NodeProcess> nodes = new ArrayList<>();

  private record Answer(int status, JsonObject json, long waitMillis) {}

  private Answer ask(int first, String verb, JsonObject body) throws Exception {
    return send(first, "/" + verb, request -> request.POST(BodyPublishers.ofString(body.encode())));
  }

  private Answer look(int first, String what) throws Exception {
    return send(first, what, HttpRequest.Builder::GET);
  }

  /** Sends a request to a node, or to another one if that is down. */
  private Answer send(int first, String path, UnaryOperator<HttpRequest.Builder> method)
      throws Exception {
    for (int i = 0; ; i++) {
      URI uri =
          URI.create(nodes.get((first + i) % nodes.size()).url() + "/v1/windows/blocks" + path);
      HttpRequest.Builder request = HttpRequest.newBuilder(uri)
          .header("Authorization", "Bearer " + TestNodes.SERVICE_TOKEN)
          .timeout(Duration.ofSeconds(20));
      try {
        HttpResponse<String> answer =
            client.send(method.apply(request).build(), HttpResponse.BodyHandlers.ofString());
        return new Answer(
            answer.statusCode(),
            answer.body().isEmpty() ? new JsonObject() : new JsonObject(answer.body()),
            answer.headers().firstValueAsLong("Retry-After-Ms").orElse(0));
      } catch (IOException e) {
        assertThat(i).as("no node answers: " + e).isLessThan(20);
        RealTime.pass(Duration.ofMillis(10));
      }
    }
  }

  private Void work(int worker) throws Exception {
    Random random = new Random(worker);
    while (!isOver.get()) {
      Answer claimed = ask(worker, "claim", new JsonObject());
      if (claimed.status() != 200) {
        RealTime.pass(Duration.ofMillis(Math.min(20, claimed.waitMillis())));
        continue;
      }
      long from = claimed.json().getLong("from");
      JsonObject end =
          new JsonObject().put("from", from).put("claim", claimed.json().getString("claim"));
      int dice = random.nextInt(1000);
      if (dice < 3) {
        deaths.incrementAndGet(); // holding the range
      } else if (isHopeless(from) || dice < 50) {
        failures.incrementAndGet();
        end(worker, "fail", end.put("error", "no"));
      } else {
        if (dice < 60) {
          RealTime.pass(Duration.ofMillis(random.nextInt(300))); // sometimes longer than the lease
        }
        end(worker, "finish", end.put("result", "of " + from));
      }
    }
    return null;
  }

  // On a busy machine a lease may be over before its worker is done.
  private void end(int worker, String verb, JsonObject end) throws Exception {
    if (ask(worker, verb, end).status() == 409) {
      lost.incrementAndGet();
    }
  }

  private static boolean isHopeless(long from) {
    return from / SIZE % HOPELESS == HOPELESS - 1;
  }

  private List<String> plan() throws Exception {
    List<String> committed = new ArrayList<>();
    long next = 0;
    long last = (long) RANGES * SIZE;
    while (committed.size() < RANGES) {
      boolean isFull = false;
      while (next < last && !isFull) {
        JsonObject range = new JsonObject().put("from", next).put("to", next + SIZE - 1);
        Answer opened = ask(0, "open", range);
        isFull = opened.status() == 429;
        if (opened.status() == 409) {
          assertThat(opened.json().getString("code")).isEqualTo("range_failed");
          long failed = opened.json().getLong("from");
          await()
              .atMost(Duration.ofMinutes(1))
              .until(() -> isHopeless(failed) || deaths.get() + lost.get() > 0);
          ask(0, "skip", new JsonObject().put("from", failed));
        } else if (!isFull) {
          assertThat(opened.status()).isIn(200, 201);
          next += SIZE;
        }
      }
      commit(committed);
      skipTheLast(next, last);
    }
    return committed;
  }

  // When no more ranges are opened, no answer reports that the first range has failed.
  private void skipTheLast(long next, long last) throws Exception {
    if (next >= last) {
      JsonArray failed = look(0, "").json().getJsonArray("failed", new JsonArray());
      for (int i = 0; i < failed.size(); i++) {
        ask(0, "skip", new JsonObject().put("from", failed.getJsonObject(i).getLong("from")));
      }
    }
  }

  private void commit(List<String> committed) throws Exception {
    JsonArray ended = look(1, "/results").json().getJsonArray("ranges");
    for (int i = 0; i < ended.size(); i++) {
      JsonObject range = ended.getJsonObject(i);
      long from = (long) committed.size() * SIZE;
      assertThat(range.getLong("from")).isEqualTo(from);
      committed.add(range.getString("state"));
      if (range.getString("state").equals("done")) {
        assertThat(range.getString("result")).isEqualTo("of " + from);
      }
    }
    if (ended.isEmpty()) {
      RealTime.pass(Duration.ofMillis(2));
    } else {
      long through = ended.getJsonObject(ended.size() - 1).getLong("to");
      assertThat(ask(2, "commit", new JsonObject().put("through", through)).status())
          .isEqualTo(200);
    }
  }

  @Test
  void allIsCommittedInOrderAndOnceWhateverFails(@TempDir Path folder) throws Exception {
    Path policy = Files.writeString(folder.resolve("policy.yaml"), """
        operations: [{ name: Ask, match: { path: /ask } }]
        buckets: [{ name: many, burstPeriod: 10, throttleGroups: [{ opsPerSec: 10, operations: [Ask] }] }]
        windows: { blocks: { width: %d, attempts: 5, lease: 200ms, backoff: 1ms, results: true } }
        subjects: { k1: { tenant: acme } }
        """.formatted(WIDTH));
    ExecutorService threads = Executors.newFixedThreadPool(WORKERS);
    try (RedisDatabase redis = RedisDatabase.open()) {
      nodes.addAll(TestNodes.start(3, folder, redis.uri(), policy, 1));
      List<Future<Void>> workers = new ArrayList<>();
      for (int i = 0; i < WORKERS; i++) {
        int worker = i;
        workers.add(threads.submit(() -> work(worker)));
      }
      long began = System.nanoTime();
      Future<?> killer = threads.submit(() -> kill(nodes.get(2)));
      List<String> committed = plan();
      double seconds = (System.nanoTime() - began) / 1e9;
      isOver.set(true);
      killer.get();
      for (Future<Void> worker : workers) {
        worker.get();
      }
      long skipped = committed.stream().filter("skipped"::equals).count();
      System.out.printf(
          "%d ranges, width %d, in %.1f s: %d failures, %d workers died, %d skipped%n",
          RANGES, WIDTH, seconds, failures.get(), deaths.get(), skipped);
      for (int i = 0; i < RANGES; i++) {
        if (isHopeless((long) i * SIZE)) {
          assertThat(committed.get(i)).isEqualTo("skipped");
        }
      }
      assertThat(skipped).isLessThan(RANGES / HOPELESS + 1 + RANGES / 100);
    } finally {
      isOver.set(true);
      threads.shutdownNow();
      nodes.forEach(NodeProcess::close);
    }
  }

  private static void kill(NodeProcess node) {
    try {
      RealTime.pass(Duration.ofSeconds(1));
      node.kill();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
