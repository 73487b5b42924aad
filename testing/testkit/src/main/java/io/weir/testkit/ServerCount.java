package io.weir.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Which tests start servers: a line for each, in the build's folder, which {@code .ci/slowest} counts. */
final class ServerCount {
  private static final Path FOLDER = Path.of("target");

  private ServerCount() {}

  static void note() throws IOException {
    if (Files.isDirectory(FOLDER)) {
      Files.writeString(
          FOLDER.resolve("redis-servers.txt"),
          test() + "\n",
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    }
  }

  private static String test() {
    return StackWalker.getInstance()
        .walk(frames -> frames
            .map(StackWalker.StackFrame::getClassName)
            .filter(name -> name.startsWith("io.weir.") && !name.startsWith("io.weir.testkit."))
            .reduce((inner, outer) -> outer)
            .orElse("?"));
  }
}
