package io.weir.state.policy;

import io.weir.core.bucket.Bucket;
import io.weir.core.lease.Lease;
import io.weir.core.policy.PolicyReading;
import io.weir.core.policy.PolicyRevision;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.connection.Faults;
import io.weir.state.document.PolicyDocuments;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts a policy in force: stores it as a proposal, waits until all nodes have read it, replaces the one in force by one
 * atomic step, and makes sure that no part decides by an older one. Safe for use by many threads; owned by a
 * {@link ClusterPolicy}.
 */
final class PolicyPublisher {
  private static final Logger LOG = LoggerFactory.getLogger(PolicyPublisher.class);
  private static final int MAX_PUBLISH_ATTEMPTS = 5;
  private static final long RAISE_AGAIN_MILLIS = 500;
  private static final Duration READY_WITHIN = Duration.ofSeconds(3);

  private final PolicyHash stored;
  private final NodeTopics topics;
  private final NextPolicy upcoming;
  private final FollowedPolicy followed;
  private final Executor executor;
  private final Map<String, PolicyReadiness> proposed = new ConcurrentHashMap<>();

  PolicyPublisher(
      PolicyHash stored, NodeTopics topics, NextPolicy upcoming, FollowedPolicy followed) {
    this.stored = stored;
    this.topics = topics;
    this.upcoming = upcoming;
    this.followed = followed;
    this.executor = followed.executor();
  }

  /** See {@link ClusterPolicy#publish}. */
  CompletionStage<Publication> publish(String name, String text, OptionalLong expected, Edit edit) {
    // Read beside the executor: a long policy must not keep a reload waiting.
    return CompletableFuture.supplyAsync(() -> PolicyDocuments.parse(name, text))
        .thenComposeAsync(
            reading -> {
              PolicyText next = PolicyText.of(0, name, text, reading.policy());
              PolicyText stamp = stampAt(expected);
              return isInForce(next, stamp)
                  ? settled(unchanged(stamp, next, reading), hasLeases())
                  : replaced(next, reading, expected, edit);
            },
            executor);
  }

  private CompletionStage<Publication> replaced(
      PolicyText next, PolicyReading reading, OptionalLong expected, Edit edit) {
    return propose(next, reading)
        .thenComposeAsync(
            ready -> {
              boolean hadLeases = hasLeases();
              Publication publication = publishNow(next, reading, expected, edit);
              return settled(publication, hadLeases || hasLeases());
            },
            executor);
  }

  private CompletionStage<Publication> settled(Publication publication, boolean hasLeases) {
    return raisedCopies(publication.revision(), 1)
        .thenCompose(raised -> hasLeases ? later(publication) : done(publication));
  }

  /** Records that a node has read a proposal: the proposal's name, and the node's. */
  void isReady(String proposalAndNode) {
    String[] parts = proposalAndNode.split(" ", 2);
    PolicyReadiness waiting = proposed.get(parts[0]);
    if (waiting != null && parts.length == 2) {
      waiting.isReady(parts[1]);
    }
  }

  private CompletionStage<Void> propose(PolicyText next, PolicyReading reading) {
    String id = UUID.randomUUID().toString();
    PolicyReadiness readiness = new PolicyReadiness();
    stored.lay(id, next);
    proposed.put(id, readiness);
    upcoming.await(reading.policy(), next);
    try {
      readiness.expect(topics.publish(new Notice(Notice.Type.PROPOSED, id)));
    } catch (StoreUnavailableException e) {
      proposed.remove(id);
      upcoming.forget(next.digest());
      throw e;
    }
    return readiness
        .within(READY_WITHIN)
        .thenAcceptAsync(
            all -> {
              if (!all) {
                LOG.warn(
                    "not every node has read the next policy within {}; it is in force all the same",
                    READY_WITHIN);
              }
              proposed.remove(id);
              stored.removeLaid(id);
            },
            executor);
  }

  private Publication publishNow(
      PolicyText text, PolicyReading reading, OptionalLong expected, Edit edit) {
    for (int attempt = 0; attempt < MAX_PUBLISH_ATTEMPTS; attempt++) {
      PolicyText stamp = stampAt(expected);
      if (isInForce(text, stamp)) {
        return unchanged(stamp, text, reading);
      }
      long inRedis = stamp.revision();
      PolicyText published = text.withRevision(Math.max(inRedis, known()) + 1);
      if (stored.replace(inRedis, published, edit) || isStored(published)) {
        take(published, reading);
        return new Publication(published.revision(), inRedis, reading.warnings());
      }
    }
    throw new StoreUnavailableException(
        StoreFault.SLOW, "too many others publish a policy at this moment", null);
  }

  // Redis may have lost the newest policy, or be behind it: then the text is published anew.
  private boolean isInForce(PolicyText text, PolicyText stamp) {
    return stamp.revision() >= known() && stamp.digest().equals(text.digest());
  }

  private Publication unchanged(PolicyText stamp, PolicyText text, PolicyReading reading) {
    take(text.withRevision(stamp.revision()), reading);
    return new Publication(stamp.revision(), stamp.revision(), reading.warnings());
  }

  private long known() {
    return followed.current().revision();
  }

  private void take(PolicyText text, PolicyReading reading) {
    followed.take(new Document(new PolicyRevision(text.revision(), reading.policy()), text));
  }

  private boolean hasLeases() {
    return stored.isCluster()
        || followed.current().policy().buckets().stream().anyMatch(Bucket::leased);
  }

  // Units leased under the previous policy are spent under it, until the leases end.
  private static CompletableFuture<Publication> later(Publication publication) {
    return new CompletableFuture<Publication>()
        .completeOnTimeout(publication, Lease.LASTS.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static CompletableFuture<Publication> done(Publication publication) {
    return CompletableFuture.completedFuture(publication);
  }

  // A master may be lost at this moment: the call is repeated for its successor. Never blocks: this
  // node has other work.
  private CompletionStage<Void> raisedCopies(long revision, int attempt) {
    return stored.raiseCopies(revision).exceptionallyCompose(error -> {
      if (attempt == MAX_PUBLISH_ATTEMPTS) {
        return CompletableFuture.failedFuture(new StoreUnavailableException(
            Faults.of(error),
            "revision %d is in force, and a part of Redis did not get it: %s"
                .formatted(revision, error.getMessage()),
            error));
      }
      return CompletableFuture.supplyAsync(
              () -> revision,
              CompletableFuture.delayedExecutor(RAISE_AGAIN_MILLIS, TimeUnit.MILLISECONDS))
          .thenCompose(again -> raisedCopies(again, attempt + 1));
    });
  }

  // An answer may be lost and the call repeated: then this policy was the faster one.
  private boolean isStored(PolicyText published) {
    PolicyText stamp = stored.stamp();
    return stamp.revision() == published.revision() && stamp.digest().equals(published.digest());
  }

  private PolicyText stampAt(OptionalLong expected) {
    PolicyText stamp = stored.stamp();
    if (expected.isPresent() && expected.getAsLong() != stamp.revision()) {
      throw new ChangedException();
    }
    return stamp;
  }
}
