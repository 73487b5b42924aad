package io.weir.keys.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.command.WeirCommand;
import io.weir.node.testing.NodeFixture;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/**
 * Files of keys in the forms in which other systems write them, each with its traps. Beside each is the right answer: the
 * status, a line for each row in force with its line and key, and one for each row that is refused, with its line and why.
 * A new form is a new file.
 */
final class ImportCorpusIT {
  private static final String POLICY = """
      buckets:
        - { name: calls, burstPeriod: 10, throttleGroups: [{ opsPerSec: 1000, operations: [Ask] }] }
      plans:
        free: { buckets: [calls] }
        gold: { buckets: [calls] }
      defaults: { plan: free }
      """;
  private static final String EXPECTED = ".expected";

  @AutoClose
  private static final NodeFixture fixture = NodeFixture.withOwnRedis(POLICY, FailureMode.DENY);

  private static Path corpus() throws URISyntaxException {
    return Path.of(ImportCorpusIT.class.getResource("/import").toURI());
  }

  static List<String> files() throws IOException, URISyntaxException {
    try (Stream<Path> all = Files.list(corpus())) {
      List<String> names = all.map(file -> file.getFileName().toString())
          .filter(name -> !name.endsWith(EXPECTED))
          .sorted()
          .toList();
      assertThat(names).hasSizeGreaterThanOrEqualTo(10);
      return names;
    }
  }

  /** What an import printed. */
  private record Ran(int status, String out, String err) {}

  private static Ran imported(Path file) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = WeirCommand.commandLine(Map.of(), Optional::empty)
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err));
    int status = line.execute(
        "keys",
        "import",
        file.toString(),
        "--tenant",
        "acme",
        "--node",
        fixture.uri("/").toString(),
        "--admin-token",
        NodeFixture.ADMIN);
    // The further lines of a sentence are indented.
    return new Ran(status, out.toString(), err.toString().replaceAll("\\R  (?=\\S)", " "));
  }

  @ParameterizedTest
  @MethodSource("files")
  void eachRowIsInForceOrNamedWithItsLine(String name) throws Exception {
    List<String> expected = Files.readAllLines(corpus().resolve(name + EXPECTED));
    Ran ran = imported(corpus().resolve(name));
    String told = ran.out() + ran.err();
    List<String> refused = new ArrayList<>();
    List<String> inForce = new ArrayList<>();
    for (String one : expected) {
      String[] words = one.split(" ", 4);
      switch (words[0]) {
        case "status" -> assertThat(ran.status()).as(told).isEqualTo(Integer.parseInt(words[1]));
        case "file" -> assertThat(ran.err()).contains(name + ": " + one.substring(5));
        case "refused" -> {
          refused.add(words[1]);
          assertRefused(ran, words);
        }
        default -> {
          inForce.add(words[2]);
          assertInForce(words, told);
        }
      }
    }
    assertThat(ran.err().lines().filter(line -> line.matches("lines? \\d+.*")))
        .as(told)
        .hasSameSizeAs(refused);
    if (!ran.out().isEmpty()) {
      assertThat(ran.out())
          .isEqualTo("created %d, the same already 0, replaced 0, refused %d%n"
              .formatted(inForce.stream().distinct().count(), refused.size()));
    }
    assertThat(ran.err().lines()).allMatch(line -> line.length() < 400);
  }

  private static void assertRefused(Ran ran, String... words) {
    boolean isNamed = !words[2].equals("-");
    assertThat(ran.err().lines())
        .as("line " + words[1])
        .anyMatch(line -> line.matches("lines? " + words[1] + "\\b.*")
            && (!isNamed || line.contains(", " + words[2]))
            && line.contains(words[3]));
  }

  private static void assertInForce(String[] words, String told) {
    JsonObject record =
        NodeFixture.json(fixture.send(HttpRequest.newBuilder(fixture.uri("/v1/keys/" + words[2]))
            .header("Authorization", "Bearer " + NodeFixture.ADMIN)));
    assertThat(record.getString("tenant")).as(words[2] + " " + told).isEqualTo("acme");
    if (words.length == 4) {
      await()
          .atMost(Duration.ofMinutes(1))
          .untilAsserted(() -> assertThat(checked(words[3])).as(words[2]).isEqualTo(200));
    }
  }

  private static int checked(String key) {
    return fixture
        .post(
            "/v1/check",
            new JsonObject().put("key", key).put("operation", "Ask").encode())
        .statusCode();
  }
}
