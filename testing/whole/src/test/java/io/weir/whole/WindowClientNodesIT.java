package io.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.client.retry.RetryListener;
import io.weir.client.retry.RetryOptions;
import io.weir.client.retry.Retryer;
import io.weir.client.window.OpenAnswer;
import io.weir.client.window.OpenAnswer.Blocked;
import io.weir.client.window.OpenAnswer.Full;
import io.weir.client.window.OpenAnswer.NotNext;
import io.weir.client.window.OpenAnswer.Opened;
import io.weir.client.window.RangeClaim;
import io.weir.client.window.WindowClient;
import io.weir.client.window.WindowException;
import io.weir.client.window.WindowRange;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import java.net.http.HttpClient;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The client of windows at a real node. */
@Timeout(60)
final class WindowClientNodesIT {
  @AutoClose
  private NodeFixture fixture;

  private WindowClient blocks;

  @BeforeEach
  void start() {
    fixture = NodeFixture.withOwnRedis("""
        operations:
          - { name: Ask, match: { path: /ask } }
        buckets:
          - { name: many, burstPeriod: 10, throttleGroups: [{ opsPerSec: 1000, operations: [Ask] }] }
        windows:
          blocks: { width: 2, attempts: 1, lease: 30s, results: true }
        subjects:
        """ + TestPolicies.subject("k1", ""), FailureMode.DENY);
    blocks = new WindowClient(
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build(),
        Retryer.of(RetryOptions.DEFAULT.with(o -> o.attempts(1)), RetryListener.NONE),
        List.of(fixture.uri("/")),
        NodeFixture.SERVICE,
        "blocks");
  }

  private static <T> T of(CompletableFuture<T> future) throws Exception {
    return future.get(20, TimeUnit.SECONDS);
  }

  @Test
  void aPlannerAndAWorkerBringRangesToTheirCommit() throws Exception {
    OpenAnswer first = of(blocks.open(1000, 1099));
    assertThat(first)
        .isInstanceOfSatisfying(Opened.class, it -> assertThat(it.isNew()).isTrue());
    assertThat(of(blocks.open(1000, 1099)))
        .isInstanceOfSatisfying(Opened.class, it -> assertThat(it.isNew()).isFalse());
    assertThat(of(blocks.open(1200, 1299)))
        .isInstanceOfSatisfying(
            NotNext.class, it -> assertThat(it.counts().next()).isEqualTo(1100));
    of(blocks.open(1100, 1199));
    assertThat(of(blocks.open(1200, 1299)))
        .isInstanceOfSatisfying(Full.class, it -> assertThat(it.retryAfter()).isPositive());

    RangeClaim one = of(blocks.claim());
    RangeClaim two = of(blocks.claim());
    CompletableFuture<RangeClaim> none = blocks.claim();
    assertThat(of(two.finish("second"))).isEqualTo("done");
    assertThat(of(one.finish("first"))).isEqualTo("done");
    assertThat(none).isNotDone();
    none.cancel(true);
    assertThat(of(blocks.results()))
        .containsExactly(
            new WindowRange(1000, 1099, "done", 1, "first"),
            new WindowRange(1100, 1199, "done", 1, "second"));
    assertThat(of(blocks.commit(1199)).watermark()).isEqualTo(1200);
  }

  @Test
  void aFailedRangeBlocksThePlannerUntilItIsSkipped() throws Exception {
    of(blocks.open(0, 9));
    of(blocks.open(10, 19));
    assertThat(of(of(blocks.claim()).fail("no answer"))).isEqualTo("failed");
    assertThat(of(blocks.open(20, 29)))
        .isInstanceOfSatisfying(Blocked.class, it -> assertThat(it.from()).isZero());
    assertThat(of(blocks.state()).failed())
        .containsExactly(new WindowRange(0, 9, "failed", 1, "no answer"));
    of(blocks.skip(0));
    assertThat(of(blocks.results())).extracting(WindowRange::state).containsExactly("skipped");
    RangeClaim next = of(blocks.claim());
    assertThat(of(next.release())).isEqualTo("todo");
    CompletableFuture<String> late = next.finish("");
    assertThatThrownBy(() -> of(late))
        .cause()
        .isInstanceOfSatisfying(
            WindowException.class, it -> assertThat(it.code()).isEqualTo("claim_lost"));
  }
}
