package io.weir.state.redis.wire;

import io.weir.throttle.Charge;

/** Whose charges they are. */
public record Owner(String tenant, String subject) {
  public static Owner of(Charge charge) {
    return new Owner(charge.tenant(), charge.subject());
  }
}
