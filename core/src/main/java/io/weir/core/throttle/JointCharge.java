package io.weir.core.throttle;

import io.weir.core.bucket.Scope;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Charges that are decided as one: all of them take their cost, or none does. They share no limit: each has another
 * subject, and demands from limits of the key alone, without permits or a reservation.
 *
 * @param charges two or more, of one tenant
 */
public record JointCharge(List<Charge> charges) {
  /** The most charges. */
  public static final int MOST = 32;

  public JointCharge {
    charges = List.copyOf(charges);
    if (charges.size() < 2 || charges.size() > MOST) {
      throw new IllegalArgumentException(
          "charges: %d (expected: 2 to %d)".formatted(charges.size(), MOST));
    }
    Set<String> subjects = new HashSet<>();
    for (Charge charge : charges) {
      if (!charge.tenant().equals(charges.get(0).tenant())) {
        throw new IllegalArgumentException(
            "tenant: '%s' (expected: that of the first charge)".formatted(charge.tenant()));
      }
      if (!subjects.add(charge.subject())) {
        throw new IllegalArgumentException(
            "subject: '%s' (expected: one charge for each)".formatted(charge.subject()));
      }
      if (charge.extras().hold().isPresent() || scopes(charge).anyMatch(it -> it != Scope.KEY)) {
        throw new IllegalArgumentException(
            "charge of '%s': with a hold or a shared limit (expected: limits of the key alone)"
                .formatted(charge.subject()));
      }
    }
  }

  private static Stream<Scope> scopes(Charge charge) {
    return Stream.concat(
        charge.demands().stream().map(demand -> demand.bucket().scope()),
        charge.extras().demands().stream().map(demand -> demand.scope()));
  }
}
