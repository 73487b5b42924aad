package io.weir.whole.project;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.slot.QueueReport.Returned;
import io.weir.core.slot.SlotLimits;
import io.weir.core.slot.SlotMode;
import io.weir.core.throttle.Ended.Status;
import io.weir.jobs.rule.JobState;
import io.weir.state.wire.ChargeTemplate;
import io.weir.state.wire.Codes;
import io.weir.state.wire.LuaLibrary;
import io.weir.state.wire.LuaScript;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rules for every script, of the limiter and of the extensions: its form, its header, its numbers. */
@Tag("once")
final class LuaScriptTest {
  private static final Path LUA = Path.of("../../lua");
  private static final Map<Path, String> JAVA = new HashMap<>(); // by module
  private static final List<String> HEADINGS = List.of("KEYS", "ARGV", "RETURNS", "ERRORS", "TTL");

  private static final Pattern STATUSES =
      Pattern.compile(".*/src/main/java/(io/weir/\\S+Statuses)\\.java");

  static List<Path> commands() throws IOException {
    return scripts().filter(file -> !isLibrary(file)).toList();
  }

  static List<Path> libraries() throws IOException {
    return scripts().filter(LuaScriptTest::isLibrary).toList();
  }

  private static boolean isLibrary(Path file) {
    return StreamSupport.stream(file.spliterator(), false)
        .anyMatch(part -> part.toString().equals("lib"));
  }

  private static Stream<Path> scripts() throws IOException {
    List<Path> folders = new ArrayList<>(List.of(LUA));
    Modules.folders().stream()
        .map(module -> module.resolve("src/main/lua"))
        .filter(Files::isDirectory)
        .forEach(folders::add);
    List<Path> scripts = new ArrayList<>();
    for (Path folder : folders) {
      try (Stream<Path> files = Files.walk(folder)) {
        files.filter(file -> file.toString().endsWith(".lua")).forEach(scripts::add);
      }
    }
    return scripts.stream().sorted();
  }

  private static String nameOf(Path script) {
    return script.getFileName().toString().replace(".lua", "");
  }

  @ParameterizedTest
  @MethodSource("commands")
  void aHeaderTellsEverythingInOrder(Path script) throws IOException {
    String header = Files.readString(script).split("\n\n", -1)[0];
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
  void theHeaderNamesEveryStatusThatIsReturned(Path script) throws IOException {
    String text = Files.readString(script);
    int end = text.indexOf("\n\n");
    Set<String> told = statuses(text.substring(0, end));
    assertThat(statuses(text.substring(end))).isSubsetOf(told);
  }

  @ParameterizedTest
  @MethodSource("commands")
  void aCommandIsAFunctionAndAScript(Path file) {
    LuaScript script = assembled(file);
    assertThat(script.function()).matches("weir_" + nameOf(file) + "_[0-9a-f]{10}");
    assertThat(script.source()).doesNotContain("#!");
    assertThat(script.sha1()).hasSize(40);
    assertThat(script.library().source())
        .startsWith("#!lua name=" + script.library().name());
  }

  @ParameterizedTest
  @MethodSource("commands")
  void aCommandIsUsedByItsModule(Path file) throws IOException {
    Path module = file.startsWith(LUA)
        ? Path.of("../../shared-state")
        : Path.of(file.toString().replaceFirst("/src/main/lua/.*", ""));
    assertThat(JAVA.computeIfAbsent(module, LuaScriptTest::javaOf))
        .contains('"' + nameOf(file) + '"');
  }

  private static String javaOf(Path module) {
    StringBuilder text = new StringBuilder();
    try (Stream<Path> files = Files.walk(module.resolve("src/main/java"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        text.append(Files.readString(file));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  // While a library of functions loads, Redis 7.0 has none of Lua's own libraries.
  @Test
  void noModuleNeedsALibraryOfLuaWhileItLoads() throws IOException {
    for (Path file : libraries()) {
      assertThat(Files.readString(file).lines())
          .filteredOn(line -> !line.startsWith(" ") && !line.startsWith("--"))
          .describedAs("lines of %s outside of functions", file)
          .noneMatch(line -> line.matches(".*\\b(string|math|table|struct|bit|redis)\\..*"));
    }
  }

  // Those of tests replace modules that are required.
  @Test
  void everyModuleIsRequired() throws IOException {
    Set<String> required = new TreeSet<>(Set.of("now_argument", "now_text", "memo_none"));
    for (Path file : scripts().toList()) {
      Matcher name = Pattern.compile("\\brequire\\('([\\w/]+)'\\)").matcher(Files.readString(file));
      while (name.find()) {
        required.add(name.group(1).replaceAll(".*/", ""));
      }
    }
    assertThat(libraries()).extracting(LuaScriptTest::nameOf).isSubsetOf(required);
  }

  private static LuaScript assembled(Path file) {
    return LuaLibrary.of("tested", List.of(nameOf(file))).script(nameOf(file));
  }

  @ParameterizedTest
  @MethodSource("libraries")
  void aLibraryIsPure(Path library) throws IOException {
    if (Set.of("now", "now_argument", "now_text").contains(nameOf(library))) {
      return; // only these read the clock, or the argument that replaces it
    }
    assertThat(Files.readString(library)).doesNotContain("redis.", "KEYS", "ARGV");
  }

  // Operators restrict a user of Redis by this document.
  @Test
  void theDocumentListsEveryCommandThatRunsInsideTheScripts() throws IOException {
    String document =
        Files.readString(Path.of("../../docs/reference/redis.md")).replaceAll("\\s+", " ");
    String told = document.substring(document.indexOf("inside the scripts run"));
    told = told.substring(0, told.indexOf('.'));
    Set<String> listed = new TreeSet<>();
    Matcher command = Pattern.compile("`([A-Z]+)`").matcher(told);
    while (command.find()) {
      listed.add(command.group(1));
    }
    Set<String> called = new TreeSet<>();
    for (Path file : commands()) {
      String script = nameOf(file);
      assertThat(document)
          .contains("lua/" + script.replaceAll("^(job|window)_.*", "$1_*") + ".lua`");
      Matcher call =
          Pattern.compile("\\bcall\\('([A-Z]+)'").matcher(assembled(file).source());
      while (call.find()) {
        called.add(call.group(1));
      }
    }
    assertThat(listed).isEqualTo(called);
  }

  @Test
  void theCodesAreTheSameInLuaAndJava() throws IOException {
    Map<String, Long> java = new TreeMap<>();
    for (long code = 0; code < Codes.values().length; code++) {
      java.put(Codes.of(code).name(), code);
    }
    for (long code = 0; code < Returned.values().length; code++) {
      java.put(Returned.of(code).name(), code);
    }
    for (int code = 0; code < Status.values().length; code++) {
      java.put(Status.of(code).name(), (long) code);
    }
    for (SlotMode mode : SlotMode.values()) {
      java.put(mode.name(), (long) ChargeTemplate.codeOf(mode));
    }
    for (Scope scope : Scope.values()) {
      Demand demand = new Demand(new Bucket("b", scope, 1, 1_000_000), 1);
      java.put(scope.name(), (long) ChargeTemplate.codeOf(demand));
    }
    assertThat(constants("codes")).isEqualTo(java);
  }

  @Test
  void jobsComeFromStateToStateInLuaAsInJava() throws IOException {
    Map<String, Set<String>> lua = new TreeMap<>();
    Matcher line = Pattern.compile("(?s)  (\\w+) = \\{([^}]*)\\}")
        .matcher(Files.readString(Path.of("../../work/jobs/src/main/lua/lib/job_states.lua")));
    while (line.find()) {
      Matcher next = Pattern.compile("(\\w+) = true").matcher(line.group(2));
      lua.put(
          line.group(1), next.results().map(found -> found.group(1)).collect(Collectors.toSet()));
    }
    Map<String, Set<String>> java = new TreeMap<>();
    for (JobState state : JobState.values()) {
      if (!state.isEnd()) {
        java.put(
            state.word(), state.next().stream().map(JobState::word).collect(Collectors.toSet()));
      }
      assertThat(state.isEnd()).isEqualTo(state.next().isEmpty());
    }
    assertThat(lua).isEqualTo(java);
  }

  // A script declares its statuses in one line, from 0 on.
  @Test
  void theStatusesOfEachScriptAreTheSameInLuaAndJava() throws IOException, ClassNotFoundException {
    Map<String, List<String>> lua = new TreeMap<>();
    for (Path file : commands()) {
      Matcher declared =
          Pattern.compile("(?m)^local ([A-Z_, ]+) = (0, .*)$").matcher(Files.readString(file));
      if (declared.find()) {
        lua.put(
            nameOf(file).replace("_", ""), countedFromZero(declared.group(1), declared.group(2)));
      }
    }
    Map<String, List<String>> java = new TreeMap<>();
    for (Path source : Sources.all()) {
      Matcher named = STATUSES.matcher(source.toString());
      if (named.matches()) {
        Class<?> all = Class.forName(named.group(1).replace('/', '.'));
        for (Class<?> statuses : all.getDeclaredClasses()) {
          java.put(
              statuses.getSimpleName().toLowerCase(Locale.ROOT),
              Stream.of(statuses.getEnumConstants()).map(Object::toString).toList());
        }
      }
    }
    assertThat(lua).isEqualTo(java);
  }

  private static List<String> countedFromZero(String names, String values) {
    List<String> name = List.of(names.split(", "));
    List<String> value = List.of(values.split(", "));
    return IntStream.range(0, name.size())
        .filter(i -> value.get(i).equals(Integer.toString(i)))
        .mapToObj(name::get)
        .toList();
  }

  @Test
  void theConstantsOfTimeAreTheSameInLuaAndJava() throws IOException, IllegalAccessException {
    Map<String, Long> java = new TreeMap<>();
    for (Field field : SlotLimits.class.getFields()) {
      java.put(field.getName(), field.getLong(null));
    }
    assertThat(constants("times")).isEqualTo(java);
  }

  // Each file must be readable at a glance: no function above 40 lines, no nesting above 3.
  @Test
  void noFunctionIsLongAndNoneNestsDeeply() throws IOException {
    for (Path file : scripts().toList()) {
      LuaShape shape = LuaShape.of(Files.readString(file));
      assertThat(shape.longestFunction())
          .describedAs("lines of a function in %s", file)
          .isLessThanOrEqualTo(40);
      assertThat(shape.deepestNesting()).describedAs("nesting in %s", file).isLessThanOrEqualTo(3);
    }
  }

  private static Map<String, Long> constants(String library) throws IOException {
    Matcher constant = Pattern.compile("\\b([A-Z_]+) = (\\d+)")
        .matcher(Files.readString(LUA.resolve("lib/" + library + ".lua")));
    Map<String, Long> constants = new TreeMap<>();
    while (constant.find()) {
      constants.put(constant.group(1), Long.parseLong(constant.group(2)));
    }
    assertThat(constants).isNotEmpty();
    return constants;
  }

  @Test
  void luacheckFindsNothing(@TempDir Path folder) throws IOException, InterruptedException {
    Optional<Path> luacheck = Stream.of(System.getenv("PATH").split(":", -1))
        .map(entry -> Path.of(entry, "luacheck"))
        .filter(Files::isExecutable)
        .findFirst();
    assumeTrue(luacheck.isPresent(), "skipped: luacheck is not installed");
    for (Path file : commands()) {
      Files.writeString(folder.resolve(file.getFileName()), assembled(file).source());
    }
    Process process = new ProcessBuilder(
            luacheck.get().toString(),
            "--no-color",
            "--config",
            "../../.luacheckrc",
            "--",
            folder.toString())
        .redirectErrorStream(true)
        .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).describedAs(output).isZero();
    assertThat(output).contains("in %d files".formatted(commands().size()));
  }

  private static Set<String> statuses(String text) {
    Pattern status = Pattern.compile("\\{ (?:CODES\\.)?([A-Z_]{4,})\\b");
    return status
        .matcher(text)
        .results()
        .map(match -> match.group(1).toUpperCase(Locale.ROOT))
        .collect(Collectors.toSet());
  }
}
