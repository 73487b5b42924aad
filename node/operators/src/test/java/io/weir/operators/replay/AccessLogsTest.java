package io.weir.operators.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.operators.replay.LineReading.Request;
import io.weir.operators.replay.LineReading.Strange;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/**
 * Access logs of many servers. Beside each is the right answer: the arguments, what each line is ({@code reason} for a
 * line of another form, {@code frame} for one that is ignored), and what {@code policy.yaml} does with the log. A new
 * form is two new files.
 */
final class AccessLogsTest {
  private static final Path FOLDER = Path.of("src/test/resources/access-logs");

  static List<Path> logs() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files.filter(file -> file.toString().endsWith(".log")).sorted().toList();
    }
  }

  private static JsonObject answer(Path log) throws IOException {
    String name = log.getFileName().toString().replace(".log", ".json");
    return new JsonObject(Files.readString(FOLDER.resolve(name)));
  }

  private static CommandLine command(Path log, JsonObject answer, String... more) {
    List<String> arguments = new ArrayList<>(List.of(more));
    answer.getJsonArray("arguments").forEach(word -> arguments.add((String) word));
    arguments.addAll(List.of("--policy", FOLDER.resolve("policy.yaml").toString(), log.toString()));
    CommandLine line = new CommandLine(new ReplayCommand());
    line.parseArgs(arguments.toArray(String[]::new));
    return line;
  }

  @Test
  void thereAreLogsOfTwelveForms() throws IOException {
    assertThat(logs()).hasSizeGreaterThanOrEqualTo(12);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("logs")
  void everyLineIsReadOrHasAReason(Path log) throws IOException {
    JsonObject answer = answer(log);
    ReplayCommand command = command(log, answer).getCommand();
    LineFormat format = command.lineFormat();
    JsonArray read = new JsonArray();
    Files.readAllLines(log).forEach(line -> read.add(json(format.read(line))));
    assertThat(read).containsExactlyElementsOf(answer.getJsonArray("lines"));
  }

  private static JsonObject json(LineReading reading) {
    if (reading instanceof Request request) {
      LogLine line = request.line();
      Instant at = Instant.EPOCH.plus(line.atMicros(), ChronoUnit.MICROS);
      JsonObject json = new JsonObject()
          .put("at", at.toString())
          .put("caller", line.subject())
          .put("method", line.method())
          .put("target", line.request().target());
      line.operation().ifPresent(operation -> json.put("operation", operation));
      line.cost().ifPresent(cost -> json.put("cost", cost));
      return json;
    }
    return reading instanceof Strange strange
        ? new JsonObject().put("reason", strange.reason())
        : new JsonObject().put("frame", true);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("logs")
  void theDecisionsAreThoseOfTheRequestsInTheirOrder(Path log) throws Exception {
    JsonObject answer = answer(log);
    StringWriter out = new StringWriter();
    CommandLine line = command(log, answer, "--json").setOut(new PrintWriter(out));
    ReplayCommand command = line.getCommand();
    assertThat(command.call()).isZero();
    JsonObject report = new JsonObject(out.toString());
    JsonObject policy = report.getJsonArray("policies").getJsonObject(0);
    JsonObject counts = new JsonObject().put("late", report.getLong("late"));
    for (String count : List.of("admitted", "denied", "neverAllowed", "unknown")) {
      counts.put(count, policy.getLong(count));
    }
    assertThat(counts).isEqualTo(answer.getJsonObject("replay"));
    long strange = answer.getJsonArray("lines").stream()
        .filter(one -> ((JsonObject) one).containsKey("reason"))
        .count();
    assertThat(report.getLong("unread")).isEqualTo(strange);
  }
}
