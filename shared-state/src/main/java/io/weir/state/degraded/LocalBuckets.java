package io.weir.state.degraded;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.throttle.Charge;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The buckets of a node's share, by their owners. The longest unused ones make room for others. Mutable. */
final class LocalBuckets {
  private static final int MAX_BUCKETS = 100_000;
  private static final int MAX_BUCKETS_OF_MANY = 5_000;

  private final LongSupplier nanoClock;
  private final IntSupplier liveNodes;
  private final LastLevels levels;
  private final Map<Key, LocalBucket> all;

  /** @param parts the number of shares of a node, each of another part of the shared state */
  LocalBuckets(LongSupplier nanoClock, IntSupplier liveNodes, LastLevels levels, int parts) {
    int most = parts == 1 ? MAX_BUCKETS : MAX_BUCKETS_OF_MANY;
    this.all = new LinkedHashMap<>(16, 0.75f, true) {
      private static final long serialVersionUID = 1L;

      @Override
      protected boolean removeEldestEntry(Map.Entry<Key, LocalBucket> eldest) {
        return size() > most;
      }
    };
    this.nanoClock = nanoClock;
    this.liveNodes = liveNodes;
    this.levels = levels;
  }

  /** A bucket of one owner, by one rate and burst. */
  private record Key(List<String> owner, Bucket bucket) {
    static Key of(Charge charge, Demand demand) {
      List<String> owner = switch (demand.bucket().scope()) {
        case KEY -> List.of(charge.tenant(), charge.subject());
        case TENANT -> List.of(charge.tenant());
        case CLUSTER -> List.of();
      };
      return new Key(owner, demand.bucket());
    }
  }

  /** The bucket of a demand; null if there is none. */
  @Nullable
  LocalBucket find(Charge charge, Demand demand) {
    return all.get(Key.of(charge, demand));
  }

  /** The bucket of a demand, which is made if there is none: with the last known level. */
  LocalBucket make(Charge charge, int index) {
    Demand demand = charge.demands().get(index);
    return all.computeIfAbsent(
        Key.of(charge, demand),
        key -> new LocalBucket(
            demand,
            levels.used(charge, index, nanoClock.getAsLong()),
            Math.max(1, liveNodes.getAsInt()),
            nanoClock));
  }

  void forget(Charge charge, Demand demand) {
    all.remove(Key.of(charge, demand));
  }

  void clear() {
    all.clear();
  }
}
