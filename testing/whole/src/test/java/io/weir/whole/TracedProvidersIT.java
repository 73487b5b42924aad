package io.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.SecretHash;
import io.weir.node.config.Reports;
import io.weir.node.testing.NodeFixture;
import io.weir.testkit.RedisProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The trace of a request is its own, though it waits in a queue with others, and is in its denial. */
final class TracedProvidersIT {
  private static final String POLICY =
      """
      operations:
        - { name: Ask, match: { path: /ask }, upstream: rpc }
      buckets:
        - { name: requests, burstPeriod: 1000000, throttleGroups: [{ milliOpsPerSec: 1, operations: [Ask, Tell] }] }
      plans: { free: { buckets: [requests] } }
      defaults: { plan: free }
      upstreams:
        rpc: { providers: [{ name: ours, url: "http://127.0.0.1:UPSTREAM", keyInterval: 10ms }] }
      subjects: [{ id: k1, tenant: acme, secretHash: "%s" }]
      """.formatted(SecretHash.of("secret-of-all").formatted());

  @Test
  void eachRequestHasItsOwnTraceAtTheUpstreamAndInItsDenial() throws IOException {
    HttpServer collector =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    collector.createContext("/v1/traces", exchange -> {
      exchange.getRequestBody().readAllBytes();
      exchange.sendResponseHeaders(200, -1);
      exchange.close();
    });
    collector.start();
    URI endpoint = URI.create(
        "http://127.0.0.1:%d/v1/traces".formatted(collector.getAddress().getPort()));
    Reports reports = new Reports(
        Optional.empty(), Optional.empty(), Optional.of(new Reports.Traces(endpoint, 1)));
    try (RedisProcess redis = RedisProcess.start();
        NodeFixture node = NodeFixture.reporting(redis.uri(), POLICY, reports)) {
      List<CompletableFuture<HttpResponse<String>>> asked = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        String parent = "00-%032x-00f067aa0ba902b7-01".formatted(i + 1);
        asked.add(CompletableFuture.supplyAsync(
            () -> node.get("/ask", "X-Api-Key", "k1.secret-of-all", "traceparent", parent)));
      }
      for (int i = 0; i < asked.size(); i++) {
        String forwarded = new JsonObject(asked.get(i).join().body())
            .getJsonObject("headers")
            .getString("traceparent");
        assertThat(forwarded)
            .matches("00-%032x-(?!00f067aa0ba902b7)[0-9a-f]{16}-01".formatted(i + 1));
      }

      String id = node.post(
              "/v1/check", "{\"key\":\"k1.secret-of-all\",\"operation\":\"Tell\",\"cost\":1000}")
          .headers()
          .firstValue("Weir-Decision")
          .orElseThrow();
      HttpResponse<String> denial =
          node.send(HttpRequest.newBuilder(node.adminUri("/v1/denials/" + id))
              .header("Authorization", "Bearer " + NodeFixture.ADMIN));
      assertThat(new JsonObject(denial.body()).getString("trace")).matches("[0-9a-f]{32}");
    } finally {
      collector.stop(0);
    }
  }
}
