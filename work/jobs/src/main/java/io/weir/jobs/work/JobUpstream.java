package io.weir.jobs.work;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpHeaders;
import io.weir.core.policy.Destination;
import io.weir.core.policy.OperationRule;
import io.weir.jobs.rule.Job;
import io.weir.jobs.rule.JobParameter;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.work.JobExchange.Answer;
import io.weir.node.admission.Admission;
import io.weir.node.admission.Request;
import io.weir.node.hold.Execution;
import io.weir.node.upstream.AnswerFilter;
import io.weir.node.upstream.Connections;
import io.weir.node.upstream.OutgoingRequest;
import io.weir.node.upstream.OutgoingRequest.Caller;
import io.weir.node.upstream.OutgoingRequest.Target;
import io.weir.node.upstream.SendSlot;
import io.weir.node.upstream.SendSlots;
import io.weir.node.upstream.Sender;
import io.weir.node.upstream.WholeRequest;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;

/**
 * Sends the requests of jobs of one operation, over connections of its own. Mutable; owned by the event loop of the
 * worker.
 */
public final class JobUpstream {
  /** The most jobs of an operation that a node sends at a time. */
  static final int MAX_CONNECTIONS = 1024;

  /** Requests for results have their own connections, so that they delay no sending. */
  private static final int MAX_ASKING = 64;

  private static final int MAX_WAITING = 20_000;
  private static final int UNAVAILABLE = 503;
  private static final int NOT_YET = 425;
  private static final int MAX_INSPECTED = 4 << 10;

  /** Threads that encode and decode results, for all event loops of a node. */
  public static final String ENCODERS = "weir-results";

  public static final int MAX_ENCODERS = 2;

  private final Connections connections;
  private final Connections connectionsToAsk;
  private final Sender sending;
  private final Sender asking;
  private final JobTokens tokens;
  private final Vertx vertx;
  private final ResultMemory results;
  private final WorkerExecutor encoders;

  JobUpstream(Vertx vertx, SendSlots turns, JobTokens tokens, ResultMemory results) {
    this.results = results;
    this.encoders = vertx.createSharedWorkerExecutor(ENCODERS, MAX_ENCODERS);
    this.vertx = vertx;
    this.tokens = tokens;
    this.connections = Connections.own(vertx, MAX_CONNECTIONS, MAX_CONNECTIONS);
    this.connectionsToAsk = Connections.own(vertx, MAX_ASKING, MAX_WAITING);
    this.sending = new Sender(vertx, connections, turns);
    this.asking = new Sender(vertx, connectionsToAsk, turns);
  }

  void close() {
    Future<?> unused = Future.all(connections.close(), connectionsToAsk.close(), encoders.close());
  }

  /** Runs a computation on another thread, as it would block the event loop for too long. */
  <T> Future<T> encoded(Callable<T> text) {
    return encoders.executeBlocking(text, false);
  }

  /**
   * A job as it is sent.
   *
   * @param rule of its operation
   */
  record JobToSend(Job job, OperationRule rule, Destination to) {
    JobRule jobs() {
      return JobRule.of(rule).orElse(JobRule.DEFAULT);
    }
  }

  /**
   * Sends a job. An answer with a receipt has the place of its result, if it is at the server that answered.
   *
   * @param ended gets to know how far it came
   */
  Future<Answer> send(JobToSend job, JobRequest request, Consumer<Execution> ended) {
    String group = group(job, request);
    OutgoingRequest outgoing = outgoing(job, request.request(), group, "");
    WholeRequest<Answer> whole =
        whole(job, outgoing, Optional.of(request.body()), Answer::status, (answer, turn) -> {
          Optional<String> path = Optional.ofNullable(answer.headers().get(HttpHeaders.LOCATION))
              .flatMap(location -> ResultAddress.path(turn.server(), request.target(), location));
          return answer.at(path.map(known -> new ResultAddress(turn.place(), group, known)));
        });
    return sending.whole(whole, ended);
  }

  /** Asks whether the upstream is ready for a job: posts its request to the readiness path. */
  Future<Answer> check(JobToSend job, JobRequest request) {
    String path = job.jobs().protocol().readinessPath().orElse("/");
    Request check = new Request("POST", path, request.headers());
    OutgoingRequest outgoing = outgoing(job, check, group(job, request), "");
    return sending.whole(whole(
        job,
        outgoing,
        Optional.of(request.body()),
        JobUpstream::statusOfCheck,
        (answer, turn) -> answer));
  }

  // A server that is not ready for a job has not failed.
  private static int statusOfCheck(Answer answer) {
    return answer.status() == UNAVAILABLE && !answer.headers().contains(HttpHeaders.RETRY_AFTER)
        ? NOT_YET
        : answer.status();
  }

  /** Asks for the result of a job. */
  Future<Answer> result(JobToSend job, ResultAddress place) {
    Request get = new Request("GET", place.path(), MultiMap.caseInsensitiveMultiMap());
    OutgoingRequest outgoing = outgoing(job, get, place.group(), place.server());
    return asking.whole(
        whole(job, outgoing, Optional.empty(), Answer::status, (answer, turn) -> answer));
  }

  private static String group(JobToSend job, JobRequest request) {
    return Admission.group(job.rule(), request.request(), Optional.of(request.body()));
  }

  private OutgoingRequest outgoing(JobToSend to, Request request, String group, String place) {
    Job job = to.job();
    Optional<String> token = to.jobs().protocol().takesCallbacks()
        ? tokens.of(job.name().operation(), job.name().id(), job.progress().run())
        : Optional.empty();
    JobHeaders headers = new JobHeaders(job, request.headers(), token);
    return new OutgoingRequest(
        new Target(to.to(), group, place),
        new Request(request.method(), request.target(), headers.common()),
        new Caller(job.name().subject(), job.name().tenant()),
        Optional.of(to.rule()),
        headers);
  }

  // Jobs are sent again by the worker, too: a request that a server may have acted upon is repeated
  // here only if its operation or its upstream says that this is safe.
  private WholeRequest<Answer> whole(
      JobToSend job,
      OutgoingRequest request,
      Optional<Buffer> body,
      ToIntFunction<Answer> status,
      BiFunction<Answer, SendSlot, Answer> completed) {
    long longest = job.jobs().value(JobParameter.TIMEOUT);
    return new WholeRequest<>(
        request,
        body,
        false,
        System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(longest),
        () -> false,
        (outgoing, turn, filter) -> exchange(outgoing, turn, job)
            .run(body)
            .map(answer -> completed.apply(answer, turn))
            .compose(answer -> passed(answer, status.applyAsInt(answer), filter)));
  }

  private JobExchange exchange(HttpClientRequest outgoing, SendSlot turn, JobToSend job) {
    return new JobExchange(
        vertx,
        outgoing,
        job.jobs().value(JobParameter.MAX_RESULT_BYTES),
        turn.server().timeoutMillis(),
        job.jobs().value(JobParameter.TIMEOUT),
        bytes -> results.take(
            vertx.getOrCreateContext(),
            job.job().name().subject(),
            job.job().name().tenant(),
            bytes));
  }

  private static Future<Answer> passed(Answer answer, int status, AnswerFilter filter) {
    Optional<Buffer> body = Optional.of(answer.body())
        .filter(whole -> answer.isWhole() && whole.length() <= MAX_INSPECTED);
    return filter
        .passed(answer, status, answer.headers(), body)
        .onFailure(withheld -> answer.free());
  }
}
