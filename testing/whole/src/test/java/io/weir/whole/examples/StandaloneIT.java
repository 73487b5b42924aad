package io.weir.whole.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.testkit.CommandRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The example applications build where nothing of this repository is, with the artifacts that are installed. */
@Tag("embedding")
final class StandaloneIT {
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
  private static final Duration BUILT_WITHIN = Duration.ofMinutes(10);

  @TempDir
  private static Path folder;

  @BeforeAll
  static void install() {
    run(ROOT.resolve("scripts/install").toString(), folder.resolve("installed").toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain-java", "spring-mvc", "spring-webflux", "spring-gateway"})
  void anExampleBuildsByItself(String name) throws IOException {
    Path copy = Files.createDirectory(folder.resolve(name));
    Path example = ROOT.resolve("examples").resolve(name);
    Files.copy(example.resolve("pom.xml"), copy.resolve("pom.xml"));
    copyAll(example.resolve("src/main"), copy.resolve("src/main"));
    String repositories = "%s,%s/.m2/repository"
        .formatted(folder.resolve("installed"), System.getProperty("user.home"));
    run(
        ROOT.resolve("mvnw").toString(),
        "-q",
        "-B",
        "-o",
        "-f",
        copy.toString(),
        "-Dmaven.repo.local=" + folder.resolve("local"),
        "-Dmaven.repo.local.tail=" + repositories,
        "package");
    assertThat(copy.resolve("target").resolve(name + ".jar")).exists();
  }

  private static void copyAll(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Path copy = to.resolve(from.relativize(file));
        if (Files.isDirectory(file)) {
          Files.createDirectories(copy);
        } else {
          Files.copy(file, copy);
        }
      }
    }
  }

  private static void run(String... command) {
    Map<String, String> environment = Map.of("JAVA_HOME", System.getProperty("java.home"));
    CommandRun run = CommandRun.of(BUILT_WITHIN, environment, List.of(command));
    assertThat(run.status()).describedAs(run.output()).isZero();
  }
}
