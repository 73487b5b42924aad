package io.weir.whole.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.testkit.CommandRun;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Programs that were compiled with the artifacts of the release before run with those of this build. */
@Tag("upgrade")
final class CompatibleApiIT {
  @Test
  void nothingOfTheApiIsGone() {
    CommandRun compared =
        CommandRun.of(Duration.ofMinutes(20), Map.of(), Baseline.command("../../.ci/compatible"));
    assertThat(compared.succeeded()).as(compared.output()).isTrue();
  }
}
