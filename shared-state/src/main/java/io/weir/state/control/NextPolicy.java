package io.weir.state.control;

import io.weir.policy.Policy;
import io.weir.policy.SecretHash;
import io.weir.state.document.PolicyDocuments;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The policy that was read last and is about to be in force. Mutable; safe for use by many threads. */
final class NextPolicy {
  // Longer than others may take to be ready, the one that publishes to be told, and to publish.
  private static final long AWAITED_NANOS = TimeUnit.SECONDS.toNanos(6);

  private final AtomicReference<@Nullable Entry> next = new AtomicReference<>();

  /**
   * A policy with its text.
   *
   * @param text its revision is not known yet
   * @param untilNanos when nobody needs to await it any more
   */
  record Entry(Policy policy, PolicyText text, long untilNanos) {}

  /** Whether it may be in force by now, or at any moment. */
  boolean isAwaited() {
    Entry entry = next.get();
    return entry != null && entry.untilNanos() - System.nanoTime() > 0;
  }

  /** Reads what was laid down, its name on the first line, unless it is known; and awaits it. */
  void read(String laid) {
    int end = laid.indexOf('\n');
    String name = laid.substring(0, end);
    String text = laid.substring(end + 1);
    Optional<Entry> known = of(SecretHash.of(text).formatted());
    if (known.isPresent()) {
      await(known.get().policy(), known.get().text());
      return;
    }
    Policy policy = PolicyDocuments.parse(name, text).policy();
    await(policy, PolicyText.of(0, name, text, policy));
  }

  void await(Policy policy, PolicyText text) {
    next.set(new Entry(policy, text, System.nanoTime() + AWAITED_NANOS));
  }

  /** The one with this digest, where it is that. */
  Optional<Entry> of(String digest) {
    return Optional.ofNullable(next.get()).filter(entry -> entry.text().digest().equals(digest));
  }

  /** Awaits the one with this digest no more. */
  void forget(String digest) {
    of(digest).ifPresent(entry -> next.compareAndSet(entry, null));
  }
}
