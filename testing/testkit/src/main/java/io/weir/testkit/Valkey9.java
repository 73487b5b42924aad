package io.weir.testkit;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Valkey 9: {@code valkey-server} of the PATH, or the one that {@code .ci/valkey} has brought. */
final class Valkey9 {
  private static final Duration WITHIN = Duration.ofSeconds(20);
  private static final Pattern VERSION = Pattern.compile(" v=(\\d+)\\.");
  private static final int OLDEST = 9;

  private Valkey9() {}

  /** The program; the test is skipped where it is missing. */
  static Path executable() {
    Optional<Path> found = Stream.concat(onPath(), Stream.of(brought()))
        .filter(Files::isExecutable)
        .filter(Valkey9::isNewEnough)
        .findFirst();
    if (found.isEmpty()) {
      // With a visible message: a skipped test is easily overlooked.
      System.out.println("skipped: no Valkey 9 is here (.ci/valkey brings it)");
      abort("skipped: no Valkey 9 is here");
    }
    return found.orElseThrow();
  }

  private static Stream<Path> onPath() {
    return Stream.of(
            Optional.ofNullable(System.getenv("PATH")).orElse("").split(File.pathSeparator))
        .filter(entry -> !entry.isEmpty())
        .map(entry -> Path.of(entry, "valkey-server"));
  }

  private static Path brought() {
    Path cache = Optional.ofNullable(System.getenv("XDG_CACHE_HOME"))
        .map(Path::of)
        .orElse(Path.of(System.getProperty("user.home"), ".cache"));
    return cache.resolve("weir/valkey-9/valkey-server");
  }

  private static boolean isNewEnough(Path executable) {
    CommandRun run = CommandRun.of(WITHIN, executable.toString(), "--version");
    Matcher version = VERSION.matcher(run.output());
    return run.succeeded() && version.find() && Integer.parseInt(version.group(1)) >= OLDEST;
  }
}
