package io.weir.testkit;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * Moves the wall clock of one process: a small library preloaded before the C library adds an offset that it reads from
 * a file. Needs a C compiler and Linux; otherwise the test is skipped with a message.
 */
public final class ClockShim implements AutoCloseable {
  private static final String SOURCE = """
      #define _GNU_SOURCE
      #include <dlfcn.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <sys/time.h>
      int gettimeofday(struct timeval *time, void *zone) {
        static int (*real)(struct timeval *, void *);
        if (!real) real = dlsym(RTLD_NEXT, "gettimeofday");
        int result = real(time, zone);
        FILE *file = fopen(getenv("WEIR_CLOCK_OFFSET"), "r");
        long seconds = 0;
        if (file) { if (fscanf(file, "%ld", &seconds) != 1) seconds = 0; fclose(file); }
        time->tv_sec += seconds;
        return result;
      }
      """;

  private final Path directory;

  private ClockShim(Path directory) {
    this.directory = directory;
  }

  /** Makes a shim with an offset of zero. */
  public static ClockShim make() {
    try {
      ClockShim shim = new ClockShim(Files.createTempDirectory("weir-clock"));
      shim.moveBy(Duration.ZERO);
      Path source = Files.writeString(shim.directory.resolve("clock.c"), SOURCE);
      CommandRun compiled = CommandRun.of(
          Duration.ofSeconds(30),
          "cc",
          "-shared",
          "-fPIC",
          "-o",
          shim.library().toString(),
          source.toString(),
          "-ldl");
      if (!compiled.succeeded()) {
        shim.close();
      }
      assumeTrue(
          compiled.succeeded(), "skipped: no C compiler: " + compiled.output().strip());
      return shim;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The environment for a process whose clock is moved. */
  public Map<String, String> environment() {
    return Map.of(
        "LD_PRELOAD", library().toString(), "WEIR_CLOCK_OFFSET", offset().toString());
  }

  /** Sets the offset of the clock; negative for a clock that is behind. */
  public void moveBy(Duration offset) {
    try {
      Files.writeString(offset(), Long.toString(offset.toSeconds()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    for (Path file : new Path[] {directory.resolve("clock.c"), library(), offset(), directory}) {
      try {
        Files.deleteIfExists(file);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private Path library() {
    return directory.resolve("clock.so");
  }

  private Path offset() {
    return directory.resolve("offset");
  }
}
