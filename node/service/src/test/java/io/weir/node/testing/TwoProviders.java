package io.weir.node.testing;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.testkit.FreePorts;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A node and two providers, each with the answers that the test sets. One for each test. */
public abstract class TwoProviders {
  // The value of a variable that every environment has stands for a secret.
  protected static final String SECRET = System.getenv("PATH");

  protected final Vertx vertx = Vertx.vertx();
  protected final List<Consumer<HttpServerRequest>> answers = new CopyOnWriteArrayList<>();
  /** Called before the body is read. */
  protected final List<Consumer<HttpServerRequest>> heads = new CopyOnWriteArrayList<>();

  protected final List<ConcurrentLinkedQueue<HttpServerRequest>> sent = new ArrayList<>();
  protected final List<Integer> ports = new ArrayList<>();
  protected NodeFixture fixture;
  protected String policy;

  protected static void fine(HttpServerRequest request) {
    request.response().end("fine");
  }

  /** Lines of the policy with further operations, for an extension that tests itself with providers. */
  protected String moreOperations() {
    return "";
  }

  /** The names of these operations, each after a comma. */
  protected String moreNames() {
    return "";
  }

  @BeforeEach
  void start() throws Exception {
    for (int i = 0; i < 2; i++) {
      int number = i;
      answers.add(TwoProviders::fine);
      heads.add(request -> {});
      sent.add(new ConcurrentLinkedQueue<>());
      ports.add(vertx
          .createHttpServer()
          .requestHandler(request -> {
            heads.get(number).accept(request);
            request.body().onSuccess(body -> {
              sent.get(number).add(request);
              answers.get(number).accept(request);
            });
          })
          .listen(0, "127.0.0.1")
          .toCompletionStage()
          .toCompletableFuture()
          .get()
          .actualPort());
    }
    int closed = FreePorts.some(1).get(0);
    policy = """
        operations:
          - { name: Ask, match: { path: /ask }, upstream: two }
          - { name: Lost, match: { path: /lost }, upstream: lost }
          - { name: Keyless, match: { path: /keyless }, upstream: keyless }
          - { name: Narrow, match: { path: /narrow }, upstream: narrow }
          - { name: Rpc, match: { path: /rpc }, upstream: rpc }
          - { name: Once, match: { path: /once }, upstream: rpc, attempts: 1 }
          - { name: Chat, match: { path: /chat }, upstream: models, group: { json: /model, groups: [{ name: big, values: [large, larger] }] } }
          - { name: Alpha, match: { path: /alpha }, upstream: shared, group: alpha }
          - { name: Beta, match: { path: /beta }, upstream: shared, group: beta }
        MORE_OPERATIONS
        buckets:
          - { name: many, burstPeriod: 10, throttleGroups: [{ opsPerSec: 1000, operations: [Ask, Lost, Keyless, Narrow, Rpc, Once, Chat, Alpha, BetaMORE_NAMES] }] }
        upstreams:
          two:
            retry: { attempts: 3, initial: 5ms, budget: 100 }
            breaker: { failures: 50, calls: 4, window: 60s, open: 5s }
            timeoutMs: 1000
            providers:
              - { name: a, url: "http://127.0.0.1:%d", keys: [{ name: k1, variable: PATH }, { name: k2, variable: PATH, header: X-Key }] }
              - { name: b, url: "http://127.0.0.1:%d", tier: 1 }
          lost:
            retry: { attempts: 2, initial: 5ms }
            providers:
              - { name: gone, url: "http://127.0.0.1:%d" }
              - { name: b, url: "http://127.0.0.1:%d", tier: 1 }
          keyless:
            providers: [{ name: a, url: "http://127.0.0.1:1", keys: [{ name: k, variable: NOT_SET_ANYWHERE_9 }] }]
          rpc:
            jsonRpc: true
            adaptive: { target: 500ms, initial: 10 }
            retry: { preset: storj, initial: 5ms, budget: 100 }
            providers:
              - { name: a, url: "http://127.0.0.1:%d" }
              - { name: b, url: "http://127.0.0.1:%d", tier: 1 }
          models:
            timeoutMs: 2000
            providers:
              - { name: a, url: "http://127.0.0.1:%d" }
              - { name: b, url: "http://127.0.0.1:%d", tier: 1 }
          shared:
            maxInflight: 1
            providers: [{ name: a, url: "http://127.0.0.1:%d" }]
          narrow:
            maxInflight: 1
            maxQueue: 2
            queueTimeout: 300ms
            providers: [{ name: a, url: "http://127.0.0.1:%d" }]
        subjects:
        """.replace("MORE_OPERATIONS\n", moreOperations())
            .replace("MORE_NAMES", moreNames())
            .formatted(
                ports.get(0),
                ports.get(1),
                closed,
                ports.get(1),
                ports.get(0),
                ports.get(1),
                ports.get(0),
                ports.get(1),
                ports.get(0),
                ports.get(0))
        + TestPolicies.subject("k1", "");
    fixture = new NodeFixture(policy, FailureMode.DENY);
  }

  @AfterEach
  void stop() {
    fixture.close();
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  protected HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(fixture.uri(path)).header("X-Api-Key", TestPolicies.key("k1"));
  }

  protected HttpResponse<String> get(String path) {
    return fixture.send(request(path));
  }

  protected HttpResponse<String> post(String path, String body) {
    return fixture.send(request(path).POST(BodyPublishers.ofString(body)));
  }

  protected HttpResponse<String> batch(String items) {
    return fixture.send(request("/v1/batch")
        .header("Content-Type", "application/json")
        .POST(BodyPublishers.ofString("{\"items\": [" + items + "]}")));
  }

  public static List<String> outcomes(HttpResponse<String> batch) {
    return NodeFixture.json(batch).getJsonArray("results").stream()
        .map(result -> ((JsonObject) result).getString("outcome"))
        .toList();
  }
}
