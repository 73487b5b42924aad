package io.weir.whole.languages;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import io.weir.testkit.CommandRun;
import io.weir.whole.languages.RecordingProxy.Exchange;
import io.weir.whole.languages.RecordingProxy.Mode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The clients that {@code scripts/clients} makes, at a real node. */
@Tag("clients")
final class LanguageClientsIT {
  private static final String POLICY = """
      operations:
        - { name: Get, match: { path: /get } }
        - { name: Slow, match: { path: /slow } }
        - { name: Some, match: { path: /some } }
      buckets:
        - { name: calls, burstPeriod: 2, throttleGroups: [{ opsPerSec: 10, operations: [Get] }] }
        - { name: slow, burstPeriod: 2500, throttleGroups: [{ milliOpsPerSec: 2, operations: [Slow] }] }
        - { name: some, burstPeriod: 2500, throttleGroups: [{ milliOpsPerSec: 2, operations: [Some] }] }
      upstream: { url: "http://127.0.0.1:UPSTREAM" }
      subjects:
      """ + TestPolicies.subject("k1", "");
  private static final String EXPECTED = """
      checks: 5 allowed, 2 denied
      granted: 4 false false 1 false false 0 false false 0 false true
      calls: 30 of 30
      """;
  private static final Duration TIMEOUT = Duration.ofMinutes(4);
  private static final int NO_GENERATOR = 3;
  private static final long EARLY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  @TempDir
  private Path folder;

  private NodeFixture node;
  private RecordingProxy proxy;

  @BeforeEach
  void start() {
    node = new NodeFixture(POLICY, FailureMode.DENY);
    String fullBucket =
        "{\"key\": \"%s\", \"operation\": \"Get\", \"cost\": 20}".formatted(TestPolicies.key("k1"));
    proxy = new RecordingProxy(node.uri("/"), Mode.FORWARD, Optional.of(fullBucket));
  }

  @AfterEach
  void stop() {
    proxy.close();
    node.close();
  }

  @Test
  void goClientsWaitAndCheck() throws IOException {
    assumeTrue(CommandRun.of(TIMEOUT, "go", "version").succeeded(), "not here: go");
    Path made = make("go");
    copy("client.go", made.resolve("try/main.go"));
    assertThat(run("cd '%s' && go vet . ./try && go run ./try".formatted(made)))
        .isEqualTo(EXPECTED + "api: denied\n");
    assertTicketsAreKept();
  }

  @Test
  void typescriptClientsWaitAndCheck() throws IOException {
    Path compiler = Language.EXAMPLES.resolve("typescript/node_modules/typescript/bin/tsc");
    assumeTrue(Files.exists(compiler), "not here: npm install in examples/languages/typescript");
    Path made = make("typescript");
    copy("client.ts", made.resolve("try.ts"));
    assertThat(run("cd '%s' && node '%s' && node dist/try.js".formatted(made, compiler)))
        .isEqualTo(EXPECTED + "api: denied\n");
    assertTicketsAreKept();
  }

  @Test
  void pythonClientsWaitAndCheck() throws IOException {
    String python = Python.with("urllib3");
    Path made = make("python");
    copy("client.py", made.resolve("client.py"));
    assertThat(run(
            "cd '%s' && '%s' -m compileall -q . && '%s' client.py".formatted(made, python, python)))
        .isEqualTo(EXPECTED);
    assertTicketsAreKept();
  }

  @Test
  void pythonClientsHaveTheWholeApi() throws IOException {
    String python =
        Python.with("urllib3, dateutil, typing_extensions; from pydantic import ConfigDict");
    Path made = make("python");
    copy("client.py", made.resolve("client.py"));
    assertThat(run("cd '%s' && '%s' client.py api".formatted(made, python)))
        .isEqualTo(EXPECTED + "api: denied\n");
  }

  private Path make(String language) {
    CommandRun run = CommandRun.of(
        TIMEOUT,
        "../../scripts/clients",
        "--node",
        node.uri("").toString(),
        "--folder",
        folder.toString(),
        language);
    assumeTrue(run.status() != NO_GENERATOR, "not here: the generator. " + run.output());
    assertThat(run.succeeded()).as(run.output()).isTrue();
    return folder.resolve(language);
  }

  private static void copy(String program, Path to) throws IOException {
    Files.createDirectories(to.getParent());
    try (InputStream in = LanguageClientsIT.class.getResourceAsStream(program)) {
      Files.writeString(to, new String(in.readAllBytes(), UTF_8));
    }
  }

  private String run(String command) {
    CommandRun run = CommandRun.of(
        TIMEOUT,
        Map.of(
            "WEIR_URL",
            proxy.url(),
            "WEIR_KEY",
            TestPolicies.key("k1"),
            "GOPROXY",
            "off",
            "GOFLAGS",
            "-mod=mod"),
        List.of("bash", "-c", command));
    assertThat(run.succeeded()).as(run.output()).isTrue();
    return run.output();
  }

  // Each call that was denied came back with its ticket, and no sooner than it was to.
  private void assertTicketsAreKept() {
    List<Exchange> denied = proxy.exchanges().stream()
        .filter(exchange -> exchange.answer().status() == 429)
        .toList();
    assertThat(denied).isNotEmpty().allSatisfy(exchange -> {
      long slot = exchange.answeredNanos()
          + TimeUnit.MILLISECONDS.toNanos(exchange.answer().retryAfterMillis());
      assertThat(exchange.answer().ticket()).isPresent();
      assertThat(proxy.exchanges())
          .anyMatch(later -> later.ticket().equals(exchange.answer().ticket())
              && later.askedNanos() + EARLY_NANOS >= slot);
    });
  }
}
