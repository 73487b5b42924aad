package io.weir.keys.directory;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.weir.core.policy.Access;
import io.weir.core.policy.Policy;
import io.weir.core.policy.SubjectEntry;
import io.weir.core.policy.SubjectEntry.Compiled;
import io.weir.core.policy.schema.Problem;
import io.weir.keys.record.RecordType;
import io.weir.keys.record.StoredRecord;
import io.weir.keys.store.Listing;
import io.weir.keys.store.RedisRecords;
import io.weir.node.admin.OperatorWork;
import io.weir.node.admin.StrandedRecords;
import io.weir.node.admin.Stranding;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;

/** Counts the records that a policy would leave without limits. Safe for use by many threads. */
public final class StrandedKeys implements Stranding {
  private static final int PAGE = 1000;
  private static final int MOST_REASONS = 20;

  private final Vertx vertx;
  private final Listing listing;
  private final ToLongFunction<String> nowMillis;
  private final long mostRead;

  /**
   * A count of records.
   *
   * @param nowMillis the time in the part of the shared state with a name
   * @param mostRead of the keys, and of the tenants
   */
  public StrandedKeys(
      Vertx vertx, RedisRecords records, ToLongFunction<String> nowMillis, long mostRead) {
    this.vertx = vertx;
    this.listing = new Listing(records);
    this.nowMillis = nowMillis;
    this.mostRead = mostRead;
  }

  @Override
  public Future<StrandedRecords> by(Policy current, Policy candidate) {
    Count count = new Count(current, candidate);
    return count
        .read(RecordType.TENANT, "", 0)
        .compose(tenants -> count.rules())
        .compose(rules -> count.read(RecordType.KEY, "", 0))
        .map(keys -> count.result());
  }

  /** One count. Mutable; its steps follow one another. */
  private final class Count {
    private final Policy current;
    private final Policy candidate;
    private final OperatorWork work = new OperatorWork(vertx);
    private final Map<String, StoredRecord> tenants = new HashMap<>();
    private final Map<String, Long> plans = new HashMap<>();
    private final Map<String, Long> overrides = new HashMap<>();
    private long read;
    private boolean isWhole = true;

    Count(Policy current, Policy candidate) {
      this.current = current;
      this.candidate = candidate;
    }

    StrandedRecords result() {
      return new StrandedRecords(plans, overrides, read, isWhole);
    }

    // The page is looked at on a thread of its own: overrides are compiled.
    Future<Void> read(RecordType kind, String cursor, long before) {
      return Future.fromCompletionStage(
              listing.page(
                  kind,
                  Optional.empty(),
                  cursor,
                  (int) Math.min(PAGE, mostRead - before),
                  entry -> true),
              vertx.getOrCreateContext())
          .compose(page -> work.run(() -> {
            page.entries().forEach(kind == RecordType.KEY ? this::key : this::tenant);
            return page;
          }))
          .compose(page -> {
            long readNow = before + page.entries().size();
            boolean isEnd = page.next().isEmpty();
            if (isEnd || readNow >= mostRead) {
              read += readNow;
              isWhole &= isEnd;
              return Future.succeededFuture();
            }
            return read(kind, page.next(), readNow);
          });
    }

    private void tenant(StoredRecord tenant) {
      tenants.put(tenant.name().id(), tenant);
      long now = nowMillis.applyAsLong(tenant.name().id());
      if (tenant.isUsableAt(now) && tenant.settings().plan().isPresent()) {
        compare(new SubjectEntry(
            tenant.name().id(),
            tenant.name().id(),
            Optional.empty(),
            Access.LIMITED,
            List.of(),
            Subjects.tenant(Optional.of(tenant), now)));
      }
    }

    // A tenant may have subjects by rules alone; its plan is compared already.
    Future<Boolean> rules() {
      return work.run(() -> {
        tenants.values().forEach(tenant -> {
          long now = nowMillis.applyAsLong(tenant.name().id());
          SubjectEntry.TenantEntry settings = Subjects.tenant(Optional.of(tenant), now);
          candidate.callers().subjectRules().stream()
              .filter(rule ->
                  tenant.isUsableAt(now) && rule.tenant().equals(tenant.name().id()))
              .map(rule -> rule.with(settings))
              .flatMap(entry -> reason(current.compile(entry), candidate.compile(entry)).stream())
              .findFirst()
              .ifPresent(this::addReason);
        });
        return true;
      });
    }

    private void key(StoredRecord key) {
      long now = nowMillis.applyAsLong(key.name().id());
      boolean isOfCandidate = candidate.listed(key.name().id()).isPresent();
      if (key.isUsableAt(now) && !isOfCandidate) {
        compare(Subjects.entry(key, Optional.ofNullable(tenants.get(key.name().tenant())), now));
      }
    }

    private void compare(SubjectEntry entry) {
      Compiled before = current.compile(entry);
      boolean hadLimits =
          before.plan().isPresent() || current.listed(entry.id()).isPresent();
      if (!hadLimits) {
        return;
      }
      Compiled after = candidate.compile(entry);
      if (after.plan().isEmpty()) {
        plans.merge(candidate.planName(entry).orElse(""), 1L, Long::sum);
      } else {
        reason(before, after).ifPresent(this::addReason);
      }
    }

    // The records have the same overrides before and after: a new problem is one of the candidate.
    private static Optional<String> reason(Compiled before, Compiled after) {
      return after.problems().stream()
          .filter(problem -> problem.severity() == Problem.Severity.ERROR)
          .filter(problem -> before.problems().stream().noneMatch(old -> isSame(old, problem)))
          .map(problem -> problem.code() + " " + problem.message())
          .findFirst();
    }

    // The message may list the names of either policy.
    private static boolean isSame(Problem one, Problem other) {
      return one.code().equals(other.code()) && one.location().equals(other.location());
    }

    private void addReason(String reason) {
      boolean isListed = overrides.containsKey(reason) || overrides.size() < MOST_REASONS;
      overrides.merge(isListed ? reason : "other reasons", 1L, Long::sum);
    }
  }
}
