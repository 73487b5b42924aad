package io.weir.cluster.local;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.cluster.local.ClusterFile.DemoKey;
import io.weir.core.policy.Policy;
import io.weir.state.document.PolicyDocuments;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Reads the limits of the demo keys in the policy in force, which may have changed since the cluster was started. */
public final class LimitsInForce {
  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  private LimitsInForce() {}

  /**
   * Returns the cluster with the limits in force; a key without a limit is omitted.
   *
   * @return empty if no port for operators is reachable from here
   */
  public static Optional<ClusterFile> of(ClusterFile cluster) throws InterruptedException {
    HttpClient client = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    for (String admin : cluster.admins()) {
      HttpRequest request = HttpRequest.newBuilder(URI.create(admin + "/v1/policy"))
          .timeout(TIMEOUT)
          .header("Authorization", "Bearer " + cluster.adminToken())
          .build();
      try {
        HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() == 200) {
          return Optional.of(limited(cluster, answer.body()));
        }
      } catch (IOException e) {
        // It is down or not reachable from here; another one may answer.
      }
    }
    return Optional.empty();
  }

  private static ClusterFile limited(ClusterFile cluster, String document) {
    Policy policy = PolicyDocuments.parse("the policy in force", document).policy();
    JsonArray list = new JsonArray();
    cluster
        .keys()
        .forEach(key -> list.add(new JsonObject()
            .put("key", key.key())
            .put("operation", key.operation())
            .put("method", key.method())
            .put("path", key.path())));
    List<DemoKey> keys = ClusterFile.describe(list, policy);
    return new ClusterFile(
        cluster.nodes(),
        cluster.admins(),
        keys,
        cluster.redis(),
        cluster.adminToken(),
        cluster.serviceToken(),
        cluster.pid());
  }
}
