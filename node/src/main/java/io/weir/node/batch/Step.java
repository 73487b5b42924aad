package io.weir.node.batch;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonObject;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.Tickets;
import io.weir.node.auth.ApiKey;
import io.weir.node.batch.BatchRequest.Item;
import io.weir.node.batch.References.UnresolvedException;
import io.weir.node.gateway.BatchMark;
import io.weir.policy.Policy;
import io.weir.policy.Subject;
import io.weir.policy.Upstream;
import io.weir.state.redis.RedisAnswers;
import io.weir.state.redis.RedisAnswers.Claim;
import io.weir.throttle.StoreUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * Executes an item: claims it where it has a key, sends it through this node's gateway, and keeps its answer.
 *
 * <p>What is not known to have been executed, and not known not to have been, is tried again only where that is harmless:
 * where the method is idempotent (RFC 9110, section 9.2.2) or the upstream honours the key.
 */
final class Step {
  private static final Set<String> IDEMPOTENT =
      Set.of("GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE");
  private static final Set<Integer> PASSING = Set.of(408, 429, 500, 502, 503, 504);
  private static final List<String> WAIT_HEADERS = List.of(
      "Retry-After", "Retry-After-Ms", Tickets.RETRY_TICKET, "RateLimit", "RateLimit-Policy");
  private static final long MAX_REFERRED_BYTES = 8 << 20;
  private static final long RELEASE_AGAIN_MILLIS = 1000;
  private static final Duration SLACK = Duration.ofSeconds(2);
  private static final long LOOK_AGAIN_MILLIS = 50;
  private static final int LOOKS = 40;

  private final Vertx vertx;
  private final HttpClient client;
  private final String host;
  private final int port;
  private final RedisAnswers answers;
  private final BatchMark mark;
  private final Policy policy;
  private final Subject subject;
  private final MultiMap asked;
  private final Optional<String> batchKey;

  Step(
      Vertx vertx,
      HttpClient client,
      String host,
      int port,
      RedisAnswers answers,
      BatchMark mark,
      Policy policy,
      Subject subject,
      MultiMap asked,
      Optional<String> batchKey) {
    this.vertx = vertx;
    this.client = client;
    this.host = host;
    this.port = port;
    this.answers = answers;
    this.mark = mark;
    this.policy = policy;
    this.subject = subject;
    this.asked = asked;
    this.batchKey = batchKey;
  }

  /**
   * What became of an item.
   *
   * @param status of the whole batch, where it ends with this item
   * @param headers of the whole batch, likewise
   * @param isAdmitted whether limits were asked and had room for it
   */
  record Done(JsonObject result, int status, MultiMap headers, boolean isAdmitted) {
    static Done of(JsonObject result) {
      return new Done(result, 200, MultiMap.caseInsensitiveMultiMap(), false);
    }
  }

  /** A request as it is sent: nothing in it refers to anything. */
  private record Resolved(
      Item item,
      String path,
      Buffer body,
      Optional<String> key,
      boolean isRepeatable,
      boolean isCounted) {
    String fingerprint() {
      return item.method() + ' ' + path + ' ' + item.headers() + ' ' + body;
    }
  }

  /**
   * Executes an item.
   *
   * @param results of all before it
   * @param isFirst whether it is the first of this request: it shows the ticket
   * @param continues whether one before it was admitted
   */
  Future<Done> execute(
      int index, Item item, List<JsonObject> results, boolean isFirst, boolean continues) {
    Resolved resolved;
    try {
      resolved = resolved(index, item, new References(results, maxBytes()), continues);
    } catch (UnresolvedException e) {
      return Future.succeededFuture(
          Done.of(BatchResult.of("failed", String.valueOf(e.getMessage()))));
    }
    if (resolved.key().isEmpty()) {
      return send(resolved, isFirst).map(sent -> sent.done);
    }
    RedisAnswers.Item named = new RedisAnswers.Item(
        subject.tenant(), subject.id(), resolved.key().get(), resolved.fingerprint());
    String token = Tickets.newId();
    return claim(named, token, resolved, LOOKS)
        .compose(claim -> claimed(claim, resolved, named, token, isFirst))
        .recover(error -> {
          if (!(error instanceof StoreUnavailableException)) {
            return Future.failedFuture(error);
          }
          released(named, token); // it may be claimed all the same
          return Future.succeededFuture(unavailable("store_unavailable", Duration.ofSeconds(1)));
        });
  }

  /** Whether everybody can know that an item was executed. */
  Future<Boolean> isKept(int index, Item item) {
    Optional<String> key = key(index, item);
    return key.isEmpty()
        ? Future.succeededFuture(false)
        : stage(answers.isKept(subject.tenant(), subject.id(), key.get()))
            .recover(error -> Future.succeededFuture(false));
  }

  private Optional<String> key(int index, Item item) {
    return item.idempotencyKey().or(() -> batchKey.map(of -> of + "-" + index));
  }

  private long maxBytes() {
    return Math.min(
        MAX_REFERRED_BYTES,
        policy.upstream().map(Upstream::maxBodyBytes).orElse(MAX_REFERRED_BYTES));
  }

  private Resolved resolved(int index, Item item, References references, boolean continues)
      throws UnresolvedException {
    Object json = references.resolved(item.body());
    Optional<String> key = key(index, item);
    boolean honoursKeys =
        policy.upstream().map(Upstream::honoursIdempotencyKeys).orElse(false);
    return new Resolved(
        item,
        references.path(item),
        json == null ? Buffer.buffer() : Json.encodeToBuffer(json),
        key,
        IDEMPOTENT.contains(item.method()) || (key.isPresent() && honoursKeys),
        item.isCounted() && continues);
  }

  // Another one that executes it is waited for a while: most are soon done.
  private Future<Claim> claim(RedisAnswers.Item named, String token, Resolved resolved, int looks) {
    return stage(answers.claim(named, token, lease().plus(SLACK), resolved.isRepeatable()))
        .compose(claim -> claim instanceof Claim.Busy && looks > 0
            ? vertx
                .timer(LOOK_AGAIN_MILLIS, TimeUnit.MILLISECONDS)
                .compose(due -> claim(named, token, resolved, looks - 1))
            : Future.succeededFuture(claim));
  }

  private Future<Done> claimed(
      Claim claim, Resolved resolved, RedisAnswers.Item named, String token, boolean isFirst) {
    if (claim instanceof Claim.Done done) {
      Done told = Done.of(new JsonObject(done.answer()));
      return Future.succeededFuture(new Done(told.result(), 200, told.headers(), true));
    }
    if (claim instanceof Claim.Busy busy) {
      // Whoever takes that long may be dead: half of the time that is left, so that few attempts
      // reach its end.
      return Future.succeededFuture(unavailable("item_under_way", busy.atMost().dividedBy(2)));
    }
    if (claim instanceof Claim.Unknown) {
      return Future.succeededFuture(Done.of(BatchResult.of("unknown")));
    }
    if (claim instanceof Claim.Other) {
      return Future.succeededFuture(
          Done.of(BatchResult.of("failed", "the idempotency key was used for something else")));
    }
    return send(resolved, isFirst).compose(sent -> settled(sent, named, token));
  }

  // Whether it is kept or not, the caller hears what came of it.
  private Future<Done> settled(Sent sent, RedisAnswers.Item named, String token) {
    Future<Void> settled = switch (sent.claim) {
      case KEEP -> stage(answers.keep(named, token, sent.done.result().encode()));
      case RELEASE -> released(named, token);
      case LEAVE -> Future.succeededFuture();
    };
    return settled.transform(end -> Future.succeededFuture(sent.done));
  }

  private Future<Void> released(RedisAnswers.Item named, String token) {
    return stage(answers.release(named, token))
        .onFailure(error ->
            vertx.setTimer(RELEASE_AGAIN_MILLIS, due -> stage(answers.release(named, token))));
  }

  /** What an item's claim is for, once it was sent. */
  private enum OfTheClaim {
    KEEP,
    RELEASE,
    /** Nobody knows what became of it: the next one shall hear so. */
    LEAVE
  }

  private record Sent(Done done, OfTheClaim claim) {}

  private Future<Sent> send(Resolved resolved, boolean isFirst) {
    RequestOptions options = new RequestOptions()
        .setMethod(HttpMethod.valueOf(resolved.item().method()))
        .setHost(host)
        .setPort(port)
        .setURI(resolved.path())
        .setHeaders(headers(resolved, isFirst));
    long begun = System.nanoTime();
    return client.request(options).transform(connected -> {
      Duration left = lease().minusNanos(System.nanoTime() - begun);
      if (connected.failed() || left.isNegative()) {
        if (connected.succeeded()) {
          connected.result().reset();
        }
        Done unsent = unavailable("node_overloaded", Duration.ofSeconds(1));
        return Future.succeededFuture(new Sent(unsent, OfTheClaim.RELEASE));
      }
      return answered(connected.result(), resolved, left)
          .recover(error -> Future.succeededFuture(lost(resolved, 502)));
    });
  }

  private Future<Sent> answered(HttpClientRequest request, Resolved resolved, Duration left) {
    long timer = vertx.setTimer(Math.max(1, left.toMillis()), late -> request.reset());
    return request
        .send(resolved.body())
        .compose(ItemAnswer::of)
        .map(answer -> sent(resolved, answer))
        .onComplete(end -> vertx.cancelTimer(timer));
  }

  private static Sent sent(Resolved resolved, ItemAnswer answer) {
    int status = answer.status();
    MultiMap headers = answer.headers();
    boolean isWeirs = Optional.ofNullable(headers.get("Proxy-Status"))
        .filter(text -> text.startsWith("weir;"))
        .isPresent();
    if (status == 429) {
      return new Sent(
          new Done(told("denied", answer), 429, waits(headers), false), OfTheClaim.RELEASE);
    }
    if (isWeirs && (status == 503 || wasNotSent(answer))) {
      String reason = status == 503 ? "store_unavailable" : "upstream_unreachable";
      return new Sent(unavailable(reason, Duration.ofSeconds(1)), OfTheClaim.RELEASE);
    }
    if (isWeirs) {
      return lost(resolved, status);
    }
    if (status < 400) {
      Done done = new Done(
          told("executed", answer),
          200,
          MultiMap.caseInsensitiveMultiMap(),
          headers.contains("RateLimit"));
      return new Sent(done, OfTheClaim.KEEP);
    }
    JsonObject failed = told("failed", answer);
    if (PASSING.contains(status) && resolved.isRepeatable()) {
      return new Sent(new Done(failed, status, waits(headers), false), OfTheClaim.RELEASE);
    }
    return new Sent(Done.of(failed), status < 500 ? OfTheClaim.RELEASE : OfTheClaim.LEAVE);
  }

  private static JsonObject told(String outcome, ItemAnswer answer) {
    return BatchResult.of(
        outcome, answer.status(), answer.headers(), answer.body(), answer.bodyBytes());
  }

  // The gateway says so of what could not be sent to the upstream.
  private static boolean wasNotSent(ItemAnswer answer) {
    return told("failed", answer).getValue("body") instanceof JsonObject problem
        && Boolean.FALSE.equals(problem.getValue("sent"));
  }

  // The upstream may have acted on it or not.
  private static Sent lost(Resolved resolved, int status) {
    return resolved.isRepeatable()
        ? new Sent(
            new Done(
                BatchResult.of("failed", "the upstream did not answer").put("status", status),
                status,
                MultiMap.caseInsensitiveMultiMap(),
                false),
            OfTheClaim.RELEASE)
        : new Sent(Done.of(BatchResult.of("unknown")), OfTheClaim.LEAVE);
  }

  private MultiMap headers(Resolved resolved, boolean isFirst) {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap();
    resolved.item().headers().forEach(headers::set);
    for (String name : List.of(ApiKey.HEADER, HttpHeaders.AUTHORIZATION.toString(), "Prefer")) {
      asked.getAll(name).forEach(value -> headers.add(name, value));
    }
    if (isFirst && asked.contains(Tickets.RETRY_TICKET)) {
      headers.set(Tickets.RETRY_TICKET, asked.get(Tickets.RETRY_TICKET));
    }
    resolved.key().ifPresent(key -> headers.set("Idempotency-Key", key));
    if (resolved.body().length() > 0 && !headers.contains(HttpHeaders.CONTENT_TYPE)) {
      headers.set(HttpHeaders.CONTENT_TYPE, "application/json");
    }
    mark.mark(headers, resolved.isCounted());
    return headers;
  }

  // How long an item may take; its claim lasts a little longer.
  private Duration lease() {
    return policy
        .upstream()
        .map(upstream ->
            Duration.ofMillis((long) upstream.connectTimeoutMillis() + upstream.timeoutMillis()))
        .orElse(Duration.ZERO)
        .plus(SLACK);
  }

  private static MultiMap waits(MultiMap headers) {
    MultiMap waits = MultiMap.caseInsensitiveMultiMap();
    for (String name : WAIT_HEADERS) {
      headers.getAll(name).forEach(value -> waits.add(name, value));
    }
    return waits;
  }

  static Done unavailable(String reason, Duration wait) {
    long millis = Math.max(1, wait.toMillis());
    return new Done(
        BatchResult.of("failed", reason),
        503,
        MultiMap.caseInsensitiveMultiMap()
            .add("Proxy-Status", ProblemDetails.proxyStatus(503, reason))
            .add("Retry-After", Long.toString(TimeUnit.MILLISECONDS.toSeconds(millis + 999)))
            .add("Retry-After-Ms", Long.toString(millis)),
        false);
  }

  private <T> Future<T> stage(CompletionStage<T> stage) {
    return Future.fromCompletionStage(stage, vertx.getOrCreateContext());
  }
}
