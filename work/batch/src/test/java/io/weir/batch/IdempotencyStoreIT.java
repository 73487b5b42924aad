package io.weir.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.batch.IdempotencyStore.Claim;
import io.weir.batch.IdempotencyStore.Item;
import io.weir.state.connection.RedisConnections;
import io.weir.state.testing.RedisFixture;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** An item is executed once, by the first to claim it. */
@ExtendWith(RedisFixture.class)
final class IdempotencyStoreIT {
  private static final Duration LONG = Duration.ofSeconds(30);

  private static RedisConnections connections;
  private static IdempotencyStore answers;

  @BeforeAll
  static void start(RedisConnections opened) {
    connections = opened;
    answers = new IdempotencyStore(connections);
  }

  @Test
  void theFirstClaimExecutesTheItemAndAllCallersGetTheAnswer() throws Exception {
    Item item = item("once");
    assertThat(get(answers.claim(item, "a", LONG, true))).isEqualTo(new Claim.Claimed());
    assertThat(get(answers.claim(item, "b", LONG, true)))
        .isInstanceOfSatisfying(
            Claim.Busy.class, busy -> assertThat(busy.atMost()).isBetween(Duration.ZERO, LONG));
    get(answers.keep(item, "b", "stolen"));
    get(answers.keep(item, "a", "{}"));
    assertThat(get(answers.claim(item, "b", LONG, true))).isEqualTo(new Claim.Done("{}"));
    // Of this item, and of all others in these tests.
    long longest = IdempotencyStore.KEPT.plus(LONG).toMillis() + 1;
    assertThat(connections.sync().keys("weir:{p40}:acme:answer:k1:*"))
        .isNotEmpty()
        .allSatisfy(key -> assertThat(connections.sync().pttl(key)).isBetween(1L, longest));
  }

  @Test
  void aReleasedItemIsFreeForTheNext() throws Exception {
    Item item = item("free");
    get(answers.claim(item, "a", LONG, false));
    get(answers.release(item, "b"));
    assertThat(get(answers.claim(item, "b", LONG, false))).isInstanceOf(Claim.Busy.class);
    get(answers.release(item, "a"));
    assertThat(get(answers.claim(item, "b", LONG, false))).isEqualTo(new Claim.Claimed());
  }

  @Test
  void anItemWhoseExecutorDiedIsUnknownUnlessItMayBeRepeated() throws Exception {
    Item item = item("died");
    get(answers.claim(item, "a", Duration.ofMillis(50), false));
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> get(answers.claim(item, "b", LONG, false)) instanceof Claim.Unknown);
    assertThat(get(answers.claim(item, "b", LONG, true))).isEqualTo(new Claim.Claimed());
  }

  @Test
  void aKeyIsForOneThingOnly() throws Exception {
    get(answers.claim(item("same"), "a", LONG, true));
    Item other = new Item("acme", "k1", "same", "DELETE /everything");
    assertThat(get(answers.claim(other, "b", LONG, true))).isEqualTo(new Claim.Other());
  }

  @Test
  void forgottenScriptsAreSentAgain() throws Exception {
    connections.sync().scriptFlush();
    assertThat(get(answers.claim(item("flushed"), "a", LONG, true))).isEqualTo(new Claim.Claimed());
  }

  @Test
  void theMemoryOfOneKeyIsBounded() throws Exception {
    String megabyte = "x".repeat(1 << 20);
    int kept = 0;
    while (claimOfOther("kept-" + kept) instanceof Claim.Claimed) {
      get(answers.keep(new Item("acme", "other", "kept-" + kept, "POST /x"), "a", megabyte));
      kept++;
    }
    assertThat(kept).isBetween(15, 16);
    assertThat(claimOfOther("one-more"))
        .isInstanceOfSatisfying(
            Claim.Full.class, full -> assertThat(full.atMost()).isPositive());
    assertThat(claimOfOther("kept-0")).isInstanceOf(Claim.Done.class);
    assertThat(get(answers.claim(item("of-another-key"), "a", LONG, true)))
        .isEqualTo(new Claim.Claimed());
  }

  private Claim claimOfOther(String key) throws Exception {
    return get(answers.claim(new Item("acme", "other", key, "POST /x"), "a", LONG, true));
  }

  private static Item item(String key) {
    return new Item("acme", "k1", key, "POST /x");
  }

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(5, TimeUnit.SECONDS);
  }
}
