package io.weir.operators.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.policy.Policy;
import io.weir.core.policy.PolicyRevision;
import io.weir.core.throttle.PolicySource;
import io.weir.core.throttle.Throttle;
import io.weir.node.command.WeirCommand;
import io.weir.operators.replay.Rehearsal.Verdict;
import io.weir.state.connection.RedisConnections;
import io.weir.state.document.PolicyDocuments;
import io.weir.state.lane.RedisBucketStore;
import io.weir.testkit.RedisProcess;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A log under two policies, through the command; and the same requests through Redis. */
@Tag("operators")
final class ReplayIT {
  private static final String POLICY = """
      operations:
        - { name: Ask, match: { path: /ask } }
        - { name: Tell, match: { path: "/tell/{id}", method: POST } }
      buckets:
        - { name: requests, burstPeriod: 2, throttleGroups: [{ opsPerSec: %d, operations: [Ask, Tell] }] }
        - { name: team, scope: tenant, burstPeriod: 2, throttleGroups: [{ opsPerSec: 8, operations: [Tell] }] }
      quotas:
        - { name: calls, scope: key, limit: 300, period: 60m, operations: [Ask] }
      plans: { free: { buckets: [requests, team] } }
      defaults: { plan: free }
      subjects:
        k1: { tenant: acme }
        k2: { tenant: acme }
      """;
  // Keys expire by Redis's own clock, so the requests are of the future.
  private static final long START = 3_000_000_000_000_000L;

  @TempDir
  Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private Path file(String name, String text) throws IOException {
    return Files.writeString(directory.resolve(name), text);
  }

  private int weir(Object... arguments) {
    CommandLine line = WeirCommand.commandLine(Map.of(), Optional::empty);
    line.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    String[] texts = new String[arguments.length];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = arguments[i].toString();
    }
    return line.execute(texts);
  }

  private static String lines(int seconds, int aSecond) {
    StringBuilder log = new StringBuilder();
    for (int second = 0; second < seconds; second++) {
      for (int i = 0; i < aSecond; i++) {
        log.append(
            "10.0.0.%d - - [10/Oct/2026:13:%02d:%02d +0000] \"GET /ask?n=%d HTTP/1.1\" 200 12%n"
                .formatted(i % 2, second / 60, second % 60, i));
      }
    }
    return log.toString();
  }

  @Test
  void aLogIsPutThroughTwoPolicies() throws IOException {
    Path log = directory.resolve("access.log.gz");
    try (OutputStream packed = new GZIPOutputStream(Files.newOutputStream(log))) {
      packed.write((lines(60, 8) + "of another form\n").getBytes(StandardCharsets.UTF_8));
    }
    Path narrow = file("narrow.yaml", POLICY.formatted(2));
    Path wide = file("wide.yaml", POLICY.formatted(3));

    assertThat(weir("replay", log, "--policy", narrow, "--and", wide, "--json"))
        .as(err.toString())
        .isZero();

    JsonObject json = new JsonObject(out.toString());
    assertThat(json.getLong("lines")).isEqualTo(481);
    assertThat(json.getLong("unread")).isEqualTo(1);
    JsonObject first = json.getJsonArray("policies").getJsonObject(0);
    JsonObject second = json.getJsonArray("policies").getJsonObject(1);
    // Two callers, each 4 a second for a minute: the burst and the rate of each pass.
    assertThat(first.getLong("admitted")).isBetween(2 * (4 + 2 * 59L), 2 * (4 + 2 * 60L));
    assertThat(second.getLong("admitted")).isBetween(2 * (6 + 3 * 59L), 2 * (6 + 3 * 60L));
    assertThat(first.getLong("admitted") + first.getLong("denied")).isEqualTo(480);
    assertThat(first.getJsonObject("refused").getJsonArray("limits").getJsonObject(0))
        .isEqualTo(new JsonObject()
            .put("plan", "free")
            .put("operation", "Ask")
            .put("limit", "requests")
            .put("atLeast", first.getLong("denied"))
            .put("atMost", first.getLong("denied")));
    assertThat(first.getJsonObject("refused").getJsonArray("callers")).hasSize(2);
    assertThat(first.getJsonObject("onlyHere").getLong("total"))
        .isGreaterThanOrEqualTo(second.getLong("admitted") - first.getLong("admitted"));
    assertThat(first.getJsonArray("spans")).hasSize(60);
  }

  @Test
  void theTablesTellTheSameInWords() throws IOException {
    Path log = file("access.log", lines(5, 8));
    Path policy = file("p.yaml", POLICY.formatted(2));

    assertThat(weir("replay", log, "--policy", policy)).as(err.toString()).isZero();
    assertThat(weir("replay", file("odd.log", "x\n[x]\ny\n"), "--policy", policy))
        .isZero();
    assertThat(out.toString())
        .contains("3 lines, 3 of another form")
        .contains("2 with no time in brackets, first in line 1")
        .contains("1 with no request in quotes after the time, first in line 2");
    assertThat(out.toString())
        .contains("40 lines", "p.yaml:", "log/10.0.0.1", "█")
        .containsPattern("requests +Ask +free +\\d+ +\\d+");
    assertThat(out.toString().lines())
        .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));

    assertThat(weir("replay", log, "--policy", policy, "--plan", "gold")).isNotZero();
    assertThat(err.toString().replaceAll("\\s+", " "))
        .contains("'gold' is no plan of", "(expected: free)");
    assertThat(weir("replay", log, "--policy", file("bad.yaml", "buckets: 3"))).isEqualTo(1);
    assertThat(err.toString()).contains("bad.yaml:1");
  }

  @Test
  void progressOfALongLogRewritesItsLine() throws IOException {
    Path log = file("long.log", ("x".repeat(1023) + "\n").repeat(10 << 10));

    assertThat(weir("replay", log, "--policy", file("p.yaml", POLICY.formatted(2))))
        .isZero();
    assertThat(err.toString()).contains("] 100 %").doesNotContain("\\u000d");
    assertThat(err.toString().lines())
        .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
  }

  @Test
  void everyDecisionIsThatOfRedisAtTheSameTimes() {
    Policy policy = PolicyDocuments.parse("test", POLICY.formatted(2)).policy();
    AtomicLong clock = new AtomicLong();
    try (RedisProcess redis = RedisProcess.start();
        RedisConnections connections = RedisConnections.open(redis.uri(), Duration.ofMinutes(1))) {
      Throttle live =
          new Throttle(RedisBucketStore.rehearsing(connections, clock::get), new Fixed(policy));
      Rehearsal rehearsal = new Rehearsal(policy, Optional.empty());
      Random random = new Random(11);
      long now = START;
      int refused = 0;
      for (int i = 0; i < 20_000; i++) {
        now += random.nextInt(200_000);
        clock.set(now);
        String key = random.nextBoolean() ? "k1" : "k2";
        boolean isAsk = random.nextBoolean();
        LogLine line = new LogLine(
            new LogTime(now, false),
            key,
            isAsk ? new RequestLine("GET", "/ask") : new RequestLine("POST", "/tell/7"),
            Optional.empty(),
            OptionalLong.empty());

        boolean passes = rehearsal.decide(line) instanceof Verdict.Admitted;

        Decision decision =
            live.tryTake(key, isAsk ? "Ask" : "Tell", 1).toCompletableFuture().join();
        assertThat(passes).as("step %d", i).isEqualTo(decision instanceof Allowed);
        refused += passes ? 0 : 1;
      }
      assertThat(refused).isBetween(2000, 18_000);
    }
  }

  private record Fixed(Policy policy) implements PolicySource {
    @Override
    public PolicyRevision current() {
      return new PolicyRevision(1, policy);
    }

    @Override
    public CompletionStage<PolicyRevision> reload(long seenRevision) {
      return CompletableFuture.completedFuture(current());
    }
  }
}
