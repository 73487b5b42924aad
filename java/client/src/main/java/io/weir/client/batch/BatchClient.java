package io.weir.client.batch;

import io.weir.client.retry.Attempt;
import io.weir.client.retry.Call;
import io.weir.client.retry.Origin;
import io.weir.client.retry.Retryer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs batches at {@code POST /v1/batch} of Weir's nodes. If a batch stops (denied, a broken connection, a dead node),
 * it is sent again, to the next node, with the results so far: it continues with the first item that was not executed.
 * Attempts are counted from the last progress on. Safe for use by many threads.
 */
public final class BatchClient {
  private final HttpClient client;
  private final Retryer retryer;
  private final List<URI> nodes;

  /**
   * A client of some nodes.
   *
   * @param client sends; it should not retry by itself
   * @param nodes base addresses, at least one; the first is used first
   * @throws IllegalArgumentException if there is none, or one is not an HTTP address
   */
  public BatchClient(HttpClient client, Retryer retryer, List<URI> nodes) {
    if (nodes.isEmpty()) {
      throw new IllegalArgumentException("nodes: none (expected: at least 1)");
    }
    this.client = client;
    this.retryer = retryer;
    this.nodes = List.copyOf(nodes);
    nodes.forEach(Origin::of); // throws if it is not an HTTP address
  }

  /**
   * Runs a batch.
   *
   * @param batch {@code {"items": […]}}
   * @param headers names and values in turn, including the API key; an {@code Idempotency-Key} is generated if there is
   *     none; items without a key of their own get one from it
   * @return the last answer: for 200, everything possible was done, and {@code results} describes each item
   */
  public CompletableFuture<HttpResponse<String>> run(String batch, String... headers) {
    return retryer.call(new BatchCall(batch, headers));
  }

  /** A batch in progress. Mutable; its attempts run one after another. */
  private final class BatchCall implements Call<HttpResponse<String>> {
    private final String batch;
    private final String[] headers;
    private final String key = UUID.randomUUID().toString();
    private final AtomicInteger turn = new AtomicInteger();
    private volatile Optional<String> answer = Optional.empty();
    private volatile int executed;

    BatchCall(String batch, String... headers) {
      this.batch = batch;
      this.headers = headers;
    }

    @Override
    public String upstream() {
      return Origin.of(nodes.get(0)).toString();
    }

    @Override
    public String name() {
      return "POST %s/v1/batch".formatted(upstream());
    }

    @Override
    public boolean isRepeatable() {
      return true; // every item has a key
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // it ends with the returned stage
    public CompletionStage<HttpResponse<String>> send(Attempt attempt) {
      CompletableFuture<HttpResponse<String>> sent =
          client.sendAsync(request(attempt.ticket()), BodyHandlers.ofString());
      CompletableFuture<HttpResponse<String>> received = sent.thenApply(
              answered -> received(attempt, answered))
          .whenComplete((answered, error) -> {
            if (error != null || answered.statusCode() >= 500) {
              turn.incrementAndGet();
            }
          });
      received.whenComplete((answered, error) -> sent.cancel(true)); // if no caller waits any more
      return received;
    }

    private HttpResponse<String> received(Attempt attempt, HttpResponse<String> answered) {
      int now = answered
          .headers()
          .firstValue("Weir-Executed")
          .filter(text -> text.matches("[0-9]{1,9}"))
          .map(Integer::valueOf)
          .orElse(0);
      if (now > executed) {
        executed = now;
        answer = Optional.of(answered.body());
        attempt.advanced();
      }
      attempt.isAnswer(answered.statusCode(), answered.headers()::allValues);
      return answered;
    }

    private HttpRequest request(Optional<String> ticket) {
      URI node = nodes.get(Math.floorMod(turn.get(), nodes.size()));
      HttpRequest.Builder builder = HttpRequest.newBuilder(node.resolve("/v1/batch"))
          .header("Content-Type", "application/json")
          .setHeader("Idempotency-Key", key)
          .header("Prefer", "retry-ticket")
          .POST(BodyPublishers.ofString(answer
              .map(text -> "{\"batch\":" + batch + ",\"answer\":" + text + "}")
              .orElse(batch)));
      for (int i = 0; i + 1 < headers.length; i += 2) {
        builder.setHeader(headers[i], headers[i + 1]);
      }
      ticket.ifPresent(shown -> builder.setHeader("Retry-Ticket", shown));
      return builder.build();
    }
  }
}
