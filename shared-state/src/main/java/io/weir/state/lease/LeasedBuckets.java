package io.weir.state.lease;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The leased buckets that a node uses, by their pool, bounded for each tenant: one that invents subjects displaces its
 * own buckets alone. A bucket that is displaced settles its lease by itself, and its pool is leased anew when it is used
 * again. Safe for use by many threads.
 */
final class LeasedBuckets {
  /** The most buckets of one tenant, and of all of scope {@code cluster}. */
  static final int MOST_OF_TENANT = 1000;

  private static final int PARTS = 8;

  private final Map<String, Map<Pool, LeasedBucket>> byTenant = new ConcurrentHashMap<>();

  /** The bucket of a pool; {@code make} makes one that is unknown. */
  LeasedBucket get(Pool pool, Function<Pool, LeasedBucket> make) {
    Map<Pool, LeasedBucket> known = byTenant.get(pool.tenant());
    LeasedBucket bucket = known == null ? null : known.get(pool);
    return bucket == null ? made(pool, make) : bucket;
  }

  // In the turn of the tenant, so that no map is used after it was removed.
  private LeasedBucket made(Pool pool, Function<Pool, LeasedBucket> make) {
    LeasedBucket[] made = new LeasedBucket[1];
    byTenant.compute(pool.tenant(), (tenant, known) -> {
      Map<Pool, LeasedBucket> all = known == null ? new ConcurrentHashMap<>() : known;
      makeRoom(all);
      made[0] = all.computeIfAbsent(pool, make);
      return all;
    });
    return made[0];
  }

  // Removes the least recently used ones: a part of all, so that not each newcomer has to look for
  // one.
  private static void makeRoom(Map<Pool, LeasedBucket> all) {
    if (all.size() >= MOST_OF_TENANT) {
      long[] used =
          all.values().stream().mapToLong(LeasedBucket::usedNanos).sorted().toArray();
      long latest = used[used.length / PARTS];
      all.values().removeIf(bucket -> displaceUnusedSince(latest, bucket));
    }
  }

  private static boolean displaceUnusedSince(long latestNanos, LeasedBucket bucket) {
    boolean isUnused = bucket.usedNanos() - latestNanos <= 0;
    if (isUnused) {
      bucket.displace();
    }
    return isUnused;
  }

  /** Forgets a bucket; another one of its pool stays. */
  void remove(Pool pool, LeasedBucket bucket) {
    byTenant.computeIfPresent(pool.tenant(), (tenant, all) -> {
      all.remove(pool, bucket);
      return all.isEmpty() ? null : all;
    });
  }

  /** All of them. */
  Stream<LeasedBucket> all() {
    return byTenant.values().stream().flatMap(of -> of.values().stream());
  }

  /** How many there are of a tenant. */
  int size(String tenant) {
    @Nullable Map<Pool, LeasedBucket> all = byTenant.get(tenant);
    return all == null ? 0 : all.size();
  }
}
