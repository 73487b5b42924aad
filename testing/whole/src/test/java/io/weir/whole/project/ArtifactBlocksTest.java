package io.weir.whole.project;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A page that names an artifact, or a class of one, has the lines for a POM that bring it. They are made from the version
 * of the build: a release changes that alone, and {@code -Dweir.write=true} writes the pages and the examples anew.
 */
@Tag("once")
final class ArtifactBlocksTest {
  private static final Path ROOT = Path.of("../..");
  private static final boolean WRITE = Boolean.getBoolean("weir.write");
  private static final Pattern BLOCK =
      Pattern.compile("<!-- dependency: ([a-z-]+) -->\n\n```xml\n.*?```\n", Pattern.DOTALL);
  private static final Pattern OF_EXAMPLES = Pattern.compile("(<weir\\.version>)[^<]+");
  private static final Pattern CODE = Pattern.compile("`([^`\n]+)`");
  private static final Map<String, String> FOLDERS = Map.of(
      "weir-library", "java/library",
      "weir-client", "java/client",
      "weir-adapters", "java/adapters",
      "weir-spring-boot-starter", "java/spring");

  static List<Path> pages() throws IOException {
    try (Stream<Path> guides = Files.walk(ROOT.resolve("docs/how-to"));
        Stream<Path> tutorials = Files.walk(ROOT.resolve("docs/tutorial"))) {
      return Stream.of(guides, tutorials, Stream.of(ROOT.resolve("java/client/README.md")))
          .flatMap(files -> files)
          .filter(file -> file.toString().endsWith(".md"))
          .sorted()
          .toList();
    }
  }

  @Test
  void theBomNamesTheseArtifacts() throws IOException {
    String bom = Files.readString(ROOT.resolve("java/bom/pom.xml"));
    assertThat(
            found(Pattern.compile("<artifactId>(weir-[a-z-]+)</artifactId>\\s*<version>\\$"), bom))
        .containsAll(FOLDERS.keySet());
  }

  @ParameterizedTest
  @MethodSource("pages")
  void aPageHasTheLinesForEachArtifactThatItNames(Path page) throws IOException {
    String text = Files.readString(page);
    Set<String> brought = new TreeSet<>();
    for (String artifact : found(BLOCK, text)) {
      brought.add(artifact);
      brought.addAll(
          found(Pattern.compile("<artifactId>(weir-[a-z-]+)</artifactId>"), pom(artifact)));
    }
    Map<String, Set<String>> artifacts = artifactsByClass();
    for (String code : found(CODE, text)) {
      String name = code.replace("io.weir:", "");
      if (FOLDERS.containsKey(name)) {
        assertThat(brought).contains(name);
      } else if (artifacts.containsKey(name)) {
        assertThat(brought).describedAs(name).containsAnyElementsOf(artifacts.get(name));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("pages")
  void theLinesHaveTheVersionOfTheBuild(Path page) throws IOException {
    String text = Files.readString(page);
    String version = version();
    String expected = BLOCK
        .matcher(text)
        .replaceAll(found -> Matcher.quoteReplacement(block(found.group(1), version)));
    if (WRITE) {
      Files.writeString(page, expected);
    } else {
      assertThat(text).isEqualTo(expected);
    }
    assertThat(found(BLOCK, text)).allSatisfy(name -> assertThat(FOLDERS).containsKey(name));
  }

  @Test
  void theExamplesHaveTheVersionOfTheBuild() throws IOException {
    for (String example : List.of("plain-java", "spring-mvc", "spring-webflux", "spring-gateway")) {
      Path pom = ROOT.resolve("examples").resolve(example).resolve("pom.xml");
      String text = Files.readString(pom);
      String expected =
          OF_EXAMPLES.matcher(text).replaceAll("$1" + Matcher.quoteReplacement(version()));
      if (WRITE) {
        Files.writeString(pom, expected);
      } else {
        assertThat(text).contains("<weir.version>").isEqualTo(expected);
      }
    }
  }

  private static String block(String artifact, String version) {
    return """
        <!-- dependency: %s -->

        ```xml
        <dependencyManagement>
          <dependencies>
            <dependency>
              <groupId>io.weir</groupId>
              <artifactId>weir-bom</artifactId>
              <version>%s</version>
              <type>pom</type>
              <scope>import</scope>
            </dependency>
          </dependencies>
        </dependencyManagement>
        <dependencies>
          <dependency>
            <groupId>io.weir</groupId>
            <artifactId>%s</artifactId>
          </dependency>
        </dependencies>
        ```
        """.formatted(artifact, version, artifact);
  }

  /** The artifacts that have a public type of a name. */
  private static Map<String, Set<String>> artifactsByClass() throws IOException {
    Map<String, Set<String>> found = new TreeMap<>();
    for (Map.Entry<String, String> artifact : FOLDERS.entrySet()) {
      Path sources = ROOT.resolve(artifact.getValue()).resolve("src/main/java");
      try (Stream<Path> files = Files.walk(sources)) {
        for (Path file : files.filter(one -> one.toString().endsWith(".java")).toList()) {
          String name = file.getFileName().toString().replace(".java", "");
          if (Pattern.compile("(?m)^public .*\\b" + name + "\\b")
              .matcher(Files.readString(file))
              .find()) {
            found.computeIfAbsent(name, any -> new TreeSet<>()).add(artifact.getKey());
          }
        }
      }
    }
    return found;
  }

  private static String pom(String artifact) throws IOException {
    return Files.readString(ROOT.resolve(FOLDERS.get(artifact)).resolve("pom.xml"));
  }

  private static String version() throws IOException {
    return found(
            Pattern.compile("(?m)^  <version>([^<]+)</version>$"),
            Files.readString(ROOT.resolve("pom.xml")))
        .get(0);
  }

  private static List<String> found(Pattern pattern, String text) {
    return pattern
        .matcher(text)
        .results()
        .map((MatchResult one) -> one.group(1))
        .collect(Collectors.toList());
  }
}
