package io.weir.state.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The user of Redis that the documents recommend. */
public final class DocumentedUser {
  private DocumentedUser() {}

  /** {@code SETUSER} and its arguments. */
  public static String arguments() throws IOException {
    return Files.readString(document())
        .lines()
        .filter(line -> line.startsWith("ACL SETUSER "))
        .findFirst()
        .orElseThrow()
        .substring("ACL ".length());
  }

  // Of the project, from the folder of whichever module runs its tests.
  private static Path document() {
    return Stream.of("..", "../..")
        .map(root -> Path.of(root, "docs/how-to/redis.md"))
        .filter(Files::exists)
        .findFirst()
        .orElseThrow();
  }
}
