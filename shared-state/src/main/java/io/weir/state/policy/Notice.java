package io.weir.state.policy;

/**
 * A notice from one node to all nodes about the policy.
 *
 * @param what the revision in force, or the name of a proposal, followed by the node's name if it is ready
 */
record Notice(Type kind, String what) {
  enum Type {
    /** Read this proposal: it is about to be in force. */
    PROPOSED("next "),
    /** I have read this proposal. */
    READY("ready "),
    /** This revision is in force. */
    IN_FORCE("");

    private final String prefix;

    Type(String prefix) {
      this.prefix = prefix;
    }
  }

  static Notice parse(String text) {
    for (Type kind : Type.values()) {
      if (text.startsWith(kind.prefix)) {
        return new Notice(kind, text.substring(kind.prefix.length()));
      }
    }
    throw new AssertionError("every text begins with an empty one");
  }

  String text() {
    return kind.prefix + what;
  }
}
