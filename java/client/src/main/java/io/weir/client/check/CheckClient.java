package io.weir.client.check;

import static java.util.Objects.requireNonNull;

import io.weir.client.check.CheckJson.Answer;
import io.weir.client.check.CheckJson.Refusal;
import io.weir.client.check.Checked.Outcome;
import io.weir.client.retry.Origin;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Asks Weir's nodes whether work may be done now, at {@code POST /v1/check}. Checks that are made while requests are
 * under way travel together in the next one, up to 500: the more a program asks, the less each check costs. A check is
 * sent to another node only if it surely reached none: an answer that is lost may have been counted, and the check is
 * undecided. Safe for use by many threads; blocks none, and has none of its own.
 */
public final class CheckClient {
  private static final int MOST_TOGETHER = 500;
  /** The codes of problems of single checks that no other node solves. */
  private static final Set<String> REFUSALS =
      Set.of("reservation_needed", "key_invalid", "subject_unknown");

  private static final int OK = 200;
  private static final int CLIENT_ERRORS = 400;
  private static final int SERVER_ERRORS = 500;

  private final HttpClient client;
  private final List<URI> nodes;
  private final CheckOptions options;
  private final Queue<Open> waiting = new ArrayDeque<>();
  private int inFlight; // guarded by waiting
  private volatile int turn;

  /**
   * A client of some nodes.
   *
   * @param client sends; it should not retry by itself. Its owner still closes it
   * @param nodes base addresses, at least one; the first is used until it fails
   * @throws IllegalArgumentException if there is none, or one is not an HTTP address
   */
  public CheckClient(HttpClient client, List<URI> nodes, CheckOptions options) {
    if (nodes.isEmpty()) {
      throw new IllegalArgumentException("nodes: none (expected: at least 1)");
    }
    nodes.forEach(Origin::of); // throws if it is not an HTTP address
    this.client = client;
    this.nodes = nodes.stream().map(node -> node.resolve("/v1/check")).toList();
    this.options = options;
  }

  private record Open(Check check, CompletableFuture<Checked> answer) {}

  /**
   * Asks, and counts the work if it is allowed.
   *
   * @return what was decided, or what {@link CheckOptions#outage} says; fails with {@link CheckException} if the check
   *     is refused, or is undecided and the mode is {@link OutageMode#FAIL}. Cancelling it does not take it back
   */
  public CompletableFuture<Checked> check(Check check) {
    Open open = new Open(check, new CompletableFuture<>());
    boolean isTaken;
    synchronized (waiting) {
      isTaken = waiting.size() < options.mostWaiting();
      if (isTaken) {
        waiting.add(open);
      }
    }
    if (isTaken) {
      next();
    } else {
      undecided(open, "too many checks wait", null);
    }
    return open.answer();
  }

  private void next() {
    List<Open> batch = new ArrayList<>();
    synchronized (waiting) {
      if (inFlight >= options.inFlight() || waiting.isEmpty()) {
        return;
      }
      inFlight++;
      while (batch.size() < MOST_TOGETHER && !waiting.isEmpty()) {
        batch.add(waiting.remove());
      }
    }
    CompletableFuture<?> unused = ask(batch, turn, 1).whenComplete((done, error) -> {
      synchronized (waiting) {
        inFlight--;
      }
      next();
    });
  }

  /** Completes, always well, when each of the batch has its answer. */
  private CompletableFuture<Void> ask(List<Open> batch, int node, int attempt) {
    CompletableFuture<HttpResponse<byte[]>> sent = send(batch, node);
    // The timeout of the JDK's client ends with the head of an answer.
    return sent.copy()
        .orTimeout(options.timeout().toMillis(), TimeUnit.MILLISECONDS)
        .handle((answer, error) -> new Received(Optional.ofNullable(answer), error))
        .thenCompose(received -> {
          boolean unused = sent.cancel(true);
          return received.answer().isPresent()
              ? answered(batch, node, received.answer().get())
              : failed(batch, node, attempt, requireNonNull(received.error()));
        });
  }

  private record Received(
      Optional<HttpResponse<byte[]>> answer, @Nullable Throwable error) {}

  private CompletableFuture<HttpResponse<byte[]>> send(List<Open> batch, int node) {
    try {
      return client.sendAsync(
          request(batch, nodes.get(Math.floorMod(node, nodes.size()))), BodyHandlers.ofByteArray());
    } catch (RuntimeException e) { // such as a token that is no header
      return CompletableFuture.failedFuture(e);
    }
  }

  private HttpRequest request(List<Open> batch, URI node) {
    HttpRequest.Builder request = HttpRequest.newBuilder(node)
        .timeout(options.timeout())
        .header("Content-Type", "application/json")
        .POST(BodyPublishers.ofByteArray(
            CheckJson.write(batch.stream().map(Open::check).toList())));
    options.serviceToken().ifPresent(token -> request.header("Authorization", "Bearer " + token));
    return request.build();
  }

  private CompletableFuture<Void> failed(List<Open> batch, int node, int attempt, Throwable error) {
    Throwable cause =
        error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    turn = node + 1;
    boolean wasNotSent =
        cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException;
    if (wasNotSent && attempt < nodes.size()) {
      return ask(batch, node + 1, attempt + 1);
    }
    batch.forEach(open -> undecided(open, "no node answered in time", cause));
    return CompletableFuture.completedFuture(null);
  }

  private CompletableFuture<Void> answered(
      List<Open> batch, int node, HttpResponse<byte[]> answer) {
    int status = answer.statusCode();
    if (status == OK) {
      decided(batch, answer.body());
    } else if (status >= CLIENT_ERRORS && status < SERVER_ERRORS) {
      return refused(batch, node, CheckJson.refusal(answer.body()));
    } else {
      turn = node + 1;
      batch.forEach(open -> undecided(open, "the node answered " + status, null));
    }
    return CompletableFuture.completedFuture(null);
  }

  private void decided(List<Open> batch, byte[] text) {
    List<Answer> answers;
    try {
      answers = CheckJson.read(text, batch.size());
    } catch (IOException e) {
      batch.forEach(open -> undecided(open, "the answer cannot be read", e));
      return;
    }
    for (int i = 0; i < batch.size(); i++) {
      Open open = batch.get(i);
      String code = answers.get(i).code();
      answers
          .get(i)
          .checked()
          .ifPresentOrElse(open.answer()::complete, () -> withoutAnswer(open, code));
    }
  }

  private void withoutAnswer(Open open, String code) {
    if (REFUSALS.contains(code)) {
      refuse(open, code);
    } else {
      undecided(open, "the node answered " + code, null);
    }
  }

  // A node refuses a whole list for one bad check, and counts nothing: the others are asked again.
  private CompletableFuture<Void> refused(List<Open> batch, int node, Refusal refusal) {
    Set<Integer> places = new HashSet<>(CheckJson.places(refusal.errors()));
    String code = refusal.code().isEmpty() ? "check_invalid" : refusal.code();
    List<Open> others = new ArrayList<>();
    for (int i = 0; i < batch.size(); i++) {
      if (places.isEmpty() || places.contains(i)) {
        refuse(batch.get(i), code);
      } else {
        others.add(batch.get(i));
      }
    }
    return others.isEmpty() || others.size() == batch.size()
        ? CompletableFuture.completedFuture(null)
        : ask(others, node, 1);
  }

  private static void refuse(Open open, String code) {
    open.answer()
        .completeExceptionally(new CheckException(code, "the check was refused: " + code, null));
  }

  private void undecided(Open open, String why, @Nullable Throwable cause) {
    Optional<Checked> instead = switch (options.outage()) {
      case ALLOW -> Optional.of(Checked.undecided(Outcome.ALLOWED_UNDECIDED, Duration.ZERO));
      case DENY -> Optional.of(Checked.undecided(Outcome.DENIED_UNDECIDED, options.retryAfter()));
      case FAIL -> Optional.empty();
    };
    instead.ifPresentOrElse(
        open.answer()::complete,
        () -> open.answer()
            .completeExceptionally(
                new CheckException(CheckException.UNDECIDED, "undecided: " + why, cause)));
  }
}
