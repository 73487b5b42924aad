package io.weir.providers.queue;

/** The policy has changed the upstream: waiting requests ask again. */
public final class PolicyChangedException extends Exception {
  private static final long serialVersionUID = 1L;

  PolicyChangedException() {
    super("the policy has changed", null, false, false);
  }
}
