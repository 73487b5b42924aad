package io.weir.state.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds for every script: its form, its header, its numbers. */
final class LuaScriptTest {
  private static final Path LUA = Path.of("../lua");
  private static final List<String> HEADINGS = List.of("KEYS", "ARGV", "RETURNS", "ERRORS", "TTL");

  static List<String> commands() throws IOException {
    return names(LUA);
  }

  static List<String> libraries() throws IOException {
    return names(LUA.resolve("lib"));
  }

  @ParameterizedTest
  @MethodSource("commands")
  void aHeaderTellsEverythingInOrder(String name) throws IOException {
    String header = Files.readString(LUA.resolve(name + ".lua")).split("\n\n", -1)[0];
    assertThat(header.lines()).allMatch(line -> line.startsWith("--"));
    List<String> found = header
        .lines()
        .map(line -> line.replace("-- ", ""))
        .filter(HEADINGS::contains)
        .toList();
    assertThat(found).isEqualTo(HEADINGS);
  }

  @ParameterizedTest
  @MethodSource("commands")
  void theHeaderNamesEveryStatusThatIsReturned(String name) throws IOException {
    String text = Files.readString(LUA.resolve(name + ".lua"));
    int end = text.indexOf("\n\n");
    Set<String> told = statuses(text.substring(0, end));
    assertThat(statuses(text.substring(end))).isSubsetOf(told);
  }

  @ParameterizedTest
  @MethodSource("commands")
  void theAssembledScriptHasNoIncludeAndNoShebangLeft(String name) {
    LuaScript script = LuaScript.load(name);
    assertThat(script.source()).doesNotContain("--@include", "#!");
    assertThat(script.sha1()).hasSize(40);
  }

  @ParameterizedTest
  @MethodSource("libraries")
  void aLibraryIsPure(String name) throws IOException {
    if (name.equals("now") || name.equals("now_argument")) {
      return; // the only ones that look at the clock, or at the argument that stands for it
    }
    assertThat(Files.readString(LUA.resolve("lib").resolve(name + ".lua")))
        .doesNotContain("redis.", "KEYS", "ARGV");
  }

  // Who restricts a user of Redis goes by the document.
  @Test
  void theDocumentListsEveryCommandThatRunsInsideTheScripts() throws IOException {
    String document = Files.readString(Path.of("../docs/reference/redis.md"));
    String told = document.substring(document.indexOf("inside the scripts run"));
    told = told.substring(0, told.indexOf('.'));
    Set<String> listed = new TreeSet<>();
    Matcher command = Pattern.compile("`([A-Z]+)`").matcher(told);
    while (command.find()) {
      listed.add(command.group(1));
    }
    Set<String> called = new TreeSet<>();
    for (String script : List.of("charge", "peek")) {
      Matcher call = Pattern.compile("redis\\.call\\('([A-Z]+)'")
          .matcher(LuaScript.load(script).source());
      while (call.find()) {
        called.add(call.group(1));
      }
    }
    assertThat(listed).isEqualTo(called);
  }

  @Test
  void theStatusesAreTheSameInLuaAndJava() throws IOException {
    String line = Files.readString(LUA.resolve("lib/status.lua"));
    Matcher codes = Pattern.compile("local ([A-Z_, ]+) = ([0-9, ]+)").matcher(line);
    assertThat(codes.find()).isTrue();
    List<String> names = List.of(codes.group(1).split(", ", -1));
    List<String> numbers = List.of(codes.group(2).strip().split(", ", -1));
    for (int i = 0; i < names.size(); i++) {
      assertThat(Status.of(Long.parseLong(numbers.get(i))).name()).isEqualTo(names.get(i));
    }
    assertThat(names).hasSameSizeAs(Status.values());
  }

  @ParameterizedTest
  @MethodSource("commands")
  void luacheckFindsNothing(String name) throws IOException, InterruptedException {
    Optional<Path> luacheck = Stream.of(System.getenv("PATH").split(":", -1))
        .map(entry -> Path.of(entry, "luacheck"))
        .filter(Files::isExecutable)
        .findFirst();
    assumeTrue(luacheck.isPresent(), "skipped: luacheck is not installed");
    Path assembled = Files.createTempFile(name, ".lua");
    try {
      Files.writeString(assembled, LuaScript.load(name).source());
      List<String> command =
          new ArrayList<>(List.of(luacheck.get().toString(), "--no-color", "--std", "lua51"));
      command.addAll(List.of(
          "--globals",
          "redis",
          "--read-globals",
          "KEYS",
          "ARGV",
          "struct",
          "--",
          assembled.toString()));
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).describedAs(output).isZero();
    } finally {
      Files.delete(assembled);
    }
  }

  private static Set<String> statuses(String text) {
    Pattern status = Pattern.compile("\\{ ([A-Z_]{4,})\\b");
    return status
        .matcher(text)
        .results()
        .map(match -> match.group(1).toUpperCase(Locale.ROOT))
        .collect(Collectors.toSet());
  }

  private static List<String> names(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(file -> file.endsWith(".lua"))
          .map(file -> file.replace(".lua", ""))
          .sorted()
          .toList();
    }
  }
}
