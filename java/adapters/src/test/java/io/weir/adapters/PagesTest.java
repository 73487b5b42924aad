package io.weir.adapters;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Java on the pages for Java programs is Java that is compiled and run here. */
@Tag("once")
final class PagesTest {
  private static final Path HOW_TO = Path.of("../../docs/how-to");
  private static final List<Path> SOURCES = List.of(
      Path.of("src/test/java"),
      Path.of("../../examples"),
      Path.of("../../java/spring/src/test/java"));
  private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

  static List<Path> pages() throws IOException {
    try (Stream<Path> moves = Files.list(HOW_TO.resolve("move"))) {
      return Stream.concat(
              moves, Stream.of(HOW_TO.resolve("embed.md"), HOW_TO.resolve("spring.md")))
          .sorted()
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("pages")
  void itsJavaIsTested(Path page) throws IOException {
    String sources = sources();
    List<String> missing = new ArrayList<>();
    Matcher java = JAVA.matcher(Files.readString(page));
    while (java.find()) {
      if (!sources.contains(plain(java.group(1)))) {
        missing.add(java.group(1));
      }
    }
    assertThat(missing).isEmpty();
  }

  private static String sources() throws IOException {
    List<Path> files = new ArrayList<>();
    for (Path root : SOURCES) {
      try (Stream<Path> all = Files.walk(root)) {
        all.filter(file -> file.toString().endsWith(".java")).forEach(files::add);
      }
    }
    StringBuilder text = new StringBuilder();
    for (Path file : files) {
      text.append(plain(Files.readString(file)));
    }
    return text.toString();
  }

  // Without the indent, which differs.
  private static String plain(String java) {
    return java.lines()
            .map(String::strip)
            .filter(line -> !line.isEmpty())
            .collect(Collectors.joining("\n"))
        + "\n";
  }
}
