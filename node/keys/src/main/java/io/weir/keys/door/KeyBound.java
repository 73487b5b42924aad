package io.weir.keys.door;

import io.vertx.core.Future;
import io.weir.keys.record.StoredRecord;
import io.weir.keys.store.Change;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Operator;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The bound of keys of a tenant, on all nodes: its own operators make no key above it. Records of keys are in all parts of
 * the shared state, where no script can count them together. So each new key first takes a place, in the part of its
 * tenant, and then counts: keys that others are making have their places, and those that they have made are in the index.
 */
record KeyBound(RecordService desk) {
  static final ProblemDetails FULL =
      ProblemDetails.of(409, "keys_full", "The tenant has as many keys as it may have");

  /** Writes a new key, if its tenant may have one more; fails with {@link #FULL} if not. */
  Future<OptionalLong> put(
      Operator operator, Optional<StoredRecord> tenant, StoredRecord key, Change change) {
    OptionalInt most = tenant.map(it -> it.settings().mostKeys()).orElse(OptionalInt.empty());
    if (operator.tenant().isEmpty() || most.isEmpty()) {
      return desk.put(change);
    }
    return desk.of(desk.records().places().take(key.name().tenant(), key.name().id()))
        .compose(before -> {
          if (before.isEmpty()) {
            throw new RefusedException(RecordService.BUSY);
          }
          return within(most.getAsInt(), before.getAsInt(), key, change)
              .eventually(() -> desk.of(desk.records()
                      .places()
                      .free(key.name().tenant(), key.name().id()))
                  .otherwiseEmpty()); // it ends by itself
        });
  }

  private Future<OptionalLong> within(int most, int before, StoredRecord key, Change change) {
    return desk.of(desk.records().places().count(key.name().tenant(), most)).compose(count -> {
      if (count >= most) {
        throw new RefusedException(FULL);
      }
      // The others may fail, or be among those that were counted.
      if (count + before >= most) {
        throw new RefusedException(RecordService.BUSY);
      }
      return desk.put(change);
    });
  }
}
