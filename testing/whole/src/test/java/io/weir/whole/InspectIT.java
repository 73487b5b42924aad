package io.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.node.command.WeirCommand;
import io.weir.providers.rule.Booking.Asking;
import io.weir.providers.rule.Booking.End;
import io.weir.providers.rule.Booking.Lesson;
import io.weir.providers.rule.Providers;
import io.weir.providers.rule.Upstreams;
import io.weir.providers.store.RedisProviders;
import io.weir.providers.store.UpstreamKeys;
import io.weir.state.connection.RedisConnections;
import io.weir.state.document.PolicyDocuments;
import io.weir.testkit.RedisDatabase;
import io.weir.windows.RedisWindows;
import io.weir.windows.WindowRule;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** {@code weir inspect} of upstreams and windows. */
final class InspectIT {
  private static RedisDatabase redis;
  private static RedisConnections connections;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeAll
  static void start() {
    redis = RedisDatabase.open();
    connections = RedisConnections.open(redis.uri(), Duration.ofMinutes(1));
  }

  @AfterAll
  static void stop() {
    connections.close();
    redis.close();
  }

  private int inspect(String... arguments) {
    CommandLine line = WeirCommand.commandLine(Map.of(), () -> Optional.of(redis.uri()));
    line.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    return line.execute(arguments);
  }

  private static Providers upstream() {
    return Objects.requireNonNull(
        Upstreams.of(PolicyDocuments.parse("inspect.yaml", """
            operations:
              - { name: Call, match: { path: /rpc }, upstream: rpc }
            buckets:
              - { name: calls, burstPeriod: 1, throttleGroups: [{ opsPerSec: 100, operations: [Call] }] }
            upstreams:
              rpc:
                providers:
                  - { name: ours, url: "http://127.0.0.1:1", keyInterval: 60m, keys: [{ name: first, variable: A }, { name: second, variable: A }] }
            """).policy()).get("rpc"));
  }

  @Test
  void anUpstreamIsPrintedWithItsInstants() {
    RedisProviders providers = new RedisProviders(connections);
    Asking one = new Asking("r1", "default", 0, List.of(), true);
    Asking two = new Asking("r2", "default", 0, List.of(), true);
    End cooled = new End("r1", "ours", new Lesson("first", 1_800_000_000L, 0, "", 0, -1));
    providers
        .book(RedisProviders.prepare(upstream()), "loop", List.of(), List.of(one, two))
        .toCompletableFuture()
        .join();
    providers
        .book(RedisProviders.prepare(upstream()), "loop", List.of(cooled), List.of())
        .toCompletableFuture()
        .join();
    assertThat(inspect("inspect", "--upstream", "rpc")).isZero();
    assertThat(out.toString())
        .containsPattern("requests under way +1\\R")
        .containsPattern("ours +1 under way\\R")
        .containsPattern("key first of ours, left alone +used again in 30 min\\R")
        .containsPattern("key second of ours +may be used in 1 h\\R")
        .doesNotContainPattern("key first of ours +may be used")
        .doesNotContain("_us", ":", "turn");
    assertThat(inspect("inspect", "--raw", "--upstream", "rpc")).isZero();
    String instant = " +\\d{16} \\(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z";
    assertThat(out.toString())
        .containsPattern("now_us" + instant + "\\)")
        .containsPattern("slot:ours/second" + instant + ", in 3[56]\\d\\d\\.\\d{3} s\\)")
        .containsPattern("cool:ours/first" + instant + ", in 1[78]\\d\\d\\.\\d{3} s\\)")
        .containsPattern("busy:ours +1\\R")
        .containsPattern("inflight +1 under way\\R");
  }

  @Test
  void aWindowIsPrintedWithTheWaitsOfItsRanges() {
    RedisWindows windows = new RedisWindows(connections);
    WindowRule rule = new WindowRule("blocks", 40, 4, 30_000_000, 1_000_000, false);
    for (int from = 1; from <= 21; from += 10) {
      windows.open(rule, from, from + 9).toCompletableFuture().join();
    }
    windows.claim(rule, "c1").toCompletableFuture().join();
    assertThat(inspect("inspect", "--window", "blocks")).isZero();
    assertThat(out.toString())
        .containsPattern("next number +31\\R")
        .containsPattern("done up to +1\\R")
        .containsPattern("to be claimed +2\\R")
        .containsPattern("claimed, or to be tried again +1\\R")
        .doesNotContain("_us", "watermark", "at ");
    assertThat(inspect("inspect", "--raw", "--window", "blocks")).isZero();
    assertThat(out.toString())
        .containsPattern("next +31\\R")
        .containsPattern("watermark +1\\R")
        .containsPattern("todo +2 ranges to be claimed\\R")
        .containsPattern("times +1 ranges claimed, or to be tried again\\R");
  }

  @Test
  void aTenantMayBeCalledSo() {
    connections.sync().hset(UpstreamKeys.of("tenant").get(0), "limit", "7");
    assertThat(inspect("inspect", "--upstream", "tenant")).isZero();
    assertThat(out.toString()).containsPattern("requests under way at most +7\\R");
    assertThat(inspect("inspect", "upstream/")).isEqualTo(1);
    assertThat(err.toString())
        .contains("there is no tenant upstream of which anything is used (no policy is in force)");
  }

  @Test
  void unknownNamesFailWhereNoPolicyIsInForce() {
    assertThat(inspect("inspect", "--upstream", "none")).isEqualTo(1);
    assertThat(inspect("inspect", "--window", "none")).isEqualTo(1);
    assertThat(inspect("inspect", "--jobs", "None")).isEqualTo(1);
    assertThat(inspect("inspect", "acme/none")).isEqualTo(1);
    assertThat(out.toString()).isEmpty();
    assertThat(err.toString().lines())
        .containsExactly(
            "there is no upstream none (no policy is in force)",
            "there is no window none (no policy is in force)",
            "the policy has no operation None with jobs (no policy is in force)",
            "there is no key none of the tenant acme (no policy is in force)");
  }

  @Test
  void oneThingIsShownAtATime() {
    assertThat(inspect("inspect", "acme/k1", "--window", "blocks")).isEqualTo(2);
    assertThat(inspect("inspect")).isEqualTo(2);
    assertThat(err.toString()).contains("--upstream", "--window");
  }
}
