package io.weir.whole.project;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.testkit.CommandRun;
import io.weir.testkit.FreePorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The contents of {@code deploy/}: alert rules that fire when they should, and a dashboard that Grafana understands.
 */
@Tag("once")
final class DeployTest {
  private static final Path DEPLOY = Path.of("../../deploy");
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final Pattern METRIC = Pattern.compile("\\b((?:throttle|http)_[a-z_]+)");

  @Test
  void theImagesOfTheExampleSettingsAreTheDefaults() throws IOException {
    String compose = Files.readString(Path.of("../../docker-compose.yml"));
    List<MatchResult> images = Pattern.compile("(?m)^#(WEIR_[A-Z]+_IMAGE)=(.*)$")
        .matcher(Files.readString(Path.of("../../.env.example")))
        .results()
        .toList();
    assertThat(images).hasSize(5);
    for (MatchResult image : images) {
      assertThat(compose)
          .containsPattern(Pattern.quote("${" + image.group(1) + ":-" + image.group(2))
              + "(@sha256:[0-9a-f]{64})?}");
    }
    assertThat(Files.readString(Path.of("../../deploy/Dockerfile")))
        .contains("ARG JRE=" + jre(compose));
  }

  private static String jre(String compose) {
    Matcher image = Pattern.compile("WEIR_JRE_IMAGE:-([^}]*)}").matcher(compose);
    assertThat(image.find()).isTrue();
    return image.group(1);
  }

  @Test
  void theAlertRulesFireWhenTheyShould() {
    assumeTrue(
        CommandRun.of(TIMEOUT, "promtool", "--version").succeeded(),
        "skipped: promtool is not installed");
    CommandRun run = CommandRun.of(
        TIMEOUT,
        "promtool",
        "test",
        "rules",
        DEPLOY.resolve("prometheus/alerts_test.yml").toString());
    assertThat(run.status()).describedAs(run.output()).isZero();
  }

  @Test
  void noHealthCheckStartsAJavaMachine() throws IOException {
    for (String file : List.of("../../deploy/Dockerfile", "../../docker-compose.yml")) {
      String text = Files.readString(Path.of(file)).replace("\\\n", "");
      List<String> checks = text.lines()
          .map(String::strip)
          .filter(line -> line.matches("(HEALTHCHECK|test:|healthcheck: \\{).*"))
          .toList();
      assertThat(checks).isNotEmpty().noneMatch(check -> check.contains("java"));
    }
  }

  @Test
  void theHealthCheckOfTheImageJudgesByTheStatus() throws Exception {
    String line = Files.readString(Path.of("../../deploy/Dockerfile"))
        .lines()
        .filter(text -> text.strip().startsWith("CMD [\"bash\""))
        .findFirst()
        .orElseThrow();
    String script = line.substring(line.indexOf("exec 3"), line.lastIndexOf("\"]"))
        .replace("\\\"", "\"")
        .replace("\\\\", "\\");
    for (int status : List.of(200, 503)) {
      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.createContext("/health/ready", exchange -> {
        exchange.sendResponseHeaders(status, -1);
        exchange.close();
      });
      server.start();
      int port = server.getAddress().getPort();
      CommandRun run = CommandRun.of(TIMEOUT, "bash", "-c", script.replace("/9080", "/" + port));
      server.stop(0);
      assertThat(run.succeeded()).describedAs(run.output()).isEqualTo(status == 200);
    }
    String closed = script.replace("/9080", "/" + FreePorts.one());
    assertThat(CommandRun.of(TIMEOUT, "bash", "-c", closed).succeeded()).isFalse();
  }

  @Test
  void everyServiceOfComposeThatRunsIsStartedAgain() throws IOException {
    String compose = Files.readString(Path.of("../../docker-compose.yml"));
    String services =
        compose.substring(compose.indexOf("\nservices:"), compose.indexOf("\nvolumes:"));
    for (String service : services.split("\n(?=  [a-z0-9]+:)", -1)) {
      String name = service.strip().replaceFirst(":(?s).*", "");
      if (!name.equals("services") && !name.equals("files")) {
        assertThat(service.contains("restart: unless-stopped") || service.contains("*node"))
            .describedAs("%s is started again", name)
            .isTrue();
      }
    }
    String node = compose.substring(compose.indexOf("x-node:"), compose.indexOf("\nservices:"));
    assertThat(node).contains("restart: unless-stopped");
  }

  @Test
  void everyAlertHasATest() throws IOException {
    String rules = Files.readString(DEPLOY.resolve("prometheus/alerts.yml"));
    String tests = Files.readString(DEPLOY.resolve("prometheus/alerts_test.yml"));
    Set<String> alerts = found(Pattern.compile("alert: (\\w+)"), rules);
    assertThat(alerts).hasSizeGreaterThan(4);
    assertThat(found(Pattern.compile("alertname: (\\w+)"), tests)).isEqualTo(alerts);
  }

  @Test
  void dashboardAndRulesAskForMetricsThatTheReferenceNames() throws IOException {
    String reference = Files.readString(Path.of("../../docs/reference/metrics.md"));
    Set<String> asked = found(METRIC, Files.readString(DEPLOY.resolve("grafana/weir.json")));
    asked.addAll(found(METRIC, Files.readString(DEPLOY.resolve("prometheus/alerts.yml"))));
    assertThat(asked).hasSizeGreaterThan(6);
    for (String metric : asked) {
      String documented = metric.replaceFirst("_(bucket|sum|count|max)$", "");
      assertThat(reference).contains("`" + documented);
    }
  }

  // One rule per query: promtool checks rules and reports those it does not understand.
  @Test
  void prometheusUnderstandsEveryQueryOfTheDashboard(@TempDir Path folder) throws IOException {
    assumeTrue(
        CommandRun.of(TIMEOUT, "promtool", "--version").succeeded(),
        "skipped: promtool is not installed");
    JsonArray rules = new JsonArray();
    for (JsonObject panel : panels()) {
      for (Object target : panel.getJsonArray("targets")) {
        addQuery(rules, ((JsonObject) target).getString("expr"));
      }
    }
    for (Object annotation : dashboard().getJsonObject("annotations").getJsonArray("list")) {
      addQuery(rules, ((JsonObject) annotation).getString("expr"));
    }
    assertThat(rules).hasSizeGreaterThan(30);
    JsonObject group = new JsonObject().put("name", "dashboard").put("rules", rules);
    Path file = Files.writeString(
        folder.resolve("queries.yml"),
        new JsonObject().put("groups", new JsonArray().add(group)).encode());
    CommandRun run = CommandRun.of(TIMEOUT, "promtool", "check", "rules", file.toString());
    assertThat(run.status()).describedAs(run.output()).isZero();
  }

  private static void addQuery(JsonArray rules, String expression) {
    rules.add(new JsonObject()
        .put("record", "query:" + rules.size())
        .put("expr", expression.replace("$__rate_interval", "1m")));
  }

  @Test
  void theDashboardShowsUpstreamsJobsWindowsAndSharedBuckets() throws IOException {
    String dashboard = Files.readString(DEPLOY.resolve("grafana/weir.json"));
    assertThat(dashboard)
        .contains(
            "throttle_upstream_requests_total",
            "throttle_upstream_breaker",
            "throttle_jobs_queue",
            "throttle_jobs_ended_total",
            "throttle_window_open",
            "throttle_window_failed",
            "throttle_cluster_bucket_used_ratio");
  }

  @Test
  void everyPanelHasATitleAndAQueryOfTheChosenNodes() throws IOException {
    List<JsonObject> panels = panels();
    assertThat(panels)
        .extracting(panel -> panel.getString("title"))
        .doesNotContain("")
        .doesNotHaveDuplicates();
    assertThat(panels)
        .allSatisfy(panel -> assertThat(panel.getJsonArray("targets"))
            .isNotEmpty()
            .allSatisfy(
                target -> assertThat(((JsonObject) target).getString("expr")).contains("$job")));
  }

  @Test
  void theDashboardHasARowForEachQuestion() throws IOException {
    assertThat(dashboard().getJsonArray("panels").stream()
            .map(panel -> (JsonObject) panel)
            .filter(panel -> panel.getString("type").equals("row"))
            .map(row -> row.getString("title")))
        .containsExactly(
            "Is it well", "Who is denied", "Redis", "Upstreams", "Jobs and windows", "Slots");
  }

  // The schema's literal types do not support enum: each is compared by its values.
  @Test
  void theDashboardIsOfGrafanasSchema() throws IOException {
    Path grafana = DEPLOY.resolve("grafana");
    Path compiler = grafana.resolve("node_modules/.bin/tsc");
    assumeTrue(
        Files.exists(compiler),
        "skipped: @grafana/schema is not installed (npm install --prefix deploy/grafana)");
    Path source = grafana.resolve("node_modules/check-dashboard.ts");
    try {
      Files.writeString(source, """
          import type { Dashboard } from '@grafana/schema';
          type Json<T> = T extends string ? `${T}` : T extends object ? { [K in keyof T]: Json<T[K]> } : T;
          export const dashboard: Json<Dashboard> = %s;
          """.formatted(withoutQueriesOfAnnotations().encodePrettily()));
      CommandRun run = CommandRun.of(
          TIMEOUT,
          compiler.toString(),
          "--noEmit",
          "--strict",
          "--skipLibCheck",
          "--moduleResolution",
          "bundler",
          "--module",
          "esnext",
          "--target",
          "es2022",
          source.toString());
      assertThat(run.status()).describedAs(run.output()).isZero();
    } finally {
      Files.deleteIfExists(source);
    }
  }

  @Test
  void theUnitOfSystemdSaysWhatANodeUnderstands() throws IOException {
    String unit = Files.readString(DEPLOY.resolve("systemd/weir.service"));
    String configuration = Files.readString(Path.of("../../docs/reference/configuration.md"));
    Set<String> variables = found(Pattern.compile("(?m)^Environment=(WEIR_[A-Z_]+)="), unit);
    assertThat(variables)
        .hasSize(2)
        .allSatisfy(variable -> assertThat(configuration).contains("`" + variable + "`"));
    assertThat(unit).contains("ExecStart=/opt/weir/bin/weir node\n");
    assertThat(DEPLOY.resolve("bin/weir")).isExecutable();
  }

  private static JsonObject dashboard() throws IOException {
    return new JsonObject(Files.readString(DEPLOY.resolve("grafana/weir.json")));
  }

  // They belong to the data source, and are not in the schema.
  private static JsonObject withoutQueriesOfAnnotations() throws IOException {
    JsonObject dashboard = dashboard();
    for (Object annotation : dashboard.getJsonObject("annotations").getJsonArray("list")) {
      List.of("expr", "step", "titleFormat", "useValueForTime")
          .forEach(((JsonObject) annotation)::remove);
    }
    return dashboard;
  }

  // Those of rows that are folded lie within them.
  private static List<JsonObject> panels() throws IOException {
    return dashboard().getJsonArray("panels").stream()
        .map(panel -> (JsonObject) panel)
        .flatMap(panel -> panel.getString("type").equals("row")
            ? panel.getJsonArray("panels").stream().map(inner -> (JsonObject) inner)
            : Stream.of(panel))
        .toList();
  }

  private static Set<String> found(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    Set<String> found = new TreeSet<>();
    while (matcher.find()) {
      found.add(matcher.group(1));
    }
    return found;
  }
}
