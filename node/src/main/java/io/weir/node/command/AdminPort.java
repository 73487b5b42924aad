package io.weir.node.command;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;

/**
 * The admin port of a node. The token is sent only to a port that has asked for it: any other port forwards all
 * requests of callers, and the upstream would see the token.
 *
 * @param node the base address
 */
record AdminPort(URI node) {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;

  /**
   * Puts a policy in force.
   *
   * @throws IOException if nothing answers, or the port is not an admin port
   */
  HttpResponse<String> put(String policy, String token) throws IOException, InterruptedException {
    HttpClient client = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    requireAsked(sent(client, request().GET().build()));
    return sent(
        client,
        request()
            .header("Authorization", "Bearer " + token)
            .PUT(BodyPublishers.ofString(policy))
            .build());
  }

  private HttpRequest.Builder request() {
    return HttpRequest.newBuilder(node.resolve("/v1/policy")).timeout(TIMEOUT);
  }

  private void requireAsked(HttpResponse<String> answer) throws IOException {
    if (answer.statusCode() == FORBIDDEN && answer.body().contains("\"admin_disabled\"")) {
      throw new IOException("the node at %s was started without an admin token".formatted(node));
    }
    if (answer.statusCode() != UNAUTHORIZED || !answer.body().contains("\"admin_token_invalid\"")) {
      throw new IOException(
          "%s is not the admin port of a node: GET /v1/policy without a token has the status %d (expected: 401); the token was not sent"
              .formatted(node, answer.statusCode()));
    }
  }

  private HttpResponse<String> sent(HttpClient client, HttpRequest request)
      throws IOException, InterruptedException {
    try {
      return client.send(request, BodyHandlers.ofString());
    } catch (ConnectException e) {
      throw new IOException("no node answers at %s: connection refused".formatted(node), e);
    } catch (HttpTimeoutException e) {
      throw new IOException(
          "the node at %s did not answer within %d s".formatted(node, TIMEOUT.toSeconds()), e);
    }
  }
}
