package io.weir.providers.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.policy.RepeatRule;
import io.weir.core.policy.RetryRule;
import io.weir.node.metrics.NodeMetrics;
import io.weir.node.upstream.GivenUpException;
import io.weir.node.upstream.OutgoingRequest.Caller;
import io.weir.providers.rule.Bounds;
import io.weir.providers.rule.BreakerRule;
import io.weir.providers.rule.JsonRpcRule;
import io.weir.providers.rule.Providers;
import io.weir.providers.rule.Sending;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A blocked group asks for its first request only; a group without waiting requests is not blocked. */
final class GroupQueueTest {
  private static final Providers UPSTREAM = new Providers(
      "up",
      List.of(),
      true,
      new Bounds(1, Optional.empty(), 1, 1000, 1000),
      new Sending(1000, 1000, 1000, false, JsonRpcRule.NONE, RepeatRule.NONE),
      new Providers.Resilience(RetryRule.DEFAULT, BreakerRule.DEFAULT, Optional.empty()));

  private final GroupQueue group = new GroupQueue();
  private final AtomicBoolean isGone = new AtomicBoolean();

  private Waiter waiter(String id, String of) {
    SlotRequest wish = new SlotRequest(
        UPSTREAM,
        new Caller("k1", "acme"),
        of,
        List.of(),
        true,
        new SlotRequest.Patience(Long.MAX_VALUE, isGone::get));
    return new Waiter(wish, id, new ProviderMeters(new NodeMetrics().registry()));
  }

  private Waiter add(String id) {
    Waiter waiter = waiter(id, "default");
    group.add(waiter);
    return waiter;
  }

  @Test
  void groupsTakeTurnsAndTheLastServedComesLast() {
    Groups groups = new Groups();
    List<Waiter> all = List.of(
        waiter("a1", "a"),
        waiter("a2", "a"),
        waiter("a3", "a"),
        waiter("b1", "b"),
        waiter("c1", "c"));
    all.forEach(one -> groups.of(one).add(one));
    assertThat(groups.first(4)).extracting(Waiter::id).containsExactly("a1", "b1", "c1", "a2");
    assertThat(groups.first(9)).hasSize(5);
    groups.of(all.get(0)).remove(all.get(0));
    groups.comesLast(all.get(0));
    groups.of(all.get(3)).block();
    assertThat(groups.first(9)).extracting(Waiter::id).containsExactly("b1", "c1", "a2", "a3");
    assertThat(groups.isWorthAsking()).isTrue();
    groups.all().forEach(GroupQueue::block);
    assertThat(groups.first(9)).extracting(Waiter::id).containsExactly("b1", "c1", "a2");
    assertThat(groups.isWorthAsking()).isFalse();
    assertThat(groups.isWaiting()).isTrue();
  }

  private Waiter of(String tenant, String key, String id) {
    SlotRequest wish = new SlotRequest(
        UPSTREAM,
        new Caller(key, tenant),
        "default",
        List.of(),
        true,
        new SlotRequest.Patience(Long.MAX_VALUE, isGone::get));
    Waiter waiter = new Waiter(wish, id, new ProviderMeters(new NodeMetrics().registry()));
    group.add(waiter);
    return waiter;
  }

  private List<String> inTurn() {
    List<String> ids = new ArrayList<>();
    group.worthAsking().forEachRemaining(waiter -> ids.add(waiter.id()));
    return ids;
  }

  @Test
  void tenantsTakeTurnsAndTheirKeysInThat() {
    Waiter first = of("acme", "k1", "a1");
    of("acme", "k1", "a2");
    of("acme", "k1", "a3");
    of("acme", "k2", "b1");
    Waiter other = of("other", "k3", "o1");
    of("other", "k3", "o2");
    assertThat(inTurn()).containsExactly("a1", "o1", "b1", "o2", "a2", "a3");
    assertThat(group.served(first)).isTrue();
    assertThat(inTurn()).containsExactly("o1", "b1", "o2", "a2", "a3");
    assertThat(group.served(other)).isTrue();
    assertThat(inTurn()).containsExactly("b1", "o2", "a2", "a3");
    assertThat(group.served(other)).isFalse();
    group.block();
    assertThat(inTurn()).containsExactly("b1");
    group.leave(waiter -> !waiter.id().equals("a3"), Waiter::giveUp);
    group.unblock();
    assertThat(inTurn()).containsExactly("a3");
    assertThat(group.size()).isEqualTo(1);
  }

  @Test
  void ofABlockedGroupOnlyTheFirstIsAskedFor() {
    Waiter first = add("1");
    Waiter second = add("2");
    assertThat(group.worthAsking()).toIterable().containsExactly(first, second);
    group.block();
    assertThat(group.worthAsking()).toIterable().containsExactly(first);
    group.remove(first);
    assertThat(group.isBlocked()).isTrue();
    group.unblock();
    assertThat(group.worthAsking()).toIterable().containsExactly(second);
  }

  @Test
  void anEmptyGroupIsNotBlocked() {
    group.block();
    assertThat(group.isBlocked()).isFalse();
    Waiter only = add("1");
    group.block();
    assertThat(group.remove(only)).isTrue();
    assertThat(group.remove(only)).isFalse();
    assertThat(group.isBlocked()).isFalse();
    add("2");
    group.block();
    group.leave(waiter -> true, Waiter::giveUp);
    assertThat(group.isBlocked()).isFalse();
    add("3");
    group.block();
    group.full();
    assertThat(group.isAbandoned()).isFalse();
    isGone.set(true);
    assertThat(group.worthAsking()).isExhausted();
    group.leave(Waiter::isGone, Waiter::giveUp);
    assertThat(group.isBlocked()).isFalse();
    assertThat(group.isAbandoned()).isTrue();
    group.forget();
    assertThat(group.isAbandoned()).isFalse();
  }

  @Test
  void aCallerThatLeftMayComeBackAtOnce() {
    Waiter first = add("1");
    group.leave(waiter -> waiter.equals(first), waiter -> {
      waiter.giveUp();
      add("2");
    });
    assertThat(first.isOver()).isTrue();
    assertThat(first.done().cause()).isInstanceOf(GivenUpException.class);
    assertThat(group.worthAsking()).toIterable().extracting(Waiter::id).containsExactly("2");
  }
}
