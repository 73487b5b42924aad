package io.weir.keys.door;

import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.Policy;
import io.weir.keys.identity.IdentityRule;
import io.weir.keys.record.RecordType;
import io.weir.keys.record.Settings;
import io.weir.keys.record.Stamp;
import io.weir.keys.record.StoredRecord;
import io.weir.keys.store.Change;
import io.weir.keys.store.Listing;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Operator;
import io.weir.node.intake.RoutedRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Makes the record of a tenant when an operator changes something of it: of one that a key or the policy names, since a
 * mistyped name would get a record that never applies.
 */
record UnrecordedTenant(RecordService desk) {
  static final ProblemDetails IN_POLICY = ProblemDetails.of(
      409,
      "tenant_in_policy",
      "The policy lists this tenant, which takes precedence: it is changed there, as by 'weir policy set"
          + " /tenants/NAME/frozen true'");
  private static final ProblemDetails UNKNOWN = ProblemDetails.of(
      404,
      "tenant_unknown",
      "There is no record of this tenant, and neither a key nor the policy names it");

  /** Whether a change makes a record: an operator of a tenant makes none, and nobody one he has seen. */
  static boolean isMadeBy(RoutedRequest request, Operator operator) {
    return operator.tenant().isEmpty() && request.http().getHeader("If-Match") == null;
  }

  /** The new record, with the changes of a patch; fails if another one has made it meanwhile. */
  Future<StoredRecord> changed(String tenant, Operator operator, JsonObject patch) {
    Policy policy = desk.policy();
    RecordRequest.requireEffect(policy, RecordType.TENANT, tenant, patch);
    Stamp now = desk.stamp(tenant, operator);
    return isNamed(policy, tenant).compose(isNamed -> {
      if (!isNamed) {
        throw new RefusedException(UNKNOWN);
      }
      StoredRecord made = RecordRequest.patched(unchanged(tenant, now), patch, now);
      RecordRequest.requireFits(policy, made, Optional.empty());
      return desk.put(new Change(KeysDoor.verb(patch), now, Optional.empty(), Optional.of(made)))
          .map(version -> RecordService.at(
              made, version.orElseThrow(() -> new RefusedException(RecordService.BUSY))));
    });
  }

  private Future<Boolean> isNamed(Policy policy, String tenant) {
    Stream<String> ofPolicy = Stream.concat(
        policy.callers().subjects().values().stream().map(subject -> subject.tenant()),
        policy.callers().subjectRules().stream().map(rule -> rule.tenant()));
    return policy.listsTenant(tenant)
            || ofPolicy.anyMatch(tenant::equals)
            || IdentityRule.mayName(policy, tenant)
        ? Future.succeededFuture(true)
        : desk.of(new Listing(desk.records())
                .page(RecordType.KEY, Optional.of(tenant), "", 1, key -> true))
            .map(page -> !page.entries().isEmpty());
  }

  private static StoredRecord unchanged(String tenant, Stamp now) {
    return new StoredRecord(
        new StoredRecord.Name(RecordType.TENANT, tenant, tenant),
        Settings.read(new JsonObject(), now.atMillis(), new ArrayList<>(0)),
        List.of(),
        "",
        StoredRecord.History.begun(now));
  }
}
