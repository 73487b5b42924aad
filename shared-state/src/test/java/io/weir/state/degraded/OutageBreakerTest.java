package io.weir.state.degraded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class OutageBreakerTest {
  @AfterEach
  void close() {
    breaker.close();
  }

  private final AtomicInteger probes = new AtomicInteger();
  private final List<Boolean> changes = new CopyOnWriteArrayList<>();
  private volatile CompletableFuture<Void> probed = new CompletableFuture<>();
  private final OutageBreaker breaker = new OutageBreaker(
      () -> {
        probes.incrementAndGet();
        return probed;
      },
      changes::add,
      Duration.ofMillis(10));

  @Test
  void halfOfTheCallsUnansweredAreAnOutageAndFewerAreNot() {
    for (int i = 0; i < 30; i++) {
      breaker.ended(i % 3 != 2);
    }
    assertThat(breaker.isAway()).isFalse();
    for (int i = 0; i < 30; i++) {
      breaker.ended(false);
    }
    assertThat(breaker.isAway()).isTrue();
    assertThat(changes).containsExactly(true);
  }

  @Test
  void fewCallsAreNoOutage() {
    for (int i = 0; i < 2; i++) {
      breaker.ended(false);
    }
    assertThat(breaker.isAway()).isFalse();
  }

  // Redis is back, and the calls before the first answer are still in the window.
  @Test
  void anAnswerIsNoBeginningOfAnOutage() {
    breaker.ended(false);
    breaker.ended(false);
    breaker.ended(true);
    assertThat(breaker.isAway()).isFalse();
    breaker.ended(false);
    assertThat(breaker.isAway()).isTrue();
  }

  @Test
  void withoutAnyRequestAProbeFindsOutThatItIsBack() {
    probed = CompletableFuture.failedFuture(fault(StoreFault.UNREACHABLE));
    away();
    await().atMost(Duration.ofMinutes(1)).until(() -> probes.get() >= 3);
    assertThat(breaker.isAway()).isTrue();
    probed = CompletableFuture.completedFuture(null);
    await().atMost(Duration.ofMinutes(1)).until(() -> !breaker.isAway());
    assertThat(changes).containsExactly(true, false);
  }

  // The first probe may be due before the thread that noticed the outage goes on.
  @Test
  void noOutageLastsBecauseAThreadWasPaused() {
    List<OutageBreaker> breakers = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      OutageBreaker one = new OutageBreaker(
          () -> CompletableFuture.completedFuture(null), change -> {}, Duration.ofMillis(1));
      breakers.add(one);
      for (int j = 0; j < 10; j++) {
        one.ended(false);
      }
    }
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> breakers.stream().noneMatch(OutageBreaker::isAway));
  }

  @Test
  void oneProbeAtATimeHoweverLongItTakes() {
    away();
    await().atMost(Duration.ofMinutes(1)).until(() -> probes.get() == 1);
    await()
        .during(Duration.ofMillis(100))
        .atMost(Duration.ofMinutes(1))
        .until(() -> probes.get() == 1);
    probed.complete(null);
    await().atMost(Duration.ofMinutes(1)).until(() -> !breaker.isAway());
  }

  @Test
  void callsThatBeganBeforeTellNothing() {
    away();
    for (int i = 0; i < 100; i++) {
      breaker.ended(true);
    }
    assertThat(breaker.isAway()).isTrue();
  }

  @Test
  void onceClosedItProbesNoMore() {
    probed = CompletableFuture.failedFuture(fault(StoreFault.UNREACHABLE));
    away();
    await().atMost(Duration.ofMinutes(1)).until(() -> probes.get() >= 2);
    breaker.close();
    int after = probes.get();
    await()
        .during(Duration.ofMillis(200))
        .atMost(Duration.ofMinutes(1))
        .until(() -> probes.get() <= after + 1);
  }

  // Redis is reachable: refused calls fail, and no call is let through.
  @Test
  void aProbeThatIsRefusedEndsTheOutage() {
    probed = CompletableFuture.failedFuture(fault(StoreFault.REFUSED));
    away();
    await().atMost(Duration.ofMinutes(1)).until(() -> !breaker.isAway());
  }

  private void away() {
    for (int i = 0; i < 10; i++) {
      breaker.ended(false);
    }
    assertThat(breaker.isAway()).isTrue();
  }

  private static StoreUnavailableException fault(StoreFault fault) {
    return new StoreUnavailableException(fault, "of the test", null);
  }
}
