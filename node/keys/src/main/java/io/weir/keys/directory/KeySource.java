package io.weir.keys.directory;

import io.weir.core.policy.Policy;
import io.weir.core.policy.Subject;
import io.weir.core.policy.SubjectSource;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * Finds the record of a key again: the newest that this node knows.
 *
 * @param nowMillis Redis's clock, for the records of a name
 */
record KeySource(Known known, KeyCache cache, ToLongFunction<String> nowMillis)
    implements SubjectSource {
  @Override
  public Optional<Subject> in(Policy policy) {
    String id = known.entry().name().id();
    Optional<Known> newest = cache.get(id);
    Known used = newest.orElse(known);
    long now = nowMillis.applyAsLong(id);
    boolean isGone = newest.isEmpty() && known.hasChanged();
    return isGone || policy.listed(id).isPresent() || !used.isUsableAt(now)
        ? Optional.empty()
        : used.subject(policy, now, this);
  }
}
