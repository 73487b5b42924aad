package io.weir.whole.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Download;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.sun.net.httpserver.HttpServer;
import io.vertx.core.json.JsonObject;
import io.weir.node.command.WeirCommand;
import io.weir.node.config.Reports;
import io.weir.node.testing.NodeFixture;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The everyday jobs of the document: each is done by the clicks and by the commands that it names. */
@Tag("page")
final class EverydayJobsPageIT extends OperatorsPage {
  private static final Path DOCUMENT = Path.of("../../docs/how-to/see-and-steer.md");
  private static final int JOBS = 17;
  private static final String ALL_PARTS = """
      operations:
        - { name: Ask, match: { path: /ask } }
        - { name: Call, match: { method: POST, path: /rpc }, upstream: rpc }
        - { name: Proof, match: { method: POST, path: /proof }, mode: job, job: { dispatchPerSecond: 10 } }
      buckets:
        - { name: requests, burstPeriodMs: 600000, throttleGroups: [{ milliOpsPerSec: 10, operations: [Ask] }] }
        - { name: calls, burstPeriodMs: 1000, throttleGroups: [{ opsPerSec: 100, operations: [Call, Proof] }] }
      defaults: { plan: free }
      plans: { free: { buckets: [requests, calls] } }
      upstream: { url: "http://127.0.0.1:1" }
      upstreams:
        rpc: { maxInflight: 5, maxQueue: 20, providers: [{ name: ours, url: "http://127.0.0.1:1" }] }
      windows: { blocks: { width: 40, attempts: 1, lease: 30s, results: true } }
      warnings: { near: { to: ops, at: [80] } }
      """;
  private static final String LOG =
      "10.0.0.1 - alice [01/Jan/2030:00:00:00 +0000] \"GET /ask HTTP/1.1\" 200 1\n";

  @TempDir
  private static Path folder;

  private static HttpServer receiver;

  /** A row of the document. */
  private record Job(String name, List<String> steps, List<String> commands) {
    static Job parse(String row) {
      String[] cells = row.substring(1).split("\\|", -1);
      return new Job(
          cells[0].strip(),
          Stream.of(cells[1].split("→", -1)).map(String::strip).toList(),
          Pattern.compile("`weir ([^`]+)`")
              .matcher(cells[2])
              .results()
              .map(found -> found.group(1))
              .toList());
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private static List<Job> jobs() throws IOException {
    return Files.readAllLines(DOCUMENT).stream()
        .dropWhile(line -> !line.equals("## Everyday jobs"))
        .filter(line -> line.startsWith("| "))
        .limit(JOBS + 1)
        .skip(1)
        .map(Job::parse)
        .toList();
  }

  @BeforeAll
  static void startWithAllParts() throws IOException {
    receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    receiver.createContext("/in", exchange -> {
      exchange.sendResponseHeaders(204, -1);
      exchange.close();
    });
    receiver.start();
    String secret = Base64.getEncoder().encodeToString(new byte[32]);
    Path file = Files.writeString(
        folder.resolve("webhooks.json"),
        "{\"receivers\": {\"ops\": {\"url\": \"http://127.0.0.1:%d/in\", \"secrets\": [\"whsec_%s\"]}}}"
            .formatted(receiver.getAddress().getPort(), secret));
    node.close();
    node = NodeFixture.reporting(
        redis.uri() + "/1",
        ALL_PARTS,
        new Reports(Optional.empty(), Optional.of(file), Optional.empty()));
    policy = send("GET", "/v1/policy", "").body();
    node.post(
        "/v1/windows/blocks/open",
        "{\"from\": 0, \"to\": 99}",
        "Authorization",
        "Bearer " + NodeFixture.SERVICE);
    Files.writeString(folder.resolve("policy.yaml"), policy);
    Files.writeString(folder.resolve("candidate.yaml"), policy.replace("600000", "100000"));
    Files.writeString(folder.resolve("access.log"), LOG.repeat(5));
  }

  @AfterAll
  static void endReceiver() {
    receiver.stop(0);
  }

  // A key of its own for each job, denied twice, and another one that is nearly; no draft of the
  // job before.
  private static String prepared(Job job) throws IOException {
    send("DELETE", "/v1/session/draft", "");
    String key = "page-%02d".formatted(jobs().indexOf(job));
    make(key);
    make(key + "-near");
    ask(key + "-near", 5);
    ask(key, 6);
    ask(key, 1);
    ask(key, 1);
    if (job.name().contains("most")) {
      for (int i = 0; i < 30; i++) {
        ask(key, 1);
      }
    }
    if (job.name().contains("Undo")) {
      send("PUT", "/v1/policy", policy + "# by mistake\n");
    }
    return key;
  }

  private static void make(String key) {
    send(
        "POST",
        "/v1/keys",
        new JsonObject().put("tenant", "acme").put("id", key).encode());
  }

  @ParameterizedTest
  @MethodSource("jobs")
  void aJobIsDoneByItsClicks(Job job) throws IOException {
    String key = prepared(job);
    signIn();
    assertThat(page.locator("[aria-label=cases] tbody")).containsText("acme/" + key);
    List<Download> downloads = new ArrayList<>();
    page.onDownload(downloads::add);

    job.steps().forEach(step -> walk(step, key));

    requireDone(job.name(), key, downloads);
    assertThat(complaints).isEmpty();
    send("DELETE", "/v1/rehearsal", "");
  }

  private void walk(String step, String key) {
    switch (step) {
      case "(the rate, the end)" -> {
        page.getByLabel("operations per second").fill("500");
        page.locator("dialog select").last().selectOption("+8h");
      }
      case "(the overlap)" -> page.locator("dialog select").selectOption("604800");
      case "(the draft)" -> page.locator("#policy-text").fill(policy.replace("600000", "100000"));
      case "(the id)" -> page.locator("dialog input").fill(denialOf(key));
      case "its line" ->
        page.locator("[data-row]", new Page.LocatorOptions().setHasText("acme/" + key))
            .first()
            .click();
      case "the denial" ->
        page.locator(".results a", new Page.LocatorOptions().setHasText("denial"))
            .click();
      case "the file" ->
        page.waitForFileChooser(() -> page.locator("input[type=file]").click())
            .setFiles(folder.resolve("access.log"));
      case "CSV" -> page.waitForDownload(() -> named(step).click());
      default -> clicked(step);
    }
  }

  private void clicked(String step) {
    if (!step.startsWith("(")) {
      named(step).click();
    }
    if (step.endsWith("…")) {
      assertThat(page.locator("dialog")).isVisible();
    }
  }

  private Locator named(String step) {
    return page.locator(
            "a, button",
            new Page.LocatorOptions().setHasText(Pattern.compile("^\\s*" + step + "(\\s|$)")))
        .last();
  }

  private void requireDone(String job, String key, List<Download> downloads) throws IOException {
    Locator main = page.locator("main");
    Locator row =
        page.locator("[aria-label=cases] tbody tr", new Page.LocatorOptions().setHasText(key));
    switch (job) {
      case "See who is limited" -> assertThat(row.first()).containsText("requests");
      case "See why a key is denied" ->
        assertThat(page.locator(".decisions")).containsText("Ask is denied: requests full");
      case "See since when" -> {
        assertThat(page.locator("[aria-label=cases] thead th").nth(2)).hasText("since");
        assertThat(row.first().locator("td").nth(2)).hasText(Pattern.compile("\\d+ (s|min)"));
      }
      case "Let a key pass now" ->
        assertThat(page.locator(".decisions")).containsText("Ask, Call, Proof pass now");
      case "Raise a limit for a while" ->
        assertThat(page.locator("[aria-label=limits]")).containsText("override until");
      case "Replace the secret of a key" ->
        assertThat(record(key).getJsonArray("secrets")).hasSize(2);
      case "Freeze a key" -> {
        assertThat(page.locator(".notice")).containsText("active → frozen");
        assertThat(record(key).getString("state")).isEqualTo("frozen");
      }
      case "See who is denied most" ->
        assertThat(page.locator("[aria-label=cases] tbody tr").first()).containsText(key);
      case "See who is nearly limited" -> assertThat(row).containsText(key + "-near");
      case "Compare another policy on live traffic" ->
        assertThat(main).containsText("by admin, until");
      case "Undo a change of the policy" ->
        assertThat(page.locator("#policy-text")).hasValue(policy);
      case "See what was changed, and by whom" -> {
        assertThat(page.locator("[aria-label=changes]")).containsText(key + ": made");
        assertThat(page.locator("[aria-label=changes]")).containsText("admin");
      }
      case "Replay the log of yesterday" -> assertThat(main).containsText("access.log: 5 lines");
      case "See providers, jobs and windows" ->
        assertThat(main).containsText(Pattern.compile("rpc.*Proof.*blocks", Pattern.DOTALL));
      case "See whether Weir itself is well" ->
        assertThat(page.locator(".verdict")).containsText(Pattern.compile("needs? you"));
      case "Try a receiver of warnings" ->
        assertThat(page.locator(".notice")).hasText("ops has taken it: status 204.");
      case "Find a denial by its id, and export denials" ->
        assertThat(Files.readString(downloads.get(0).path())).contains(key);
      default -> throw new AssertionError("no test knows when this is done: " + job);
    }
  }

  private static JsonObject record(String key) {
    return NodeFixture.json(send("GET", "/v1/keys/" + key, ""));
  }

  private static final Map<String, String> PRINTED = Map.ofEntries(
      Map.entry("top", "acme/k1"),
      Map.entry("explain", "requests full"),
      Map.entry("reset", "requests"),
      Map.entry("keys boost", "500"),
      Map.entry("keys rotate", "weir_k1."),
      Map.entry("keys freeze", "frozen"),
      Map.entry("policy compare", "Candidate"),
      Map.entry("policy rollback", "evision"),
      Map.entry("audit", "k1"),
      Map.entry("replay", "5"),
      Map.entry("work", "Proof"),
      Map.entry("inspect", ""),
      Map.entry("jobs", "No job of Proof is under way."),
      Map.entry("status", "need"),
      Map.entry("warnings test", "204"),
      Map.entry("denials", "k1"));

  @Test
  void allJobsAreDoneByTheirCommands() throws IOException {
    assertThat(jobs()).hasSize(JOBS).allMatch(job -> !job.commands().isEmpty());
    make("k1");
    make("k1-near");
    ask("k1-near", 5);
    ask("k1", 6);
    ask("k1", 1);
    long before = revision();
    send("PUT", "/v1/policy", policy + "# by mistake\n");
    for (Job job : jobs()) {
      for (String command : job.commands()) {
        // The document has the names of scripts/up.
        Ran ran = run(command.replace("rollback 1", "rollback " + before).replace("Ping", "Ask"));
        assertThat(ran.status())
            .as("%s: %s", command, ran.err())
            .isLessThanOrEqualTo(command.matches("status|explain.*") ? 1 : 0);
        assertThat(ran.out() + ran.err()).as(command).contains(printed(command));
      }
    }
    assertThat(record("k1").getString("state")).isEqualTo("frozen");
    assertThat(send("GET", "/v1/policy", "").body()).isEqualTo(policy);
    assertThat(run("audit").out()).containsPattern("reset +key:k1 +requests\n");
  }

  private static String printed(String command) {
    return PRINTED.entrySet().stream()
        .filter(one -> command.equals(one.getKey()) || command.startsWith(one.getKey() + " "))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElseThrow(() -> new AssertionError("no test knows what this prints: " + command));
  }

  private record Ran(int status, String out, String err) {}

  private static Ran run(String command) {
    List<String> words = new ArrayList<>();
    for (String word : command.split(" ", -1)) {
      Path file = folder.resolve(word);
      words.add(
          switch (word) {
            case "10m" -> "1s";
            case "2f8k0c9m4q7z" -> denialOf("k1");
            default -> Files.exists(file) ? file.toString() : word;
          });
    }
    if (!command.matches("(inspect|replay) .*")) {
      words.addAll(
          List.of("--node", node.adminUri("/").toString(), "--admin-token", NodeFixture.ADMIN));
    }
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int status = WeirCommand.commandLine(Map.of(), () -> Optional.of(node.redisUri()))
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(words.toArray(String[]::new));
    return new Ran(status, out.toString(), err.toString());
  }
}
