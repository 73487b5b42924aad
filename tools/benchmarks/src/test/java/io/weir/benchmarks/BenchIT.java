package io.weir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Tag("benchmarks")
final class BenchIT {
  private static final boolean IS_THOROUGH = Boolean.getBoolean("weir.thorough");
  private static final String MILLIS_OF_ATTACK = IS_THOROUGH ? "200" : "100";

  @Test
  void everyContenderAdmitsEverythingAndEveryFigureIsWritten(@TempDir Path folder)
      throws Exception {
    Path json = folder.resolve("bench.json");
    Path svg = folder.resolve("bench.svg");
    StringWriter out = new StringWriter();
    int status = new CommandLine(new BenchCommand())
        .setOut(new PrintWriter(out, true))
        .execute(
            "--quick",
            "--rounds",
            "1",
            "--millis",
            "100",
            "--json",
            json.toString(),
            "--svg",
            svg.toString());
    assertThat(status).isZero();
    assertThat(out.toString()).contains("PING", "Spring Cloud Gateway", "Bucket4j", "Weir 8");
    JsonNode measurements = new ObjectMapper().readTree(json.toFile()).get("measurements");
    assertThat(measurements).hasSize(4 * Contenders.QUICK.size() + 5);
    for (JsonNode one : measurements) {
      JsonNode sample = one.get("samples").get(0);
      assertThat(sample.get("perSecond").asDouble()).isPositive();
      assertThat(sample.get("unlike").asLong())
          .describedAs(one.get("contender").asText())
          .isZero();
    }
  }

  @Test
  void twoBuildsAreMeasuredInTurn() {
    String classpath = System.getProperty("java.class.path");
    StringWriter out = new StringWriter();
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
  void manyNodesWithFewCallersAreMeasuredBesideOne(@TempDir Path folder) throws Exception {
    Path json = folder.resolve("nodes.json");
    int status = new CommandLine(new BenchCommand())
        .setOut(new PrintWriter(new StringWriter(), true))
        .execute("--nodes", "10", "--rounds", "1", "--millis", "200", "--json", json.toString());
    assertThat(status).isZero();
    JsonNode all = new ObjectMapper().readTree(json.toFile()).get("nodes");
    assertThat(all.findValuesAsText("contender"))
        .containsExactly(
            "1 nodes, 1 callers each",
            "10 nodes, 1 callers each",
            "10 nodes, 2 callers each",
            "10 nodes, 4 callers each",
            "10 nodes, 16 callers each");
    for (JsonNode one : all) {
      JsonNode sample = one.get("samples").get(0);
      assertThat(sample.get("perSecond").asDouble()).isPositive();
      assertThat(sample.get("unlike").asLong()).isZero();
    }
  }

  @Test
  void jobsAreMeasuredWithFewAndWithMany(@TempDir Path folder) throws Exception {
    Path json = folder.resolve("jobs.json");
    int status = new CommandLine(new BenchCommand())
        .setOut(new PrintWriter(new StringWriter(), true))
        .execute("--jobs", "100,4000", "--json", json.toString());
    assertThat(status).isZero();
    assertThat(new ObjectMapper().readTree(json.toFile()).get("jobs"))
        .hasSize(2)
        .allMatch(
            one -> one.get("askMicros").asDouble() > 0 && one.get("bytesPerJob").asDouble() > 0);
  }

  @Test
  void everyAttackIsMeasuredBesideItsVictim(@TempDir Path folder) throws Exception {
    Path json = folder.resolve("isolation.json");
    StringWriter out = new StringWriter();
    int status = new CommandLine(new BenchCommand())
        .setOut(new PrintWriter(out, true))
        .execute("--isolation", "--millis", MILLIS_OF_ATTACK, "--json", json.toString());
    assertThat(status).isZero();
    JsonNode all = new ObjectMapper().readTree(json.toFile());
    assertThat(all.get("hostile"))
        .hasSize(4)
        .allMatch(phase -> phase.get("notOk").asLong() == 0);
    JsonNode attacks = all.get("isolation");
    assertThat(attacks).hasSize(Attack.all().size());
    for (JsonNode one : attacks) {
      assertThat(out.toString()).contains(one.get("attack").asText());
      assertThat(one.get("redisCpu").asDouble()).isNotNegative();
      assertThat(one.get("victimP99Micros").asLong()).isPositive();
    }
  }

  @Test
  void aNodeWithTheViewOfOperatorsIsMeasuredBesideOneWithout(@TempDir Path folder)
      throws Exception {
    Path json = folder.resolve("operators.json");
    int status = new CommandLine(new BenchCommand())
        .setOut(new PrintWriter(new StringWriter(), true))
        .execute("--operators", "--rounds", "1", "--millis", "200", "--json", json.toString());
    assertThat(status).isZero();
    JsonNode all = new ObjectMapper().readTree(json.toFile()).get("operators");
    assertThat(all).hasSize(4);
    for (JsonNode one : all) {
      JsonNode sample = one.get("measurement").get("samples").get(0);
      assertThat(sample.get("perSecond").asDouble()).isPositive();
      assertThat(sample.get("unlike").asLong()).isZero();
    }
  }

  @Test
  void everyDoorAnswersWithoutAnError(@TempDir Path folder) throws Exception {
    Path json = folder.resolve("doors.json");
    int status = new CommandLine(new BenchCommand())
        .setOut(new PrintWriter(new StringWriter(), true))
        .execute("--doors", "--rounds", "1", "--millis", "200", "--json", json.toString());
    assertThat(status).isZero();
    JsonNode all = new ObjectMapper().readTree(json.toFile()).get("doors");
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
    for (JsonNode one : all) {
      JsonNode sample = one.get("samples").get(0);
      assertThat(sample.get("perSecond").asDouble()).isPositive();
      assertThat(sample.get("unlike").asLong())
          .describedAs(one.get("contender").asText())
          .isZero();
    }
  }

  @Test
  void overHttpEverythingIsAnsweredWith200(@TempDir Path folder) throws Exception {
    assumeTrue(IS_THOROUGH, "half a minute, with seven servers: with -Pthorough");
    Path json = folder.resolve("bench.json");
    int status = new CommandLine(new BenchCommand())
        .setOut(new PrintWriter(new StringWriter()))
        .execute("--only", "HTTP", "--rounds", "1", "--millis", "200", "--json", json.toString());
    assertThat(status).isZero();
    JsonNode measured = new ObjectMapper().readTree(json.toFile()).get("http");
    assertThat(measured).hasSize(7);
    for (JsonNode one : measured) {
      JsonNode sample = one.get("samples").get(0);
      assertThat(sample.get("perSecond").asDouble()).isPositive();
      assertThat(sample.get("cpuMicros").asDouble()).isPositive();
      assertThat(sample.get("unlike").asLong())
          .describedAs(one.get("contender").asText())
          .isZero();
    }
  }

  @Test
  void limitersInsideAGatewayAndHerdsAreMeasured(@TempDir Path folder) throws Exception {
    assumeTrue(IS_THOROUGH, "two minutes, most of them herds: with -Pthorough");
    Path json = folder.resolve("bench.json");
    int status = new CommandLine(new BenchCommand())
        .setOut(new PrintWriter(new StringWriter()))
        .execute(
            "--gateways",
            "--gateway-jar",
            "gateway/target/gateway.jar",
            "--rounds",
            "1",
            "--millis",
            "500",
            "--json",
            json.toString());
    assertThat(status).isZero();
    JsonNode results = new ObjectMapper().readTree(json.toFile());
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
  void decisionsOfTheNodeAloneAreMeasured(@TempDir Path folder) throws Exception {
    Path json = folder.resolve("bench.json");
    int status = new CommandLine(new BenchCommand())
        .setOut(new PrintWriter(new StringWriter()))
        .execute("--only", "JMH", "--rounds", "1", "--millis", "50", "--json", json.toString());
    assertThat(status).isZero();
    JsonNode measured = new ObjectMapper().readTree(json.toFile()).get("core");
    assertThat(measured.fieldNames())
        .toIterable()
        .contains("outcome", "rule", "admittedInMemory", "deniedByTheNode", "leased");
    measured.forEach(one -> assertThat(one.get("nanos").asDouble()).isPositive());
  }
}
