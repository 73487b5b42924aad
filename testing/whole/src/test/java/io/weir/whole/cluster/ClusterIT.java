package io.weir.whole.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.cluster.local.ClusterFile;
import io.weir.cluster.local.ClusterSetup;
import io.weir.cluster.local.LocalCluster;
import io.weir.cluster.local.NodeAddresses;
import io.weir.cluster.local.NodeProcess;
import io.weir.core.policy.SecretHash;
import io.weir.testkit.FreePorts;
import io.weir.testkit.RedisTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three nodes, each a process, and callers of all of them at once. The duration is set by {@code -Dweir.crowd.seconds}.
 */
@Tag("faults")
final class ClusterIT {
  // Long enough for the burst to make up for the moments that were kept at first, for callers who
  // were told a time.
  private static final int SECONDS = Integer.getInteger("weir.crowd.seconds", 8);
  private static final int CALLERS = 64;
  private static final long RATE = 100;

  @Test
  void oneLimitHoldsAcrossThreeProcessesAndNearlyAllOfItIsUsed(@TempDir Path folder)
      throws Exception {
    try (LocalCluster cluster = start(folder, policy(1, false))) {
      List<Seen> seen = crowd(cluster, keys(1), SECONDS, () -> {});
      judge(seen, "k0", RATE, 1000);
      report("one key", seen, RATE * (SECONDS + 1));
      nearlyAllIsUsed(seen, RATE * (SECONDS + 1));
      assertThat(others(seen)).isZero();
    }
  }

  @Test
  void fiftyKeysAndAllThreeScopesHoldToo(@TempDir Path folder) throws Exception {
    // Each key 100/s, all keys of the tenant 500/s, the cluster 400/s: the cluster's bucket is the
    // tight one.
    try (LocalCluster cluster = start(folder, policy(50, true))) {
      List<Seen> seen = crowd(cluster, keys(50), SECONDS, () -> {});
      for (int i = 0; i < 50; i++) {
        judge(seen, "k" + i, RATE, 1000);
      }
      judge(seen, "", 400, 1000);
      report("50 keys, three scopes", seen, 400L * (SECONDS + 1));
      nearlyAllIsUsed(seen, 400L * (SECONDS + 1));
    }
  }

  @Test
  void noNodeAdmitsByAnOldRuleAfterAnyHasUsedTheNewOne(@TempDir Path folder) throws Exception {
    try (LocalCluster cluster = start(folder, policy(1, false))) {
      ClusterFile description = cluster.description();
      List<Seen> seen = crowd(cluster, keys(1), SECONDS, () -> publish(description, folder));
      // By the end of each answer: an answer by revision 1 must have been requested before the
      // first one by 2 arrived.
      long firstNew = seen.stream()
          .filter(s -> s.revision() == 2)
          .mapToLong(Seen::answeredNanos)
          .min()
          .orElseThrow();
      assertThat(seen)
          .filteredOn(s -> s.revision() == 1 && s.askedNanos() > firstNew)
          .isEmpty();
      long begin = seen.stream().mapToLong(Seen::askedNanos).min().orElseThrow();
      long end = seen.stream().mapToLong(Seen::answeredNanos).max().orElseThrow();
      // With the old bucket full at the change: its burst, and the units drained at each rate. A
      // change that forgot the usage would admit another burst of 50.
      long lastOld = seen.stream()
          .filter(s -> s.revision() == 1)
          .mapToLong(Seen::askedNanos)
          .max()
          .orElseThrow();
      System.out.printf(
          "policy change: last question answered by the old rule was asked %.1f ms before the"
              + " first answer by the new one%n",
          (firstNew - lastOld) / 1e6);
      double most = RATE + RATE * (firstNew - begin) / 1e9 + 50 * (end - firstNew) / 1e9;
      assertThat((double) admitted(seen)).isLessThanOrEqualTo(most + 5);
      List<Seen> after = seen.stream().filter(s -> s.revision() == 2).toList();
      judge(after, "k0", 50, 1000);
    }
  }

  @Test
  void nothingIsLeftBehind(@TempDir Path folder) throws Exception {
    Path run = folder.resolve("run");
    List<Long> pids;
    try (LocalCluster cluster = start(folder, policy(1, false))) {
      cluster.announce();
      assertThat(ClusterFile.read(run.resolve("cluster.json")).nodes()).hasSize(3);
      pids = cluster.nodes().stream().map(NodeProcess::pid).toList();
    }
    assertThat(pids)
        .allMatch(pid -> ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty());
    assertThat(run).doesNotExist();
  }

  private static LocalCluster start(Path folder, String policy) throws Exception {
    Path policyFile = folder.resolve("policy.yaml");
    Files.writeString(policyFile, policy);
    Path keys = folder.resolve("keys.json");
    Files.writeString(keys, "[]");
    List<Integer> ports = FreePorts.some(6);
    return LocalCluster.start(new ClusterSetup(
        NodeAddresses.onLoopback(ports.subList(0, 3), ports.subList(3, 6)),
        Optional.empty(),
        0,
        Optional.empty(),
        policyFile,
        keys,
        folder.resolve("run")));
  }

  private static String policy(int keys, boolean allScopes) {
    StringBuilder text = new StringBuilder("""
        buckets:
          - { name: requests, burstPeriodMs: 1000, throttleGroups: [{ opsPerSec: 100, operations: [Ping] }] }
        """);
    if (allScopes) {
      text.append("""
            - { name: tenant, scope: tenant, burstPeriodMs: 1000, throttleGroups: [{ opsPerSec: 500, operations: [Ping] }] }
            - { name: cluster, scope: cluster, burstPeriodMs: 1000, throttleGroups: [{ opsPerSec: 400, operations: [Ping] }] }
          """);
    }
    text.append("subjects:\n");
    for (int i = 0; i < keys; i++) {
      String hash = SecretHash.of("s" + i).formatted();
      text.append("  k%d: { tenant: t, secretHash: \"%s\" }\n".formatted(i, hash));
    }
    return text.toString();
  }

  private static List<String> keys(int count) {
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      keys.add("k%d.s%d".formatted(i, i));
    }
    return keys;
  }

  /** One request as seen by its caller. */
  private record Seen(
      String key,
      boolean admitted,
      int status,
      long revision,
      long askedNanos,
      long answeredNanos) {}

  private static List<Seen> crowd(
      LocalCluster cluster, List<String> keys, int seconds, Runnable atHalfTime) throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      HttpClient client = vertx.createHttpClient(new PoolOptions().setHttp1MaxSize(CALLERS));
      List<String> nodes = cluster.nodes().stream().map(NodeProcess::url).toList();
      warmUp(client, nodes);
      ConcurrentLinkedQueue<Seen> seen = new ConcurrentLinkedQueue<>();
      AtomicBoolean stopped = new AtomicBoolean();
      AtomicInteger left = new AtomicInteger(CALLERS);
      CompletableFuture<Void> done = new CompletableFuture<>();
      vertx.setTimer(seconds * 1000L, timer -> stopped.set(true));
      CompletableFuture<Void> half = new CompletableFuture<>();
      vertx.setTimer(seconds * 500L, timer -> half.complete(null));
      CompletableFuture<Void> changed = half.thenRunAsync(atHalfTime);
      for (int caller = 0; caller < CALLERS; caller++) {
        call(vertx, client, nodes, keys, caller, seen, stopped, () -> {
          if (left.decrementAndGet() == 0) {
            done.complete(null);
          }
        });
      }
      done.get(seconds + 30L, TimeUnit.SECONDS);
      changed.get(5, TimeUnit.SECONDS);
      return List.copyOf(seen);
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }
  }

  // Cold nodes and a cold client miss the first second: classes load, code is compiled. None of
  // these requests takes anything.
  private static void warmUp(HttpClient client, List<String> nodes) throws Exception {
    for (int round = 0; round < 60; round++) {
      List<CompletableFuture<Seen>> asked = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        asked.add(ask(client, nodes.get(i % nodes.size()), "k0.s0", 1_000_000));
      }
      for (CompletableFuture<Seen> one : asked) {
        one.get(10, TimeUnit.SECONDS);
      }
    }
  }

  private static void call(
      Vertx vertx,
      HttpClient client,
      List<String> nodes,
      List<String> keys,
      int turn,
      ConcurrentLinkedQueue<Seen> seen,
      AtomicBoolean stopped,
      Runnable finished) {
    if (stopped.get()) {
      finished.run();
      return;
    }
    String key = keys.get(turn % keys.size());
    CompletableFuture<Void> unused = ask(client, nodes.get(turn % nodes.size()), key, 1)
        .thenAccept(one -> {
          seen.add(one);
          Runnable next = () -> call(vertx, client, nodes, keys, turn + 1, seen, stopped, finished);
          if (one.admitted()) {
            next.run();
          } else {
            vertx.setTimer(20, timer -> next.run());
          }
        });
  }

  private static CompletableFuture<Seen> ask(
      HttpClient client, String node, String key, long cost) {
    JsonObject body = new JsonObject().put("key", key).put("operation", "Ping").put("cost", cost);
    RequestOptions options =
        new RequestOptions().setMethod(HttpMethod.POST).setAbsoluteURI(node + "/v1/check");
    long asked = RedisTime.nanos();
    String id = key.substring(0, key.indexOf('.'));
    // On the connection's own thread from the first to the last: a body without a reader is lost.
    return client
        .request(options)
        .compose(request -> request
            .send(body.toBuffer())
            .compose(response -> response
                .body()
                .map(buffer -> seen(id, asked, response.statusCode(), buffer.toString()))))
        .toCompletionStage()
        .toCompletableFuture();
  }

  private static Seen seen(String id, long asked, int status, String body) {
    JsonObject json = status == 200 ? new JsonObject(body) : new JsonObject();
    boolean admitted = "allowed".equals(json.getString("decision"));
    return new Seen(id, admitted, status, json.getLong("revision", 0L), asked, RedisTime.nanos());
  }

  private static void publish(ClusterFile description, Path folder) {
    try {
      String policy = Files.readString(folder.resolve("policy.yaml"))
          .replace("opsPerSec: 100", "opsPerSec: 50");
      HttpRequest request = HttpRequest.newBuilder(
              URI.create(description.admins().get(0) + "/v1/policy"))
          .header("Authorization", "Bearer " + description.adminToken())
          .timeout(Duration.ofSeconds(5))
          .PUT(HttpRequest.BodyPublishers.ofString(policy))
          .build();
      HttpResponse<String> response = java.net.http.HttpClient.newHttpClient()
          .send(request, HttpResponse.BodyHandlers.ofString());
      assertThat(response.statusCode()).describedAs(response.body()).isEqualTo(200);
      assertThat(new JsonObject(response.body()).getJsonArray("warnings"))
          .isEqualTo(new JsonArray());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * No interval saw more than burst + rate × its length. An admission happened between question and answer,
   * so each pair of admissions is judged by the longest interval that it may have taken.
   */
  private static void judge(List<Seen> all, String key, long rate, long burstMillis) {
    List<Seen> admissions = all.stream()
        .filter(Seen::admitted)
        .filter(s -> key.isEmpty() || s.key().equals(key))
        .sorted(Comparator.comparingLong(Seen::answeredNanos))
        .toList();
    for (int first = 0; first < admissions.size(); first += 7) {
      long begin = Long.MAX_VALUE;
      for (int last = first; last < admissions.size(); last++) {
        begin = Math.min(begin, admissions.get(last).askedNanos());
        double seconds = (admissions.get(last).answeredNanos() - begin) / 1e9;
        double most = rate * (seconds + burstMillis / 1000.0) + 1;
        assertThat((double) (last - first + 1)).isLessThanOrEqualTo(most);
      }
    }
  }

  // A machine that is too slow to exceed the limit shows nothing.
  private static void nearlyAllIsUsed(List<Seen> seen, long most) {
    if (seen.size() > 2 * most) {
      assertThat(admitted(seen)).isGreaterThanOrEqualTo((long) (0.99 * most));
    }
  }

  // Prints the figures of a measurement.
  private static void report(String what, List<Seen> seen, long most) {
    System.out.printf(
        "%s: %d callers, %d s, three processes: %d of at most %d admitted (%.2f %%), %d asked%n",
        what, CALLERS, SECONDS, admitted(seen), most, 100.0 * admitted(seen) / most, seen.size());
  }

  private static long admitted(List<Seen> seen) {
    return seen.stream().filter(Seen::admitted).count();
  }

  private static long others(List<Seen> seen) {
    return seen.stream().filter(s -> s.status() != 200).count();
  }
}
