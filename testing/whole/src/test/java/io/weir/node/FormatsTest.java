package io.weir.node;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.command.WeirCommand;
import io.weir.node.extension.Capabilities;
import io.weir.state.policy.StateFormat;
import io.weir.whole.formats.RecordedFormat;
import io.weir.whole.formats.SchemaLines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** HTTP, policy, settings and metrics are as recorded for their versions; {@link RecordedFormat}. */
final class FormatsTest {
  private static final Path DOCUMENTS = Path.of("../../docs/reference");
  private static final String PAGE_FILES = "/page/";
  private static final Pattern METRIC = Pattern.compile("\\| `([a-z_]+)` \\| ([^|]*) \\|.*");
  private static final Pattern WORD = Pattern.compile("`([a-z_]+)`");

  @Test
  void httpIsAsRecorded() throws IOException {
    JsonObject description = new JsonObject(OpenApi.of(Node.described(Capabilities.onClassPath())));
    TreeSet<String> lines = new TreeSet<>();
    JsonObject paths = description.getJsonObject("paths");
    // The files of the page are free to change.
    for (String path :
        paths.fieldNames().stream().filter(it -> !it.startsWith(PAGE_FILES)).toList()) {
      JsonObject operations = paths.getJsonObject(path);
      for (String method : operations.fieldNames()) {
        if (operations.getValue(method) instanceof JsonObject operation) {
          lines.addAll(operation(description, method + " " + path, operation));
        }
      }
    }
    RecordedFormat.require("http", lines);
  }

  private static SortedSet<String> operation(JsonObject description, String name, JsonObject one) {
    SchemaLines request = SchemaLines.of(description, true);
    SchemaLines answer = SchemaLines.of(description, false);
    request.lines().add(name);
    one.getJsonArray("parameters", new JsonArray()).stream()
        .map(JsonObject.class::cast)
        .filter(parameter -> parameter.containsKey("name"))
        .forEach(parameter -> request.add(
            "%s %s %s".formatted(name, parameter.getString("in"), parameter.getString("name")),
            parameter.getJsonObject("schema", new JsonObject())));
    content(one.getJsonObject("requestBody", new JsonObject()), name + " body", request);
    JsonObject responses = one.getJsonObject("responses");
    for (String status : responses.fieldNames()) {
      answer.lines().add(name + " " + status);
      content(responses.getJsonObject(status), name + " " + status, answer);
    }
    TreeSet<String> lines = new TreeSet<>(request.lines());
    lines.addAll(answer.lines());
    return lines;
  }

  // Refusals are problems, each alike.
  private static void content(JsonObject holder, String prefix, SchemaLines lines) {
    JsonObject content = holder.getJsonObject("content", new JsonObject());
    for (String type : content.fieldNames()) {
      lines.lines().add(prefix + " " + type);
      lines.add(prefix, content.getJsonObject(type).getJsonObject("schema", new JsonObject()));
    }
  }

  @Test
  void thePolicyIsAsRecorded() throws IOException {
    JsonObject schema = new JsonObject(Files.readString(DOCUMENTS.resolve("policy.schema.json")));
    RecordedFormat.require(
        "policy", SchemaLines.of(schema, true).add("policy", schema).lines());
  }

  @Test
  void settingsAreAsRecorded() throws IOException {
    TreeSet<String> lines = new TreeSet<>();
    CommandLine node = requireNonNull(
        WeirCommand.commandLine(Map.of(), Optional::empty).getSubcommands().get("node"));
    for (OptionSpec option : node.getCommandSpec().options()) {
      boolean hasValue = option.arity().max() > 0;
      lines.add(option.longestName() + (hasValue ? " " + option.paramLabel() : ""));
    }
    RecordedFormat.require("settings", lines);
  }

  @Test
  void metricsAreAsRecorded() throws IOException {
    TreeSet<String> lines = new TreeSet<>();
    for (String row : Files.readAllLines(DOCUMENTS.resolve("metrics.md"))) {
      Matcher metric = METRIC.matcher(row);
      if (metric.matches()) {
        lines.add(metric.group(1));
        WORD.matcher(metric.group(2))
            .results()
            .forEach(tag -> lines.add(metric.group(1) + " " + tag.group(1)));
      }
    }
    assertThat(lines).hasSizeGreaterThan(40);
    RecordedFormat.require("metrics", lines);
  }

  @ParameterizedTest
  @ValueSource(strings = {"state", "tickets", "http", "policy", "settings", "metrics"})
  void thePageNamesTheVersions(String format) throws IOException {
    int version = RecordedFormat.read(format).version();
    assertThat(Files.readString(DOCUMENTS.resolve("stability.md")))
        .containsPattern(
            "\\| \\[?[A-Za-z ]+]?[^|]* \\| `%s` \\| %d \\|".formatted(format, version));
  }

  @Test
  void theStateHasTheVersionOfItsRecord() throws IOException {
    assertThat(StateFormat.VERSION).isEqualTo(RecordedFormat.read("state").version());
  }

  @Test
  void aLineThatIsGoneNamesTheWayToRetireIt() {
    RecordedFormat recorded = new RecordedFormat(
        "policy", 2, new TreeSet<>(List.of("a", "b")), new TreeMap<>(Map.of("old", 2)));
    assertThat(recorded.differences(List.of("a", "b"))).isEmpty();
    assertThat(recorded.differences(List.of("a", "c", "old")))
        .satisfiesExactly(
            gone -> assertThat(gone).contains("'b' is gone", "raise the version"),
            added -> assertThat(added).contains("'c' is new"),
            back -> assertThat(back).contains("'old' was retired by version 2"));
  }
}
