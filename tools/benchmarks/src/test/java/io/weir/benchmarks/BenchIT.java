package io.weir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Tag("benchmarks")
final class BenchIT {
  private static final boolean IS_THOROUGH = Boolean.getBoolean("weir.thorough");
  private static final String MILLIS_OF_ATTACK = IS_THOROUGH ? "200" : "100";

  @TempDir
  private Path folder;

  private final StringWriter out = new StringWriter();

  private JsonNode measured(String... arguments) throws IOException {
    Path json = folder.resolve("bench.json");
    String[] all = Stream.concat(Stream.of(arguments), Stream.of("--json", json.toString()))
        .toArray(String[]::new);
    CommandLine bench = new CommandLine(new BenchCommand()).setOut(new PrintWriter(out, true));
    assertThat(bench.execute(all)).isZero();
    return new ObjectMapper().readTree(json.toFile());
  }

  private static void isSound(JsonNode one) {
    JsonNode sample = one.get("samples").get(0);
    assertThat(sample.get("perSecond").asDouble()).isPositive();
    assertThat(sample.get("unlike").asLong())
        .describedAs(one.get("contender").asText())
        .isZero();
  }

  @Test
  void everyContenderAdmitsEverythingAndEveryFigureIsWritten() throws IOException {
    String svg = folder.resolve("bench.svg").toString();
    JsonNode measurements =
        measured("--quick", "--rounds", "1", "--millis", "100", "--svg", svg).get("measurements");
    assertThat(measurements).hasSize(4 * Contenders.QUICK.size() + 5);
    measurements.forEach(BenchIT::isSound);
    assertThat(out.toString()).contains("PING", "Spring Cloud Gateway", "Bucket4j", "Weir 8");
  }

  @Test
  void twoBuildsAreMeasuredInTurn() {
    String classpath = System.getProperty("java.class.path");
    int status = BesideCommand.command()
        .setOut(new PrintWriter(out, true))
        .execute("--before", classpath, "--now", classpath, "--rounds", "1", "--queue");
    assertThat(status).isZero();
    assertThat(
            out.toString().lines().filter(line -> line.startsWith("place, 3 buckets, functions:")))
        .singleElement()
        .asString()
        .matches(".*redisCpuMicros +[0-9.]+ +[0-9.]+ +[0-9.]+");
  }

  @Test
  void manyNodesWithFewCallersAreMeasuredBesideOne() throws IOException {
    JsonNode all = measured("--nodes", "10", "--rounds", "1", "--millis", "200").get("nodes");
    assertThat(all.findValuesAsText("contender"))
        .containsExactly(
            "1 nodes, 1 callers each",
            "10 nodes, 1 callers each",
            "10 nodes, 2 callers each",
            "10 nodes, 4 callers each",
            "10 nodes, 16 callers each");
    all.forEach(BenchIT::isSound);
  }

  @Test
  void jobsAreMeasuredWithFewAndWithMany() throws IOException {
    assertThat(measured("--jobs", "100,4000").get("jobs"))
        .hasSize(2)
        .allMatch(
            one -> one.get("askMicros").asDouble() > 0 && one.get("bytesPerJob").asDouble() > 0);
  }

  @Test
  void everyAttackIsMeasuredBesideItsVictim() throws IOException {
    JsonNode results = measured("--isolation", "--millis", MILLIS_OF_ATTACK);
    assertThat(results.get("hostile"))
        .hasSize(4)
        .allMatch(phase -> phase.get("notOk").asLong() == 0);
    JsonNode attacks = results.get("isolation");
    assertThat(attacks).hasSize(Attack.all().size());
    for (JsonNode one : attacks) {
      assertThat(out.toString()).contains(one.get("attack").asText());
      assertThat(one.get("redisCpu").asDouble()).isNotNegative();
      assertThat(one.get("victimP99Micros").asLong()).isPositive();
    }
  }

  @Test
  void aNodeWithTheViewOfOperatorsIsMeasuredBesideOneWithout() throws IOException {
    JsonNode all = measured("--operators", "--rounds", "1", "--millis", "200").get("operators");
    assertThat(all).hasSize(4);
    all.forEach(one -> isSound(one.get("measurement")));
  }

  @Test
  void everyDoorAnswersWithoutAnError() throws IOException {
    JsonNode all = measured("--doors", "--rounds", "1", "--millis", "200").get("doors");
    assertThat(all.findValuesAsText("contender"))
        .doesNotHaveDuplicates()
        .contains(
            "HTTP, health",
            "HTTP, /v1/check",
            "gRPC, health",
            "gRPC, no limit",
            "gRPC, ShouldRateLimit",
            "Redis protocol, PING",
            "Redis protocol, WEIR.CHECK",
            "Redis protocol, WEIR.CHECK, one subject, leased",
            "Redis protocol, CL.THROTTLE");
    all.forEach(BenchIT::isSound);
  }

  @Test
  void overHttpEverythingIsAnsweredWith200() throws IOException {
    assumeTrue(IS_THOROUGH, "half a minute, with seven servers: with -Pthorough");
    JsonNode measured =
        measured("--only", "HTTP", "--rounds", "1", "--millis", "200").get("http");
    assertThat(measured).hasSize(7);
    measured.forEach(BenchIT::isSound);
    assertThat(measured)
        .allMatch(one -> one.get("samples").get(0).get("cpuMicros").asDouble() > 0);
  }

  @Test
  void limitersInsideAGatewayAndHerdsAreMeasured() throws IOException {
    assumeTrue(IS_THOROUGH, "two minutes, most of them herds: with -Pthorough");
    JsonNode results = measured(
        "--gateways",
        "--gateway-jar",
        "gateway/target/gateway.jar",
        "--rounds",
        "1",
        "--millis",
        "500");
    for (JsonNode one : results.get("gateways").get("measurements")) {
      assertThat(one.get("samples").get(0).get("unlike").asLong())
          .describedAs(one.get("contender").asText())
          .isZero();
    }
    assertThat(results.get("gateways").get("herds"))
        .hasSize(3)
        .allMatch(herd -> herd.get("passed").asInt() == 1000);
    assertThat(results.get("herds")).hasSize(5);
  }

  @Test
  void decisionsOfTheNodeAloneAreMeasured() throws IOException {
    JsonNode measured =
        measured("--only", "JMH", "--rounds", "1", "--millis", "50").get("core");
    assertThat(measured.fieldNames())
        .toIterable()
        .contains("outcome", "rule", "admittedInMemory", "deniedByTheNode", "leased");
    measured.forEach(one -> assertThat(one.get("nanos").asDouble()).isPositive());
  }
}
