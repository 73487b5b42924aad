package io.weir.state.policy;

import io.weir.core.policy.PolicyReading;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.document.PolicyDocuments;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The newest policy known here, compared with the stored one: the newer counts, and a stored one that was lost is put
 * back. Safe for use by many threads; {@link #settle} is called by one at a time, and waits for Redis.
 */
final class KnownPolicy {
  private static final Logger LOG = LoggerFactory.getLogger(KnownPolicy.class);
  private static final Edit PUT_BACK = Edit.ofNode("put back after a loss");

  private final PolicyHash stored;
  private final NextPolicy upcoming;
  private final PolicyCopy copy;
  private final boolean putsBack;
  private final StoredPolicy reader;
  private final LostPolicy lost = new LostPolicy();
  private final AtomicReference<@Nullable Document> current = new AtomicReference<>();

  /** @param putsBack whether it stores a policy that is known here and was lost there */
  KnownPolicy(PolicyHash stored, NextPolicy upcoming, PolicyCopy copy, boolean putsBack) {
    this.stored = stored;
    this.upcoming = upcoming;
    this.copy = copy;
    this.putsBack = putsBack;
    this.reader = new StoredPolicy(stored::read);
  }

  Document document() {
    Document document = current.get();
    if (document == null) {
      throw new IllegalStateException("used before it was started");
    }
    return document;
  }

  /** Records that a state was decided by this revision. */
  void seen(long revision) {
    lost.seen(revision);
  }

  /**
   * Takes over the policy in force; if there is none, stores the first one.
   *
   * @throws NoPolicyException if there is neither
   */
  void takeOver(String name, Optional<String> first) {
    if (stored.stamp().revision() == 0) {
      String text = first.orElseThrow(NoPolicyException::new);
      PolicyReading reading = PolicyDocuments.parse(name, text);
      // If another was faster, its policy is in force.
      stored.replace(
          0, PolicyText.of(1, name, text, reading.policy()), Edit.ofNode("the first policy"));
    } else if (putsBack) {
      stored.raiseFormat();
    }
    take(Document.parse(stored.read()));
    first
        .filter(text -> !PolicyDocuments.areSame(text, document().text().text()))
        .ifPresent(text -> reportUnused(name));
  }

  private void reportUnused(String name) {
    LOG.info(
        "{} differs from the policy in force, revision {}, which applies: 'weir policy apply' changes it",
        name,
        document().text().revision());
  }

  /** Takes the policy that was kept in a file; throws the error if there is none. */
  void takeKept(StoreUnavailableException error) {
    PolicyText kept = copy.read().filter(text -> error.fault().isOutage()).orElseThrow(() -> error);
    LOG.warn(
        "Redis is away: revision {} applies, from the kept copy ({})",
        kept.revision(),
        error.getMessage());
    Document document = Document.parse(kept);
    take(new Document(
        document.policy(),
        PolicyText.of(
            kept.revision(), kept.name(), kept.text(), document.policy().policy())));
  }

  // The newest revision wins. If Redis has lost a published policy, a node that has it puts it
  // back. Two policies with the same revision, made on both sides of a loss, become a third.
  void settle() {
    PolicyText stamp = stored.stamp();
    PolicyText known = document().text();
    if (stamp.revision() > known.revision()) {
      take(upcoming
          .of(stamp.digest())
          .map(next -> Document.of(next, stamp.revision()))
          .orElseGet(() -> reader.read(stamp.digest())));
    } else if (!putsBack) {
      follow(stamp);
      return;
    } else if (stamp.revision() < known.revision()) {
      stored.replace(stamp.revision(), known, PUT_BACK);
    } else if (!stamp.digest().equals(known.digest())) {
      stored.replace(stamp.revision(), stored.read().withRevision(stamp.revision() + 1), PUT_BACK);
      take(Document.parse(stored.read()));
    }
    long newest = document().text().revision();
    lost.newerThan(newest).ifPresent(above -> raise(newest, above));
  }

  // The stored policy counts, even if it is older: a node has put it back, or this is another
  // Redis.
  private void follow(PolicyText stamp) {
    PolicyText known = document().text();
    boolean isAnother =
        stamp.revision() != known.revision() || !stamp.digest().equals(known.digest());
    if (stamp.revision() > 0 && isAnother) {
      Document document = reader.read(stamp.digest());
      current.set(document);
      copy.write(document.text());
    }
  }

  // Republishes the newest known policy with a revision above one that has decided and is lost.
  private void raise(long newest, long above) {
    LOG.warn(
        "a policy above revision {} has decided and is lost; revision {} is in force as {}",
        newest,
        newest,
        above);
    stored.replace(newest, document().text().withRevision(above), PUT_BACK);
    take(Document.parse(stored.read()));
  }

  void take(Document document) {
    long revision = document.policy().revision();
    Document before = current.getAndUpdate(
        known -> known != null && known.policy().revision() >= revision ? known : document);
    if (before == null || before.policy().revision() < revision) {
      LOG.info("policy revision {} is in force", revision);
      copy.write(document.text());
    }
    upcoming.forget(document.text().digest());
  }
}
