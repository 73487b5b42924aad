package io.weir.keys.door;

import io.vertx.core.Future;
import io.weir.core.policy.SecretHash;
import io.weir.keys.record.RecordType;
import io.weir.keys.record.Secret;
import io.weir.keys.record.StoredRecord;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Texts of keys without an id in them: each is claimed for one record, and given back when that no longer has it. */
record WholeTexts(RecordService desk) {
  private static final ProblemDetails TAKEN =
      ProblemDetails.of(409, "secret_taken", "Another key has this text");

  /** Claims all of a record, before it is written; fails if another key has one. */
  Future<Void> claim(StoredRecord entry) {
    return Future.join(hashes(Optional.of(entry)).stream()
            .map(hash -> desk.of(
                    desk.records().name(hash.compact(), entry.name().id()))
                .map(isClaimed -> {
                  if (!isClaimed) {
                    throw new RefusedException(TAKEN);
                  }
                  return true;
                }))
            .toList())
        .mapEmpty();
  }

  /** Gives back those that a record had, and has no longer; empty if it is gone. */
  Future<Void> release(StoredRecord before, Optional<StoredRecord> after) {
    Set<SecretHash> kept = hashes(after);
    return release(
        before.name().id(),
        hashes(Optional.of(before)).stream()
            .filter(hash -> !kept.contains(hash))
            .toList());
  }

  /** Gives back those that were claimed for a record that was not written. */
  Future<Void> releaseUnused(StoredRecord wanted) {
    return desk.of(desk.records().find(RecordType.KEY, wanted.name().id()))
        .compose(stored -> release(wanted, stored));
  }

  private Future<Void> release(String id, Collection<SecretHash> hashes) {
    return hashes.isEmpty()
        ? Future.succeededFuture()
        : Future.join(hashes.stream()
                .map(hash -> desk.of(desk.records().unname(hash.compact(), id)))
                .toList())
            .mapEmpty();
  }

  private static Set<SecretHash> hashes(Optional<StoredRecord> entry) {
    List<Secret> secrets = entry.map(StoredRecord::secrets).orElse(List.of());
    return secrets.stream().filter(Secret::isWhole).map(Secret::hash).collect(Collectors.toSet());
  }
}
