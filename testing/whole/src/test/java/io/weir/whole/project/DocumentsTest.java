package io.weir.whole.project;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.batch.ItemKeys;
import io.weir.client.retry.RetryOptions;
import io.weir.node.config.ConfigDefaults;
import io.weir.state.document.PolicyDocuments;
import io.weir.state.wire.ExtensionPartition;
import io.weir.state.wire.Partition;
import io.weir.state.wire.RedisKeys;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The claims of the documents are true. */
@Tag("once")
final class DocumentsTest {
  private static final Path ROOT = Path.of("../..");
  private static final int MOST_WORDS_OF_README = 700;
  private static final Pattern YAML = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#]+)\\)");

  static List<Path> documents() throws IOException {
    try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"));
        Stream<Path> top = Files.list(ROOT)) {
      return Stream.of(docs, top, Stream.of(ROOT.resolve("java/client/README.md")))
          .flatMap(files -> files)
          .filter(file -> file.toString().endsWith(".md"))
          .sorted()
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("documents")
  void policiesAreSound(Path document) throws IOException {
    List<String> policies = found(YAML, Files.readString(document));
    for (String policy : policies) {
      assertThat(PolicyDocuments.parse(document.toString(), policy).warnings()).isEmpty();
    }
    assertThat(policies)
        .hasSizeGreaterThanOrEqualTo(document.equals(ROOT.resolve("README.md")) ? 1 : 0);
  }

  // Words that a reader reads: neither code nor the targets of links.
  @Test
  void theReadmeIsShort() throws IOException {
    String prose = Pattern.compile("(?ms)^```.*?^```|<[^>]*>|\\]\\([^)]*\\)")
        .matcher(Files.readString(ROOT.resolve("README.md")))
        .replaceAll(" ");
    List<String> words = found(Pattern.compile("(\\S*[\\p{L}\\d]\\S*)"), prose);
    assertThat(words).hasSizeBetween(300, MOST_WORDS_OF_README);
  }

  @ParameterizedTest
  @MethodSource("documents")
  void linksLeadSomewhere(Path document) throws IOException {
    for (String link : found(LINK, Files.readString(document))) {
      if (!link.startsWith("http")) {
        assertThat(document.resolveSibling(link)).exists();
      }
    }
  }

  @Test
  void everyPageIsInTheIndex() throws IOException {
    Path index = ROOT.resolve("docs/README.md");
    List<Path> listed = found(LINK, Files.readString(index)).stream()
        .map(link -> index.resolveSibling(link).normalize())
        .toList();
    List<Path> pages = documents().stream()
        .filter(page -> !page.equals(index))
        .filter(page -> !page.startsWith(ROOT.resolve("docs/decisions"))) // a folder, by number
        .filter(page -> page.startsWith(ROOT.resolve("docs")))
        .toList();
    assertThat(pages).hasSizeGreaterThan(30);
    assertThat(listed).containsAll(pages);
  }

  @Test
  void versionsOfArtifactsAreThatOfTheBuild() throws IOException {
    Pattern version = Pattern.compile("(?m)^  <version>([^<]+)</version>$");
    String ours = found(version, Files.readString(ROOT.resolve("pom.xml"))).get(0);
    assertThat(found(version, Files.readString(ROOT.resolve("java/bom/pom.xml"))))
        .containsExactly(ours);
    Pattern named = Pattern.compile(
        "<groupId>io\\.weir</groupId>\\s*<artifactId>[^<]+</artifactId>\\s*<version>([^<]+)</version>");
    List<String> documented = new ArrayList<>();
    for (Path document : documents()) {
      documented.addAll(found(named, Files.readString(document)));
    }
    assertThat(documented).isNotEmpty().containsOnly(ours);
    for (Path module : Modules.folders()) {
      Path pom = module.resolve("pom.xml");
      if (pom.startsWith(ROOT.resolve("examples"))) {
        assertThat(found(Pattern.compile("<weir.version>([^<]+)</"), Files.readString(pom)))
            .containsExactly(ours);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("documents")
  void everyKeyOfLimitsIsInThePartitionOfItsOwner(Path document) throws IOException {
    Pattern key = Pattern.compile("(\\{\\d\\d[a-z]+\\}):(?:cluster:)?([A-Za-z0-9_-]+)");
    key.matcher(Files.readString(document))
        .results()
        .filter(found -> !found.group(2).equals("policy"))
        .forEach(found -> assertThat(found.group(1))
            .describedAs("%s in %s", found.group(), document)
            .isEqualTo(Partition.tag(Partition.of(found.group(2)))));
  }

  // The name is behind a word for the kind of thing.
  @ParameterizedTest
  @MethodSource("documents")
  void everyKeyOfAnExtensionIsInThePartitionOfItsName(Path document) throws IOException {
    Pattern key = Pattern.compile(
        "(\\{p\\d\\d\\}):(?:jobs|upstream|window|apikey|tenant-record):([A-Za-z0-9_-]+)");
    key.matcher(Files.readString(document))
        .results()
        .forEach(found -> assertThat(found.group(1))
            .describedAs("%s in %s", found.group(), document)
            .isEqualTo(ExtensionPartition.tag(ExtensionPartition.of(found.group(2)))));
  }

  @Test
  void everyTagOfLimitsIsListed() throws IOException {
    String reference = Files.readString(ROOT.resolve("docs/reference/redis.md"));
    String tags = Partition.all()
        .mapToObj(Partition::tag)
        .map(tag -> tag.substring(1, tag.length() - 1))
        .collect(Collectors.joining(" "));
    assertThat(reference.replace('\n', ' ')).contains(tags);
  }

  @Test
  void everyProblemOfAPolicyIsListed() throws IOException {
    String reference = Files.readString(ROOT.resolve("docs/reference/policy.md"));
    Pattern code = Pattern.compile(
        "(?:(?:error|warning|errorAt|warningAt)\\(\\s*|atMost\\([^\"]*)\"([a-z_]+)\"");
    List<Path> readers = readersOfPolicies();
    assertThat(readers).hasSizeGreaterThan(12);
    for (Path source : readers) {
      for (String found : found(code, Files.readString(source))) {
        assertThat(reference).describedAs("%s of %s", found, source).contains("`" + found + "`");
      }
    }
  }

  private static List<Path> readersOfPolicies() throws IOException {
    Pattern reader =
        Pattern.compile(".*/src/main/java/.*(/core/policy/\\w+|Reader|Section)\\.java");
    List<Path> found = new ArrayList<>();
    for (Path module : Modules.folders()) {
      try (Stream<Path> files = Files.walk(module)) {
        files.filter(file -> reader.matcher(file.toString()).matches()).forEach(found::add);
      }
    }
    return found;
  }

  @Test
  void theClientsExampleCompilesAndItsOptionsAreInTheTable(@TempDir Path folder)
      throws IOException {
    String document = Files.readString(ROOT.resolve("java/client/README.md"));
    String example =
        found(Pattern.compile("```java\n(.*?)```", Pattern.DOTALL), document).get(0);
    Path source = Files.writeString(folder.resolve("Example.java"), """
        import io.weir.client.*;
        import io.weir.client.retry.*;
        import java.net.*;
        import java.net.http.*;
        import java.net.http.HttpResponse.BodyHandlers;

        class Example {
          static void run() throws Exception {
            %s
          }
        }
        """.formatted(example));
    int failed = ToolProvider.getSystemJavaCompiler()
        .run(null, null, null, "-d", folder.toString(), source.toString());
    assertThat(failed).isZero();
    for (RecordComponent option : RetryOptions.class.getRecordComponents()) {
      if (!option.getName().equals("enabled")) {
        assertThat(document).contains("| `" + option.getName() + "` |");
      }
    }
  }

  @Test
  void examplesOfLanguagesAreShownAsTheyAre() throws IOException {
    Pattern example =
        Pattern.compile("\\]\\((\\S+/check\\.\\w+)\\)\n\n```\\w+\n(.*?)```", Pattern.DOTALL);
    Path document = ROOT.resolve("docs/how-to/languages.md");
    List<MatchResult> shown =
        example.matcher(Files.readString(document)).results().toList();
    assertThat(shown)
        .hasSize(6)
        .allSatisfy(one -> assertThat(one.group(2))
            .isEqualTo(Files.readString(document.resolveSibling(one.group(1)))));
  }

  @Test
  void everySettingIsInTheTable() throws IOException {
    String reference = Files.readString(ROOT.resolve("docs/reference/configuration.md"));
    String command = Files.readString(
        ROOT.resolve("node/service/src/main/java/io/weir/node/command/NodeCommand.java"));
    List<String> settings = found(Pattern.compile("names = \"--([a-z-]+)\""), command);
    assertThat(settings).hasSizeGreaterThan(9);
    for (String setting : settings) {
      assertThat(reference).contains("--" + setting);
      assertThat(reference).contains(ConfigDefaults.variable(setting));
    }
  }

  @Test
  void everyKeyOfRedisIsInTheTable() throws IOException {
    String reference = Files.readString(ROOT.resolve("docs/reference/redis.md"));
    assertThat(reference)
        .contains(
            "`" + RedisKeys.POLICY + "`",
            "`" + RedisKeys.POLICY_NOTICES + "`",
            "`" + RedisKeys.CLUSTER + "`",
            inAnyPartition(RedisKeys.key("<tenant>", "<id>")),
            inAnyPartition(ItemKeys.answer("<tenant>", "<id>", "<item>")),
            inAnyPartition(RedisKeys.pool("<bucket>")),
            RedisKeys.leased("<state>", "<bucket>"),
            inAnyPartition(RedisKeys.policyOf(1)),
            inAnyPartition(RedisKeys.probeOf(1)),
            inAnyPartition(RedisKeys.tenant("<tenant>")));
  }

  private static String inAnyPartition(String key) {
    String readable = key.replace("~3C", "<").replace("~3E", ">");
    return "`" + readable.replaceFirst("p\\d\\d}", "pNN}").replaceFirst("\\d\\d..}", "NNxx}") + "`";
  }

  @Test
  void everyCodeOfTheGatewayIsInTheTable() throws IOException {
    String reference = Files.readString(ROOT.resolve("docs/reference/http.md"));
    List<Path> sources = Stream.of("gateway", "admission", "intake")
        .flatMap(folder -> sources("node/service/src/main/java/io/weir/node/" + folder).stream())
        .toList();
    for (Path source : sources) {
      for (String code : found(
          Pattern.compile("of\\(\\s*[45]\\d\\d,\\s*\"([a-z_]+)\""), Files.readString(source))) {
        assertThat(reference).contains("`" + code + "`");
      }
    }
  }

  private static List<Path> sources(String folder) {
    try (Stream<Path> files = Files.list(ROOT.resolve(folder))) {
      return files.filter(file -> file.toString().endsWith(".java")).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> found(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(result -> group(result)).toList();
  }

  private static String group(MatchResult result) {
    return result.group(1);
  }
}
