package io.weir.node.command;

import io.weir.core.throttle.Failures;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * The admin port of a node. The token is sent only to a port that has asked for it: any other port forwards all
 * requests of callers, and the upstream would see the token. Safe for use by many threads.
 */
public final class AdminPort {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;

  private final URI node;
  private final String token;
  private final HttpClient client =
      HttpClient.newBuilder().connectTimeout(CONNECT_TIMEOUT).build();

  private AdminPort(URI node, String token) {
    this.node = node;
    this.token = token;
  }

  /**
   * The admin port at a base address.
   *
   * @throws IOException if nothing answers, or the port is not an admin port
   */
  public static AdminPort at(URI node, String token) throws IOException {
    AdminPort port = new AdminPort(node, token);
    port.requireAsked(port.sent(port.request("/v1/policy").GET().build()));
    return port;
  }

  /**
   * Sends a request, and waits for its answer.
   *
   * @param body empty for none
   * @param headers name and value, alternating
   * @throws IOException if nothing answers, or the node refuses the token
   */
  public HttpResponse<String> ask(String method, String path, String body, String... headers)
      throws IOException {
    HttpResponse<String> answer = sent(request(method, path, body, headers));
    if (isWithoutToken(answer)) {
      throw new IOException(
          "%s refuses the admin token (expected: the token of this node as WEIR_ADMIN_TOKEN, or the node of this token as --node or WEIR_NODE)"
              .formatted(node));
    }
    return answer;
  }

  private static boolean isWithoutToken(HttpResponse<String> answer) {
    return answer.statusCode() == UNAUTHORIZED && answer.body().contains("\"admin_token_invalid\"");
  }

  /** The same without waiting; fails with {@link IOException}. */
  public CompletableFuture<HttpResponse<String>> send(String method, String path, String body) {
    return client.sendAsync(request(method, path, body), BodyHandlers.ofString());
  }

  private HttpRequest request(String method, String path, String body, String... headers) {
    HttpRequest.Builder request = request(path)
        .header("Authorization", "Bearer " + token)
        .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    return request.build();
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(node.resolve(path)).timeout(TIMEOUT);
  }

  private void requireAsked(HttpResponse<String> answer) throws IOException {
    if (answer.statusCode() == FORBIDDEN && answer.body().contains("\"admin_disabled\"")) {
      throw new IOException("the node at %s was started without an admin token".formatted(node));
    }
    if (!isWithoutToken(answer)) {
      throw new IOException(
          "%s is not the admin port of a node: GET /v1/policy without a token has the status %d (expected: 401); the token was not sent"
              .formatted(node, answer.statusCode()));
    }
  }

  private HttpResponse<String> sent(HttpRequest request) throws IOException {
    try {
      return client.sendAsync(request, BodyHandlers.ofString()).join();
    } catch (CompletionException e) {
      throw inWords(Failures.cause(e));
    }
  }

  private IOException inWords(Throwable error) {
    if (error instanceof ConnectException) {
      return new IOException("no node answers at %s: connection refused".formatted(node), error);
    }
    if (error instanceof HttpTimeoutException) {
      return new IOException(
          "the node at %s did not answer within %d s".formatted(node, TIMEOUT.toSeconds()), error);
    }
    return new IOException("the node at %s: %s".formatted(node, error.getMessage()), error);
  }
}
