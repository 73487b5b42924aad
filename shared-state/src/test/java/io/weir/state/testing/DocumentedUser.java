package io.weir.state.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The user of Redis that the documents recommend. */
public final class DocumentedUser {
  private DocumentedUser() {}

  /** {@code SETUSER} and its arguments. */
  public static String arguments() throws IOException {
    return Files.readString(Path.of("../docs/how-to/redis.md"))
        .lines()
        .filter(line -> line.startsWith("ACL SETUSER "))
        .findFirst()
        .orElseThrow()
        .substring("ACL ".length());
  }
}
