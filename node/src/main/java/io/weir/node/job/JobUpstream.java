package io.weir.node.job;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.weir.core.job.Job;
import io.weir.core.job.JobParameter;
import io.weir.core.job.JobRule;
import io.weir.core.policy.Upstream;
import io.weir.node.gateway.UpstreamClients;
import io.weir.node.job.JobExchange.Answer;
import java.net.URI;
import java.util.Optional;
import java.util.concurrent.Callable;

/**
 * The upstream's client for the jobs of one operation, with its own connections. Mutable; owned by the event loop of
 * the worker.
 */
final class JobUpstream {
  /** The most jobs of an operation that a node sends at a time. */
  static final int MAX_CONNECTIONS = 1024;

  /** Requests for results have their own connections, so that they delay no sending. */
  private static final int MAX_ASKING = 64;

  private static final int MAX_WAITING = 20_000;
  private static final int MAX_PLACE = 1024;

  /** Threads that encode and decode results, for all event loops of a node. */
  static final String ENCODERS = "weir-results";

  static final int MAX_ENCODERS = 2;

  private final HttpClient client;
  private final HttpClient asking;
  private final JobTokens tokens;
  private final Vertx vertx;
  private final ResultMemory results;
  private final WorkerExecutor encoders;

  JobUpstream(Vertx vertx, JobTokens tokens, ResultMemory results) {
    this.results = results;
    this.encoders = vertx.createSharedWorkerExecutor(ENCODERS, MAX_ENCODERS);
    this.vertx = vertx;
    this.tokens = tokens;
    this.client = UpstreamClients.of(vertx, MAX_CONNECTIONS, MAX_CONNECTIONS);
    this.asking = UpstreamClients.of(vertx, MAX_ASKING, MAX_WAITING);
  }

  void close() {
    Future<?> unused = Future.all(client.close(), asking.close(), encoders.close());
  }

  /** Runs a computation on another thread, as it would block the event loop for too long. */
  <T> Future<T> encoded(Callable<T> text) {
    return encoders.executeBlocking(text, false);
  }

  /** Sends a job. */
  Future<Answer> send(Upstream upstream, JobRule rule, Job job, JobRequest request) {
    return ask(upstream, rule, job, request.method(), request.target(), Optional.of(request));
  }

  /** Asks whether the upstream is ready for a job: posts its request to the readiness path. */
  Future<Answer> check(Upstream upstream, JobRule rule, Job job, JobRequest request) {
    String path = rule.readinessPath().orElse("/");
    return ask(upstream, rule, job, "POST", path, Optional.of(request));
  }

  /** Asks for the result of a job. */
  Future<Answer> result(Upstream upstream, JobRule rule, Job job, String place) {
    return ask(upstream, rule, job, "GET", place, Optional.empty());
  }

  private Future<Answer> ask(
      Upstream upstream,
      JobRule rule,
      Job job,
      String method,
      String target,
      Optional<JobRequest> request) {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap();
    request.ifPresent(known -> headers.addAll(known.headers()));
    headers
        .set("X-Weir-Subject", job.subject())
        .set("X-Weir-Tenant", job.tenant())
        .set("X-Weir-Job", job.operation() + "/" + job.id())
        .set("Idempotency-Key", job.id() + "-" + job.run())
        .set("Via", "1.1 weir")
        .set(HttpHeaders.HOST, upstream.uri().getAuthority());
    if (rule.takesCallbacks()) {
      tokens
          .of(job.operation(), job.id(), job.run())
          .ifPresent(token -> headers.set("X-Weir-Job-Token", token));
    }
    long maxBytes = rule.value(JobParameter.MAX_RESULT_BYTES);
    return (request.isPresent() ? client : asking)
        .request(options(upstream, method, target, headers))
        .compose(sending -> new JobExchange(
                vertx,
                sending,
                maxBytes,
                upstream.timeoutMillis(),
                rule.value(JobParameter.TIMEOUT),
                bytes ->
                    results.take(vertx.getOrCreateContext(), job.subject(), job.tenant(), bytes))
            .run(request.map(JobRequest::body)));
  }

  private static RequestOptions options(
      Upstream upstream, String method, String target, MultiMap headers) {
    boolean isTls = "https".equals(upstream.uri().getScheme());
    return new RequestOptions()
        .setMethod(HttpMethod.valueOf(method))
        .setURI(target)
        .setHost(upstream.uri().getHost())
        .setPort(portOf(upstream.uri()))
        .setSsl(isTls)
        .setConnectTimeout(upstream.connectTimeoutMillis())
        .setHeaders(headers);
  }

  private static int portOf(URI uri) {
    int usual = "https".equals(uri.getScheme()) ? 443 : 80;
    return uri.getPort() >= 0 ? uri.getPort() : usual;
  }

  private static String pathOf(String target) {
    int query = target.indexOf('?');
    return query < 0 ? target : target.substring(0, query);
  }

  /** The path of the result that a receipt names; empty if it is on another host. */
  static Optional<String> place(Upstream upstream, String target, String location) {
    try {
      boolean isWhole = location.startsWith("/") && !location.startsWith("//");
      URI base = isWhole ? upstream.uri() : upstream.uri().resolve(pathOf(target));
      URI place = base.resolve(location);
      boolean isThere = upstream.uri().getScheme().equals(place.getScheme())
          && upstream.uri().getHost().equalsIgnoreCase(place.getHost())
          && portOf(upstream.uri()) == portOf(place);
      String path =
          place.getRawPath() + (place.getRawQuery() == null ? "" : "?" + place.getRawQuery());
      return Optional.of(path)
          .filter(text -> isThere && text.startsWith("/") && text.length() <= MAX_PLACE);
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
