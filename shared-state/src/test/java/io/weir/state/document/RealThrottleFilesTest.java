package io.weir.state.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Rate;
import io.weir.core.bucket.Scope;
import io.weir.core.policy.InvalidPolicyException;
import io.weir.core.policy.OperationLimit.Limited;
import io.weir.core.policy.Plan;
import io.weir.core.policy.PolicyReading;
import io.weir.core.policy.schema.Problem;
import io.weir.state.testing.CheckedPolicies;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Throttle files used by real networks, and files that their tests refuse. */
final class RealThrottleFilesTest {
  private static final Path DATA = Path.of("../../shared/data");
  private static final Map<String, String> BAD = Map.of(
      "test-insufficient-capacity-throttles.json", "burst_too_small",
      "yahcli-throttles-with-under-endowed-bucket.json", "burst_too_small",
      "test-undersupplied-throttles.json", "group_rate_zero",
      "bdd-zero-ops-group.json", "group_rate_zero",
      "test-lcm-overflow-throttles.json", "bucket_precision_exceeded",
      "test-repeated-op-throttles.json", "operation_repeated",
      "bdd-duplicated-operation.json", "operation_repeated");

  @Test
  void everyGoodFileLoadsUnchanged() throws IOException {
    List<Path> good =
        files().filter(file -> !BAD.containsKey(file.getFileName().toString())).toList();
    assertThat(good).hasSizeGreaterThan(20);
    for (Path file : good) {
      assertThat(PolicyDocuments.read(file).policy().buckets())
          .describedAs("%s", file)
          .isNotEmpty();
    }
  }

  @Test
  void everyBadFileIsRefusedForItsFault() throws IOException {
    for (Path file : files().toList()) {
      String code = BAD.get(file.getFileName().toString());
      if (code == null) {
        continue;
      }
      InvalidPolicyException invalid =
          catchThrowableOfType(InvalidPolicyException.class, () -> PolicyDocuments.read(file));
      assertThat(invalid).describedAs("%s is refused", file).isNotNull();
      assertThat(invalid.problems()).extracting(Problem::code).contains(code);
    }
  }

  @Test
  void theSmallestBurstThatWorksIsNamed() throws IOException {
    Path file = hedera("test-insufficient-capacity-throttles.json");
    InvalidPolicyException invalid =
        catchThrowableOfType(InvalidPolicyException.class, () -> PolicyDocuments.read(file));
    assertThat(invalid.getMessage()).contains("at least 1000000 ms");
  }

  @Test
  void aBurstIsExtendedWhereThePolicyAsksForIt() throws IOException {
    String text = Files.readString(hedera("yahcli-throttles-with-under-endowed-bucket.json"))
        .replaceFirst("\\{", "{\"extendBursts\": true,");
    PolicyReading reading = CheckedPolicies.parse("extended.json", text);
    assertThat(reading.warnings()).extracting(Problem::code).contains("burst_extended");
    assertThat(reading.policy().buckets().get(0).burstMillis()).isEqualTo(500_000);
  }

  @Test
  void twoBucketsOfOneNameAreTwoBuckets() throws IOException {
    PolicyReading reading =
        PolicyDocuments.read(hedera("app-test-schedule-create-throttles-inverted.json"));
    assertThat(reading.policy().buckets()).extracting(Bucket::name).contains("A", "A:2");
    assertThat(reading.warnings()).extracting(Problem::code).contains("name_repeated");
  }

  @ParameterizedTest
  @CsvSource({
    "ThroughputLimits, 273000000, 15000",
    "OffHeapQueryLimits, 700000, 1000",
    "PriorityReservations, 10000, 3000",
    "CreationLimits, 100000, 15000",
    "FreeQueryLimits, 1000000000, 1000",
    "BalanceQueryLimits, 40000000, 1000"
  })
  void mainnetHasTheRecordedRates(String name, long milliOpsPerSec, long burstMillis)
      throws IOException {
    List<Bucket> buckets =
        PolicyDocuments.read(hedera("mainnet-throttles.json")).policy().buckets();
    assertThat(buckets)
        .filteredOn(bucket -> bucket.name().equals(name))
        .singleElement()
        .matches(bucket -> bucket.rate().equals(Rate.ofMilliOpsPerSec(milliOpsPerSec)))
        .matches(bucket -> bucket.burstMillis() == burstMillis);
  }

  @Test
  void theExampleCarriesTheFiguresOfMainnet() throws IOException {
    List<Bucket> real =
        PolicyDocuments.read(hedera("mainnet-throttles.json")).policy().buckets();
    List<Bucket> example =
        PolicyDocuments.read(Path.of("../examples/mainnet.yaml")).policy().buckets();
    for (Bucket bucket : real) {
      assertThat(example)
          .anyMatch(ours -> ours.name().equals(bucket.name())
              && ours.rate().equals(bucket.rate())
              && ours.burstMillis() == bucket.burstMillis());
    }
  }

  @Test
  void highVolumeBucketsAreLeftOutUnlessAskedFor() throws IOException {
    Path file = require(DATA.resolve("hiero/mainnet-throttles.json"));
    PolicyReading ordinary = PolicyDocuments.read(file);
    assertThat(ordinary.policy().buckets())
        .extracting(Bucket::name)
        .noneMatch(name -> name.startsWith("HV"));
    assertThat(ordinary.warnings()).extracting(Problem::code).contains("bucket_set_not_loaded");

    String asked = Files.readString(file).replaceFirst("\\{", "{\"bucketSet\": \"highVolume\",");
    PolicyReading highVolume = CheckedPolicies.parse("asked.json", asked);
    assertThat(highVolume.policy().buckets())
        .extracting(Bucket::name)
        .allMatch(name -> name.startsWith("HV"));
    Plan plan = highVolume.policy().defaultPlan().orElseThrow();
    assertThat(((Limited) plan.limit("CryptoCreate")).demands()).hasSize(2);
  }

  @Test
  void anOperationTwiceInOneGroupIsAWarning() throws IOException {
    PolicyReading reading = PolicyDocuments.read(hedera("test-throttles-repeating.json"));
    assertThat(reading.warnings()).extracting(Problem::code).contains("operation_listed_twice");
    Plan twice = reading.policy().defaultPlan().orElseThrow();
    Plan once = PolicyDocuments.read(hedera("test-throttles.json"))
        .policy()
        .defaultPlan()
        .orElseThrow();
    assertThat(twice.limit("ContractCall")).isEqualTo(once.limit("ContractCall"));
  }

  @Test
  void aThrottleFileNamesNoScopeWhichIsAWarning() throws IOException {
    Path file = hedera("mainnet-throttles.json");
    assertThat(PolicyDocuments.read(file).warnings())
        .filteredOn(problem -> problem.code().equals("scope_assumed"))
        .singleElement()
        .extracting(Problem::message)
        .asString()
        .contains("each account by itself", "defaults.scope: cluster");
    String shared =
        Files.readString(file).replaceFirst("\\{", "{\"defaults\": {\"scope\": \"cluster\"},");
    PolicyReading reading = CheckedPolicies.parse("shared.json", shared);
    assertThat(reading.warnings()).extracting(Problem::code).doesNotContain("scope_assumed");
    assertThat(reading.policy().buckets()).extracting(Bucket::scope).containsOnly(Scope.CLUSTER);
  }

  private static Stream<Path> files() throws IOException {
    List<Path> files = new ArrayList<>();
    for (String folder : List.of("hedera", "hiero")) {
      try (Stream<Path> listed = Files.list(require(DATA.resolve(folder)))) {
        listed.forEach(files::add);
      }
    }
    return files.stream().sorted();
  }

  private static Path hedera(String name) {
    return require(DATA.resolve("hedera").resolve(name));
  }

  private static Path require(Path path) {
    assumeTrue(Files.exists(path), () -> "skipped: the real throttle files are not here: " + path);
    return path;
  }
}
