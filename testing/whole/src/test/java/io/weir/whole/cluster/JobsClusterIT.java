package io.weir.whole.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.KillArgs;
import io.lettuce.core.ScriptOutputType;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.weir.client.job.JobClient;
import io.weir.client.job.JobFuture;
import io.weir.client.retry.RetryOptions;
import io.weir.cluster.local.NodeProcess;
import io.weir.core.policy.SecretHash;
import io.weir.state.connection.RedisConnections;
import io.weir.testkit.FreePorts;
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
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Jobs of three nodes, of which two are killed while they work. {@code -Dweir.jobs=10000} makes the test long and also
 * checks the etas, which are too short on a busy machine.
 */
@Tag("faults")
final class JobsClusterIT {
  private static final int JOBS = Integer.getInteger("weir.jobs", 600);
  private static final boolean IS_LONG = JOBS >= 5000;
  private static final int PER_SECOND = 200;
  private static final int CONCURRENCY = 50;
  private static final long PROCESSING_MILLIS = 300;
  private static final int ESTIMATE = 10;
  private static final int USED = 3;
  private static final String ADMIN = "admin-token-of-the-tests";
  private static final int SUBMITTERS = 32;

  private final HttpClient client = HttpClient.newHttpClient();
  private final Map<String, Integer> executions = new ConcurrentHashMap<>();
  private final Map<String, Long> answeredNanos = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<Long> sentNanos = new ConcurrentLinkedQueue<>();
  private final AtomicInteger checking = new AtomicInteger();
  private final AtomicInteger mostChecking = new AtomicInteger();
  private final List<NodeProcess> nodes = new ArrayList<>();
  private final Vertx vertx = Vertx.vertx();

  @TempDir
  Path folder;

  private RedisDatabase redis;
  private RedisConnections connections;

  @BeforeEach
  void start() throws Exception {
    HttpServer upstream = vertx
        .createHttpServer()
        .requestHandler(this::serve)
        .listen(0, "127.0.0.1")
        .toCompletionStage()
        .toCompletableFuture()
        .join();
    redis = RedisDatabase.open();
    connections = RedisConnections.open(redis.uri(), Duration.ofMinutes(1));
    Path policy = folder.resolve("policy.yaml");
    Files.writeString(policy, policy(upstream.actualPort(), PER_SECOND));
    for (int i = 0; i < 3; i++) {
      List<Integer> ports = FreePorts.some(2);
      NodeProcess node = NodeProcess.start(
          ports.get(0),
          ports.get(1),
          Map.of(
              "WEIR_REDIS_URI",
              redis.uri(),
              "WEIR_POLICY",
              policy.toString(),
              "WEIR_ADMIN_TOKEN",
              ADMIN,
              "WEIR_EVENT_LOOPS",
              "2",
              "WEIR_REDIS_TIMEOUT_MS",
              "5000"),
          folder.resolve("node-" + i + ".log"),
          NodeProcess.Archiving.OFF);
      nodes.add(node);
    }
    for (NodeProcess node : nodes) {
      node.awaitReady();
    }
  }

  @AfterEach
  void stop() {
    nodes.forEach(NodeProcess::close);
    connections.close();
    redis.close();
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private static String policy(int upstream, int perSecond) {
    return """
        operations:
          - name: Proof
            match: { method: POST, path: /proof }
            cost: %d
            settle: { header: X-Used }
            mode: job
            job:
              dispatchPerSecond: %d
              readinessPath: /ready
              readinessConcurrency: %d
              readinessTime: 20ms
              readinessInterval: 100ms
              batches: true
              processingTime: %dms
              dispatchTime: 100ms
              margin: 0
              lease: 3s
              capacity: 200000
              capacityOfKey: 200000
              capacityOfTenant: 200000
              maxResultBytes: 500
              bytesOfKey: 1000000000
              bytesOfTenant: 1000000000
              bytesInAll: 1000000000
        buckets:
          - name: many
            burstPeriod: 10
            throttleGroups: [{ opsPerSec: 1000000, operations: [Proof] }]
        quotas:
          - { name: used, scope: tenant, limit: 100000000, period: month, operations: [Proof] }
        upstream: { url: "http://127.0.0.1:%d", timeoutMs: 10000, connectTimeoutMs: 5000 }
        subjects:
          k1: { tenant: acme, secretHash: "%s" }
        """.formatted(
            ESTIMATE,
            perSecond,
            CONCURRENCY,
            PROCESSING_MILLIS,
            upstream,
            SecretHash.of("secret-of-k1").formatted());
  }

  // The upstream executes all requests with one key once, and gives each the same answer.
  private void serve(HttpServerRequest request) {
    request.body().onSuccess(body -> {
      if (request.path().equals("/ready")) {
        mostChecking.accumulateAndGet(checking.incrementAndGet(), Math::max);
        vertx.setTimer(20, ready -> {
          checking.decrementAndGet();
          request.response().end();
        });
        return;
      }
      sentNanos.add(System.nanoTime());
      String key = request.getHeader("Idempotency-Key");
      executions.merge(key, 1, Integer::sum);
      vertx.setTimer(PROCESSING_MILLIS, done -> {
        answeredNanos.putIfAbsent(key.substring(0, key.indexOf('-')), System.nanoTime());
        request.response().putHeader("X-Used", String.valueOf(USED)).end("proof of " + body);
      });
    });
  }

  private HttpResponse<String> send(String path, String body, int node) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(
            URI.create(nodes.get(node).url() + path))
        .header("X-Api-Key", "k1.secret-of-k1")
        .timeout(Duration.ofSeconds(20));
    return client.send(
        (body.isEmpty() ? request.GET() : request.POST(BodyPublishers.ofString(body))).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  /** The answer about a job at one moment. */
  private record Told(String id, long nanos, long etaSeconds) {}

  private List<Told> submitAll(int from, int count, List<Integer> to) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(SUBMITTERS);
    try {
      List<Future<Told>> all = new ArrayList<>();
      for (int i = from; i < from + count; i++) {
        String wish = "wish " + i;
        int node = to.get(i % to.size());
        all.add(threads.submit(() -> {
          HttpResponse<String> answer = send("/proof", wish, node);
          assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
          JsonObject json = new JsonObject(answer.body());
          return new Told(json.getString("job_id"), System.nanoTime(), json.getLong("eta_seconds"));
        }));
      }
      List<Told> told = new ArrayList<>();
      for (Future<Told> one : all) {
        told.add(one.get());
      }
      return told;
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void allFinishThoughTwoOfThreeNodesAreKilled() throws Exception {
    List<Told> told = submitAll(0, JOBS, List.of(0, 1, 2));
    findSamePositions(told.get(JOBS - 1).id());
    nodes.get(0).kill();
    RealTime.pass(Duration.ofSeconds(1));
    cutOneConnection();
    nodes.get(1).kill();
    awaitAnswered(JOBS, Duration.ofSeconds(60 + JOBS / 20));
    for (int i = 0; i < JOBS; i += Math.max(1, JOBS / 200)) {
      HttpResponse<String> result = result(told.get(i).id());
      assertThat(result.statusCode()).isEqualTo(200);
      assertThat(result.body()).isEqualTo("proof of wish " + i);
    }
    long again = executions.values().stream().filter(count -> count > 1).count();
    System.out.printf(
        "%d jobs, %d sent again after their node was killed (one key each), most in a second: %d of %d, most checked at once %d of %d%n",
        JOBS, again, mostInASecond(), PER_SECOND, mostChecking.get(), CONCURRENCY);
    // Jobs of a dead node are sent again: at most twice, because two nodes die.
    assertThat(executions).hasSize(JOBS);
    assertThat(executions.values()).allMatch(count -> count <= 3);
    // Each has its own send time; additional ones in a second were late because of this process or
    // the network.
    assertThat(mostInASecond()).isLessThanOrEqualTo(PER_SECOND * 5 / 4);
    // Each charge was settled once, by whichever node found the end of its job.
    await().atMost(Duration.ofMinutes(1)).until(() -> connections.sync().zcard("weir:holds") == 0);
    assertThat(usedInQuota()).isEqualTo((long) JOBS * USED);
  }

  private long usedInQuota() throws IOException {
    String show = Files.readString(Path.of("../../lua/show.lua"));
    List<String> shown =
        connections.sync().eval(show, ScriptOutputType.MULTI, "weir:{72nw}:acme:tenant:counters");
    return Long.parseLong(shown.get(shown.indexOf("used") + 1).split(",", -1)[2]);
  }

  @Test
  void aNodeThatStopsSendsNothingTwice() throws Exception {
    submitAll(0, 400, List.of(0, 1, 2));
    nodes.get(0).stop();
    awaitAnswered(400, Duration.ofSeconds(60));
    assertThat(executions).hasSize(400);
    assertThat(executions.values()).allMatch(count -> count == 1);
  }

  private void awaitAnswered(int count, Duration atMost) {
    await().atMost(atMost).untilAsserted(() -> assertThat(answeredNanos).hasSize(count));
  }

  private HttpResponse<String> result(String id) throws Exception {
    for (int i = 0; i < 100; i++) {
      HttpResponse<String> answer = send("/v1/jobs/Proof/" + id, "", 2);
      if (answer.statusCode() != 202) {
        return answer;
      }
      RealTime.pass(Duration.ofMillis(100));
    }
    throw new AssertionError("job " + id + " has no end");
  }

  // Asked one after another, each node reports the same position or a lower one.
  private void findSamePositions(String id) throws Exception {
    long before = Long.MAX_VALUE;
    for (int i = 0; i < 30; i++) {
      JsonObject seen = new JsonObject(send("/v1/jobs/Proof/" + id, "", i % 3).body());
      if (!"queued".equals(seen.getString("state"))) {
        return;
      }
      long position = seen.getLong("position");
      assertThat(position).isLessThanOrEqualTo(before);
      before = position;
    }
  }

  private void cutOneConnection() {
    String address = Arrays.stream(connections.sync().clientList().split("\n", -1))
        .filter(line -> line.contains("cmd=evalsha") || line.contains("cmd=fcall"))
        .map(line -> line.replaceAll(".*? addr=(\\S+) .*", "$1"))
        .findFirst()
        .orElseThrow();
    connections.sync().clientKill(KillArgs.Builder.addr(address));
  }

  private long mostInASecond() {
    long[] times = sentNanos.stream().mapToLong(Long::longValue).sorted().toArray();
    long most = 0;
    int first = 0;
    for (int i = 0; i < times.length; i++) {
      while (times[i] - times[first] >= 1_000_000_000L) {
        first++;
      }
      most = Math.max(most, i - first + 1);
    }
    return most;
  }

  @Test
  void etasAreWhatComesTrue() throws Exception {
    if (!IS_LONG) {
      System.out.println("etas are judged with -Dweir.jobs=10000 only");
    }
    int perSecond = PER_SECOND / 2;
    List<Told> told = new ArrayList<>();
    int seconds = IS_LONG ? 200 : 4;
    int number = 0;
    // A queue of five seconds, with as many jobs arriving as are sent; in the middle half as many.
    told.addAll(submitAll(number, PER_SECOND * 5, List.of(0, 1, 2)));
    number += PER_SECOND * 5;
    for (int second = 0; second < seconds; second++) {
      if (second == seconds / 2) {
        publish(perSecond);
      }
      long began = System.nanoTime();
      int count = second < seconds / 2 ? PER_SECOND : perSecond;
      told.addAll(submitAll(number, count, List.of(0, 1, 2)));
      number += count;
      long left = 1_000_000_000L - (System.nanoTime() - began);
      RealTime.pass(Duration.ofNanos(left));
    }
    awaitAnswered(number, Duration.ofSeconds(60));
    findFewQuestions();
    // Answers are whole seconds, rounded up: on average half a second too long.
    double[] errors = told.stream()
        .mapToDouble(one -> {
          double took = (answeredNanos.getOrDefault(one.id(), 0L) - one.nanos()) / 1e9;
          return Math.abs(took - (one.etaSeconds() - 0.5)) / took;
        })
        .sorted()
        .toArray();
    double median = errors[errors.length / 2];
    double p95 = errors[errors.length * 95 / 100];
    System.out.printf("etas of %d jobs: median %.3f, p95 %.3f off%n", number, median, p95);
    if (IS_LONG) {
      assertThat(median).isLessThan(0.1);
      assertThat(p95).isLessThan(0.25);
    }
  }

  // A client that obeys Retry-After polls at most four times.
  private void findFewQuestions() throws Exception {
    JobClient jobs = new JobClient(client, RetryOptions.DEFAULT);
    List<JobFuture<String>> all = new ArrayList<>();
    for (int i = 0; i < 2 * PER_SECOND; i++) {
      all.add(jobs.submit(
          HttpRequest.newBuilder(URI.create(nodes.get(i % 3).url() + "/proof"))
              .header("X-Api-Key", "k1.secret-of-k1")
              .POST(BodyPublishers.ofString("asked " + i))
              .build(),
          HttpResponse.BodyHandlers.ofString()));
    }
    int most = 0;
    for (JobFuture<String> one : all) {
      assertThat(one.get(60, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
      most = Math.max(most, one.questions());
    }
    System.out.printf("%d jobs, asked for %d times at most%n", all.size(), most);
    assertThat(most).isLessThanOrEqualTo(4);
  }

  private void publish(int perSecond) throws IOException, InterruptedException {
    Path policy = folder.resolve("policy.yaml");
    String text = Files.readString(policy)
        .replace("dispatchPerSecond: " + PER_SECOND, "dispatchPerSecond: " + perSecond);
    HttpResponse<String> answer = client.send(
        HttpRequest.newBuilder(URI.create(nodes.get(0).adminUrl() + "/v1/policy"))
            .header("Authorization", "Bearer " + ADMIN)
            .PUT(BodyPublishers.ofString(text))
            .build(),
        HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
  }
}
