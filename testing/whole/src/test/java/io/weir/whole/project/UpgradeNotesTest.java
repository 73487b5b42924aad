package io.weir.whole.project;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.state.testing.DocumentedUser;
import io.weir.testkit.CommandRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The first line of <i>Upgrade</i> in the change log names what the user of an ACL in Redis needs further. */
@Tag("once")
final class UpgradeNotesTest {
  private static final Path ROOT = Path.of("../..");
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final Pattern RIGHT = Pattern.compile("[+~&]\\S+");

  @Test
  void theRightsSinceTheReleaseBeforeAreNamed() throws IOException {
    String baseline = Files.readString(ROOT.resolve(".ci/baseline")).strip();
    CommandRun before = CommandRun.of(
        TIMEOUT, "git", "-C", ROOT.toString(), "show", baseline + ":docs/how-to/redis.md");
    assumeTrue(
        before.succeeded(), "skipped: the release before, " + baseline + ", is not in this clone");
    List<String> added = new ArrayList<>(rights(DocumentedUser.arguments()));
    added.removeAll(rights(before
        .output()
        .lines()
        .filter(line -> line.startsWith("ACL SETUSER "))
        .findFirst()
        .orElseThrow()));
    String note = firstNote();
    if (added.isEmpty()) {
      assertThat(note).startsWith("* The user of an ACL in Redis needs no further command.");
    } else {
      String expected =
          "* The user of an ACL in Redis, before the first new node starts: `ACL SETUSER weir %s`."
              .formatted(String.join(" ", added));
      assertThat(note).startsWith(expected);
    }
  }

  private static List<String> rights(String user) {
    return Arrays.stream(user.split(" "))
        .filter(word -> RIGHT.matcher(word).matches())
        .toList();
  }

  private static String firstNote() throws IOException {
    Matcher notes = Pattern.compile("### Upgrade\n\n(\\* .*?)(?=\n\\* |\n\n)", Pattern.DOTALL)
        .matcher(Files.readString(ROOT.resolve("CHANGELOG.md")));
    assertThat(notes.find()).isTrue();
    return notes.group(1).replaceAll("\n *", " ");
  }
}
