package io.weir.whole.project;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Documents and comments are in plain technical English: the subject first, the field's words, one fact to a sentence. A
 * failure names the sentence and a better form. Code in documents is not read, and neither are decisions, which are history.
 */
@Tag("once")
final class ProseTest {
  private static final Path ROOT = Path.of("../..");
  /** The begin of a sentence, or of a cell of a table. */
  private static final String BEGIN = "(?:^|(?<=[.:;!?] )|(?<=\\| ))";

  private static final String NUMBER =
      "(?:\\d[\\d,.]*|one|two|ten|once|times|thousands?|millions?|requests|calls|checks"
          + "|decisions|operations|units|callers|attempts|jobs|[KM]i?B|bytes|µs)";
  private static final String UNIT =
      "(?:microsecond|second|minute|hour|day|month|core|request|item|message|line|word|verb|route|value)";

  /**
   * Words that readers stumble over.
   *
   * @param found where a text has them
   * @param worse a text with them
   * @param better the same without them
   */
  private record Habit(Pattern found, String worse, String better) {
    Habit(String found, String worse, String better) {
      this(Pattern.compile(found), worse, better);
    }
  }

  private static final List<Habit> HABITS = List.of(
      new Habit(
          BEGIN
              + "Of\\b|[,;:] of (?:an?|one|each|several|all) [^,;.:|]{1,40} (?:at most|up to|only|half|a quarter|\\d+)\\b",
          "Denials are remembered: of one key at most 32.",
          "At most 32 denials per key are remembered."),
      new Habit(
          BEGIN + "(?:What|Who|Whoever|Whose|Those)\\b",
          "What waits on a node when it ends is lost.",
          "Messages that wait on a node when it ends are lost."),
      new Habit(
          "\\b(?:told|tells?|telling|hears?|heard)\\b",
          "A percentage is told when it is reached.",
          "A warning is sent when a threshold is reached."),
      new Habit(
          "\\b(?:counts|wins)\\b(?=[.,;:|)]| on\\b| before\\b| until\\b| again\\b)|\\bcount (?:for|now|on)\\b",
          "The first one that matches counts.",
          "The first one that matches applies."),
      new Habit(
          BEGIN
              + "Where\\b[^.?|]*,|\\b(?:only|\\d{3}) where\\b|\\bas long as\\b|\\bso (?:many|long|much)\\b",
          "Where bins are fine, it is sooner.",
          "If bins are fine, it is sooner."),
      new Habit(
          "\\b" + NUMBER + " an? " + UNIT + "\\b(?! (?:ahead|earlier|later|long|or|at most)\\b)",
          "It sends 16 requests a second.",
          "It sends 16 requests per second."),
      new Habit(
          "\\bby (?:itself|themselves)\\b",
          "The node decides by itself.",
          "The node decides without Redis."),
      new Habit(
          "^[^|][^;]*;[^;]*; *[^;]",
          "Nodes have no secret; nothing is rotated; tickets end.",
          "Nodes have no secret, and nothing is rotated. Tickets end."));

  private static final Pattern CODE = Pattern.compile("`[^`]*`");
  private static final Pattern IMAGE = Pattern.compile("!\\[[^\\]]*\\]");
  private static final Pattern TARGET = Pattern.compile("\\]\\([^)]*\\)");
  private static final Pattern SENTENCE = Pattern.compile("(?<=[.!?]) ");
  private static final Pattern BLOCK = Pattern.compile("(?:[*-]|\\d+\\.) +(.*)|([|].*)");
  private static final Pattern LEFT_OUT = Pattern.compile("#.*|<!--.*|\\|[-| ]*");

  private static final Pattern SOURCE =
      Pattern.compile("(?:lua|(?!examples/).*/src/main)/.*\\.(?:java|lua)");
  private static final Pattern COMMENT = Pattern.compile("/\\*\\*?|//|--");
  private static final Pattern NO_SUBJECT = Pattern.compile(
      "(?:/\\*\\*?|\\*|//|--)\\s+(?:@\\w+ (?:\\w+ )?)?(?:What|Of|Those|Who|Whoever|Where)\\b.*");

  @Test
  void everyHabitIsFoundInItsExampleAlone() {
    assertThat(HABITS)
        .allSatisfy(
            habit -> assertThat(habit.found().matcher(habit.worse()).find()).isTrue())
        .allSatisfy(
            habit -> assertThat(habit.found().matcher(habit.better()).find()).isFalse());
  }

  @Test
  void documentsNameTheSubjectAndUseTheWordsOfTheField() throws IOException {
    List<Path> documents = files(Pattern.compile("(?!docs/decisions/|.*/src/test/).*\\.md"));
    assertThat(documents).hasSizeGreaterThan(40);
    List<String> found = new ArrayList<>();
    for (Path document : documents) {
      for (String sentence : sentences(document)) {
        for (Habit habit : HABITS) {
          Matcher words = habit.found().matcher(sentence);
          if (words.find()) {
            found.add("%s: '%s' in \"%s\"; write \"%s\", not \"%s\""
                .formatted(document, words.group(), sentence, habit.better(), habit.worse()));
          }
        }
      }
    }
    assertThat(found).isEmpty();
  }

  @Test
  void commentsBeginWithTheirSubject() throws IOException {
    List<Path> sources = files(SOURCE);
    assertThat(sources).hasSizeGreaterThan(800);
    List<String> found = new ArrayList<>();
    for (Path source : sources) {
      List<String> lines = Files.readAllLines(source);
      for (int i = 0; i < lines.size(); i++) {
        String line = lines.get(i).strip();
        if (isFirst(lines, i) && NO_SUBJECT.matcher(line).matches()) {
          found.add("%s, line %d: \"%s\"; write \"The keys that …\", not \"Those that …\""
              .formatted(source, i + 1, line));
        }
      }
    }
    assertThat(found).isEmpty();
  }

  private static boolean isFirst(List<String> lines, int at) {
    String before = at == 0 ? "" : lines.get(at - 1).strip();
    return lines.get(at).strip().startsWith("*")
        ? before.equals("/**") || before.equals("/*")
        : before.equals("--") || !COMMENT.matcher(before).lookingAt();
  }

  private static List<Path> files(Pattern path) throws IOException {
    return Sources.all().stream()
        .filter(file -> path.matcher(ROOT.relativize(file).toString()).matches())
        .sorted()
        .toList();
  }

  // The lines of a paragraph, an item or a row belong together, without what is code, a picture or
  // an address.
  private static List<String> sentences(Path document) throws IOException {
    List<StringBuilder> blocks = new ArrayList<>();
    boolean isCode = false;
    boolean isNew = true;
    for (String line : Files.readAllLines(document)) {
      String text = line.strip();
      isCode ^= text.startsWith("```");
      boolean isText =
          !isCode && !text.startsWith("```") && !LEFT_OUT.matcher(text).matches();
      if (!isText || text.isEmpty()) {
        isNew = true;
        continue;
      }
      Matcher block = BLOCK.matcher(text);
      boolean isBlock = block.matches();
      if (isNew || isBlock) {
        blocks.add(new StringBuilder());
      }
      StringBuilder last = blocks.get(blocks.size() - 1);
      last.append(last.isEmpty() ? "" : " ");
      last.append(isBlock && block.group(1) != null ? block.group(1) : text);
      isNew = text.startsWith("|");
    }
    return blocks.stream().flatMap(block -> split(block.toString())).toList();
  }

  private static Stream<String> split(String block) {
    String words = IMAGE.matcher(CODE.matcher(block).replaceAll("``")).replaceAll("");
    String text = TARGET.matcher(words).replaceAll("]");
    return text.startsWith("|") ? Stream.of(text) : SENTENCE.splitAsStream(text);
  }
}
