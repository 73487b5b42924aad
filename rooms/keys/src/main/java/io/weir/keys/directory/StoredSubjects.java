package io.weir.keys.directory;

import io.weir.core.bucket.Names;
import io.weir.core.policy.Policy;
import io.weir.core.policy.Subject;
import io.weir.core.policy.SubjectSource;
import io.weir.keys.record.Entry;
import io.weir.keys.record.Kind;
import io.weir.keys.store.RedisRecords;
import java.util.Optional;

/** Finds subjects among the records, for those who look once and keep nothing. */
public final class StoredSubjects {
  private StoredSubjects() {}

  /**
   * The subject of the key with this id, whatever its state; waits for Redis.
   *
   * @param nowMillis the time at which overrides are in force
   * @throws io.weir.core.throttle.StoreUnavailableException if Redis does not answer
   */
  public static Optional<Subject> find(
      RedisRecords records, Policy policy, String id, long nowMillis) {
    if (!Names.isId(id)) {
      return Optional.empty();
    }
    return records.find(Kind.KEY, id).join().flatMap(key -> {
      Optional<Entry> tenant = records.find(Kind.TENANT, key.tenant()).join();
      return policy
          .compile(Subjects.entry(key, tenant, nowMillis))
          .plan()
          .map(plan -> new Subject(
              id, key.tenant(), plan, Optional.empty(), new SubjectSource.OfPolicy(id)));
    });
  }
}
