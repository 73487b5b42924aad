package io.weir.core.policy;

/** The target of requests: one server, or several servers with the same service. */
public interface Destination {
  /** Its name in the policy; empty for the policy's only upstream. */
  String name();

  /** The settings that all its servers share, with the address of the first. */
  Upstream settings();

  /** The longest wait of a request for its turn. */
  long queueMillis();

  /** How requests are sent again. */
  RetryRule retry();

  /** The requests that may be sent again though a server may have acted upon them. */
  RepeatRule repeat();

  /** Whether its operations have groups, which its servers tell apart. */
  boolean hasGroups();
}
