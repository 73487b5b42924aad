package io.weir.node.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.Logger;
import org.slf4j.simple.SimpleServiceProvider;

/** The amount and content of the log, however the peers of a node behave. */
@Isolated("it replaces the error stream of the JVM")
final class BoundedLoggersTest {
  private static final String HTTP = "io.vertx.core.net.impl.ConnectionBase";

  private final ByteArrayOutputStream written = new ByteArrayOutputStream();
  private final PrintStream before = System.err;
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 9);
  private final SimpleServiceProvider simple = new SimpleServiceProvider();
  private final LogBudget budget = new LogBudget(nanos::get);

  @BeforeEach
  void capture() {
    simple.initialize();
    System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
  }

  @AfterEach
  void restore() {
    System.setErr(before);
  }

  @Test
  void aPeerDecidesNeitherHowMuchIsWrittenNorWhat() {
    Logger log = logger(HTTP);
    for (int i = 0; i < 1000; i++) {
      String content = "invalid version format: SECRET" + i + "X".repeat(4000);
      log.error(content, new IllegalArgumentException(content));
      log.error(
          content, new IllegalStateException("wrapped", new IllegalArgumentException(content)));
    }
    assertThat(written.size()).isLessThan(30_000);
    assertThat(text()).contains("IllegalArgumentException", "BoundedLoggersTest");
    assertThat(text().lines().filter(line -> line.contains("ERROR"))).hasSize(10);
    assertThat(text()).doesNotContain("SECRET", "XXXX");
  }

  @Test
  void onlyTheLibrariesThatReadPeersAreNotQuoted() {
    logger(HTTP).error("SECRET");
    logger("io.netty.channel.DefaultChannelPipeline")
        .warn("an event was fired", new IllegalArgumentException("SECRET"));
    assertThat(text())
        .contains("an event was fired", "java.lang.IllegalArgumentException")
        .doesNotContain("SECRET");
    logger("org.redisson.connection").error("cannot connect", new IllegalStateException("refused"));
    assertThat(text()).contains("cannot connect", "IllegalStateException: refused");
  }

  @Test
  void aLineOfJsonIsOneObject() {
    Instant now = Instant.parse("2026-01-02T03:04:05Z");
    Logger log = new BoundedLogger(
        simple.getLoggerFactory().getLogger("io.weir.node.Some"),
        budget,
        () -> Optional.of(new JsonLines(() -> now, System.err)));
    for (int i = 0; i < 12; i++) {
      log.warn("upstream {} failed\n\"x\"", "a", new IllegalStateException("why"));
    }
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(60));
    log.warn("upstream {} failed\n\"x\"", "a");

    List<JsonObject> lines = text().lines().map(JsonObject::new).toList();
    assertThat(lines).hasSize(11);
    JsonObject first = lines.get(0);
    assertThat(first.getString("time")).isEqualTo("2026-01-02T03:04:05Z");
    assertThat(first.getString("level")).isEqualTo("warn");
    assertThat(first.getString("logger")).isEqualTo("io.weir.node.Some");
    assertThat(first.getString("message")).isEqualTo("upstream a failed \"x\"");
    assertThat(first.getString("error")).contains("IllegalStateException: why", "\n    at ");
    assertThat(lines.get(10).getLong("leftOut")).isEqualTo(2);
    assertThat(lines.get(10).containsKey("error")).isFalse();
  }

  @Test
  void linesThatWereLeftOutAreCounted() {
    Logger log = logger("io.weir.node.gateway.Forwarder");
    for (int i = 0; i < 25; i++) {
      log.warn("upstream {} failed", i);
    }
    assertThat(text().lines()).hasSize(10);
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(60));
    log.warn("upstream {} failed", 25);
    assertThat(lastLine()).contains("upstream 25 failed (and 15 like it, which were left out)");
    log.warn("upstream {} failed", 26);
    assertThat(lastLine()).endsWith("upstream 26 failed");
  }

  @Test
  void aTextThatIsRepeatedLeavesRoomForAnother() {
    Logger log = logger("io.weir.state.policy.ClusterPolicy");
    for (int i = 0; i < 100; i++) {
      log.info("policy revision {} is in force", i);
    }
    log.info("the policy in force is read again");
    assertThat(lastLine()).endsWith("the policy in force is read again");
  }

  @Test
  void anArgumentIsNoLineOfItsOwnAndNotLong() {
    logger("io.weir.node.Any").warn("said {}", "a\r\n2026 ERROR forged" + "y".repeat(5000));
    assertThat(text().lines()).hasSize(1);
    assertThat(written.size()).isLessThan(1200);
  }

  @Test
  void anErrorOfOursSaysWhereItIs() {
    logger("io.weir.node.intake.Intake")
        .error(
            "a request failed for no known reason",
            new IllegalStateException("a cause\nof two lines"));
    assertThat(text())
        .contains("a request failed for no known reason")
        .contains("java.lang.IllegalStateException: a cause of two lines")
        .contains("at " + BoundedLoggersTest.class.getName());
  }

  @Test
  void kindsAreBounded() {
    for (int i = 0; i < 5000; i++) {
      assertThat(budget.take("kind " + i).isPresent()).isEqualTo(i < 1010);
    }
  }

  @Test
  void theLoggersOfANodeAreTheseForAllLibraries() {
    BoundedLoggers provider = new BoundedLoggers();
    provider.initialize();
    assertThat(provider.getLoggerFactory().getLogger(HTTP)).isInstanceOf(BoundedLogger.class);
    assertThat(provider.getLoggerFactory().getLogger(HTTP))
        .isSameAs(provider.getLoggerFactory().getLogger(HTTP));
    assertThat(provider.getRequestedApiVersion()).startsWith("2.");
  }

  private Logger logger(String name) {
    return new BoundedLogger(simple.getLoggerFactory().getLogger(name), budget, Optional::empty);
  }

  private String text() {
    return written.toString(StandardCharsets.UTF_8);
  }

  private String lastLine() {
    return text().lines().reduce((first, second) -> second).orElse("");
  }
}
