package io.weir.whole.designs;

import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.weir.testkit.RealTime;
import io.weir.whole.designs.Design.Style;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

/** One design: two nodes, two providers, and callers, one of which has a key that is revoked. Owned by one test. */
final class DesignRun implements AutoCloseable {
  private static final int NODES = 2;
  private static final int CALLERS = 6;
  private static final int SUBMITTERS = 24;
  private static final Duration REVOKED_PACE = Duration.ofMillis(200);
  private static final long END_MINUTES = 4;

  final Design design;
  final JsonObject policy;
  final DesignProvider.Shared seen = new DesignProvider.Shared();
  final DesignProvider failing;
  final DesignNodes nodes;
  final Callers callers;
  final Jobs jobs;
  final Ranges ranges;
  /** What the caller with the revoked key was answered. */
  final Queue<Answer> ofRevoked = new ConcurrentLinkedQueue<>();
  /** The uses of the key that was refused, until then. */
  volatile int usesUntilRefused;

  private final DesignNodes.Key revoked;
  private final List<CompletableFuture<Void>> running = new ArrayList<>();

  DesignRun(Design design, Vertx vertx, String redisUri, Path folder) throws Exception {
    this.design = design;
    this.failing = new DesignProvider(vertx, "a", seen);
    DesignProvider other = new DesignProvider(vertx, "b", seen);
    this.policy = design.policy(failing.port(), other.port());
    this.nodes =
        DesignNodes.start(NODES, redisUri, policy, folder.resolve(design.name() + ".json"));
    this.callers = new Callers(design, nodes, nodes.makeKey());
    this.revoked = nodes.makeKey();
    this.jobs = new Jobs(nodes, callers);
    this.ranges = new Ranges(nodes, callers);
  }

  boolean hasProviders() {
    return policy.containsKey("upstreams");
  }

  /** Starts the callers. */
  void begin(ExecutorService threads, Phases phases) {
    List<String> operations = Design.called(policy);
    int count =
        design.style() == Style.JOBS ? SUBMITTERS : Math.max(CALLERS, operations.size() * 2);
    for (int i = 0; i < count; i++) {
      int caller = i;
      String operation = operations.get(i % operations.size());
      run(threads, () -> {
        switch (design.style()) {
          case CALLS -> callers.callAll(caller, operation, phases);
          case JOBS -> jobs.submitAll(caller, operation, phases);
          case RANGES -> ranges.work(caller, phases);
        }
      });
    }
    if (design.style() == Style.RANGES) {
      run(threads, () -> ranges.plan(phases));
      run(threads, () -> ranges.commit(phases));
    }
    run(threads, () -> callRevoked(operations.get(0), phases));
  }

  private void run(ExecutorService threads, Runnable task) {
    running.add(CompletableFuture.runAsync(task, threads));
  }

  private void callRevoked(String operation, Phases phases) {
    for (int i = 0; !phases.isOver(); i++) {
      long sent = System.nanoTime();
      int status = 0;
      try {
        status = nodes
            .post(i, "/" + operation, callers.body(-1 - i), "X-Api-Key", revoked.text())
            .statusCode();
      } catch (IOException e) {
        // It has no answer: status 0.
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      ofRevoked.add(new Answer(sent, System.nanoTime(), operation, status, 1, "", false));
      RealTime.pass(REVOKED_PACE);
    }
  }

  void revoke() throws Exception {
    nodes.deleteKey(revoked);
  }

  void refuseKey(boolean refuses) {
    failing.refuseKey(refuses);
    usesUntilRefused = seen.uses.getOrDefault("a/1", 0);
  }

  /** Waits until each caller has finished what it had begun. */
  void awaitEnd() throws Exception {
    CompletableFuture.allOf(running.toArray(CompletableFuture[]::new))
        .get(END_MINUTES, TimeUnit.MINUTES);
  }

  @Override
  public void close() {
    nodes.close();
  }
}
