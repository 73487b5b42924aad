package io.weir.whole.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import io.weir.client.batch.BatchClient;
import io.weir.client.retry.RetryListener;
import io.weir.client.retry.RetryOptions;
import io.weir.client.retry.Retryer;
import io.weir.cluster.local.ClusterSetup;
import io.weir.cluster.local.LocalCluster;
import io.weir.cluster.local.NodeAddresses;
import io.weir.core.policy.SecretHash;
import io.weir.testkit.FreePorts;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A batch on three nodes, one of which is killed, over connections that break. */
@Timeout(120)
@Tag("faults")
final class BatchClusterIT {
  private static final int ITEMS = 100;

  private final Vertx vertx = Vertx.vertx();
  private final Random random = new Random(7);
  private final Map<String, JsonObject> executedByKey = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> askedByKey = new ConcurrentHashMap<>();
  private final List<Integer> order = new CopyOnWriteArrayList<>();
  private final AtomicInteger requests = new AtomicInteger();
  private final List<String> broken = new CopyOnWriteArrayList<>();

  @AfterEach
  void stop() throws Exception {
    join(vertx.close());
  }

  @Test
  void eachOfAHundredItemsIsExecutedOnceThoughConnectionsBreakAndANodeDies(@TempDir Path folder)
      throws Exception {
    int upstream = join(vertx
            .createHttpServer()
            .requestHandler(this::upstream)
            .listen(0, "127.0.0.1"))
        .actualPort();
    try (LocalCluster cluster = start(folder, upstream)) {
      List<URI> doors = new ArrayList<>();
      for (String node : cluster.description().nodes()) {
        doors.add(URI.create("http://127.0.0.1:" + breakingDoor(URI.create(node).getPort())));
      }
      AtomicInteger retries = new AtomicInteger();
      RetryListener counter = new RetryListener() {
        @Override
        public void retrying(String upstream, String reason, Duration wait) {
          retries.incrementAndGet();
        }
      };
      Retryer retryer = Retryer.of(
          RetryOptions.BACKGROUND.with(o -> o.initialBackoff(Duration.ofMillis(50))), counter);
      BatchClient client = new BatchClient(
          HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build(), retryer, doors);
      vertx.setTimer(
          3000,
          due -> ProcessHandle.of(cluster.nodes().get(0).pid()).orElseThrow().destroyForcibly());

      long began = System.nanoTime();
      HttpResponse<String> answer =
          client.run(batch(), "X-Api-Key", "k1.secret").get(100, TimeUnit.SECONDS);
      System.out.printf(
          "batch: %d items in %.1f s, %d retries, %d connections broken%n",
          ITEMS, (System.nanoTime() - began) / 1e9, retries.get(), broken.size());

      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      JsonArray results = new JsonObject(answer.body()).getJsonArray("results");
      assertThat(results).hasSize(ITEMS);
      for (int i = 0; i < ITEMS; i++) {
        JsonObject result = results.getJsonObject(i);
        assertThat(result.getString("outcome")).isEqualTo("executed");
        JsonObject body = result.getJsonObject("body");
        assertThat(body.getInteger("n")).isEqualTo(i);
        // Each request contained the result of the previous one.
        assertThat(body.getString("before")).isEqualTo(i == 0 ? "none" : "id-" + (i - 1));
      }
      assertThat(executedByKey).hasSize(ITEMS);
      assertThat(order).isSorted().hasSize(ITEMS);
      assertThat(broken).contains("caller", "answer");
    }
  }

  // Acts once on all requests with one key, as configured in the policy.
  private void upstream(HttpServerRequest request) {
    String key = request.getHeader("Idempotency-Key");
    askedByKey.computeIfAbsent(key, asked -> new AtomicInteger()).incrementAndGet();
    request.body().onSuccess(body -> {
      JsonObject asked = body.toJsonObject();
      JsonObject answer = executedByKey.computeIfAbsent(key, first -> {
        order.add(asked.getInteger("n"));
        return asked.copy().put("id", "id-" + asked.getInteger("n"));
      });
      vertx.setTimer(
          1 + random.nextInt(20),
          due -> request
              .response()
              .putHeader("Content-Type", "application/json")
              .end(answer.toBuffer()));
    });
  }

  private static String batch() {
    JsonArray items = new JsonArray();
    for (int i = 0; i < ITEMS; i++) {
      Object before = i == 0 ? "none" : new JsonObject().put("from", i - 1).put("path", "/id");
      items.add(new JsonObject()
          .put("method", "POST")
          .put("path", "/parts")
          .put("body", new JsonObject().put("n", i).put("before", before)));
    }
    return new JsonObject().put("items", items).encode();
  }

  // A proxy of a node that breaks connections by counts, so that never more than two in a row fail,
  // on any machine:
  // of the requests seen by all doors one in four loses its answer, one in seven its caller as soon
  // as it is sent.
  private int breakingDoor(int port) throws Exception {
    NetClient client = vertx.createNetClient();
    return join(vertx
            .createNetServer()
            .connectHandler(socket -> {
              socket.pause();
              client
                  .connect(port, "127.0.0.1")
                  .onSuccess(node -> pipe(socket, node))
                  .onFailure(gone -> socket.close());
            })
            .listen(0, "127.0.0.1"))
        .actualPort();
  }

  private void pipe(NetSocket caller, NetSocket node) {
    AtomicBoolean losesAnswer = new AtomicBoolean();
    caller.handler(sent -> {
      node.write(sent);
      if (!sent.toString().startsWith("POST ")) {
        return; // the rest of a request
      }
      int seen = requests.incrementAndGet();
      if (seen % 7 == 0) {
        breakOff(caller, "caller");
      } else if (seen % 4 == 0) {
        losesAnswer.set(true);
      }
    });
    node.handler(answer -> {
      if (losesAnswer.get()) {
        breakOff(caller, "answer");
      } else {
        caller.write(answer);
      }
    });
    caller.closeHandler(closed -> node.close());
    node.closeHandler(closed -> caller.close());
    caller.exceptionHandler(error -> {});
    node.exceptionHandler(error -> {});
    caller.resume();
  }

  private void breakOff(NetSocket caller, String what) {
    broken.add(what);
    caller.close();
  }

  private static LocalCluster start(Path folder, int upstream) throws Exception {
    Path policy = Files.writeString(folder.resolve("policy.yaml"), """
        operations:
          - { name: Put, match: { method: POST, path: /parts } }
        buckets:
          - { name: requests, burstPeriodMs: 1000, throttleGroups: [{ opsPerSec: 10, operations: [Put] }] }
        subjects:
          k1: { tenant: acme, secretHash: "%s" }
        upstream: { url: "http://localhost:%d", timeoutMs: 1000, connectTimeoutMs: 500, honoursIdempotencyKeys: true }
        """.formatted(
            SecretHash.of("secret").formatted(), upstream));
    Path keys = Files.writeString(folder.resolve("keys.json"), "[]");
    return LocalCluster.start(new ClusterSetup(
        NodeAddresses.onLoopback(FreePorts.some(3), FreePorts.some(3)),
        Optional.empty(),
        0,
        Optional.empty(),
        policy,
        keys,
        folder.resolve("run")));
  }

  private static <T> T join(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
  }
}
