package io.weir.operators.status;

import io.weir.state.policy.ClusterPolicy;
import io.weir.state.policy.PastRevision;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/** When the policy in force was published, and by whom: read once for each revision. Safe for use by many threads. */
public final class PublishedPolicy {
  private final ClusterPolicy policies;
  private volatile Seen seen = new Seen(0, Instant.EPOCH);
  private final AtomicBoolean isReading = new AtomicBoolean();
  private volatile long readRevision;
  private volatile Optional<PastRevision> published = Optional.empty();

  public PublishedPolicy(ClusterPolicy policies) {
    this.policies = policies;
  }

  private record Seen(long revision, Instant since) {}

  /** Sees which policy is in force; for one thread at a time. */
  public void look(Instant now) {
    long revision = policies.current().revision();
    if (revision != seen.revision()) {
      seen = new Seen(revision, now);
    }
    if (revision != readRevision && isReading.compareAndSet(false, true)) {
      var unused = policies
          .history()
          .thenAccept(all -> {
            published = all.stream().filter(one -> one.revision() == revision).findFirst();
            readRevision = revision;
          })
          .whenComplete((done, error) -> isReading.set(false));
    }
  }

  /** When this node saw the policy that it has now. */
  public Instant since() {
    return seen.since();
  }

  /** The publication of a revision; empty if it is not known yet. */
  public Optional<PastRevision> of(long revision) {
    return published.filter(one -> one.revision() == revision);
  }
}
