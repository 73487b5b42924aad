package io.weir.whole.designs;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.node.Node;
import io.weir.node.config.NodeConfig;
import io.weir.node.config.NodeConfig.Address;
import io.weir.node.config.NodeConfig.Listening;
import io.weir.node.config.NodeConfig.PolicyFile;
import io.weir.node.config.NodeConfig.Redis;
import io.weir.node.config.NodeConfig.Running;
import io.weir.node.config.NodeConfig.Tokens;
import io.weir.node.config.Reports;
import io.weir.testkit.FreePorts;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The nodes of one design, in this process, and what an operator does at them. Owned by one test. */
final class DesignNodes implements AutoCloseable {
  static final String SERVICE = "service-token-of-the-tests";

  private static final String ADMIN = "admin-token-of-the-tests";
  private static final Duration TIMEOUT = Duration.ofSeconds(90);

  final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final List<Node> nodes = new ArrayList<>();
  private final List<String> urls = new ArrayList<>();

  /** A key that was made by an operator. */
  record Key(String id, String text) {}

  DesignNodes(int count, String redisUri, Path policy) {
    for (int i = 0; i < count; i++) {
      int port = FreePorts.one();
      nodes.add(Node.start(new NodeConfig(
          new Listening(
              new Address("127.0.0.1", port),
              Optional.empty(),
              Map.of(),
              Optional.empty(),
              List.of()),
          new Redis(redisUri, Duration.ofSeconds(1), Duration.ofMinutes(1)),
          new PolicyFile(policy, Optional.empty(), false),
          new Tokens(Optional.of(SERVICE), Optional.of(ADMIN)),
          new Running(1, 1000, Duration.ZERO, Duration.ofSeconds(10)),
          Reports.NONE)));
      urls.add("http://127.0.0.1:" + port);
    }
  }

  static DesignNodes start(int count, String redisUri, JsonObject policy, Path file)
      throws IOException {
    return new DesignNodes(count, redisUri, Files.writeString(file, policy.encodePrettily()));
  }

  int count() {
    return nodes.size();
  }

  List<URI> uris() {
    return urls.stream().map(URI::create).toList();
  }

  /** Sends a request to one of the nodes, in turn. */
  HttpResponse<String> post(int turn, String path, JsonObject body, String... headers)
      throws IOException, InterruptedException {
    return client.send(request(turn, path, body, headers), BodyHandlers.ofString());
  }

  HttpRequest request(int turn, String path, JsonObject body, String... headers) {
    return HttpRequest.newBuilder(URI.create(urls.get(Math.floorMod(turn, urls.size())) + path))
        .timeout(TIMEOUT)
        .header("Content-Type", "application/json")
        .headers(headers)
        .POST(BodyPublishers.ofString(body.encode()))
        .build();
  }

  Key makeKey() throws IOException, InterruptedException {
    HttpResponse<String> made = post(
        0, "/v1/keys", new JsonObject().put("tenant", "acme"), "Authorization", "Bearer " + ADMIN);
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    JsonObject key = new JsonObject(made.body());
    return new Key(key.getString("id"), key.getString("key"));
  }

  void deleteKey(Key key) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create(urls.get(0) + "/v1/keys/" + key.id()))
        .header("Authorization", "Bearer " + ADMIN)
        .DELETE()
        .build();
    assertThat(client.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(204);
  }

  /** The sum of a metric over all nodes, of the series that contain this text. */
  long metric(String name, String containing) throws IOException, InterruptedException {
    double sum = 0;
    for (String url : urls) {
      HttpRequest request = HttpRequest.newBuilder(URI.create(url + "/metrics")).build();
      sum += client
          .send(request, BodyHandlers.ofString())
          .body()
          .lines()
          .filter(line -> line.startsWith(name) && line.contains(containing))
          .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
          .sum();
    }
    return (long) sum;
  }

  @Override
  public void close() {
    nodes.forEach(Node::close);
  }
}
