package io.weir.node.envoy.rule;

/** Another way to treat the descriptors of a rule. */
public enum RuleOption {
  /** A limit that a descriptor carries counts in place of the rule's. */
  OVERRIDE,
  /** It is decided and not enforced. */
  AUDIT,
  /** It denies only if no other rule of the request in this mode has room. */
  QUOTA,
  /** Its limit is divided among Envoys, which decide without a call. */
  DIVIDED,
  /** Its hits are over when they are charged: all are taken, beyond the limit if need be. */
  AFTERWARDS
}
