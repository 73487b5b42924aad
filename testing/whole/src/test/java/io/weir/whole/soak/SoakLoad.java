package io.weir.whole.soak;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.SecretHash;
import io.weir.testkit.RealTime;
import io.weir.testkit.RedisTime;
import io.weir.whole.soak.SoakCalls.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Callers of every capability, each of whom asks for more than its limit. Mutable; owned by one test. */
final class SoakLoad {
  static final int RANGE = 5;

  private static final long JOB_WITHIN = TimeUnit.MINUTES.toNanos(3);
  private static final String[] KEY = {"X-Api-Key", "k2.s2"};

  private final SoakCalls calls;
  private final SoakLedger ledger;
  private final List<Thread> callers = new ArrayList<>();
  private final AtomicLong numbers = new AtomicLong();
  private volatile boolean isOver;

  final AtomicLong jobs = new AtomicLong();
  /** Where the next range to be committed begins. Written by one thread. */
  volatile long committed;

  private boolean isCommitUnknown;
  private long opened;

  SoakLoad(SoakCalls calls, SoakLedger ledger) {
    this.calls = calls;
    this.ledger = ledger;
  }

  /** The policy: the limits that {@link SoakIT} judges. */
  static String policy(int upstream) {
    return """
        failureMode: deny
        upstream: { url: "http://127.0.0.1:%d" }
        operations:
          - { name: Hold, match: { path: /hold } }
          - { name: Item, match: { path: /item } }
          - { name: Report, match: { method: POST, path: /report }, mode: job, job: { keep: 1m, learned: true } }
        buckets:
          - { name: asks, burstPeriod: 2, throttleGroups: [{ opsPerSec: 10, operations: [Ask] }] }
          - { name: stream, scope: cluster, leased: true, burstPeriod: 2, throttleGroups: [{ opsPerSec: 40, operations: [Stream] }] }
          - { name: reserved, burstPeriod: 4, throttleGroups: [{ opsPerSec: 2, operations: [Reserve] }] }
          - { name: items, burstPeriod: 2, throttleGroups: [{ opsPerSec: 5, operations: [Item] }] }
          - { name: holds, burstPeriod: 1, throttleGroups: [{ opsPerSec: 100, operations: [Hold] }] }
          - { name: paid, burstPeriod: 1, throttleGroups: [{ opsPerSec: 100, operations: [Pay] }] }
          - { name: reports, burstPeriod: 2, throttleGroups: [{ opsPerSec: 2, operations: [Report] }] }
        quotas:
          - { name: minute, scope: key, limit: 60, period: 1m, operations: [Pay] }
        permits:
          - { name: holders, scope: key, limit: 3, operations: [Hold] }
        windows:
          blocks: { width: 10, lease: 5s, results: true }
        envoy:
          edge:
            rules: [{ match: [{ key: address }], requests: 5, per: second, name: address }]
        plans:
          default: {}
          local: { failureMode: local }
        subjects:
          k1: { tenant: acme, plan: local }
          k2: { tenant: acme, plan: default, secretHash: "%s" }
        """.formatted(upstream, SecretHash.of("s2").formatted());
  }

  void start() {
    call(2, 60, () -> check("k1", "Ask"));
    call(3, 50, () -> check("k2", "Stream"));
    call(1, 300, () -> check("k2", "Pay"));
    call(5, 20, () -> calls.call("GET", "/hold", "", KEY));
    call(2, 500, this::reserve);
    call(2, 500, this::job);
    call(1, 500, this::range);
    call(1, 300, this::batch);
    call(2, 120, this::envoy);
  }

  private void call(int count, int pauseMillis, Runnable task) {
    for (int i = 0; i < count; i++) {
      Thread caller = new Thread(() -> {
        while (!isOver) {
          try {
            task.run();
          } catch (RuntimeException e) {
            calls.fail(e.toString());
          }
          RealTime.pass(Duration.ofMillis(pauseMillis));
        }
      });
      caller.setDaemon(true);
      caller.start();
      callers.add(caller);
    }
  }

  /** Ends it: everything that was begun is finished. */
  void end() throws InterruptedException {
    isOver = true;
    for (Thread caller : callers) {
      caller.join();
    }
  }

  private void check(String subject, String operation) {
    Answer answer = calls.service(
        "POST", "/v1/check", new JsonObject().put("subject", subject).put("operation", operation));
    if ("allowed".equals(answer.json().getString("decision"))) {
      ledger.admitted(operation, answer.sent(), answer.got(), 1);
    }
  }

  private void envoy() {
    Answer answer = calls.envoy("edge", "address", "10.0.0.1");
    if (answer.isGood()) {
      ledger.admitted("Envoy", answer.sent(), answer.got(), 1);
    }
  }

  /** Reserves four and uses two; what has no answer to its end may have used nothing. */
  private void reserve() {
    JsonObject body = new JsonObject()
        .put("subject", "k2")
        .put("operation", "Reserve")
        .put("cost", 4)
        .put("leaseMs", 10_000);
    Answer reserved = calls.service("POST", "/v1/reservations", body);
    String id = reserved.json().getString("reservation");
    if (reserved.isGood() && id != null) {
      RealTime.pass(Duration.ofMillis(50));
      Answer settled = calls.service(
          "POST", "/v1/reservations/" + id + "/settle", new JsonObject().put("cost", 2));
      if ("settled".equals(settled.json().getString("status"))) {
        ledger.admitted("Reserve", reserved.sent(), reserved.got(), 2);
      }
    }
  }

  private void job() {
    String number = Long.toString(numbers.incrementAndGet());
    long end = RedisTime.nanos() + JOB_WITHIN;
    String[] headers = {KEY[0], KEY[1], "Idempotency-Key", "job-" + number};
    Answer answer = calls.call("POST", "/report", number, headers);
    boolean isAccepted = answer.isGood();
    while (answer.status() != 200 && (isAccepted || !isOver) && RedisTime.nanos() < end) {
      RealTime.pass(Duration.ofMillis(isAccepted ? 250 : 500));
      answer = calls.call("POST", "/report", number, headers);
      isAccepted = isAccepted || answer.isGood();
    }
    if (answer.status() == 200) {
      jobs.incrementAndGet();
      if (!answer.body().equals("of " + number)) {
        calls.fail("job " + number + ": " + answer.body());
      }
    } else if (isAccepted) {
      calls.fail("job %s has not ended: %d %s".formatted(number, answer.status(), answer.body()));
    }
  }

  private void batch() {
    JsonObject item = new JsonObject().put("method", "POST").put("path", "/item");
    JsonObject body =
        new JsonObject().put("items", new JsonArray().add(item).add(item).add(item));
    Answer answer = calls.call("POST", "/v1/batch", body.encode(), KEY);
    int executed = answer.json().getInteger("executed", 0);
    if (executed > 0) {
      ledger.admitted("Item", answer.sent(), answer.got(), executed);
    }
  }

  // A planner, a worker and a committer in one.
  private void range() {
    Answer plan =
        window("open", new JsonObject().put("from", opened).put("to", opened + RANGE - 1));
    if (plan.isGood()) {
      opened += RANGE;
    } else if (plan.body().contains("range_failed")) {
      // Its claims ended while nodes were away: the window stands until somebody decides.
      window("retry", new JsonObject().put("from", plan.json().getLong("from")));
    }
    Answer claimed = window("claim", new JsonObject());
    if (claimed.status() == 200) {
      JsonObject claim = claimed.json();
      window(
          "finish",
          new JsonObject()
              .put("from", claim.getLong("from"))
              .put("claim", claim.getString("claim"))
              .put("result", "of " + claim.getLong("from")));
    }
    Answer results = calls.service("GET", "/v1/windows/blocks/results", new JsonObject());
    if (results.status() == 200) {
      commit(results.json().getJsonArray("ranges"));
    }
  }

  private void commit(JsonArray ranges) {
    long next = committed;
    for (Object each : ranges) {
      JsonObject range = (JsonObject) each;
      long from = range.getLong("from");
      // A commit without an answer may have been made.
      if (from > next && isCommitUnknown) {
        next = from;
      }
      if (from != next || !("of " + from).equals(range.getString("result"))) {
        calls.fail("range " + next + " is not next: " + range);
      }
      next = range.getLong("to") + 1;
      isCommitUnknown = false;
    }
    if (next > committed) {
      Answer answer = window("commit", new JsonObject().put("through", next - 1));
      isCommitUnknown = !answer.isGood();
      committed = answer.isGood() ? next : committed;
    }
  }

  private Answer window(String verb, JsonObject body) {
    return calls.service("POST", "/v1/windows/blocks/" + verb, body);
  }
}
