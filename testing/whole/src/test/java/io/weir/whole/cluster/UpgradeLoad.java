package io.weir.whole.cluster;

import io.vertx.core.json.JsonObject;
import io.weir.cluster.local.NodeProcess;
import io.weir.testkit.RealTime;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Callers of one key that check at all nodes in turn, as behind a load balancer: a request whose node has died is sent to
 * the next one. Mutable; safe for use by many threads.
 */
final class UpgradeLoad implements AutoCloseable {
  private static final int CALLERS = 3;
  private static final Duration PAUSE = Duration.ofMillis(100);

  private final UpgradeCalls calls;
  private final String subject;
  private final String operation;
  private final List<Thread> callers = new ArrayList<>();
  private final AtomicInteger turn = new AtomicInteger();
  private final AtomicInteger sent = new AtomicInteger();
  private final AtomicInteger admitted = new AtomicInteger();
  private final AtomicInteger unanswered = new AtomicInteger();
  private final Queue<String> failures = new ConcurrentLinkedQueue<>();
  private volatile List<String> nodes = List.of();
  private volatile boolean isStopped;

  private UpgradeLoad(UpgradeCalls calls, String subject, String operation) {
    this.calls = calls;
    this.subject = subject;
    this.operation = operation;
  }

  static UpgradeLoad start(
      UpgradeCalls calls, String subject, String operation, NodeProcess... nodes) {
    UpgradeLoad load = new UpgradeLoad(calls, subject, operation);
    load.use(nodes);
    for (int i = 0; i < CALLERS; i++) {
      Thread caller = new Thread(load::call, "caller-" + i);
      caller.setDaemon(true);
      caller.start();
      load.callers.add(caller);
    }
    return load;
  }

  /** From now on, requests go to these nodes. */
  void use(NodeProcess... some) {
    nodes = List.of(some).stream().map(NodeProcess::url).toList();
  }

  private void call() {
    while (!isStopped) {
      check();
      RealTime.pass(PAUSE);
    }
  }

  private void check() {
    List<String> urls = nodes;
    int first = turn.getAndIncrement();
    for (int i = 0; i < urls.size(); i++) {
      try {
        count(
            calls.check(urls.get((first + i) % urls.size()), subject, operation, new JsonObject()));
        return;
      } catch (IOException e) {
        unanswered.incrementAndGet();
      }
    }
    failures.add("no node answers: " + urls);
  }

  private void count(HttpResponse<String> answer) {
    sent.incrementAndGet();
    if (answer.statusCode() != 200 || new JsonObject(answer.body()).containsKey("degraded")) {
      failures.add(answer.statusCode() + " " + answer.body());
    } else if (new JsonObject(answer.body()).getString("decision").equals("allowed")) {
      admitted.incrementAndGet();
    }
  }

  int sent() {
    return sent.get();
  }

  int admitted() {
    return admitted.get();
  }

  /** Requests to nodes that died: each may have been charged. */
  int unanswered() {
    return unanswered.get();
  }

  List<String> failures() {
    return List.copyOf(failures);
  }

  @Override
  public void close() {
    isStopped = true;
    try {
      for (Thread caller : callers) {
        caller.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
