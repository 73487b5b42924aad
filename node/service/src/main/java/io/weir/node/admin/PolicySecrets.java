package io.weir.node.admin;

import java.util.regex.Pattern;

/**
 * The hashes of secrets in texts of policies. Only operators who may do everything see them, as with exports of keys: a
 * secret that somebody has chosen can be guessed from its hash.
 */
final class PolicySecrets {
  private static final Pattern HASH = Pattern.compile("sha256:[^\\s\"',}\\]]+|[0-9a-fA-F]{64}");
  private static final String HIDDEN = "(hidden)";

  private PolicySecrets() {}

  /** A text without them. */
  static String hidden(String text) {
    return HASH.matcher(text).replaceAll(HIDDEN);
  }
}
