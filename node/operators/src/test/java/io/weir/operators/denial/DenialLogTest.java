package io.weir.operators.denial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import io.weir.operators.top.LimitName;
import io.weir.operators.top.SubjectName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DenialLogTest {
  @TempDir
  Path directory;

  private static Denial denial(int number) {
    return new Denial(
        new Denial.Event("id" + number, number, Optional.of("4bf92f3577b34da6a3ce929d0e0e4736")),
        new Denial.Asked(new SubjectName("acme", "user:\"" + number), 1, Optional.empty()),
        new LimitName("free", "Ask", "requests"),
        new Denial.Answer("denied", List.of(), Duration.ofMillis(5), false),
        false,
        3);
  }

  private static List<String> lines(Path file) {
    try {
      return Files.exists(file) ? Files.readAllLines(file) : List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void eachDenialIsALineOfJson() {
    Path file = directory.resolve("denials.jsonl");
    DenialLog log = DenialLog.open(file, "node-1", Instant::ofEpochMilli);
    for (int i = 0; i < 100; i++) {
      log.add(denial(i));
    }

    await().atMost(Duration.ofMinutes(1)).until(() -> lines(file).size() == 100);
    JsonObject last = new JsonObject(lines(file).get(99));
    assertThat(last.getString("id")).isEqualTo("id99");
    assertThat(last.getString("at")).isEqualTo("1970-01-01T00:00:00.099Z");
    assertThat(last.getString("node")).isEqualTo("node-1");
    assertThat(last.getString("key")).isEqualTo("user:\"99");
    assertThat(last.getLong("retryAfterMs")).isEqualTo(5);
  }

  @Test
  void aFullFileReplacesTheOneBefore() {
    Path file = directory.resolve("denials.jsonl");
    DenialLog log = DenialLog.open(file, "n", Instant::ofEpochMilli, 2000);
    for (int i = 0; i < 100; i++) {
      log.add(denial(i));
    }

    Path before = directory.resolve("denials.jsonl.1");
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> lines(file).stream().anyMatch(line -> line.contains("\"id99\""))
            || lines(before).stream().anyMatch(line -> line.contains("\"id99\"")));
    assertThat(lines(file).size() + lines(before).size()).isBetween(5, 30);
  }

  @Test
  void whatComesTooFastIsCountedNotKept() {
    Path file = directory.resolve("denials.jsonl");
    DenialLog log = DenialLog.open(file, "n", Instant::ofEpochMilli);
    int all = 200_000;
    for (int i = 0; i < all; i++) {
      log.add(denial(i));
    }
    await().atMost(Duration.ofMinutes(1)).until(() -> {
      log.add(denial(-1));
      return lines(file).stream().anyMatch(line -> line.contains("\"id-1\""));
    });

    long written = lines(file).stream().filter(line -> line.contains("\"id\"")).count();
    long missing = lines(file).stream()
        .filter(line -> line.contains("leftOut"))
        .mapToLong(line -> new JsonObject(line).getLong("leftOut"))
        .sum();
    assertThat(written + missing).isGreaterThanOrEqualTo(all);
  }

  @Test
  void aFileThatCannotBeWrittenIsToldAtOnce() {
    Path file = directory.resolve("none").resolve("denials.jsonl");

    assertThatThrownBy(() -> DenialLog.open(file, "n", Instant::ofEpochMilli))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining(file.toString());
  }
}
