package io.weir.node.command;

import java.util.Optional;
import java.util.regex.Pattern;

/** Validates tokens before they are sent or compared: messages of libraries would contain them. */
final class Tokens {
  private static final Pattern OF_HEADER = Pattern.compile("[!-~]([ -~]*[!-~])?");

  private Tokens() {}

  /**
   * Why a header cannot carry a token, in words without the token itself.
   *
   * @param name of the option
   */
  static Optional<String> problem(String name, String token) {
    return OF_HEADER.matcher(token).matches()
        ? Optional.empty()
        : Optional.of(
            "%s: the token has a line break, a blank at an end, or a character that is not ASCII (expected: as an HTTP header carries it)"
                .formatted(name));
  }
}
