package io.weir.providers.slot;

import io.weir.node.upstream.AttemptOutcome;
import io.weir.node.upstream.AttemptOutcome.Health;
import io.weir.providers.queue.BookedSlot;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The keys that one request was sent with. A key rests if its provider refused it, and another key then was not refused
 * for the same request: a request that is forbidden itself rests no key. Mutable; owned by its course.
 */
final class TriedKeys {
  private static final int FORBIDDEN = 403;

  private final ProviderLessons lessons;
  private final String group;
  private final List<String> before = new ArrayList<>();
  private final Set<String> places = new HashSet<>();
  private final List<Refused> refused = new ArrayList<>();

  private record Refused(BookedSlot entered, int status) {
    // A 403 may be about what a provider allows at all. The others are about the key.
    boolean isProvedBy(BookedSlot other) {
      return status != FORBIDDEN || entered.provider().equals(other.provider());
    }
  }

  /** @param group of the request's operation */
  TriedKeys(ProviderLessons lessons, String group) {
    this.lessons = lessons;
    this.group = group;
  }

  /** Whether the request was not sent yet. */
  boolean isEmpty() {
    return before.isEmpty();
  }

  /** Whether it was sent several times. */
  boolean areSeveral() {
    return before.size() > 1;
  }

  /** The attempts, as of {@link io.weir.providers.rule.Booking.Asking}. */
  List<String> before() {
    return before;
  }

  /** The key slots. */
  Set<String> places() {
    return places;
  }

  /** An attempt begins. */
  void begin(BookedSlot entered) {
    before.add(entered.place());
    places.add(entered.place());
  }

  /**
   * An attempt has ended.
   *
   * @param status of the answer, 0 if there is none
   */
  void end(BookedSlot entered, AttemptOutcome outcome, int status, long tookNanos) {
    lessons.learn(entered, outcome, group, tookNanos);
    if (outcome.health() == Health.REFUSED) {
      refused.add(new Refused(entered, status));
      before.set(before.lastIndexOf(entered.place()), entered.placeOfRefusedKey());
    } else if (outcome.health() == Health.GOOD) {
      refused.stream()
          .filter(one -> one.isProvedBy(entered))
          .forEach(one -> lessons.rest(one.entered, group));
      refused.clear();
    }
  }
}
