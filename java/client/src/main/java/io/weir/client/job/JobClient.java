package io.weir.client.job;

import io.weir.client.RetryingHttpClient;
import io.weir.client.retry.RetryOptions;
import io.weir.client.retry.Timekeeper;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

/**
 * Submits requests that are accepted now and executed later, and polls for their results as the server says: for any
 * service that answers 202 with {@code Location} and {@code Retry-After}. An immediate answer is the result. Safe for
 * use by many threads.
 */
public final class JobClient {
  private final HttpClient submitting;
  private final HttpClient asking;
  private final JobWaits waits;

  /**
   * A client.
   *
   * @param client sends; it should not retry by itself
   * @param options how a submission is retried
   */
  public JobClient(HttpClient client, RetryOptions options) {
    this(client, options, Timekeeper.system(), () -> ThreadLocalRandom.current().nextDouble());
  }

  /**
   * The same with another clock.
   *
   * @param random gives numbers from 0 to below 1
   */
  public JobClient(
      HttpClient client, RetryOptions options, Timekeeper time, DoubleSupplier random) {
    this.submitting = RetryingHttpClient.wrap(client, options);
    this.asking = client;
    this.waits = new JobWaits(time, random);
  }

  /**
   * Submits a job.
   *
   * @param request the request; its headers, except those of its body, are also sent when the client polls
   * @return completes with the result, whatever its status; fails with {@link java.io.IOException} if the job's place
   *     has another origin than the answer, or cannot be reached for long; {@link JobFuture#cancel} cancels the job
   */
  public <T> JobFuture<T> submit(HttpRequest request, BodyHandler<T> handler) {
    JobFuture<T> job = new JobFuture<>(asking, waits, request, handler);
    CompletableFuture<?> unused = submitting
        .sendAsync(request, HttpResponse.BodyHandlers.ofByteArray())
        .whenComplete((answer, error) -> {
          if (error != null) {
            job.failed(error);
          } else {
            job.submitted(answer);
          }
        });
    return job;
  }
}
