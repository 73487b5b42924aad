package io.weir.whole.project;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A word of {@code docs/glossary.md} has one meaning in the names of types, too. Whoever needs such a word in another
 * package has either found another meaning, which needs another word, or adds the package here.
 */
@Tag("once")
final class GlossaryTest {
  private static final Path GLOSSARY = Path.of("../../docs/glossary.md");
  private static final Pattern WORD = Pattern.compile("\\*\\*([\\w ]+)\\*\\*");
  private static final Pattern TYPE =
      Pattern.compile("\\b(?:class|record|interface|enum) ([A-Z]\\w*)");
  private static final Pattern PACKAGE = Pattern.compile("(?m)^package io\\.weir\\.([\\w.]+);");
  private static final Pattern PART = Pattern.compile("[A-Z]+(?![a-z])|[A-Z][a-z0-9]*");

  /** The packages whose types have a word, by the word. Words that every package needs are not here. */
  private static final Map<String, List<String>> HOMES = Map.ofEntries(
      entry(
          "assignment",
          List.of(
              "core.assignment",
              "state.assignment",
              "inmemory",
              "node.envoy",
              "node.metrics",
              "testkit.judge")),
      entry("bin", List.of("inmemory")),
      entry("bulkhead", List.of("node.intake", "node.gateway")),
      entry("calendar", List.of("inmemory", "core.kind")),
      entry("candidate", List.of("operators.rehearsal")),
      entry("case", List.of("operators.cases", "operators.door")),
      entry("congestion", List.of("core.kind", "inmemory")),
      entry("cost", List.of("core", "node.admission", "node.hold")),
      entry("demand", List.of("core", "state.lease")),
      entry("due", List.of("state.keep")),
      entry("era", List.of()),
      entry("eta", List.of("jobs.rule")),
      entry("hold", List.of("core", "state.hold", "inmemory", "library")),
      entry("identity", List.of("keys.identity", "node.auth")),
      entry("kind", List.of("core", "inmemory", "testkit")),
      entry("lane", List.of("state.lane", "state.wire")),
      entry("lease", List.of("core.lease", "state", "inmemory", "testkit")),
      entry("mark", List.of("inmemory")),
      entry("moment", List.of("inmemory")),
      entry("newcomer", List.of("testkit")),
      entry("outage", List.of("state.degraded", "client.check")),
      entry("override", List.of("core.policy.read", "keys.record")),
      entry("partition", List.of("state.wire")),
      entry("permit", List.of("core", "inmemory", "testkit", "client.upstream", "providers.slot")),
      entry("place", List.of("inmemory")),
      entry("quota", List.of("core.kind", "inmemory", "testkit", "client.answer")),
      entry("rehearsal", List.of("operators")),
      entry("reservation", List.of("node.reservation", "inmemory", "testkit")),
      entry("revision", List.of("core.policy", "node.admin", "state.policy")),
      entry("share", List.of("state.degraded")),
      entry("ticket", List.of("core", "inmemory", "node.answer", "testkit")),
      entry("turn", List.of("inmemory")),
      entry("window", List.of("windows", "client.window", "testkit.judge")));

  /** A type by its package, which is named from {@code io.weir} on, and its name. */
  private record Type(String home, String name) {}

  @Test
  void wordsOfTheGlossaryHaveOneMeaningInTypes() throws IOException {
    List<Type> types = types();
    assertThat(types).hasSizeGreaterThan(1000);
    List<String> strange = new ArrayList<>();
    for (Type type : types) {
      for (String word : words(type.name())) {
        if (!isHome(HOMES.get(word), type.home())) {
          strange.add("%s.%s: %s".formatted(type.home(), type.name(), word));
        }
      }
    }
    assertThat(strange).as("types with a word of another package").isEmpty();
  }

  @Test
  void everyWordIsInTheGlossary() throws IOException {
    TreeSet<String> known = new TreeSet<>();
    Matcher word = WORD.matcher(Files.readString(GLOSSARY));
    while (word.find()) {
      known.add(singular(word.group(1)));
    }
    assertThat(known).containsAll(HOMES.keySet());
  }

  private static boolean isHome(List<String> homes, String home) {
    return homes == null
        || homes.stream().anyMatch(of -> home.equals(of) || home.startsWith(of + "."));
  }

  private static List<String> words(String name) {
    return PART.matcher(name)
        .results()
        .map(part -> singular(part.group().toLowerCase(Locale.ROOT)))
        .toList();
  }

  private static String singular(String word) {
    return word.endsWith("s") && word.length() > 3 ? word.substring(0, word.length() - 1) : word;
  }

  private static List<Type> types() throws IOException {
    List<Type> types = new ArrayList<>();
    for (Path file : Sources.all()) {
      String name = file.toString();
      if (name.endsWith(".java")
          && name.contains("/src/main/")
          && !name.contains("/tools/")
          && !name.contains("/examples/")) {
        types.addAll(types(read(file)));
      }
    }
    return types;
  }

  private static List<Type> types(String text) {
    Optional<String> home =
        PACKAGE.matcher(text).results().map(found -> found.group(1)).findFirst();
    return home.stream()
        .flatMap(of -> TYPE.matcher(text).results().map(found -> new Type(of, found.group(1))))
        .distinct()
        .toList();
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
