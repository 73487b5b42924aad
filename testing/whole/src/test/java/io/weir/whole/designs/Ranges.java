package io.weir.whole.designs;

import io.weir.client.retry.RetryListener;
import io.weir.client.retry.RetryOptions;
import io.weir.client.retry.Retryer;
import io.weir.client.window.OpenAnswer;
import io.weir.client.window.OpenAnswer.NotNext;
import io.weir.client.window.OpenAnswer.Opened;
import io.weir.client.window.RangeClaim;
import io.weir.client.window.WindowClient;
import io.weir.client.window.WindowCounts;
import io.weir.client.window.WindowRange;
import io.weir.testkit.RealTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/** A planner that opens ranges, one that commits them, and workers, which call a provider for each. */
final class Ranges {
  static final int SIZE = 5;

  private final WindowClient blocks;
  private final Callers callers;

  final AtomicLong mostOpen = new AtomicLong();
  /** By the first number of the range, its result. Written by one thread. */
  final Map<Long, String> committed = new TreeMap<>();

  Ranges(DesignNodes nodes, Callers callers) {
    this.callers = callers;
    this.blocks = new WindowClient(
        nodes.client,
        Retryer.of(RetryOptions.BACKGROUND, RetryListener.NONE),
        nodes.uris(),
        DesignNodes.SERVICE,
        "blocks");
  }

  /** Works until nobody wants more. A worker whose claim is lost goes on with another range. */
  void work(int worker, Phases phases) {
    while (!phases.isOver()) {
      CompletableFuture<RangeClaim> claiming = blocks.claim();
      try {
        RangeClaim claim = claiming.get(1, TimeUnit.SECONDS);
        callers.call(worker, "Rpc");
        claim.finish("of " + claim.from()).join();
      } catch (TimeoutException e) {
        claiming.cancel(true);
      } catch (Exception e) {
        goOn("worker", e);
      }
    }
  }

  void plan(Phases phases) {
    long next = 0;
    while (!phases.isOver()) {
      CompletableFuture<OpenAnswer> opening = blocks.open(next, next + SIZE - 1);
      try {
        OpenAnswer answer = opening.get(30, TimeUnit.SECONDS);
        seen(answer.counts());
        if (answer instanceof Opened) {
          next += SIZE;
        } else if (answer instanceof NotNext other) {
          next = other.counts().next();
        }
      } catch (TimeoutException e) {
        opening.cancel(true);
      } catch (Exception e) {
        goOn("planner", e);
      }
    }
  }

  void commit(Phases phases) {
    while (!phases.isOver()) {
      try {
        List<WindowRange> ended = blocks.results().join();
        for (WindowRange range : ended) {
          committed.put(range.from(), range.state() + " " + range.note());
        }
        if (!ended.isEmpty()) {
          seen(blocks.commit(ended.get(ended.size() - 1).to()).join());
        }
        RealTime.pass(Duration.ofMillis(20));
      } catch (CompletionException e) {
        goOn("committer", e);
      }
    }
  }

  private static void goOn(String who, Exception e) {
    System.out.println(who + ": " + (e.getCause() == null ? e : e.getCause()));
    RealTime.pass(Duration.ofMillis(100));
  }

  private void seen(WindowCounts counts) {
    mostOpen.accumulateAndGet(counts.open(), Math::max);
  }
}
