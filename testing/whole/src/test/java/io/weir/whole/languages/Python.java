package io.weir.whole.languages;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.testkit.CommandRun;
import java.time.Duration;
import java.util.stream.Stream;

/** Pythons of this machine: that of the path, and that of the system, which has the system's packages. */
public final class Python {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  private Python() {}

  /** One that has these modules. The test is skipped where there is none. */
  public static String with(String modules) {
    String python = Stream.of("python3", "/usr/bin/python3")
        .filter(it -> CommandRun.of(TIMEOUT, it, "-c", "import " + modules).succeeded())
        .findFirst()
        .orElse("");
    assumeTrue(!python.isEmpty(), "not here: a Python with " + modules);
    return python;
  }
}
