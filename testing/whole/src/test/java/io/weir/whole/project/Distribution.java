package io.weir.whole.project;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.testkit.CommandRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What {@code scripts/dist} makes of the jars of this build. */
public final class Distribution {
  private static final Path JARS = BuildFolder.of("tools/cluster");
  private static final Path JDK = Path.of(System.getProperty("java.home"));
  private static final Duration MADE_WITHIN = Duration.ofMinutes(10);

  private Distribution() {}

  /** Makes the archive in a folder, with the files that it has in {@code dist/weir} of it, and returns the archive. */
  public static Path in(Path folder, String... options) throws IOException {
    assumeTrue(Files.exists(JARS.resolve("weir-cluster.jar")), "skipped: no jars are here");
    assumeTrue(Files.isDirectory(JDK.resolve("jmods")), "skipped: this JDK has no modules to link");
    List<String> command = Stream.concat(
            Stream.of(
                "../../scripts/dist", "--jars", JARS.toString(), "--output", folder.toString()),
            Stream.of(options))
        .toList();
    CommandRun run = CommandRun.of(MADE_WITHIN, Map.of("JAVA_HOME", JDK.toString()), command);
    assertThat(run.status()).describedAs(run.output()).isZero();
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.toString().endsWith(".tar.gz"))
          .findFirst()
          .orElseThrow();
    }
  }

  /** Makes it where the image takes it from. */
  public static void forImages() throws IOException {
    in(Path.of("../../target"));
  }
}
