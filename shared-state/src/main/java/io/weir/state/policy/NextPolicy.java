package io.weir.state.policy;

import io.weir.core.policy.Policy;
import io.weir.core.policy.SecretHash;
import io.weir.state.document.PolicyDocuments;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Policies that have been read and are about to be in force: usually none or one, several if they are published at the
 * same time. Mutable; safe for use by many threads.
 */
final class NextPolicy {
  // Longer than all nodes need to be ready, the publisher to learn of it, and the policy to be
  // published.
  private static final long AWAITED_NANOS = TimeUnit.SECONDS.toNanos(6);
  // A long policy takes memory: if more are published at the same time, the others are read again
  // later.
  private static final int MAX_KEPT = 4;

  private final LongSupplier nanoClock;
  private final Map<String, ReadPolicy> byDigest = new ConcurrentHashMap<>();
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
   * @param text without its revision, which is not known yet
   */
  record ReadPolicy(Policy policy, PolicyText text) {}

  /** Whether a policy that was read may be in force now or at any moment. */
  boolean isAwaited() {
    return isAnyAwaited && awaitedUntilNanos - nanoClock.getAsLong() > 0;
  }

  /** Reads a proposal, with its name on the first line, unless it is known; then awaits it. */
  void read(String laid) {
    int end = laid.indexOf('\n');
    String name = laid.substring(0, end);
    String text = laid.substring(end + 1);
    Optional<ReadPolicy> known = of(SecretHash.of(text).formatted());
    if (known.isPresent()) {
      await(known.get().policy(), known.get().text());
      return;
    }
    Policy policy = PolicyDocuments.parse(name, text).policy();
    await(policy, PolicyText.of(0, name, text, policy));
  }

  synchronized void await(Policy policy, PolicyText text) {
    if (!isAwaited()) {
      byDigest.clear(); // the remaining ones were never published
      areAllKept = true;
    }
    awaitedUntilNanos = nanoClock.getAsLong() + AWAITED_NANOS;
    isAnyAwaited = true;
    if (byDigest.size() < MAX_KEPT) {
      byDigest.put(text.digest(), new ReadPolicy(policy, text));
    } else {
      areAllKept = false;
    }
  }

  /** The policy with this digest, if it is kept. */
  Optional<ReadPolicy> of(String digest) {
    return Optional.ofNullable(byDigest.get(digest));
  }

  /** Stops waiting for the policy with this digest. */
  synchronized void forget(String digest) {
    // If more policies came than are kept, it is unknown which is the last.
    if (byDigest.remove(digest) != null && byDigest.isEmpty() && areAllKept) {
      isAnyAwaited = false;
    }
  }
}
