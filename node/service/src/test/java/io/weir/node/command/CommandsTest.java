package io.weir.node.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.weir.core.policy.SecretHash;
import io.weir.node.contexts.LocalNode;
import io.weir.state.document.SchemaDocument;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

final class CommandsTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void aSoundPolicyIsSummarizedInALine() {
    assertThat(run("policy", "check", "../../examples/small.yaml")).isZero();
    assertThat(out.toString()).contains("sound; 1 bucket, 1 plan, 1 subject, 0 warnings");
  }

  @Test
  void aBadPolicyFailsWithEveryProblemAndItsPlace(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("bad.yaml");
    Files.writeString(file, "buckets: 5\ncolour: blue\n");
    assertThat(run("policy", "check", file.toString())).isEqualTo(1);
    assertThat(out.toString())
        .contains(
            "bad.yaml:1:10: buckets: error value_invalid",
            "bad.yaml:2:9: colour: error field_unknown");
  }

  @Test
  void theSchemaOfPoliciesIsPrinted() {
    assertThat(run("policy", "schema")).isZero();
    assertThat(out.toString()).isEqualTo(SchemaDocument.text());
  }

  @Test
  void theFilesOfAnotherLimiterBecomeASectionOfAPolicy(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("one.yaml"), """
        domain: one
        descriptors:
          - { key: a, detailed_metric: true, rate_limit: { unit: day, requests_per_unit: 3 } }
        """);
    Files.writeString(folder.resolve("notes.txt"), "no configuration");
    assertThat(run("policy", "import", "envoy", folder.toString())).isZero();
    assertThat(out.toString()).isEqualTo("""
        buckets: []
        envoy:
          one:
            rules:
              - { match: [{ key: "a" }], requests: 3, per: day }
        """);
    assertThat(err.toString()).startsWith("one.yaml:3: detailed_metric: left out, ");
    Files.writeString(folder.resolve("two.yaml"), "domain: two\ndescriptors: [{ value: x }]\n");
    assertThat(run("policy", "import", "envoy", folder.toString())).isEqualTo(1);
    assertThat(err.toString()).contains("two.yaml:2: a descriptor without a key");
  }

  @Test
  void aFileThatIsNotThereIsASentenceAndNoTrace() {
    assertThat(run("policy", "check", "nowhere.yaml")).isEqualTo(1);
    assertThat(err.toString()).isEqualToIgnoringNewLines("nowhere.yaml: there is no such file");
  }

  @Test
  void aDirectoryInPlaceOfAFileIsNamed(@TempDir Path folder) {
    assertThat(run("policy", "check", folder.toString())).isEqualTo(1);
    assertThat(err.toString().replaceAll("\\s+", ""))
        .isEqualTo(folder + ":isadirectory(expected:afile)");
  }

  @Test
  void aSentenceDoesNotBeginWithTheNameOfAClass() {
    CommandLine line = WeirCommand.commandLine(Map.of(), Optional::empty, new Failing());
    line.setErr(new PrintWriter(err, true));
    assertThat(line.execute("fail")).isEqualTo(1);
    assertThat(err.toString()).isEqualToIgnoringNewLines("cannot listen on [::1]:8080: in use");
  }

  /** Fails as a start does whose port is taken. */
  @CommandLine.Command(name = "fail")
  private static final class Failing implements Runnable {
    @Override
    public void run() {
      throw new UncheckedIOException(new IOException("cannot listen on [::1]:8080: in use"));
    }
  }

  @Test
  void aNodeThatIsNotThereIsASentenceToo() {
    assertThat(run(
            "policy",
            "apply",
            "--node=http://127.0.0.1:1",
            "--admin-token=t",
            "../../examples/small.yaml"))
        .isEqualTo(1);
    assertThat(err.toString())
        .isEqualToIgnoringNewLines("no node answers at http://127.0.0.1:1: connection refused");
  }

  @Test
  void withoutATokenNothingIsSent() {
    assertThat(run("policy", "apply", "--admin-token=", "../../examples/small.yaml"))
        .isEqualTo(2);
    assertThat(err.toString())
        .contains("no admin token (expected: WEIR_ADMIN_TOKEN in the environment)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"secret\n", "sec\nret", " secret", "secrét"})
  void aTokenThatNoHeaderCarriesIsRefusedAndNeverPrinted(String token) {
    assertThat(run("policy", "apply", "--admin-token=" + token, "../../examples/small.yaml"))
        .isEqualTo(2);
    assertThat(run("node", "--admin-token=" + token)).isEqualTo(2);
    assertThat(run("node", "--service-token=" + token)).isEqualTo(2);
    assertThat(err.toString())
        .contains(
            "WEIR_ADMIN_TOKEN, --admin-token: the token has a line break", "--service-token: ")
        .doesNotContain(token, "Bearer");
  }

  @Test
  void theRefusalOfATokenNamesTheNode() throws IOException {
    HttpServer other =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    other.createContext("/", exchange -> {
      byte[] body = "{\"code\":\"admin_token_invalid\"}".getBytes(UTF_8);
      exchange.sendResponseHeaders(401, body.length);
      exchange.getResponseBody().write(body);
      exchange.close();
    });
    other.start();
    try {
      String node = "http://127.0.0.1:" + other.getAddress().getPort();
      assertThat(run("policy", "show", "--node=" + node, "--admin-token=t")).isEqualTo(1);
      assertThat(err.toString()).contains(node + " refuses the admin token", "--node", "WEIR_NODE");
    } finally {
      other.stop(0);
    }
  }

  @Test
  void theTokenIsSentOnlyToAPortThatAsksForIt() throws IOException {
    List<String> seen = new CopyOnWriteArrayList<>();
    HttpServer upstream =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    upstream.createContext("/", exchange -> {
      seen.add(exchange.getRequestMethod() + exchange.getRequestHeaders().get("Authorization"));
      exchange.sendResponseHeaders(200, -1);
      exchange.close();
    });
    upstream.start();
    try {
      String node = "http://127.0.0.1:" + upstream.getAddress().getPort();
      assertThat(run(
              "policy", "apply", "--node=" + node, "--admin-token=t", "../../examples/small.yaml"))
          .isEqualTo(1);
      assertThat(err.toString())
          .contains(node + " is not the admin port of a node", "the token was not sent");
      assertThat(seen).containsExactly("GETnull");
    } finally {
      upstream.stop(0);
    }
  }

  @Test
  void theUsualPortIsThatOfANodeOrOfTheLocalCluster() {
    assertThat(run("policy", "apply", "--help")).isZero();
    assertThat(out.toString()).contains("http://127.0.0.1:9080");
    CommandLine line = WeirCommand.commandLine(
        Map.of(),
        Optional::empty,
        () -> Optional.of(new LocalNode("http://127.0.0.1:1", "local")),
        List.of());
    line.setErr(new PrintWriter(err, true));
    assertThat(line.execute("policy", "apply", "../../examples/small.yaml")).isEqualTo(1);
    assertThat(err.toString()).contains("no node answers at http://127.0.0.1:1");
  }

  @Test
  void aMistypedCommandIsNamedWithTheNearest() {
    assertThat(run("polciy")).isEqualTo(2);
    assertThat(run("policy", "chekc")).isEqualTo(2);
    assertThat(run("xyz")).isEqualTo(2);
    assertThat(err.toString().lines())
        .containsExactly(
            "no command 'polciy' (policy?): see weir --help",
            "no command 'chekc' (check?): see weir policy --help",
            "no command 'xyz': see weir --help");
  }

  @Test
  void theHelpHasAllCommandsInGroups() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString())
        .containsSubsequence(
            "Look:", "inspect", "Limits:", "policy", "Callers:", "key", "Run:", "node")
        .doesNotContain("Others:");
    assertThat(out.toString().lines())
        .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(80));
  }

  @Test
  void theManualPageHasEachCommandWithItsOptionsAndNoOtherRequests() {
    assertThat(run("man")).isZero();
    assertThat(out.toString().lines())
        .contains(
            ".TH WEIR 1",
            ".SS weir policy apply FILE",
            "\\fB\\-\\-dry\\-run\\fR",
            ".SS weir context set NAME")
        .allMatch(line -> !line.startsWith(".") || line.matches("\\.(TH|SH|SS|TP|B|I)( .*)?"));
  }

  @Test
  void theCompletionKnowsCommandsAndOptions() {
    assertThat(run("completion")).isZero();
    assertThat(out.toString()).contains("complete -F _complete_weir", " policy ", "--if-revision");
  }

  @Test
  void aContextIsAskedWithItsToken(@TempDir Path folder) throws IOException {
    Map<String, String> environment =
        Map.of("WEIR_CONTEXTS", folder.resolve("contexts.json").toString());
    Path token = Files.writeString(folder.resolve("token"), "t\n");
    assertThat(run(
            environment,
            "context",
            "set",
            "prod",
            "--node=http://127.0.0.1:1",
            "--token-file=" + token))
        .isZero();
    assertThat(run(environment, "context", "use", "prd")).isEqualTo(2);
    assertThat(run(environment, "context", "use", "prod")).isZero();
    assertThat(run(environment, "context", "list")).isZero();
    assertThat(out.toString()).contains("*  prod  http://127.0.0.1:1");
    assertThat(run(environment, "context", "list", "--json")).isZero();
    assertThat(out.toString())
        .contains("{\"name\":\"prod\",\"node\":\"http://127.0.0.1:1\",\"inUse\":true,");
    assertThat(run(environment, "policy", "history")).isEqualTo(1);
    assertThat(run(environment, "policy", "history", "--context=test")).isEqualTo(2);
    assertThat(err.toString())
        .contains(
            "NAME: 'prd' (expected: one of prod)",
            "no node answers at http://127.0.0.1:1",
            "no context 'test'");
  }

  @Test
  void everyCommandTellsItsVersionAndItsUse() {
    for (String command : List.of("node", "policy", "key", "inspect")) {
      assertThat(run(command, "--help")).isZero();
      assertThat(run(command, "--version")).isZero();
    }
    assertThat(run("--version")).isZero();
    assertThat(out.toString()).contains("weir ").doesNotContain("Exception");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void aKeyIsMadeWithTheHashThatBelongsToIt() {
    assertThat(run("key", "k7")).isZero();
    String key = out.toString().lines().findFirst().orElseThrow().replaceFirst("key: +", "");
    String hash =
        out.toString().lines().skip(1).findFirst().orElseThrow().replaceFirst("secretHash: +", "");
    assertThat(key).startsWith("k7.");
    assertThat(SecretHash.parse(hash).matches(key.substring(3))).isTrue();
    assertThat(run("key", "k 7")).isEqualTo(2);
  }

  @Test
  void examplesOfTheHelpAreNotBroken() {
    assertThat(examples(WeirCommand.commandLine(Map.of(), Optional::empty)))
        .hasSizeGreaterThan(5)
        .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
  }

  private static Stream<String> examples(CommandLine line) {
    return Stream.concat(
        Stream.of(line.getCommandSpec().usageMessage().footer()),
        line.getSubcommands().values().stream().flatMap(CommandsTest::examples));
  }

  private int run(String... arguments) {
    return run(Map.of(), arguments);
  }

  private int run(Map<String, String> environment, String... arguments) {
    CommandLine line = WeirCommand.commandLine(environment, Optional::empty);
    line.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    return line.execute(arguments);
  }
}
