package io.weir.state.control;

import io.weir.policy.Policy;
import io.weir.policy.SecretHash;
import io.weir.state.document.PolicyDocuments;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The policies that have been read and are about to be in force: usually none or one, several where they are published at
 * once. Mutable; safe for use by many threads.
 */
final class NextPolicy {
  // Longer than others may take to be ready, the one that publishes to be told, and to publish.
  private static final long AWAITED_NANOS = TimeUnit.SECONDS.toNanos(6);
  // A long policy takes memory: of more that are published at once the others are read again.
  private static final int MAX_KEPT = 4;

  private final LongSupplier nanoClock;
  private final Map<String, Entry> byDigest = new ConcurrentHashMap<>();
  private volatile long awaitedUntilNanos;
  private volatile boolean isAnyAwaited;
  private boolean areAllKept = true;

  NextPolicy() {
    this(System::nanoTime);
  }

  NextPolicy(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /**
   * A policy with its text.
   *
   * @param text its revision is not known yet
   */
  record Entry(Policy policy, PolicyText text) {}

  /** Whether one of them may be in force by now, or at any moment. */
  boolean isAwaited() {
    return isAnyAwaited && awaitedUntilNanos - nanoClock.getAsLong() > 0;
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

  synchronized void await(Policy policy, PolicyText text) {
    if (!isAwaited()) {
      byDigest.clear(); // what is left was never published
      areAllKept = true;
    }
    awaitedUntilNanos = nanoClock.getAsLong() + AWAITED_NANOS;
    isAnyAwaited = true;
    if (byDigest.size() < MAX_KEPT) {
      byDigest.put(text.digest(), new Entry(policy, text));
    } else {
      areAllKept = false;
    }
  }

  /** The one with this digest, where it is kept. */
  Optional<Entry> of(String digest) {
    return Optional.ofNullable(byDigest.get(digest));
  }

  /** Awaits the one with this digest no more. */
  synchronized void forget(String digest) {
    // Where more came than are kept, it is not known which is the last.
    if (byDigest.remove(digest) != null && byDigest.isEmpty() && areAllKept) {
      isAnyAwaited = false;
    }
  }
}
