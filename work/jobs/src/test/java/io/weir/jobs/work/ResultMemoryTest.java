package io.weir.jobs.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.weir.jobs.work.ResultMemory.Memory;
import io.weir.jobs.work.ResultMemory.Wait;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Memory for results: the order in which keys get it. */
final class ResultMemoryTest {
  private static final long MIB = 1 << 20;

  private final Vertx vertx = Vertx.vertx();
  private final Context context = vertx.getOrCreateContext();
  // Of 512 MiB: 128 for the node, 64 for a tenant, 32 for a key; a result of 1 MiB takes 8.
  private final ResultMemory memory = ResultMemory.ofHeap(512 * MIB);

  @AfterEach
  void stop() throws Exception {
    vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
  }

  private Wait take(String key, String tenant) {
    return memory.take(context, key, tenant, MIB);
  }

  private static Memory room(Wait wait) throws Exception {
    CompletionStage<Memory> stage = wait.room().toCompletionStage();
    return stage.toCompletableFuture().get(10, TimeUnit.SECONDS);
  }

  @Test
  void aKeyHasAQuarterATenantHalfAndOthersGoOn() {
    for (String key : new String[] {"k1", "k2"}) {
      for (int i = 0; i < 4; i++) {
        assertThat(take(key, "acme").room().isComplete()).isTrue();
      }
      assertThat(take(key, "acme").room().isComplete()).isFalse();
    }
    assertThat(take("k3", "acme").room().isComplete()).isFalse();
    assertThat(take("k4", "other").room().isComplete()).isTrue();
    assertThat(memory.isShort()).isTrue();
  }

  @Test
  void freedRoomGoesToWaitingCallersInTheOrderOfTheirKey() throws Exception {
    Memory first = room(take("k1", "acme"));
    for (int i = 0; i < 3; i++) {
      take("k1", "acme");
    }
    Wait next = take("k1", "acme");
    Wait last = take("k1", "acme");
    first.free();
    first.free(); // a second time frees nothing more
    room(next);
    assertThat(last.room().isComplete()).isFalse();
  }

  @Test
  void keysTakeTurnsHoweverManyResultsOfOneWait() throws Exception {
    Memory first = room(memory.take(context, "k1", "acme", 1000 * MIB));
    room(memory.take(context, "k2", "acme", 1000 * MIB));
    List<Wait> flood = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      flood.add(memory.take(context, "k1", "acme", 1000 * MIB));
    }
    Wait one = memory.take(context, "k3", "acme", 1000 * MIB);
    first.free();
    room(flood.get(0)).free();
    room(one);
    assertThat(flood.get(1).room().isComplete()).isFalse();
  }

  @Test
  void aResultThatIsLongerThanAKeysPartGetsAllOfIt() throws Exception {
    Wait long1 = memory.take(context, "k1", "acme", 1000 * MIB);
    assertThat(long1.room().isComplete()).isTrue();
    assertThat(take("k1", "acme").room().isComplete()).isFalse();
    room(long1).free();
    assertThat(memory.taken()).isEqualTo(8 * MIB);
  }

  @Test
  void aCallerThatGivesUpTakesNothing() throws Exception {
    Memory all = room(memory.take(context, "k1", "acme", 1000 * MIB));
    Wait refused = take("k1", "acme");
    Wait gone = take("k1", "acme");
    refused.giveUp(ProblemDetails.unavailable());
    gone.leave();
    assertThat(refused.room().cause()).isInstanceOf(RefusedException.class);
    all.free();
    assertThat(memory.isShort()).isFalse();
    assertThat(memory.taken()).isZero();
    Wait granted = take("k1", "acme");
    granted.leave();
    assertThat(memory.taken()).isZero();
  }
}
