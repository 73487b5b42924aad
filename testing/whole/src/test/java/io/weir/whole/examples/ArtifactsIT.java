package io.weir.whole.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the artifacts bring into programs. */
@Tag("embedding")
final class ArtifactsIT {
  private static final Pattern VERSION = Pattern.compile("-\\d.*");

  @Test
  void theLibraryBringsWhatThePageLists() throws IOException {
    String page = Files.readString(Path.of("../../docs/reference/artifacts.md"));
    String list = page.substring(page.indexOf("<!-- artifacts:"), page.indexOf("<!-- end -->"));
    Set<String> listed = new TreeSet<>();
    Matcher name = Pattern.compile("`([^`]+)`").matcher(list);
    while (name.find()) {
      listed.add(name.group(1));
    }
    try (Stream<Path> jars = Files.list(Path.of("../../examples/plain-java/target/lib"))) {
      Set<String> brought = jars.map(jar -> VERSION.matcher(jar.getFileName().toString()))
          .map(jar -> jar.replaceFirst(""))
          .filter(jar -> !jar.equals("weir-library") && !jar.equals("slf4j-simple"))
          .collect(Collectors.toCollection(TreeSet::new));
      assertThat(brought).isEqualTo(listed);
    }
  }

  @Test
  void theVersionsOfBootCount() throws IOException {
    assertThat(jars("spring-webflux"))
        .anyMatch(jar -> jar.startsWith("lettuce-core-6.6."))
        .anyMatch(jar -> jar.startsWith("netty-common-4.1."))
        .noneMatch(jar -> jar.startsWith("netty-common-4.2.") || jar.startsWith("redisson"));
    assertThat(jars("spring-mvc"))
        .anyMatch(jar -> jar.startsWith("lettuce-core-7.5."))
        .anyMatch(jar -> jar.startsWith("netty-common-4.2."))
        .noneMatch(jar -> jar.startsWith("redisson") || jar.startsWith("vertx"));
  }

  private static Set<String> jars(String example) throws IOException {
    try (JarFile jar = new JarFile(
        Path.of("../../examples", example, "target", example + ".jar").toFile())) {
      return jar.stream()
          .map(entry -> Path.of(entry.getName()))
          .filter(entry -> entry.startsWith("BOOT-INF/lib"))
          .map(entry -> String.valueOf(entry.getFileName()))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }
}
