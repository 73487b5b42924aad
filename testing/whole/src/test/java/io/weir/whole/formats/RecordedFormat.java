package io.weir.whole.formats;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A format as a list of lines, recorded in a file: recorded lines stay within a version. The file has the version on
 * its first line, then the lines of the format, and lines {@code retired <version>: <line>} for those that a version no
 * longer has. With {@code -Dweir.write=true} new lines are recorded; only people retire lines.
 */
public record RecordedFormat(
    String name, int version, SortedSet<String> lines, SortedMap<String, Integer> retired) {
  private static final Path FOLDER = Path.of("src/test/formats");
  private static final Pattern FIRST = Pattern.compile("version (\\d+)");
  private static final Pattern RETIRED = Pattern.compile("retired (\\d+): (.+)");

  /** Reads the record of a format; version 1 without lines if there is none. */
  public static RecordedFormat read(String name) throws IOException {
    TreeSet<String> lines = new TreeSet<>();
    TreeMap<String, Integer> retired = new TreeMap<>();
    List<String> text =
        Files.exists(file(name)) ? Files.readAllLines(file(name)) : List.of("version 1");
    Matcher first = FIRST.matcher(text.get(0));
    assertThat(first.matches()).as(file(name) + " begins with its version").isTrue();
    for (String line : text.subList(1, text.size())) {
      Matcher gone = RETIRED.matcher(line);
      if (gone.matches()) {
        retired.put(gone.group(2), Integer.valueOf(gone.group(1)));
      } else {
        lines.add(line);
      }
    }
    return new RecordedFormat(name, Integer.parseInt(first.group(1)), lines, retired);
  }

  private static Path file(String name) {
    return FOLDER.resolve(name + ".txt");
  }

  /** The sentences for people about each difference; none if the format is as recorded. */
  public List<String> differences(Collection<String> now) {
    TreeSet<String> gone = new TreeSet<>(lines);
    gone.removeAll(now);
    TreeSet<String> added = new TreeSet<>(now);
    added.removeAll(lines);
    List<String> differences = new ArrayList<>();
    gone.forEach(line -> differences.add(
        "%s: '%s' is gone, and its users break. Keep it; or raise the version in %s, write 'retired <version>: ' before the line, and name it in CHANGELOG.md"
            .formatted(name, line, file(name))));
    added.forEach(line -> differences.add(
        retired.containsKey(line)
            ? "%s: '%s' was retired by version %d, and means something else to its users"
                .formatted(name, line, retired.get(line))
            : "%s: '%s' is new: -Dweir.write=true records it".formatted(name, line)));
    return differences;
  }

  /** Requires that a format is as recorded, and that each version after the first has retired something. */
  public static void require(String name, SortedSet<String> now) throws IOException {
    RecordedFormat recorded = read(name);
    if (Boolean.getBoolean("weir.write")) {
      recorded.writeNew(now);
      recorded = read(name);
    }
    assertThat(recorded.differences(now)).isEmpty();
    TreeSet<Integer> versions = new TreeSet<>(recorded.retired.values());
    versions.add(1);
    assertThat(versions)
        .as("versions of " + name)
        .hasSize(recorded.version)
        .contains(recorded.version);
  }

  private void writeNew(SortedSet<String> now) throws IOException {
    TreeSet<String> all = new TreeSet<>(lines);
    now.stream().filter(line -> !retired.containsKey(line)).forEach(all::add);
    List<String> text = new ArrayList<>(List.of("version " + version));
    text.addAll(all);
    retired.forEach((line, by) -> text.add("retired " + by + ": " + line));
    Files.createDirectories(FOLDER);
    Files.write(file(name), text);
  }
}
