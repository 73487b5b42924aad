package io.weir.node.batch;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.auth.ApiKey;
import io.weir.node.auth.Authenticator;
import io.weir.node.batch.BatchRequest.BadBatchException;
import io.weir.node.gateway.BatchMark;
import io.weir.node.gateway.Seats;
import io.weir.node.gateway.Seats.Seat;
import io.weir.node.http.BodyFraming;
import io.weir.node.http.EarlyAnswer;
import io.weir.node.http.WatchedBody;
import io.weir.policy.Policy;
import io.weir.policy.Subject;
import io.weir.state.redis.RedisAnswers;
import io.weir.throttle.PolicySource;
import java.util.List;
import java.util.Optional;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code POST /v1/batch}: operations, in order, each through this node's own gateway and throttled by its
 * own cost. It stops at the first that is not executed. An item with an idempotency key is executed once,
 * whichever node is asked, and however often. One for each event loop.
 */
public final class BatchHandler implements Handler<HttpServerRequest> {
  private static final Logger LOG = LoggerFactory.getLogger(BatchHandler.class);
  // A batch with all the answers it may bring.
  private static final int MAX_BYTES = 32 << 20;
  private static final int MOST = 128;
  private static final int MOST_OF_ONE = 16;
  private static final long MOST_BYTES = 128 << 20;
  private static final int MAX_CONNECTIONS = 256;
  private static final int MAX_WAITING = 10_000;
  private static final int MAX_KEY = 200;
  private static final ProblemDetails TOO_LONG =
      ProblemDetails.of(413, "body_too_long", "The request body is longer than allowed");
  private static final ProblemDetails KEY_INVALID =
      ProblemDetails.of(401, "key_invalid", "The API key is missing or not known");

  private final Vertx vertx;
  private final PolicySource policies;
  private final RedisAnswers answers;
  private final BatchMark mark;
  private final Seats seats = new Seats(MOST, MOST_OF_ONE, MOST_BYTES);
  private final HttpClient client;
  private final String host;
  private final IntSupplier port;

  /**
   * A handler that asks the gateway of its own node.
   *
   * @param host where the node listens
   * @param port where it does so; asked once it listens
   */
  public BatchHandler(
      Vertx vertx,
      PolicySource policies,
      RedisAnswers answers,
      BatchMark mark,
      String host,
      IntSupplier port) {
    this.vertx = vertx;
    this.policies = policies;
    this.answers = answers;
    this.mark = mark;
    this.host = host.equals("0.0.0.0") ? "127.0.0.1" : host.equals("::") ? "::1" : host;
    this.port = port;
    this.client = vertx.createHttpClient(
        new HttpClientOptions(),
        new PoolOptions().setHttp1MaxSize(MAX_CONNECTIONS).setMaxWaitQueueSize(MAX_WAITING));
  }

  @Override
  public void handle(HttpServerRequest request) {
    Policy policy = policies.current().policy();
    Optional<Subject> subject =
        ApiKey.shownIn(request.headers()).flatMap(key -> Authenticator.authenticate(key, policy));
    if (subject.isEmpty()) {
      answer(request, KEY_INVALID);
    } else if (policy.upstream().isEmpty()) {
      answer(
          request,
          ProblemDetails.of(404, "no_upstream", "The policy names no upstream to forward to"));
    } else if (BodyFraming.length(request).orElse(0) > MAX_BYTES) {
      answer(request, TOO_LONG);
    } else {
      Optional<Seat> seat =
          seats.take(subject.get().id(), BodyFraming.length(request).orElse(MAX_BYTES));
      if (seat.isEmpty()) {
        answer(
            request, ProblemDetails.of(503, "batches_too_many", "Too many batches are under way"));
        return;
      }
      request.response().endHandler(end -> seat.get().free());
      request.response().closeHandler(closed -> seat.get().free());
      new WatchedBody(request, MAX_BYTES, () -> {}).whole().onComplete((body, error) -> {
        if (body != null) {
          run(request, policy, subject.get(), body);
        } else if (error instanceof WatchedBody.TooLongException) {
          answer(request, TOO_LONG);
        } // else the connection broke, and nobody is there to be answered
      });
    }
  }

  private void run(HttpServerRequest request, Policy policy, Subject subject, Buffer body) {
    BatchRequest batch;
    try {
      batch = BatchRequest.parse(body);
    } catch (BadBatchException e) {
      answer(request, ProblemDetails.badRequest("batch_invalid", e.mistakes()));
      return;
    }
    Optional<String> key = Optional.ofNullable(request.getHeader("Idempotency-Key"));
    if (key.filter(text -> text.isEmpty() || text.length() > MAX_KEY).isPresent()) {
      answer(
          request,
          ProblemDetails.badRequest(
              "batch_invalid",
              List.of("Idempotency-Key: (expected: 1 to %d characters)".formatted(MAX_KEY))));
      return;
    }
    Step step = new Step(
        vertx,
        client,
        host,
        port.getAsInt(),
        answers,
        mark,
        policy,
        subject,
        request.headers(),
        key);
    BatchRun run = new BatchRun(batch, step, () -> request.response().closed());
    // Composed, so that what is thrown ends where what fails does.
    Future.succeededFuture()
        .compose(begun -> run.run())
        .onSuccess(end -> send(request.response(), end))
        .onFailure(error -> {
          LOG.error("a batch failed for no known reason", error);
          answer(request, ProblemDetails.of(500, "internal_error", "The node failed"));
        });
  }

  private static void send(HttpServerResponse response, BatchRun.End end) {
    if (response.closed()) {
      return; // it will be asked for again
    }
    int executed = end.executed();
    JsonObject json =
        new JsonObject().put("results", new JsonArray(end.results())).put("executed", executed);
    if (executed < end.results().size()) {
      json.put("firstUnexecuted", executed);
    }
    response.headers().addAll(end.headers());
    Future<Void> unused = response
        .setStatusCode(end.status())
        .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
        .putHeader("Weir-Executed", Integer.toString(executed))
        .end(json.toBuffer());
  }

  private void answer(HttpServerRequest request, ProblemDetails problem) {
    Future<Void> unused = EarlyAnswer.send(vertx, request, problem);
  }
}
