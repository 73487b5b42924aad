package io.weir.providers.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.providers.rule.Booking;
import io.weir.providers.rule.Booking.Asking;
import io.weir.providers.rule.Booking.Booked;
import io.weir.providers.rule.Booking.End;
import io.weir.providers.rule.Booking.Lesson;
import io.weir.providers.rule.Provider;
import io.weir.providers.rule.Providers;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The order of callers without room, in all or at each provider, with a manual clock. */
final class RedisProviderTurnsIT extends ProvidersInRedis {
  private Providers whereHeavyOfTwoIsNext() {
    Providers upstream = upstream(true, 1, provider("a", 0, 1, 0, 0));
    assertThat(book(upstream, "one", "light")).isInstanceOf(Booked.class);
    now += 1000;
    assertThat(book(upstream, "two", "heavy")).isInstanceOf(Booking.Full.class);
    now += 1000;
    assertThat(book(upstream, "one", "light", new End("r0", "a", Lesson.NONE)))
        .isInstanceOf(Booking.Full.class);
    return upstream;
  }

  @Test
  void aGroupWithOneProviderLeavesRoomToTheOthers() {
    Provider slow = of("slow", 0, GROUP);
    Provider other = of("b", 0, "heavy");
    Providers upstream = upstream(true, 8, slow, other);
    for (int i = 0; i < 6; i++) {
      assertThat(booked(upstream).provider()).isEqualTo("slow");
    }
    Asking one = new Asking("x", GROUP, 0, List.of(), true);
    Asking two = new Asking("y", GROUP, 0, List.of(), true);
    Asking heavy = new Asking("z", "heavy", 0, List.of(), true);
    assertThat(of(store.book(
                RedisProviders.prepare(upstream), "loop", List.of(), List.of(one, heavy, two)))
            .bookings())
        .containsExactly(
            new Booking.Full(), new Booked("b", "-", 0, false), new Booking.NotAsked());
  }

  @Test
  void groupsTakeTurnsAcrossCallers() {
    Providers upstream = whereHeavyOfTwoIsNext();
    assertThat(book(upstream, "two", "heavy")).isInstanceOf(Booked.class);
    now += 1000;
    assertThat(book(upstream, "two", "heavy", new End("r3", "a", Lesson.NONE)))
        .isInstanceOf(Booking.Full.class);
    assertThat(book(upstream, "one", "light")).isInstanceOf(Booked.class);
  }

  @Test
  void aGroupWhoseProvidersAreBusyHoldsNoRoomOfTheOthers() {
    Provider slow = of("slow", 1, "heavy");
    Provider light = of("b", new Provider.Rank(1, 1), new Provider.Load(1, 0), "light");
    Providers upstream = upstream(true, 2, slow, light);
    assertThat(book(upstream, "one", "heavy")).isInstanceOf(Booked.class);
    now += 1000;
    assertThat(book(upstream, "two", "heavy")).isInstanceOf(Booking.Full.class);
    now += 1000;
    assertThat(book(upstream, "one", "light")).isInstanceOf(Booked.class);
  }

  @Test
  void aGroupWhoseFreeProviderIsLeftAloneHoldsNoRoom() {
    Providers upstream = upstream(
        true, 5, of("hangs", 2, "heavy"), of("broken", 2, "heavy"), of("idle", 3, "light"));
    assertThat(book(upstream, "a", "heavy")).isInstanceOf(Booked.class);
    assertThat(book(upstream, "a", "heavy")).isInstanceOf(Booked.class);
    Booked broken = (Booked) book(upstream, "a", "heavy");
    String other = broken.provider();
    end(upstream, requests - 1, other, Lesson.of("", 0, 60_000_000, ""));
    Booking next = book(upstream, "a", "heavy");
    while (next instanceof Booked) {
      next = book(upstream, "a", "heavy");
    }
    assertThat(next).isInstanceOf(Booking.Full.class);
    for (String caller : List.of("b", "c", "d")) {
      now += 1000;
      assertThat(book(upstream, caller, "heavy")).isInstanceOf(Booking.Full.class);
    }
    now += 1000;
    assertThat(book(upstream, "loop", "light")).isInstanceOf(Booked.class);
    assertThat(book(upstream, "loop", "light")).isInstanceOf(Booked.class);
  }

  @Test
  void asManyAsThereArePlacesAreServedAtOnce() {
    Provider[] all = new Provider[10];
    for (int i = 0; i < all.length; i++) {
      all[i] = of("p" + i, 1);
    }
    Providers upstream = upstream(true, 20, all);
    List<Booked> held = new ArrayList<>();
    for (int i = 0; i < all.length; i++) {
      held.add((Booked) book(upstream, "holder"));
    }
    int first = requests - all.length;
    for (int i = 0; i < all.length; i++) {
      now += 1000;
      assertThat(book(upstream, "c" + i)).isInstanceOf(Booking.Full.class);
    }
    for (int i = 0; i < all.length; i++) {
      assertThat(end(upstream, first + i, held.get(i).provider(), Lesson.NONE)).isTrue();
    }
    now += 1000;
    assertThat(book(upstream, "late")).isInstanceOf(Booking.Full.class);
    for (int i = all.length - 1; i >= 0; i--) {
      assertThat(book(upstream, "c" + i)).as("c" + i).isInstanceOf(Booked.class);
    }
  }

  @Test
  void aProviderThatIsLeftAloneForLongDoesNotHideOneThatIsFreeSoon() {
    Providers upstream = upstream(true, 8, of("a", 1), provider("b", 1, 1, 0, 0));
    assertThat(booked(upstream).provider()).isEqualTo("a");
    assertThat(booked(upstream).provider()).isEqualTo("b");
    end(upstream, requests - 1, "b", Lesson.of("", 60_000_000, 0, ""));
    assertThat(book(upstream, 0)).isEqualTo(new Booking.Full());
    end(upstream, requests - 3, "a", Lesson.of("", 0, 5_000_000, ""));
    assertThat(book(upstream, 0)).isEqualTo(new Booking.Later(5_000_000));
  }

  @Test
  void oneThatIsSlowLeavesRoomToTheOthers() {
    Providers upstream = upstream(true, 8, provider("slow", 0, 1, 0, 0), provider("b", 1, 1, 0, 0));
    for (int i = 0; i < 6; i++) {
      assertThat(booked(upstream).provider()).isEqualTo("slow");
    }
    assertThat(booked(upstream).provider()).isEqualTo("b");
    assertThat(booked(upstream).provider()).isEqualTo("b");
    assertThat(book(upstream, 0)).isEqualTo(new Booking.Full());
    end(upstream, 0, "slow", Lesson.NONE);
    assertThat(booked(upstream).provider()).isEqualTo("slow");
    end(upstream, 6, "b", Lesson.NONE);
    assertThat(booked(upstream).provider()).isEqualTo("b");
  }

  @Test
  void aProviderMayHaveABoundOfItsOwn() {
    Provider own = of("own", 2);
    Providers upstream = upstream(true, 8, own, provider("b", 1, 1, 0, 0));
    List<String> sent = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      sent.add(booked(upstream).provider());
    }
    assertThat(sent).containsExactly("own", "own", "b", "b", "b", "b", "b", "b");
    Providers alone = upstream(true, 8, provider("b", 1, 1, 0, 0));
    for (int i = 0; i < 2; i++) {
      end(upstream, i, "own", Lesson.NONE);
      assertThat(booked(alone).provider()).isEqualTo("b");
    }
  }
}
