package io.weir.node.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Remarks;
import io.weir.core.policy.Plan;
import io.weir.core.policy.Policy;
import io.weir.core.slot.QueueReport;
import io.weir.core.slot.QueueReport.Returned;
import io.weir.core.throttle.Ended;
import io.weir.jobs.rule.ClaimedJobs;
import io.weir.jobs.rule.JobQueue;
import io.weir.jobs.rule.JobState;
import io.weir.jobs.work.JobMeters;
import io.weir.keys.directory.KeyMeters;
import io.weir.node.upstream.NotRetried;
import io.weir.operators.rehearsal.RehearsalMeters;
import io.weir.operators.warning.WarningMeters;
import io.weir.providers.queue.ProviderMeters;
import io.weir.providers.queue.ProviderMeters.RequestEnd;
import io.weir.providers.rule.Booking.BookingAnswer;
import io.weir.providers.rule.Upstreams;
import io.weir.state.document.PolicyDocuments;
import io.weir.testkit.CommandRun;
import io.weir.windows.WindowMeters;
import io.weir.windows.WindowView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The dashboard, the alerts and the reference use exactly the names that a node exports. */
final class ExportedNamesTest {
  private static final Pattern NAME =
      Pattern.compile("\\b((?:throttle|http_(?:server|upstream))_[a-z_]+)");
  private static final Pattern EXPRESSION = Pattern.compile("\"expr\": \"((?:[^\"\\\\]|\\\\.)*)\"");
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final Policy POLICY = PolicyDocuments.parse("test", """
          operations:
            - { name: Call, match: { method: POST, path: /rpc }, upstream: rpc }
          buckets:
            - { name: calls, burstPeriodMs: 1000, throttleGroups: [{ opsPerSec: 5, operations: [Call] }] }
          upstreams:
            rpc: { providers: [{ name: ours, url: "http://127.0.0.1:9000" }] }
          subjects:
            k1: { tenant: acme, plan: default }
          """).policy();

  private final NodeMetrics metrics = new NodeMetrics();

  @Test
  void dashboardAndAlertsAskForNamesThatANodeExports() throws IOException {
    Set<String> exported = exported();
    for (String file : List.of("grafana/weir.json", "prometheus/alerts.yml")) {
      Set<String> asked = names(Files.readString(Path.of("../../deploy").resolve(file)));
      assertThat(asked).hasSizeGreaterThan(8);
      assertThat(exported).describedAs(file).containsAll(asked);
    }
  }

  @Test
  void theReferenceNamesEveryMetricThatANodeExports() throws IOException {
    String reference = Files.readString(Path.of("../../docs/reference/metrics.md"));
    Set<String> documented = Pattern.compile("`([a-z_]+)`")
        .matcher(reference)
        .results()
        .map(found -> found.group(1))
        .collect(Collectors.toSet());
    assertThat(exported())
        .allSatisfy(name -> assertThat(documented)
            .containsAnyOf(name, name.replaceFirst("_(bucket|sum|count|max)$", "")));
  }

  // Queries are evaluated on the series of a node with their labels, each growing: one whose labels
  // no series has is empty.
  @Test
  void everyQueryOfTheDashboardHasAnAnswer(@TempDir Path folder) throws IOException {
    assumeTrue(
        CommandRun.of(TIMEOUT, "promtool", "--version").succeeded(),
        "skipped: promtool is not installed");
    JsonArray series = new JsonArray().add(series("up", 1, 0));
    lines().forEach(line -> series.add(series(line.replaceFirst(" [^ ]+$", ""), 1, 5)));
    JsonArray tests = new JsonArray();
    String dashboard = Files.readString(Path.of("../../deploy/grafana/weir.json"));
    EXPRESSION.matcher(dashboard).results().forEach(found -> tests.add(answered(found.group(1))));
    assertThat(tests).hasSizeGreaterThan(60);
    JsonObject test = new JsonObject()
        .put("interval", "15s")
        .put("input_series", series)
        .put("promql_expr_test", tests);
    Path file = Files.writeString(
        folder.resolve("test.yml"),
        new JsonObject().put("tests", new JsonArray().add(test)).encode());
    CommandRun run = CommandRun.of(TIMEOUT, "promtool", "test", "rules", file.toString());
    assertThat(run.status()).describedAs(run.output()).isZero();
  }

  private static JsonObject series(String name, int begin, int step) {
    String labels = name.contains("{") ? name.replace("}", ",") : name + "{";
    return new JsonObject()
        .put("series", labels.replace(",}", "}") + "job=\"weir\",instance=\"n1\"}")
        .put("values", "%d+%dx60".formatted(begin, step));
  }

  // Counts the values that are numbers: a value that is none is not equal to itself.
  private static JsonObject answered(String quoted) {
    String expression = new JsonObject("{\"text\":\"" + quoted + "\"}")
        .getString("text")
        .replace("$__rate_interval", "1m")
        .replace("$job", "weir")
        .replaceAll("\\$(instance|plan)", ".*");
    JsonObject one = new JsonObject().put("labels", "{}").put("value", 1);
    return new JsonObject()
        .put("expr", "count((%s) == (%s)) > bool 0".formatted(expression, expression))
        .put("eval_time", "10m")
        .put("exp_samples", JsonArray.of(one));
  }

  private Set<String> exported() {
    return lines()
        .map(line -> line.split("[{ ]", 2)[0])
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private Stream<String> lines() {
    decide();
    holdAndLook();
    http();
    jobs();
    providers();
    WindowView view = new WindowView(10, 0, 1, 0, 1, 0);
    new WindowMeters(metrics.registry()).count("blocks", "open", "opened", view);
    metrics.buckets().used("calls", 0.5);
    new WarningMeters(metrics.registry());
    new KeyMeters(metrics.registry()).known(() -> 1);
    new RehearsalMeters(metrics.registry(), "audit").count("free", "Call", "would_deny");
    return metrics.scrape().lines().filter(line -> !line.startsWith("#"));
  }

  private void decide() {
    Plan plan = POLICY.subject("k1").orElseThrow().plan();
    Remarks remarks = new Remarks(2000, List.of("credits"), List.of("month"));
    metrics.decided(
        plan,
        "Call",
        new Denied(1, List.of(), List.of("calls"), 1000, false, Optional.empty(), true, remarks));
    metrics.decided(plan, "Call", new Allowed(1, List.of()));
    metrics.undecided(plan, "Call", true);
    metrics.queue(new QueueReport(Returned.KEPT, true));
    metrics.startStoreTimer().stop(true);
    metrics.startStoreTimer().stop(false);
  }

  private void holdAndLook() {
    metrics.leased(() -> 1);
    metrics.away(() -> 1);
    metrics.policy(() -> 1);
    metrics.held(() -> 1);
    metrics.holds(() -> 1);
    metrics.assignmentStreams(() -> 1);
    metrics.ended(new Ended(Ended.Status.SETTLED, false, 1));
    metrics.lost(1);
    metrics.expired(1);
  }

  private void http() {
    metrics.http().connected();
    metrics.http().answered(200, 1);
    metrics.http().answered(503, 1);
    metrics.http().forwarded(200, 1);
  }

  private void jobs() {
    JobMeters jobs = new JobMeters(metrics.registry());
    jobs.queue("Proof");
    jobs.queue(
        "Proof",
        new ClaimedJobs(
            new JobQueue(1, 1, 1, 1, 1, 1),
            new ClaimedJobs.Overdue(1, 1, 1),
            0,
            List.of(),
            List.of()));
    jobs.submitted("Proof", 10);
    jobs.left("Proof", JobState.QUEUED, 1);
    jobs.done("Proof", 10, 9);
    jobs.polled("Proof", 2);
  }

  private void providers() {
    ProviderMeters providers = new ProviderMeters(metrics.registry());
    providers.waiting("rpc", 1);
    providers.entered("rpc", 1);
    providers.attempt("rpc", "ours", "-", "good");
    providers.took("rpc", "ours", 1);
    providers.request("rpc", RequestEnd.ANSWERED);
    providers.again("rpc", "Call", "ours", 1);
    providers.notRetried("rpc", "ours", NotRetried.BUDGET);
    providers.exhausted("rpc", "Call", "ours");
    providers.refused("rpc", "upstream_open");
    providers.cooldown("rpc", "ours");
    providers.breaker("rpc", "ours", "open");
    providers.stands(
        Objects.requireNonNull(Upstreams.of(POLICY).get("rpc")),
        new BookingAnswer(List.of(), List.of(), 1, 100, Map.of()));
  }

  private static Set<String> names(String text) {
    return NAME.matcher(text)
        .results()
        .map(MatchResult::group)
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
