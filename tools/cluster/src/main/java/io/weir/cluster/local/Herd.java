package io.weir.cluster.local;

import io.vertx.core.Vertx;
import io.weir.cluster.local.ClusterFile.DemoKey;
import io.weir.cluster.local.KeyClient.Answer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Many callers of one key that all come at the same moment; each tries the nodes in turn until it is admitted. Mutable;
 * owned by the code that made it.
 */
public final class Herd implements AutoCloseable {
  private static final int CONNECTIONS_A_NODE = 64;
  private static final int WARM_UP = 6000;
  private static final int WARM_UP_AT_ONCE = 192;

  private final Vertx vertx = Vertx.vertx();
  private final List<String> nodes;

  public Herd(List<String> nodes) {
    this.nodes = nodes;
  }

  /**
   * The result of one caller.
   *
   * @param sentNanos the times of its requests since the herd came
   * @param admittedNanos the time of the admission; -1 if it was not admitted in time
   */
  public record Caller(List<Long> sentNanos, long admittedNanos) {
    public Caller {
      sentNanos = List.copyOf(sentNanos);
    }

    /** The number of its requests. */
    public int attempts() {
      return sentNanos.size();
    }
  }

  /** The answers of the nodes, so that a run can be watched. */
  public enum Event {
    ADMITTED,
    REJECTED,
    /** No answer, or one without a decision. */
    UNDECIDED
  }

  /**
   * Sends requests until the nodes and this process have compiled their code. Takes capacity of this key.
   *
   * @throws IOException if the nodes are too slow
   */
  public void warmUp(DemoKey key) throws InterruptedException, IOException {
    KeyClient client = new KeyClient(vertx, nodes, key, CONNECTIONS_A_NODE);
    AtomicInteger left = new AtomicInteger(WARM_UP);
    CompletableFuture<Void> done = new CompletableFuture<>();
    for (int i = 0; i < WARM_UP_AT_ONCE; i++) {
      warmUp(client, left, done);
    }
    try {
      await(done, Duration.ofMinutes(1));
    } catch (TimeoutException e) {
      throw new IOException(
          "the nodes did not answer %d requests in a minute".formatted(WARM_UP), e);
    }
  }

  /**
   * Empties the bucket, starts the callers, and waits until all are admitted or the time is over.
   *
   * @param watcher receives each answer, on one thread
   */
  public List<Caller> run(
      DemoKey key, int callers, Patience patience, Duration longest, Consumer<Event> watcher)
      throws InterruptedException {
    Run run =
        new Run(new KeyClient(vertx, nodes, key, CONNECTIONS_A_NODE), callers, patience, watcher);
    vertx.setTimer(key.burstMs() + 100, empty -> run.start());
    try {
      await(run.done, longest);
    } catch (TimeoutException e) {
      run.stopped = true;
    }
    return run.outcome();
  }

  @Override
  public void close() {
    vertx
        .close()
        .toCompletionStage()
        .toCompletableFuture()
        .orTimeout(30, TimeUnit.SECONDS)
        .join();
  }

  private void warmUp(KeyClient client, AtomicInteger left, CompletableFuture<Void> done) {
    int turn = left.getAndDecrement();
    if (turn <= 0) {
      done.complete(null);
      return;
    }
    client.ask(turn, false, Optional.empty()).onComplete(answer -> warmUp(client, left, done));
  }

  private static void await(CompletableFuture<Void> done, Duration longest)
      throws InterruptedException, TimeoutException {
    try {
      done.get(longest.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  /** One herd. All except the outcome and the stop happens on one event loop. */
  private final class Run {
    private final KeyClient client;
    private final Patience patience;
    private final Consumer<Event> watcher;
    private final List<Queue<Long>> sentNanos;
    private final AtomicLongArray admittedNanos;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private int left;
    private long began;
    private volatile boolean stopped;

    Run(KeyClient client, int callers, Patience patience, Consumer<Event> watcher) {
      this.client = client;
      this.patience = patience;
      this.watcher = watcher;
      this.sentNanos = Stream.<Queue<Long>>generate(ConcurrentLinkedQueue::new)
          .limit(callers)
          .toList();
      this.admittedNanos = new AtomicLongArray(callers);
      this.left = callers;
      for (int i = 0; i < callers; i++) {
        admittedNanos.set(i, -1);
      }
    }

    void start() {
      began = System.nanoTime();
      for (int i = 0; i < sentNanos.size(); i++) {
        ask(i, Optional.empty());
      }
    }

    List<Caller> outcome() {
      List<Caller> callers = new ArrayList<>();
      for (int i = 0; i < sentNanos.size(); i++) {
        callers.add(new Caller(List.copyOf(sentNanos.get(i)), admittedNanos.get(i)));
      }
      return List.copyOf(callers);
    }

    private void ask(int caller, Optional<String> ticket) {
      if (stopped) {
        return;
      }
      sentNanos.get(caller).add(System.nanoTime() - began);
      client
          .ask(caller + attempts(caller), patience.usesTickets(), ticket)
          .onSuccess(answer -> heard(caller, answer, ticket));
    }

    private void heard(int caller, Answer answer, Optional<String> shown) {
      if (answer.isAdmitted()) {
        watcher.accept(Event.ADMITTED);
        admittedNanos.set(caller, System.nanoTime() - began);
        if (--left == 0) {
          done.complete(null);
        }
        return;
      }
      watcher.accept(answer.isRejected() ? Event.REJECTED : Event.UNDECIDED);
      long wait =
          patience.waitMillis(answer, attempts(caller), ThreadLocalRandom.current()::nextDouble);
      Optional<String> ticket = answer.isRejected() ? answer.ticket() : shown;
      vertx.setTimer(wait, timer -> ask(caller, ticket));
    }

    private int attempts(int caller) {
      return sentNanos.get(caller).size();
    }
  }
}
