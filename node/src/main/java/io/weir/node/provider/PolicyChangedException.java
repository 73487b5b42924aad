package io.weir.node.provider;

/** The policy has changed the upstream: waiting requests ask again. */
final class PolicyChangedException extends Exception {
  private static final long serialVersionUID = 1L;

  PolicyChangedException() {
    super("the policy has changed", null, false, false);
  }
}
