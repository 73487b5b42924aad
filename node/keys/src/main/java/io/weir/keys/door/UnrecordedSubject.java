package io.weir.keys.door;

import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.Subject;
import io.weir.keys.record.RecordType;
import io.weir.keys.record.Settings;
import io.weir.keys.record.Stamp;
import io.weir.keys.record.StoredRecord;
import io.weir.keys.store.Change;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Operator;
import io.weir.node.intake.RoutedRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Makes the record of a subject that only a rule of the policy covers, or of which only its own requests state the tenant,
 * when an operator changes something of it: with the tenant and the plan that it has, and without a secret.
 */
record UnrecordedSubject(RecordService desk) {

  /** The subject, if a change of it makes its record: an operator of a tenant makes none, and nobody one he has seen. */
  Future<Optional<Subject>> find(RoutedRequest request, String name, Operator operator) {
    if (operator.tenant().isPresent() || request.http().getHeader("If-Match") != null) {
      return Future.succeededFuture(Optional.empty());
    }
    return desk.identities().unrecorded(name, operator);
  }

  /** The new record, with the changes of a patch; fails if another one has made it meanwhile. */
  Future<StoredRecord> changed(Subject subject, Operator operator, JsonObject patch) {
    Stamp now = desk.stamp(subject.id(), operator);
    StoredRecord made = RecordRequest.patched(unchanged(subject, now), patch, now);
    return desk.of(desk.records().find(RecordType.TENANT, made.name().tenant()))
        .compose(tenant -> {
          RecordRequest.requireFits(desk.policy(), made, tenant);
          return desk.put(
              new Change(KeysDoor.verb(patch), now, Optional.empty(), Optional.of(made)));
        })
        .map(version -> RecordService.at(
            made, version.orElseThrow(() -> new RefusedException(RecordService.BUSY))));
  }

  private static StoredRecord unchanged(Subject subject, Stamp now) {
    Settings settings = Settings.read(
        new JsonObject().put("plan", subject.plan().name()), now.atMillis(), new ArrayList<>(0));
    return new StoredRecord(
        new StoredRecord.Name(RecordType.KEY, subject.id(), subject.tenant()),
        settings,
        List.of(),
        "",
        StoredRecord.History.begun(now));
  }
}
