package io.weir.node.reservation;

import io.vertx.core.buffer.Buffer;
import io.weir.core.bucket.Names;
import io.weir.core.policy.CostRule;
import io.weir.node.json.BodyFields;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A parsed reservation request.
 *
 * @param subject the id of the API key
 * @param cost in operations; empty for the operation's own
 * @param id the service's name for the reservation, if it has one
 * @param leaseMicros the time within which it must be settled or renewed, if the service names one
 */
record ReservationRequest(
    String subject,
    String operation,
    OptionalLong cost,
    Optional<String> id,
    OptionalLong leaseMicros) {
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9_-]{1,64}");
  private static final Set<String> FIELDS = Set.of("subject", "operation", "cost", "id", "leaseMs");
  private static final long MAX_LEASE_MILLIS = 3_600_000;

  static ReservationRequest parse(Buffer body) {
    BodyFields fields = new BodyFields(body, FIELDS, "reservation_invalid");
    String subject =
        fields.text("subject", Names::isSubject, Names.SUBJECT_PATTERN).orElse("");
    String operation =
        fields.text("operation", Names::isName, Names.NAME_PATTERN).orElse("");
    fields.require("subject");
    fields.require("operation");
    OptionalLong cost = fields.whole("cost", 1, CostRule.MAX_COST);
    Optional<String> id = fields.text("id", ID.asMatchPredicate(), ID.pattern());
    OptionalLong lease = fields.whole("leaseMs", 100, MAX_LEASE_MILLIS);
    fields.refuseMistakes();
    OptionalLong micros =
        lease.isPresent() ? OptionalLong.of(lease.getAsLong() * 1000) : OptionalLong.empty();
    return new ReservationRequest(subject, operation, cost, id, micros);
  }

  /**
   * The content of the request as the service wrote it, to recognise a repetition. Defaults are not filled in, so that
   * a change of the policy does not make a repetition differ.
   */
  String content() {
    return "%s:%s:%s".formatted(operation, text(cost), text(leaseMicros));
  }

  private static String text(OptionalLong number) {
    return number.isPresent() ? Long.toString(number.getAsLong()) : "-";
  }

  /** The actual cost of a settlement, from 0 on. */
  static long cost(Buffer body) {
    BodyFields fields = new BodyFields(body, Set.of("cost"), "reservation_invalid");
    fields.require("cost");
    OptionalLong cost = fields.whole("cost", 0, CostRule.MAX_COST);
    fields.refuseMistakes();
    return cost.orElse(0);
  }
}
