package io.weir.client.job;

import io.weir.client.answer.AnswerStatus;
import io.weir.client.retry.Origin;
import io.weir.client.retry.Timekeeper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * The future result of a job. Cancelling it cancels the job. Safe for use by many threads.
 *
 * @param <T> the type of the body
 */
public final class JobFuture<T> extends CompletableFuture<HttpResponse<T>> {
  private static final String JOB_STATE = "Weir-Job-State";
  private static final int ACCEPTED = 202;
  private static final int MOST_FAILURES = 30;
  private static final Duration QUESTION_TIMEOUT = Duration.ofSeconds(30);
  private static final Set<String> OF_BODY = Set.of(
      "content-type",
      "content-encoding",
      "content-language",
      "content-length",
      "expect",
      "idempotency-key",
      "prefer");

  private final HttpClient client;
  private final Timekeeper time;
  private final JobWaits waits;
  private final HttpRequest request;
  private final BodyHandler<T> handler;
  private final AtomicReference<@Nullable URI> place = new AtomicReference<>();
  private volatile Runnable waiting = () -> {};
  private final AtomicInteger questions = new AtomicInteger();
  private final AtomicInteger failures = new AtomicInteger();

  JobFuture(HttpClient client, JobWaits waits, HttpRequest request, BodyHandler<T> handler) {
    this.client = client;
    this.time = waits.time();
    this.waits = waits;
    this.request = request;
    this.handler = handler;
  }

  /** The address of the job; empty until it is accepted. */
  public Optional<URI> place() {
    return Optional.ofNullable(place.get());
  }

  /** The number of polls for its result. */
  public int questions() {
    return questions.get();
  }

  /** Cancels the job at the server, if its address is known, and stops polling. */
  @Override
  public boolean cancel(boolean mayInterrupt) {
    boolean isCancelled = super.cancel(mayInterrupt);
    waiting.run();
    if (isCancelled) {
      reportCancelled();
    }
    return isCancelled;
  }

  void failed(Throwable error) {
    completeExceptionally(
        error instanceof CompletionException && error.getCause() != null
            ? error.getCause()
            : error);
  }

  /** Handles the answer to the submission: accepted, or done at once. */
  void submitted(HttpResponse<byte[]> answer) {
    Optional<String> location = answer.headers().firstValue("Location");
    if (!isUnderWay(answer) || location.isEmpty()) {
      read(answer);
      return;
    }
    try {
      place.set(JobAddress.of(answer.uri(), location.get()));
    } catch (IOException e) {
      failed(e);
      return;
    }
    if (isCancelled()) {
      reportCancelled(); // before its place was known
    } else {
      askAfter(waits.after(answer));
    }
  }

  private void reportCancelled() {
    URI known = place.get();
    if (known != null) {
      CompletableFuture<?> unused = client.sendAsync(
          question(known).DELETE().build(), HttpResponse.BodyHandlers.discarding());
    }
  }

  private void askAfter(Duration wait) {
    if (!isDone()) {
      waiting = time.after(wait, this::ask);
    }
  }

  private void ask() {
    URI known = place.get();
    if (known == null || isDone()) {
      return;
    }
    questions.incrementAndGet();
    CompletableFuture<?> unused = client
        .sendAsync(question(known).GET().build(), HttpResponse.BodyHandlers.ofByteArray())
        .whenComplete((answer, error) -> {
          if (error != null) {
            again(error, waits.afterFailure());
          } else if (isUnderWay(answer)) {
            failures.set(0);
            askAfter(waits.after(answer));
          } else if (isNoAnswer(answer)) {
            again(
                new IOException("no answer about the job: status " + answer.statusCode()),
                waits.after(answer));
          } else {
            read(answer);
          }
        });
  }

  // The upstream's own answer may be a 202, too.
  private static boolean isUnderWay(HttpResponse<?> answer) {
    return answer.statusCode() == ACCEPTED
        && answer.headers().firstValue(JOB_STATE).filter("completed"::equals).isEmpty();
  }

  // A failed job may have such a status, too: then the answer has the job's state.
  private static boolean isNoAnswer(HttpResponse<?> answer) {
    return AnswerStatus.isPassing(answer.statusCode())
        && answer.headers().firstValue(JOB_STATE).isEmpty();
  }

  private void again(Throwable error, Duration wait) {
    if (failures.incrementAndGet() > MOST_FAILURES) {
      failed(error);
    } else {
      askAfter(wait);
    }
  }

  private HttpRequest.Builder question(URI at) {
    HttpRequest.Builder question = HttpRequest.newBuilder(at).timeout(QUESTION_TIMEOUT);
    // Another server may not get the secrets of the first.
    if (Origin.of(at).equals(Origin.of(request.uri()))) {
      request.headers().map().forEach((name, values) -> {
        if (!OF_BODY.contains(name.toLowerCase(Locale.ROOT))) {
          values.forEach(value -> question.header(name, value));
        }
      });
    }
    return question;
  }

  // An exception of the handler makes the future fail.
  private void read(HttpResponse<byte[]> answer) {
    try {
      BodySubscriber<T> body = handler.apply(new Head(answer));
      body.onSubscribe(new NoFlow());
      body.onNext(List.of(ByteBuffer.wrap(answer.body())));
      body.onComplete();
      CompletionStage<?> unused = body.getBody().whenComplete((read, error) -> {
        if (error != null) {
          failed(error);
        } else {
          complete(new Result<>(answer, read));
        }
      });
    } catch (RuntimeException e) {
      failed(e);
    }
  }

  private static final class NoFlow implements Flow.Subscription {
    @Override
    public void request(long n) {}

    @Override
    public void cancel() {}
  }

  private record Head(HttpResponse<byte[]> answer) implements ResponseInfo {
    @Override
    public int statusCode() {
      return answer.statusCode();
    }

    @Override
    public HttpHeaders headers() {
      return answer.headers();
    }

    @Override
    public HttpClient.Version version() {
      return answer.version();
    }
  }

  private record Result<T>(HttpResponse<byte[]> answer, T read) implements HttpResponse<T> {
    @Override
    public int statusCode() {
      return answer.statusCode();
    }

    @Override
    public HttpRequest request() {
      return answer.request();
    }

    @Override
    public Optional<HttpResponse<T>> previousResponse() {
      return Optional.empty();
    }

    @Override
    public HttpHeaders headers() {
      return answer.headers();
    }

    @Override
    public T body() {
      return read;
    }

    @Override
    public Optional<SSLSession> sslSession() {
      return answer.sslSession();
    }

    @Override
    public URI uri() {
      return answer.uri();
    }

    @Override
    public HttpClient.Version version() {
      return answer.version();
    }
  }
}
