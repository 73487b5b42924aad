package io.weir.client.upstream;

import io.weir.client.retry.Headers;
import io.weir.client.retry.Timekeeper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Requests, renews and releases permits at nodes. Safe for use by many threads. */
final class PermitNodes {
  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(10);
  private static final int MOST_REPORTS = 3;
  private static final Duration REPORTED_AGAIN_AFTER = Duration.ofMillis(300);
  private static final Duration WORD_TIMEOUT = Duration.ofSeconds(2);
  private static final Duration LONGEST_HELD = Duration.ofHours(1);
  private static final long LONGEST_MILLIS = LONGEST_HELD.toMillis();
  private static final int RENEWALS_PER_LEASE = 3;
  private static final int NOT_FOUND = 404;
  private static final int SERVER_ERRORS = 500;

  private final HttpClient client;
  private final SchedulerOptions options;
  private final Timekeeper time;

  PermitNodes(HttpClient client, SchedulerOptions options, Timekeeper time) {
    this.client = client;
    this.options = options;
    this.time = time;
  }

  Timekeeper time() {
    return time;
  }

  /** The request for a permit. */
  HttpRequest question(int node) {
    String body = "{\"upstream\":\"%s\",\"group\":\"%s\",\"waitMs\":%d}"
        .formatted(options.upstream(), options.group(), options.patience().toMillis());
    return post(node, "/v1/permits", body, ANSWER_TIMEOUT.plus(options.patience()));
  }

  /** Renews a permit until it is over, for an hour at most. */
  void renew(SendPermit permit, int node) {
    renew(permit, node, permit.lease().dividedBy(RENEWALS_PER_LEASE));
  }

  private void renew(SendPermit permit, int node, Duration every) {
    permit.isRenewedBy(time.after(every, () -> {
      if (permit.isOver() || permit.held().compareTo(LONGEST_HELD) > 0) {
        return;
      }
      HttpRequest renewal = post(node, permit.path() + "/renew", "{}", wordTimeout(permit));
      CompletableFuture<?> unused = client
          .sendAsync(renewal, BodyHandlers.discarding())
          .whenComplete((answer, error) -> {
            boolean isGone = error == null && answer.statusCode() == NOT_FOUND;
            if (!isGone && !permit.isOver()) {
              renew(permit, error == null ? node : node + 1, every);
            }
          });
    }));
  }

  private static Duration wordTimeout(SendPermit permit) {
    Duration third = permit.lease().dividedBy(RENEWALS_PER_LEASE);
    return third.compareTo(WORD_TIMEOUT) < 0 ? third : WORD_TIMEOUT;
  }

  /** Releases a permit. */
  void release(SendPermit permit, int status, Headers headers, long tookMillis) {
    String body = "{\"status\":%d,\"headers\":%s,\"latencyMs\":%d,\"group\":\"%s\"}"
        .formatted(
            status,
            WaitHeaders.json(headers),
            Math.min(LONGEST_MILLIS, tookMillis),
            options.group());
    report(permit, permit.node(), body, MOST_REPORTS);
  }

  // Tries the next node if one is down; if none is reachable, the lease ends.
  private void report(SendPermit permit, int node, String body, int tries) {
    HttpRequest release = post(node, permit.path() + "/release", body, WORD_TIMEOUT);
    CompletableFuture<?> unused = client
        .sendAsync(release, BodyHandlers.discarding())
        .whenComplete((answer, error) -> {
          if (tries > 1 && (error != null || answer.statusCode() >= SERVER_ERRORS)) {
            Runnable unusedCancel =
                time.after(REPORTED_AGAIN_AFTER, () -> report(permit, node + 1, body, tries - 1));
          }
        });
  }

  private URI node(int number) {
    return options.nodes().get(Math.floorMod(number, options.nodes().size()));
  }

  private HttpRequest post(int node, String path, String body, Duration timeout) {
    return HttpRequest.newBuilder(node(node).resolve(path))
        .header("Authorization", "Bearer " + options.serviceToken())
        .header("Content-Type", "application/json")
        .timeout(timeout)
        .POST(BodyPublishers.ofString(body))
        .build();
  }
}
