package io.weir.whole.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.testkit.CommandRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The policy of the README, with the key in it, leads to the answers that stand beside it. */
final class ReadmeIT {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final Pattern NODE = Pattern.compile("127\\.0\\.0\\.1:808\\d");

  @Test
  void aReaderGetsTheCheckAndTheDenialThatAreShown() throws IOException {
    assumeTrue(CommandRun.of(TIMEOUT, "curl", "--version").succeeded(), "skipped: no curl is here");
    String readme = Files.readString(Path.of("../../README.md"));
    String policy = found("```yaml\n(.*?)```", readme).replace(":9000", ":UPSTREAM");
    try (NodeFixture node = new NodeFixture(policy, FailureMode.DENY)) {
      Matcher check = Pattern.compile("\\$ (curl -s -d .*)\n(.*)").matcher(readme);
      assertThat(check.find()).isTrue();
      assertThat(run(check.group(1), node)).isEqualTo(check.group(2));

      String calls = found("(curl -si .*?)\n", readme);
      // A machine that takes seconds for twelve calls sees the bucket drain meanwhile.
      await()
          .atMost(TIMEOUT)
          .untilAsserted(() -> assertThat(denials(run(calls, node))).isNotEmpty());
      String denial = denials(run(calls, node)).get(0);
      String shown = found("```\n(HTTP/1.1 429.*?)```", readme);
      assertThat(denial.lines().map(String::strip))
          .containsAll(
              shown.lines().filter(line -> line.startsWith("RateLimit")).toList());
      for (String name : names(shown)) {
        assertThat(denial).containsIgnoringCase(name);
      }
      assertThat(denial).contains("\"full\":[\"requests\"]");
    }
  }

  /** The headers, and the members of the body. */
  private static List<String> names(String answer) {
    List<String> names = Pattern.compile("(?m)^[A-Z][A-Za-z-]+:|\"\\w+\":")
        .matcher(answer)
        .results()
        .map(name -> name.group())
        .toList();
    assertThat(names).hasSizeGreaterThan(8);
    return names;
  }

  private static List<String> denials(String answers) {
    return Pattern.compile("(?=HTTP/1\\.1 \\d)")
        .splitAsStream(answers)
        .filter(answer -> answer.startsWith("HTTP/1.1 429"))
        .toList();
  }

  private static String run(String command, NodeFixture node) {
    String here = NODE.matcher(command).replaceAll("127.0.0.1:" + node.uri("/").getPort());
    CommandRun run = CommandRun.of(TIMEOUT, Map.of(), List.of("bash", "-c", here));
    assertThat(run.status()).describedAs("%s: %s", here, run.output()).isZero();
    return run.output().strip();
  }

  private static String found(String pattern, String text) {
    Matcher found = Pattern.compile(pattern, Pattern.DOTALL).matcher(text);
    assertThat(found.find()).describedAs(pattern).isTrue();
    return found.group(1);
  }
}
