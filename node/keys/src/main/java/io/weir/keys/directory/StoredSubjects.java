package io.weir.keys.directory;

import io.weir.core.bucket.Names;
import io.weir.core.policy.Policy;
import io.weir.core.policy.Subject;
import io.weir.core.policy.SubjectSource;
import io.weir.core.throttle.Failures;
import io.weir.keys.record.RecordType;
import io.weir.keys.record.StoredRecord;
import io.weir.keys.store.RedisRecords;
import java.util.Optional;
import java.util.concurrent.CompletionException;

/** Finds subjects among the records, for those who look once and keep nothing. */
public final class StoredSubjects {
  private StoredSubjects() {}

  /**
   * The subject with this name, or of the key with this id, whatever its state, by its record or by a rule with the record
   * of its tenant; waits for Redis.
   *
   * @param nowMillis the time at which overrides are in force
   * @throws io.weir.core.throttle.StoreUnavailableException if Redis does not answer
   */
  public static Optional<Subject> find(
      RedisRecords records, Policy policy, String id, long nowMillis) {
    if (!Names.isSubject(id)) {
      return Optional.empty();
    }
    Optional<StoredRecord> stored = entry(records, RecordType.KEY, id);
    if (stored.isEmpty()) {
      return ruled(records, policy, id, nowMillis);
    }
    return stored.flatMap(key -> {
      Optional<StoredRecord> tenant =
          entry(records, RecordType.TENANT, key.name().tenant());
      return policy
          .compile(Subjects.entry(key, tenant, nowMillis))
          .plan()
          .map(plan -> new Subject(
              id, key.name().tenant(), plan, Optional.empty(), new SubjectSource.OfPolicy(id)));
    });
  }

  private static Optional<Subject> ruled(
      RedisRecords records, Policy policy, String id, long nowMillis) {
    return policy.ruleOf(id).flatMap(rule -> {
      Optional<StoredRecord> tenant = entry(records, RecordType.TENANT, rule.tenant());
      return policy
          .compile(rule.with(Subjects.tenant(tenant, nowMillis)))
          .plan()
          .map(plan -> new Subject(id, rule.tenant(), plan, Optional.empty()));
    });
  }

  private static Optional<StoredRecord> entry(RedisRecords records, RecordType kind, String id) {
    try {
      return records.find(kind, id).join();
    } catch (CompletionException e) {
      if (Failures.cause(e) instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }
}
