package io.weir.keys.directory;

import io.weir.core.policy.Policy;
import io.weir.core.policy.Subject;
import io.weir.core.policy.SubjectEntry;
import io.weir.core.policy.SubjectEntry.Compiled;
import io.weir.core.policy.SubjectSource;
import io.weir.keys.record.StoredRecord;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The record of a key as a node knows it, and its subject as the last policy has compiled it. Mutable; safe for use by
 * many threads.
 *
 * <p>A subject holds its overrides and the state of that moment; it is compiled again when one of them ends.
 */
final class Known {
  private static final int BYTES = 1000;

  private final StoredRecord entry;
  private final Tenant tenant;
  private final int generation;
  private volatile @Nullable Memo memo;
  private volatile boolean hasChanged;

  /** @param generation counts how often everything that was known had to be read again */
  Known(StoredRecord entry, Tenant tenant, int generation) {
    this.entry = entry;
    this.tenant = tenant;
    this.generation = generation;
  }

  /**
   * @param reading of its tenant
   * @param untilMillis when an override ends
   */
  private record Memo(Policy policy, int reading, long untilMillis, Optional<Subject> subject) {
    @SuppressWarnings("ReferenceEquality") // each revision is compiled once, and long to compare
    boolean isBy(Policy other) {
      return policy == other;
    }
  }

  StoredRecord entry() {
    return entry;
  }

  /** About how much memory it takes. */
  int bytes() {
    return BYTES + 2 * entry.settings().characters();
  }

  Tenant tenant() {
    return tenant;
  }

  boolean isCurrent(int now) {
    return generation == now && !hasChanged && tenant.isCurrent();
  }

  /** The record is another one by now. */
  void changed() {
    hasChanged = true;
  }

  boolean hasChanged() {
    return hasChanged;
  }

  /** Whether the key and its tenant may be used at this moment. */
  boolean isUsableAt(long nowMillis) {
    return entry.isUsableAt(nowMillis)
        && tenant.entry().map(it -> it.isUsableAt(nowMillis)).orElse(true);
  }

  /** The subject by a policy; empty if the policy has not its plan. */
  Optional<Subject> subject(Policy policy, long nowMillis, SubjectSource source) {
    int reading = tenant.reading();
    Memo last = memo;
    if (last == null
        || !last.isBy(policy)
        || last.reading() != reading
        || nowMillis >= last.untilMillis()) {
      last = compile(policy, reading, nowMillis, source);
      memo = last;
    }
    return last.subject();
  }

  private Memo compile(Policy policy, int reading, long nowMillis, SubjectSource source) {
    Optional<StoredRecord> owner = tenant.entry();
    SubjectEntry asked = Subjects.entry(entry, owner, nowMillis);
    Compiled compiled = policy.compile(asked);
    long until = Stream.concat(Stream.of(entry), owner.stream())
        .mapToLong(one -> Subjects.endsMillis(one, nowMillis))
        .min()
        .orElse(Long.MAX_VALUE);
    Optional<Subject> subject = compiled
        .plan()
        .map(plan ->
            new Subject(entry.name().id(), entry.name().tenant(), plan, Optional.empty(), source));
    return new Memo(policy, reading, until, subject);
  }
}
