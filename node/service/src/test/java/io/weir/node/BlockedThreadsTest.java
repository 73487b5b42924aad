package io.weir.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.internal.threadchecker.BlockedThreadEvent;
import io.vertx.core.transport.Transport;
import io.weir.node.trace.Tracing;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The log lines about blocked threads. */
final class BlockedThreadsTest {
  private final List<String> lines = new ArrayList<>();
  private final AtomicLong clock = new AtomicLong(-77_000_000_123L);
  private final BlockedThreads blocked = new BlockedThreads(lines::add, clock::get);

  @Test
  void blockedThreadsAreOneLineAMinuteHoweverManyTheyAre() {
    for (int i = 0; i < 31; i++) {
      look(100 + i);
      clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
    }
    assertThat(lines).hasSize(1);
    clock.addAndGet(TimeUnit.SECONDS.toNanos(29));
    look(105);
    assertThat(lines).hasSize(2);
  }

  @Test
  void aLineNamesTheWorstOfAllThatWereNotLogged() {
    look(120);
    look(900);
    look(150);
    clock.addAndGet(TimeUnit.MINUTES.toNanos(1));
    look(130);
    assertThat(lines).hasSize(2);
    assertThat(lines.get(0)).contains("seen 1 times", "the longest 120 ms");
    assertThat(lines.get(1)).contains("seen 3 times", "the longest 900 ms");
  }

  @Test
  void aLineNamesThreadAndPlaceAndHasNoStack() {
    look(120);
    assertThat(lines.get(0))
        .startsWith("Thread blocked: ")
        .contains(Thread.currentThread().getName(), "called at io.weir.node.BlockedThreads.look")
        .doesNotContain("\n");
  }

  @Test
  void noFilesOfTheClassPathAreKeptInADirectory() {
    Vertx vertx = BlockedThreads.watched(1, Tracing.NONE, Transport.NIO);
    try {
      assertThat(vertx.fileSystem().existsBlocking("io/weir/node/openapi.json")).isFalse();
    } finally {
      vertx.close().await();
    }
  }

  private void look(long millis) {
    blocked.look(new BlockedThreadEvent(
        Thread.currentThread(),
        TimeUnit.MILLISECONDS.toNanos(millis),
        TimeUnit.MILLISECONDS.toNanos(100),
        TimeUnit.MILLISECONDS.toNanos(100)));
  }
}
