package io.weir.whole.project;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.testkit.CommandRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code scripts/release} in a clone, without artifacts: DistributionIT and ArtifactsIT make these. */
final class ReleaseTest {
  private static final Path HOME = Path.of("../..").toAbsolutePath().normalize();
  private static final Duration WITHIN = Duration.ofMinutes(2);

  @TempDir
  private static Path folder;

  private static Path clone;
  private static String copied;

  private String begun;

  @BeforeAll
  static void copy() throws IOException {
    assumeTrue(Files.exists(HOME.resolve(".git")), "skipped: this is no clone");
    // Its commit is tested, too, by the script itself.
    boolean isSnapshot = Files.readString(HOME.resolve("pom.xml")).contains("-SNAPSHOT</version>");
    if (!isSnapshot) {
      System.out.println("skipped: this is a release");
    }
    assumeTrue(isSnapshot, "skipped: this is a release");
    clone = folder.resolve("clone");
    good(run("git", "clone", "-q", "--no-tags", HOME.toString(), clone.toString()));
    git("config", "user.name", "A person");
    git("config", "user.email", "person@weir.invalid");
    // What is not committed is tested, too.
    Path changes = folder.resolve("changes");
    good(run("git", "-C", HOME.toString(), "diff", "HEAD", "--binary", "--output=" + changes));
    if (Files.size(changes) > 0) {
      git("apply", changes.toString());
    }
    change("CHANGELOG.md", "## [Unreleased]\n", "## [Unreleased]\n\n### Added\n\n* A line.\n");
    copied = commit();
  }

  @BeforeEach
  void reset() {
    git("checkout", "-q", "-f", "-B", "trunk", copied);
    git("tag").lines().forEach(tag -> git("tag", "-d", tag));
    begun = copied;
  }

  @Test
  void aReleaseIsACommitWithATagAndTheVersionThatBegins() throws IOException {
    String released = good(release("9.9.9", "--tests-passed", "--no-artifacts"));

    assertThat(released).contains("git push --atomic origin trunk v9.9.9");
    assertThat(git("cat-file", "-t", "v9.9.9")).isEqualTo("tag");
    String tagged = git("rev-parse", "v9.9.9^{commit}");
    assertThat(git("rev-parse", "v9.9.9~1")).isEqualTo(begun);
    assertThat(git("rev-parse", "HEAD~1")).isEqualTo(tagged);
    assertThat(git("status", "--porcelain")).isEmpty();
    assertThat(text(".ci/baseline")).isEqualTo(tagged + "\n");
    assertThat(text("pom.xml"))
        .contains("\n  <version>9.10.0-SNAPSHOT</version>")
        .containsPattern("outputTimestamp>20\\d\\d-\\d\\d-\\d\\dT00:00:00Z</");
    assertThat(text("deploy/helm/weir/Chart.yaml"))
        .contains("\nversion: 9.10.0\nappVersion: 9.10.0-SNAPSHOT\n");
    assertThat(text("CHANGELOG.md"))
        .containsPattern(
            "## \\[Unreleased]\n\n## \\[9\\.9\\.9] - 20\\d\\d-\\d\\d-\\d\\d\n\n### Added\n\n\\* A line\\.");

    git("checkout", "-q", "v9.9.9");
    assertThat(text("pom.xml")).contains("\n  <version>9.9.9</version>");
    assertThat(text("README.md")).contains("Version 9.9.9 is the newest release.");
    assertThat(text("docs/how-to/install.md")).contains("in a clone of the tag `v9.9.9`.");
    assertThat(git("diff", "--name-only", "v9.9.9~1", "--", "docs/walks.md")).isEmpty();
    assertThat(withSnapshots()).isEmpty();
  }

  private List<String> withSnapshots() {
    return run("git", "-C", clone.toString(), "grep", "-lE", "[0-9]-SNAPSHOT")
        .output()
        .lines()
        .filter(file -> !file.contains("src/test/") && !file.equals("docs/walks.md"))
        .toList();
  }

  @Test
  void aReleaseWhoseTestsFailLeavesEverythingAsItWas() throws IOException {
    Path tests = clone.resolve(".ci/run");
    Files.writeString(tests, "#!/bin/sh\ngrep -c '<version>9.9.9<' pom.xml\necho no\nexit 1\n");
    Files.setPosixFilePermissions(tests, PosixFilePermissions.fromString("rwxr-xr-x"));
    begun = commit();

    CommandRun failed = release("9.9.9", "--no-artifacts");

    assertThat(failed.status()).isEqualTo(1);
    assertThat(failed.output()).startsWith("1\nno\n");
    assertUnchanged();
  }

  @Test
  void aDryRunShowsBothCommitsAndChangesNothing() {
    assertThat(good(release("9.9.9", "--dry-run")))
        .contains("Weir 9.9.9 is released", "Weir 9.10.0 begins", "Would run .ci/run");
    assertUnchanged();
  }

  @Test
  void whatCannotBeReleasedIsRefusedWithTheReason() throws IOException {
    git("tag", "v9.9.9");
    assertThat(refused("9.9.9")).contains("the tag v9.9.9 is there");
    assertThat(refused("9.9.8")).contains("9.9.8 is older than 9.9.9");
    assertThat(refused("10.0.0", "--next", "9.10.0")).contains("9.10.0 is not newer than 10.0.0");
    Files.writeString(clone.resolve("left-over"), "");
    assertThat(refused("10.0.0")).contains("changes that are not committed");
    Files.delete(clone.resolve("left-over"));
    Files.writeString(clone.resolve("CHANGELOG.md"), "## [Unreleased]\n\n## [9.9.9]\n\n* Old.\n");
    commit();
    assertThat(refused("10.0.0")).contains("nothing under Unreleased");
    change("CHANGELOG.md", "## [Unreleased]\n", "## [Unreleased]\n\n* New.\n");
    change("SECURITY.md", "# Security\n", "# Security\n\nIt is not released yet.\n");
    commit();
    assertThat(refused("10.0.0")).contains("SECURITY.md:3:", "no longer true");
  }

  private String refused(String... options) {
    CommandRun refused = release(options);
    assertThat(refused.status()).as(refused.output()).isEqualTo(1);
    return refused.output();
  }

  private void assertUnchanged() {
    assertThat(git("rev-parse", "HEAD")).isEqualTo(begun);
    assertThat(git("tag")).isEmpty();
    assertThat(git("status", "--porcelain")).isEmpty();
  }

  private CommandRun release(String... options) {
    return run(
        Stream.concat(Stream.of(clone.resolve("scripts/release").toString()), Stream.of(options))
            .toArray(String[]::new));
  }

  private static String text(String file) throws IOException {
    return Files.readString(clone.resolve(file));
  }

  private static void change(String file, String from, String to) throws IOException {
    Files.writeString(clone.resolve(file), text(file).replace(from, to));
  }

  private static String commit() {
    git("add", "-A");
    git("commit", "-qm", "changed");
    return git("rev-parse", "HEAD");
  }

  private static String git(String... arguments) {
    return good(run(Stream.concat(Stream.of("git", "-C", clone.toString()), Stream.of(arguments))
            .toArray(String[]::new)))
        .strip();
  }

  private static String good(CommandRun run) {
    assertThat(run.succeeded()).as(run.output()).isTrue();
    return run.output();
  }

  private static CommandRun run(String... command) {
    return CommandRun.of(WITHIN, Map.of(), List.of(command));
  }
}
