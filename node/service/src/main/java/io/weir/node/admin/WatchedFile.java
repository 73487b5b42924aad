package io.weir.node.admin;

import java.util.Optional;

/** The policy file of a node that follows its changes. Safe for use by many threads. */
public interface WatchedFile {
  /** The file of a node that follows none. */
  WatchedFile NONE = inForce -> Optional.empty();

  /** How the file and the policy in force agree. */
  enum State {
    /** The policy of the file is in force. */
    IN_FORCE("in_force"),
    /** Another policy was put in force, and stays until the file changes. */
    DIFFERS("differs"),
    /** The file is refused or unreadable. */
    REFUSED("refused");

    private final String word;

    State(String word) {
      this.word = word;
    }

    /** The state in answers. */
    public String word() {
      return word;
    }
  }

  /**
   * The state beside this policy; empty if no file is followed, or it was not read yet.
   *
   * @param inForce the text of the policy in force
   */
  Optional<State> beside(String inForce);
}
