package io.weir.whole.project;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.testkit.CommandRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The groups of tests, and what of them a landing runs. */
@Tag("once")
final class TestGroupsTest {
  private static final Path ROOT = Path.of("../..");
  private static final Pattern TAG = Pattern.compile("@Tag\\(\"(\\w+)\"\\)");
  private static final Set<String> NO_GROUPS = Set.of("once", "jdk");

  private static Map<String, List<String>> groups() throws IOException {
    Map<String, List<String>> groups = new TreeMap<>();
    for (String line : rows(".ci/groups")) {
      List<String> words = List.of(line.split(" +"));
      groups.put(words.get(0), words.subList(2, words.size()));
    }
    return groups;
  }

  private static List<String> rows(String file) throws IOException {
    return Files.readAllLines(ROOT.resolve(file)).stream()
        .filter(line -> !line.startsWith("#"))
        .toList();
  }

  private static List<Path> tests() throws IOException {
    return Sources.all().stream()
        .filter(file -> file.toString().matches(".*/src/test/java/.*\\.java"))
        .toList();
  }

  @Test
  void everyGroupIsATagAndEveryTagAGroup() throws IOException {
    Set<String> tags = new TreeSet<>();
    for (Path test : tests()) {
      TAG.matcher(read(test)).results().map(found -> found.group(1)).forEach(tags::add);
    }
    tags.removeAll(NO_GROUPS);
    assertThat(tags).isEqualTo(groups().keySet());
  }

  @Test
  void aBuildLeavesOutTheGroupsThatALandingAddsAndNoOther() throws IOException {
    Matcher excluded = Pattern.compile("<excludedGroups>([a-z,]+)</excludedGroups>")
        .matcher(read(ROOT.resolve("pom.xml")));
    assertThat(excluded.find()).isTrue();
    Set<String> expected = new TreeSet<>(groups().keySet());
    expected.remove("engine"); // part of each build, with fewer histories
    assertThat(new TreeSet<>(Arrays.asList(excluded.group(1).split(",")))).isEqualTo(expected);
  }

  @Test
  void thePathsOfGroupsExist() throws IOException {
    assertThat(groups().values().stream().flatMap(List::stream))
        .isNotEmpty()
        .allSatisfy(path -> assertThat(ROOT.resolve(path)).exists());
  }

  @Test
  void contributorsAreToldOfEveryGroup() throws IOException {
    String document = read(ROOT.resolve("CONTRIBUTING.md"));
    assertThat(groups().keySet())
        .allSatisfy(group -> assertThat(document).contains("`" + group + "` |"));
  }

  @Test
  void aChangedPathAddsItsGroups(@TempDir Path folder) throws IOException {
    assumeTrue(run(folder, "git --version").succeeded(), "skipped: no git is here");
    Files.createDirectories(folder.resolve(".ci"));
    for (String file : List.of("groups", "changed-groups")) {
      Files.copy(ROOT.resolve(".ci").resolve(file), folder.resolve(".ci").resolve(file));
    }
    String commit =
        "git add -A && git -c user.name=a -c user.email=a@example.org -c commit.gpgsign=false commit -qm x";
    assertThat(run(folder, "git init -q . && git config core.hooksPath /dev/null && " + commit)
            .succeeded())
        .isTrue();
    assertThat(changed(folder)).isEmpty();
    for (String path : List.of(
        "lua/take.lua", "examples/clients/got.js", "docs/lua/a.md", "node/operators/pom.xml")) {
      Files.createDirectories(folder.resolve(path).getParent());
      Files.writeString(folder.resolve(path), "changed");
    }
    assertThat(run(folder, commit).succeeded()).isTrue();
    assertThat(changed(folder))
        .containsExactly("engine", "operators", "work", "upgrade", "clients", "containers");
  }

  @Test
  void aSlowMachineRunsTheFirstGroupsThatItHasTimeFor() throws IOException {
    Map<String, Integer> hundredths = rows(".ci/groups").stream()
        .map(line -> line.split(" +"))
        .collect(Collectors.toMap(words -> words[0], words -> Integer.valueOf(words[1])));
    int both = hundredths.get("engine") + hundredths.get("work");

    assertThat(affordable(both)).contains("engine", "work").doesNotContain("No time");
    assertThat(affordable(both - 1)).contains("engine\n").contains("No time for the group work:");
  }

  // Of a build of a hundred seconds.
  private static String affordable(int left) {
    CommandRun run =
        run(ROOT.toAbsolutePath(), ".ci/affordable 100 %d work engine".formatted(left));
    assertThat(run.succeeded()).as(run.output()).isTrue();
    return run.output();
  }

  private static List<String> changed(Path folder) {
    CommandRun changed = run(folder, "bash .ci/changed-groups");
    assertThat(changed.succeeded()).as(changed.output()).isTrue();
    return changed.output().lines().toList();
  }

  private static CommandRun run(Path folder, String command) {
    return CommandRun.of(
        Duration.ofMinutes(1),
        "bash",
        "-c",
        "unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE; cd '" + folder + "' && " + command);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
