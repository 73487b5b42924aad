package io.weir.whole.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.testkit.CommandRun;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The release that nodes and programs are upgraded from: that of {@code .ci/baseline}, or of {@code WEIR_BASELINE}. */
public final class Baseline {
  private Baseline() {}

  /** A script with the release as its argument. */
  static List<String> command(String script) {
    return Stream.concat(
            Stream.of(script), Optional.ofNullable(System.getenv("WEIR_BASELINE")).stream())
        .toList();
  }

  /** The jar of its nodes, built if it is not there. */
  public static String jar() {
    CommandRun built =
        CommandRun.of(Duration.ofMinutes(15), Map.of(), command("../../.ci/baseline-jar"));
    assertThat(built.succeeded()).as(built.output()).isTrue();
    return built.output().strip().lines().reduce((first, last) -> last).orElseThrow();
  }
}
