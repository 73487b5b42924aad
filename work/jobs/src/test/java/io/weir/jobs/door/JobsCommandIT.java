package io.weir.jobs.door;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.command.WeirCommand;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import io.weir.state.audit.AuditLine;
import io.weir.state.audit.RedisAudit;
import io.weir.state.connection.RedisConnections;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code weir jobs}, which asks the admin port of a node. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("jdk")
final class JobsCommandIT {
  private static final String KEY = "key-of-a-name-with-as-many-characters-as-the-policy-allows";
  private static final String POLICY = """
      operations:
        - { name: Proof, match: { method: POST, path: /proof }, mode: job, job: { dispatchPerSecond: 1000 } }
        - { name: Kept, match: { method: POST, path: /kept }, mode: job,
            job: { readinessPath: /never, readinessConcurrency: 1, readinessTime: 1h } }
        - { name: Idle, match: { method: POST, path: /idle }, mode: job, job: {} }
        - { name: Other, match: { path: /other } }
      buckets:
        - name: many
          burstPeriod: 10
          throttleGroups: [{ opsPerSec: 1000, operations: [Proof, Kept, Idle, Other] }]
      upstream: { url: "http://127.0.0.1:UPSTREAM", timeoutMs: 2000, connectTimeoutMs: 500 }
      subjects:
      """ + TestPolicies.subject(KEY, "");
  private static final int KEPT = 205;
  private static final String NOBODY = "0".repeat(32);

  @AutoClose
  private NodeFixture fixture;

  private List<String> kept = List.of();
  private String done = "";

  private record Ran(int status, String text) {}

  @BeforeAll
  void start() {
    fixture = new NodeFixture(POLICY, FailureMode.DENY);
    fixture.upstreamAnswers(
        "/proof", request -> request.body().onSuccess(body -> request.response().end("done")));
    fixture.upstreamAnswers(
        "/never",
        request -> request
            .body()
            .onSuccess(body -> request.response().setStatusCode(503).end()));
    kept = IntStream.range(0, KEPT).mapToObj(i -> submit("/kept", "kept " + i)).toList();
    done = submit("/proof", "for the command");
    await().until(() -> weir("jobs", "Proof", done).text().contains("completed"));
    await().until(() -> weir("jobs", "Kept", "--state", "checking").text().contains("checking"));
  }

  private String submit(String path, String body) {
    HttpResponse<String> answer = fixture.send(HttpRequest.newBuilder(fixture.uri(path))
        .header("Authorization", "Bearer " + TestPolicies.key(KEY))
        .POST(HttpRequest.BodyPublishers.ofString(body)));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
    return NodeFixture.json(answer).getString("job_id");
  }

  private Ran weir(String... arguments) {
    Map<String, String> environment = Map.of(
        "WEIR_NODE", fixture.adminUri("/").toString(), "WEIR_ADMIN_TOKEN", NodeFixture.ADMIN);
    StringWriter out = new StringWriter();
    int status = WeirCommand.commandLine(environment, Optional::empty)
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(out, true))
        .execute(arguments);
    return new Ran(status, out.toString());
  }

  private static List<String> ids(Ran ran) {
    return ran.text()
        .lines()
        .map(line -> line.split(" ", 2)[0])
        .filter(word -> word.matches("[0-9a-f]{32}"))
        .toList();
  }

  @Test
  void withoutAnOperationTheQueuesAreShown() {
    Ran ran = weir("jobs");
    assertThat(ran.status()).isZero();
    assertThat(ran.text().lines().findFirst().orElseThrow().split(" {2,}"))
        .containsExactly(
            "operation", "waiting", "to be sent", "running", "oldest", "a new one takes");
    assertThat(ran.text()).containsPattern("Kept +" + KEPT + " +0 +0 ").contains("Proof", "Idle");
    assertThat(ran.text()).doesNotContain("Other");
    assertThat(new JsonObject(weir("jobs", "--json").text()).getJsonArray("queues"))
        .hasSize(3);
  }

  @Test
  void theJobsThatAreNotDoneAreListedInTheirOrder() {
    Ran all = weir("jobs", "Kept", "--limit", "1000");
    assertThat(all.status()).isZero();
    assertThat(ids(all)).containsExactlyElementsOf(kept);
    assertThat(all.text()).doesNotContain("more");

    Ran some = weir("jobs", "Kept", "--limit", "203");
    assertThat(ids(some)).containsExactlyElementsOf(kept.subList(0, 203));
    assertThat(some.text()).contains("acme/key-of", "… and 2 more (--limit)");

    assertThat(weir("jobs", "Proof")).isEqualTo(new Ran(0, "No job of Proof is under way.\n"));
  }

  @Test
  void jobsInOneStateAreListedAlsoThoseThatHaveEnded() {
    assertThat(ids(weir("jobs", "Kept", "--state", "QUEUED", "--limit", "300")))
        .containsExactlyElementsOf(kept.subList(1, KEPT));
    Ran some = weir("jobs", "Kept", "--state", "queued", "--limit", "3");
    assertThat(ids(some)).containsExactlyElementsOf(kept.subList(1, 4));
    assertThat(some.text()).contains("There may be more than 3 (--limit)");

    assertThat(ids(weir("jobs", "Proof", "--state", "completed"))).contains(done);
    assertThat(weir("jobs", "Proof", "--state", "failed").text())
        .isEqualTo("No job of Proof is in the state failed.\n");
  }

  @Test
  void tablesFitATerminal() {
    for (Ran ran : List.of(weir("jobs"), weir("jobs", "Kept"), weir("jobs", "Kept", kept.get(9)))) {
      assertThat(ran.text().lines()).allMatch(line -> line.length() <= 80);
    }
  }

  @Test
  void asJsonAJobIsOnEachLine() {
    Ran ran = weir("jobs", "Kept", "--limit", "2", "--json");
    assertThat(ran.text()
            .lines()
            .filter(line -> line.startsWith("{"))
            .map(line -> new JsonObject(line).getString("id")))
        .containsExactlyElementsOf(kept.subList(0, 2));
  }

  @Test
  void oneJobIsShownWithItsHistory() {
    assertThat(weir("jobs", "Proof", done).text())
        .containsPattern("job +" + done)
        .containsPattern("key +acme/" + KEY)
        .containsPattern("(?m)^queued +\\d{4}-.*Z +\\+0.000 s$")
        .containsPattern("(?m)^in_flight +\\d{4}-.*Z +\\+\\d")
        .containsPattern("(?m)^completed +\\d{4}-.*Z +\\+\\d")
        .doesNotContain("done in");
    assertThat(weir("jobs", "Kept", kept.get(2)).text())
        .containsPattern("position +1\n")
        .containsPattern("done in +\\d");
  }

  @Test
  void aJobIsCancelledAndItsCancelIsAudited() {
    String job = submit("/kept", "to be cancelled");
    assertThat(weir("jobs", "Kept", job, "--cancel")).isEqualTo(new Ran(0, "It is cancelled.\n"));
    assertThat(weir("jobs", "Kept", job).text()).containsPattern("state +cancelled");
    assertThat(ids(weir("jobs", "Kept", "--state", "cancelled"))).containsExactly(job);
    try (RedisConnections redis =
        RedisConnections.open(fixture.redisUri(), Duration.ofMinutes(1))) {
      AuditLine line = new RedisAudit(redis).last(1).join().get(0);
      assertThat(line.who() + " " + line.what() + " " + line.record())
          .isEqualTo("admin cancel job:Kept/" + job);
    }
    Ran again = weir("jobs", "Kept", job, "--cancel");
    assertThat(again.status()).isEqualTo(1);
    assertThat(again.text()).contains("(job_finished)");
  }

  @Test
  void anUnknownNameIsRefusedWithTheNearest() {
    Ran operation = weir("jobs", "Prof");
    assertThat(operation.status()).isEqualTo(1);
    assertThat(operation.text())
        .contains("(operation_unknown)", "operation: 'Prof' (expected: Proof)");
    Ran job = weir("jobs", "Proof", NOBODY);
    assertThat(job.status()).isEqualTo(1);
    assertThat(job.text()).contains("(job_unknown)");
    assertThat(weir("jobs", "Proof", NOBODY, "--cancel").text()).contains("(job_unknown)");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jobs Proof x: expected: the id of a job",
        "jobs Proof --cancel: expected: its id",
        "jobs Proof 00000000000000000000000000000000 --cancel --watch: expected: one of them",
        "jobs --state queued: expected: its name",
        "jobs Proof --state late: expected: one of queued",
        "jobs Proof --limit 0: expected: 1 to",
        "jobs Proof --redis-uri redis://127.0.0.1:1: no option '--redis-uri'"
      })
  void wrongArgumentsAreRefused(String row) {
    String[] parts = row.split(": ", 2);
    Ran ran = weir(parts[0].split(" ", -1));
    assertThat(ran.status()).isEqualTo(2);
    assertThat(ran.text().replaceAll("\\s+", " ")).contains(parts[1]);
  }
}
