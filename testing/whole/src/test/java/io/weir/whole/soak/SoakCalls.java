package io.weir.whole.soak;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.JsonObject;
import io.weir.testkit.RedisTime;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Calls to the nodes in turn, and what is wrong with their answers. Safe for use by many threads. */
final class SoakCalls {
  static final String SERVICE = "service-token-of-the-tests";

  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final Set<Integer> EXPECTED = Set.of(200, 201, 202, 204, 409, 429);
  private static final String ENVOY =
      "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
  private static final int MOST_FAILURES = 20;

  /**
   * An answer.
   *
   * @param status of HTTP; 0 if there was none
   */
  record Answer(int status, String body, long sent, long got) {
    boolean isGood() {
      return status / 100 == 2;
    }

    JsonObject json() {
      return body.startsWith("{") ? new JsonObject(body) : new JsonObject();
    }
  }

  /** The ports of a node. */
  record Doors(String url, int envoy) {}

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final io.vertx.core.http.HttpClient envoy;
  private volatile List<Doors> nodes;
  private final SoakLedger ledger;
  private final AtomicInteger turn = new AtomicInteger();

  final AtomicLong sent = new AtomicLong();
  final AtomicLong unanswered = new AtomicLong();
  /** Why connections ended before the answer. */
  final Queue<String> lost = new ConcurrentLinkedQueue<>();

  final AtomicLong unavailable = new AtomicLong();
  final AtomicLong unforeseen = new AtomicLong();
  /** The unforeseen answers, by call and reason. */
  final Map<String, Integer> reasons = new ConcurrentSkipListMap<>();

  final Queue<String> failures = new ConcurrentLinkedQueue<>();

  SoakCalls(Vertx vertx, List<Doors> nodes, SoakLedger ledger) {
    this.nodes = nodes;
    this.ledger = ledger;
    this.envoy = vertx.createHttpClient(new HttpClientOptions()
        .setProtocolVersion(HttpVersion.HTTP_2)
        .setHttp2ClearTextUpgrade(false));
  }

  /** From now on, calls only these. */
  void use(List<Doors> some) {
    nodes = List.copyOf(some);
  }

  private Doors node() {
    List<Doors> all = nodes;
    return all.get(Math.floorMod(turn.getAndIncrement(), all.size()));
  }

  Answer service(String method, String path, JsonObject body) {
    return call(method, path, body.encode(), "Authorization", "Bearer " + SERVICE);
  }

  /** Calls one of the nodes; its answer is expected, or Redis is away. */
  Answer call(String method, String path, String body, String... headers) {
    HttpRequest request = HttpRequest.newBuilder(URI.create(node().url() + path))
        .timeout(TIMEOUT)
        .headers(headers)
        .method(method, BodyPublishers.ofString(body))
        .build();
    long begun = begin();
    try {
      HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
      Answer read = new Answer(answer.statusCode(), answer.body(), begun, RedisTime.nanos());
      if (answer.headers().firstValue("Weir-Degraded").isPresent()
          || read.json().getBoolean("degraded", false)) {
        ledger.slow(begun, read.got());
      }
      return judged(method + " " + path, read);
    } catch (IOException e) {
      return unanswered(begun, e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Asks as Envoy does; 200 if it may pass, 429 if not. */
  Answer envoy(String domain, String key, String value) {
    RequestOptions options = new RequestOptions()
        .setMethod(HttpMethod.POST)
        .setHost("127.0.0.1")
        .setPort(node().envoy())
        .setURI(ENVOY)
        .putHeader("content-type", "application/grpc")
        .putHeader("te", "trailers")
        .putHeader("authorization", "Bearer " + SERVICE);
    Buffer entry = text(1, key).appendBuffer(text(2, value));
    Buffer message = text(1, domain).appendBuffer(field(2, field(1, entry)));
    Buffer framed =
        Buffer.buffer().appendByte((byte) 0).appendInt(message.length()).appendBuffer(message);
    long begun = begin();
    try {
      Buffer body = envoy
          .request(options)
          .compose(request -> request.send(framed))
          .compose(response -> response.body())
          .toCompletionStage()
          .toCompletableFuture()
          .get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
      // After the five bytes of the frame, the first field is the decision: 1 passes, 2 does not.
      int decision = body.length() > 6 && body.getByte(5) == 8 ? body.getByte(6) : 0;
      int status = decision == 1 ? 200 : decision == 2 ? 429 : 503;
      return judged("Envoy", new Answer(status, "", begun, RedisTime.nanos()));
    } catch (ExecutionException | TimeoutException e) {
      return unanswered(begun, e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Buffer text(int number, String text) {
    return field(number, Buffer.buffer(text));
  }

  // A field of a message with fewer than 128 bytes.
  private static Buffer field(int number, Buffer content) {
    return Buffer.buffer()
        .appendByte((byte) (number << 3 | 2))
        .appendByte((byte) content.length())
        .appendBuffer(content);
  }

  private long begin() {
    sent.incrementAndGet();
    return RedisTime.nanos();
  }

  private Answer unanswered(long begun, Exception reason) {
    unanswered.incrementAndGet();
    // A request that waits for its whole time has met a slow machine, and no node that ended.
    if (!(reason instanceof TimeoutException || reason instanceof HttpTimeoutException)) {
      lost.add(reason.toString());
    }
    return new Answer(0, "", begun, RedisTime.nanos());
  }

  private Answer judged(String call, Answer answer) {
    if (answer.status() == 503 || answer.status() == 504) {
      // Redis was away, or it or the upstream was slow because the machine has much other work.
      unavailable.incrementAndGet();
      if (!ledger.wasAway(answer.sent(), answer.got())) {
        unforeseen.incrementAndGet();
        reasons.merge(reason(call, answer), 1, Integer::sum);
      }
      ledger.slow(answer.sent(), answer.got());
    } else if (!EXPECTED.contains(answer.status())) {
      fail("%s: %d %s".formatted(call, answer.status(), answer.body()));
    }
    return answer;
  }

  // Numbers of jobs and reservations are not told apart.
  private static String reason(String call, Answer answer) {
    String path = call.replaceFirst("/v1/reservations/[^/]+/", "/v1/reservations/");
    return path + " " + answer.json().getString("code", Integer.toString(answer.status()));
  }

  void fail(String problem) {
    if (failures.size() < MOST_FAILURES) {
      failures.add(problem);
    }
  }
}
