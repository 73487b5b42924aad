package io.weir.core.throttle;

import io.weir.core.bucket.Scope;
import io.weir.core.kind.Hold;
import io.weir.core.kind.Permits;
import java.util.List;

/**
 * The permits and the reservation of an admitted request.
 *
 * @param tenant the tenant of the API key
 * @param subject the id of the API key
 * @param id of the hold
 * @param reserves whether the charge is recorded
 * @param leaseMicros how long it is held after each renewal
 * @param permits the permits that it holds
 */
public record Held(
    String tenant,
    String subject,
    String id,
    boolean reserves,
    long leaseMicros,
    List<Permit> permits) {

  /** One permit. */
  public record Permit(Scope scope, String name) {}

  public Held {
    permits = List.copyOf(permits);
  }

  /** The hold of a charge that was admitted. */
  public static Held of(Charge charge, Hold hold) {
    List<Permit> permits = charge.extras().demands().stream()
        .filter(Permits.class::isInstance)
        .map(demand -> new Permit(demand.scope(), demand.name()))
        .toList();
    return new Held(
        charge.tenant(), charge.subject(), hold.id(), hold.reserves(), hold.leaseMicros(), permits);
  }
}
