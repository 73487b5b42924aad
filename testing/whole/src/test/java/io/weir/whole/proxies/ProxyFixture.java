package io.weir.whole.proxies;

import io.vertx.core.http.HttpServerRequest;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import io.weir.testkit.FaultProxy;
import io.weir.whole.proxies.ProxyProcess.Kind;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** A node, a service that does not know Weir, and the proxies before both. Owned by one test. */
final class ProxyFixture {
  // Slow, so that nothing drains during a test: 720 operations, and then one in 5 s.
  static final String POLICY = """
      operations:
        - { name: Orders, match: { path: "/orders/**" } }
        - { name: Big, match: { path: /big }, cost: { header: X-Cost, default: 1, max: 9 } }
        - { name: Free, match: { path: "/free/**" }, unlimited: true }
        - { name: Soon, match: { path: /soon } }
        - { name: Stream, match: { path: /stream } }
        - { name: Open, match: { path: /open }, unlimited: true }
      buckets:
        - { name: calls, burstPeriod: 3600, throttleGroups: [{ milliOpsPerSec: 200, operations: [Orders] }] }
        - { name: big, burstPeriod: 3600, throttleGroups: [{ milliOpsPerSec: 1, operations: [Big] }] }
        - { name: soon, burstPeriod: 1, throttleGroups: [{ opsPerSec: 1, operations: [Soon] }] }
      permits: [{ name: streams, limit: 3, operations: [Stream] }]
      upstream: { url: "http://127.0.0.1:UPSTREAM" }
      identity: { proxies: [127.0.0.1], anonymous: { tenant: public } }
      subjects:
      """
      + TestPolicies.subject("k1", "")
      + TestPolicies.subject("k2", "")
      + TestPolicies.subject("frozen", ", frozen: true");

  private final Path directory;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final List<AutoCloseable> open = new ArrayList<>();
  private final NodeFixture node;
  private final FaultProxy network;

  /** @param directory for the files of the proxies */
  ProxyFixture(Path directory) {
    this.directory = directory;
    node = closedWithThis(new NodeFixture(POLICY, FailureMode.DENY));
    network = closedWithThis(FaultProxy.before(node.uri("/").getPort()));
    for (String path : List.of("/orders/1", "/big", "/soon", "/free/x", "/stream", "/open")) {
      node.upstreamAnswers(path, ProxyFixture::answer);
    }
  }

  // The service shows what arrives.
  private static void answer(HttpServerRequest request) {
    request
        .body()
        .onSuccess(body -> request
            .response()
            .end("%s %s %s %s"
                .formatted(
                    request.method(), callers(request), request.getHeader("Upgrade"), body)));
  }

  // All that a service may take for the names of the caller and of its tenant.
  private static String callers(HttpServerRequest request) {
    return request.headers().entries().stream()
        .filter(header ->
            header.getKey().toLowerCase(Locale.ROOT).replace('_', '-').startsWith("x-weir-"))
        .map(Map.Entry::getValue)
        .sorted()
        .collect(Collectors.joining("+"));
  }

  /** Closes something after the proxies that are started later. */
  <T extends AutoCloseable> T closedWithThis(T resource) {
    open.add(resource);
    return resource;
  }

  NodeFixture node() {
    return node;
  }

  /** The network between the proxies and the node. */
  FaultProxy network() {
    return network;
  }

  /** A proxy that waits for Weir however slow the machine is. */
  ProxyProcess before(Kind kind) throws IOException {
    return before(kind, ProxyFixture::patient);
  }

  /** @param edit changes a file of the proxy */
  ProxyProcess before(Kind kind, UnaryOperator<String> edit) throws IOException {
    return start(kind, network.port(), node.upstreamPort(), edit);
  }

  /** A proxy before another node or service, by their ports. */
  ProxyProcess start(Kind kind, int weir, int service, UnaryOperator<String> edit)
      throws IOException {
    Path own = Files.createTempDirectory(directory, kind.name());
    return closedWithThis(ProxyProcess.start(kind, own, weir, service, edit));
  }

  /** A file of a proxy with long timeouts: a machine with much other work is not slow. */
  static String patient(String text) {
    return text.replaceAll("(timeout (?:connect |server )?)(500ms|1s)", "$130s");
  }

  HttpRequest.Builder asking(ProxyProcess proxy, String path, String key) {
    return HttpRequest.newBuilder(proxy.uri(path)).header("X-Api-Key", key);
  }

  HttpResponse<String> get(ProxyProcess proxy, String path, String key) throws Exception {
    return send(asking(proxy, path, key));
  }

  HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return client.send(request.build(), BodyHandlers.ofString());
  }

  CompletableFuture<HttpResponse<String>> sendAsync(HttpRequest.Builder request) {
    return client.sendAsync(request.build(), BodyHandlers.ofString());
  }

  /** A request that names another caller to the service. */
  HttpRequest.Builder spoofing(ProxyProcess proxy) {
    return asking(proxy, "/orders/1", TestPolicies.key("k1"))
        .header("X-Weir-Subject", "admin")
        .header("X-Weir-Tenant", "other")
        .header("X_Weir_Subject", "admin");
  }

  /** A header of an answer, or nothing. */
  static String header(HttpResponse<String> answer, String name) {
    return answer.headers().firstValue(name).orElse("");
  }

  /** Ends the proxies, then the node. */
  void close() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
  }
}
