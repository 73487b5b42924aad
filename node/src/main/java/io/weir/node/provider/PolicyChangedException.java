package io.weir.node.provider;

/** The upstream is another one by now: whoever waits for it asks again. */
final class PolicyChangedException extends Exception {
  private static final long serialVersionUID = 1L;

  PolicyChangedException() {
    super("the policy has changed", null, false, false);
  }
}
