package io.weir.state.policy;

import io.weir.core.bucket.Names;

/**
 * The author of a change of the policy, and the reason.
 *
 * @param by the operator's name
 * @param comment one line, or empty
 */
public record Edit(String by, String comment) {
  private static final int MOST = 200;

  public Edit {
    if (!by.matches("[!-~]+")) {
      throw new IllegalArgumentException("by: '%s' (expected: a name)".formatted(by));
    }
    if (!isComment(comment)) {
      throw new IllegalArgumentException(
          "comment: (expected: one line, at most %d characters)".formatted(MOST));
    }
  }

  /** Whether a text may be a comment: {@linkplain Names#isLine one line}, at most 200 characters. */
  public static boolean isComment(String text) {
    return text.length() <= MOST && Names.isLine(text);
  }

  /** An edit by a node, not by an operator. */
  static Edit ofNode(String comment) {
    return new Edit("node", comment);
  }
}
