package io.weir.state.wire;

import io.weir.core.throttle.Charge;

/** The tenant and subject of charges. */
public record Owner(String tenant, String subject) {
  public static Owner of(Charge charge) {
    return new Owner(charge.tenant(), charge.subject());
  }
}
