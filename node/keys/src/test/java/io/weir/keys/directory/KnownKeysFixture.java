package io.weir.keys.directory;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.weir.core.policy.OperationLimit.Frozen;
import io.weir.core.policy.PolicyRevision;
import io.weir.core.policy.Subject;
import io.weir.core.throttle.PolicySource;
import io.weir.keys.record.KeyState;
import io.weir.keys.record.RecordType;
import io.weir.keys.record.Secret;
import io.weir.keys.record.Settings;
import io.weir.keys.record.Settings.Validity;
import io.weir.keys.record.Stamp;
import io.weir.keys.record.StoredRecord;
import io.weir.keys.store.Change;
import io.weir.keys.store.RedisRecords;
import io.weir.state.document.PolicyDocuments;
import io.weir.testkit.RedisTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** The known keys of a node, by a clock that the test moves, and records that operators made meanwhile. */
public final class KnownKeysFixture {
  static final PolicyRevision POLICY =
      new PolicyRevision(7, PolicyDocuments.parse("test", """
              buckets:
                - { name: calls, burstPeriod: 10, throttleGroups: [{ opsPerSec: 10, operations: [Ask] }] }
              subjects: [{ match: "user:*", tenant: acme }]
              """).policy());

  final KnownKeys known;
  private final AtomicLong nanos = new AtomicLong(12_345);
  private final RedisRecords records;

  /** Knows nothing yet. */
  public KnownKeysFixture(RedisRecords records) {
    this.records = records;
    this.known = new KnownKeys(
        records, always(POLICY), 10 << 20, nanos::get, new KeyMeters(new SimpleMeterRegistry()));
  }

  /** A policy that stays in force. */
  static PolicySource always(PolicyRevision revision) {
    return new PolicySource() {
      @Override
      public PolicyRevision current() {
        return revision;
      }

      @Override
      public CompletionStage<PolicyRevision> reload(long seenRevision) {
        return CompletableFuture.completedFuture(revision);
      }
    };
  }

  static <T> T done(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
  }

  /** Looks for changes. */
  public void look() {
    done(known.look());
  }

  void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  StoredRecord put(String id, Optional<StoredRecord> before, Settings settings, Secret... secrets) {
    Stamp now = new Stamp(RedisTime.nanos() / 1_000_000, "test");
    StoredRecord entry = new StoredRecord(
        new StoredRecord.Name(RecordType.KEY, id, "acme"),
        settings,
        List.of(secrets),
        "",
        StoredRecord.History.begun(now));
    OptionalLong version = done(records.put(new Change("test", now, before, Optional.of(entry))));
    return new StoredRecord(
        new StoredRecord.Name(RecordType.KEY, id, "acme"),
        settings,
        List.of(secrets),
        "",
        new StoredRecord.History(now, now, version.orElseThrow()));
  }

  /** Makes a frozen record of a subject that has none. */
  public void putFrozen(String name) {
    put(name, Optional.empty(), frozen());
  }

  /** Makes or changes the record of the tenant of all subjects. */
  void putTenant(Settings settings) {
    Stamp now = new Stamp(RedisTime.nanos() / 1_000_000, "test");
    StoredRecord entry = new StoredRecord(
        new StoredRecord.Name(RecordType.TENANT, "acme", "acme"),
        settings,
        List.of(),
        "",
        StoredRecord.History.begun(now));
    Optional<StoredRecord> before = done(records.find(RecordType.TENANT, "acme"));
    done(records.put(new Change("test", now, before, Optional.of(entry))));
  }

  /** Nothing is set but a state. */
  static Settings in(KeyState state) {
    Validity validity = new Validity(state, OptionalLong.empty());
    return new Settings(Optional.empty(), validity, List.of(), Map.of(), "");
  }

  static Settings frozen() {
    return in(KeyState.FROZEN);
  }

  /** Whether a subject is frozen, as far as the node knows. */
  public boolean isFrozen(String name) {
    return isFrozen(
        done(known.named(name, () -> POLICY.policy().covered(name)).toCompletionStage()));
  }

  static boolean isFrozen(Optional<Subject> subject) {
    return subject.orElseThrow().plan().limit("Ask") instanceof Frozen;
  }
}
