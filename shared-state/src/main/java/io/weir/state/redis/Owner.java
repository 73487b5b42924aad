package io.weir.state.redis;

import io.weir.throttle.Charge;

/** Whose charges they are. */
record Owner(String tenant, String subject) {
  static Owner of(Charge charge) {
    return new Owner(charge.tenant(), charge.subject());
  }
}
