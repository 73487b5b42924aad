package io.weir.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A finished command with its output, including errors.
 *
 * @param status its exit status; -1 if it did not end in time, or could not be started
 */
public record CommandRun(int status, String output) {

  /** Runs a command and waits for its end; it is killed at the timeout. */
  public static CommandRun of(
      Duration timeout, Map<String, String> environment, List<String> command) {
    try {
      Path printed = Files.createTempFile("weir-command", ".txt");
      try {
        return run(timeout, environment, command, printed);
      } finally {
        Files.delete(printed);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs a command with the environment of this process. */
  public static CommandRun of(Duration timeout, String... command) {
    return of(timeout, Map.of(), List.of(command));
  }

  /** Whether the exit status is 0. */
  public boolean succeeded() {
    return status == 0;
  }

  private static CommandRun run(
      Duration timeout, Map<String, String> environment, List<String> command, Path printed)
      throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectInput(Path.of("/dev/null").toFile())
        .redirectOutput(printed.toFile());
    builder.environment().putAll(environment);
    Process process;
    try {
      process = builder.start();
    } catch (IOException e) {
      return new CommandRun(-1, String.valueOf(e.getMessage()));
    }
    try {
      boolean ended = process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS);
      if (!ended) {
        process.destroyForcibly().waitFor();
      }
      String output = Files.readString(printed, StandardCharsets.UTF_8);
      return new CommandRun(ended ? process.exitValue() : -1, output);
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      return new CommandRun(-1, "interrupted");
    }
  }
}
