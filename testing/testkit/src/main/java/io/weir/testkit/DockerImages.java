package io.weir.testkit;

import static org.junit.jupiter.api.Assumptions.abort;

import java.time.Duration;

/**
 * The Docker engine and images that a test needs. If they are missing, the test is skipped within seconds with a
 * reason.
 */
public final class DockerImages {
  private static final long DECIDED_WITHIN_MILLIS = 5000;
  private static final Duration PULLED_WITHIN = Duration.ofMinutes(5);

  private DockerImages() {}

  /**
   * Skips the test within 5 s if no engine runs, or one of the images is neither local nor in a reachable registry;
   * otherwise returns when all are local.
   */
  public static void assume(String... images) {
    long begin = System.nanoTime();
    CommandRun engine =
        CommandRun.of(left(begin), "docker", "version", "--format", "{{.Server.Version}}");
    if (!engine.succeeded()) {
      skip("no Docker engine answers: " + engine.output().strip());
    }
    for (String image : images) {
      if (!CommandRun.of(left(begin), "docker", "image", "inspect", image).succeeded()) {
        if (!CommandRun.of(left(begin), "docker", "manifest", "inspect", image).succeeded()) {
          skip("the image %s is not here, and no registry has it".formatted(image));
        }
        pull(image);
        begin = System.nanoTime();
      }
    }
  }

  private static void pull(String image) {
    CommandRun pulled = CommandRun.of(PULLED_WITHIN, "docker", "pull", "--quiet", image);
    if (!pulled.succeeded()) {
      skip("the image %s cannot be pulled: %s".formatted(image, pulled.output().strip()));
    }
  }

  // With a visible message: a skipped test is easily overlooked.
  private static void skip(String reason) {
    System.out.println("skipped: " + reason);
    abort("skipped: " + reason);
  }

  private static Duration left(long beginNanos) {
    long taken = (System.nanoTime() - beginNanos) / 1_000_000;
    return Duration.ofMillis(Math.max(1, DECIDED_WITHIN_MILLIS - taken));
  }
}
