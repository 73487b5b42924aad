package io.weir.whole.project;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The rules that readers of the sources can rely on. */
@Tag("once")
final class SourcesTest {
  private static final Path ROOT = Path.of("../..");
  private static final int MAX_LINES = 300;
  private static final int MAX_METHOD_LINES = 70;
  /** Files above the limit, which may not grow. */
  private static final Map<String, Integer> LONG_FILES = Map.of("BucketStoreContract.java", 340);

  private static final Pattern SIGNATURE = Pattern.compile(
      "^( {2}| {4})(?!if|for|while|switch|try|return|else|do|case|throw|super|this|synchronized)[A-Za-z<][^=;]*\\([^;=]*$");
  private static final Pattern NAME_AS_TEXT = Pattern.compile(
      "(getSimpleName|getName|getTypeName)\\(\\)\\s*\\.(equals|startsWith|endsWith|contains|matches)\\(");
  private static final int MAX_PARAMETERS = 6;
  /** Values of many parts, known to callers. */
  private static final Pattern OF_MANY_PARTS =
      Pattern.compile("(Charge|Decision|StoredRecord|MixedDenial)\\.java$");

  private static final Pattern TOP_LEVEL = Pattern.compile(
      "^(public |final |abstract |sealed |non-sealed )*(class|interface|@interface|enum|record) .*");
  private static final Pattern LEFT_OPEN =
      Pattern.compile("(//|^\\s*/?\\*).*\\b(TO" + "DO|FIX" + "ME)\\b");
  private static final Pattern BETWEEN_ANGLES = Pattern.compile("<[^<>]*>");
  private static final Pattern CLASS_NAME = Pattern.compile("getClass\\(\\)");

  @Test
  void filesAreShort() {
    assertThat(sources().stream().filter(SourcesTest::isTooLong)).isEmpty();
  }

  private static boolean isTooLong(Path file) {
    String name = file.getFileName().toString();
    return lines(file).size() > LONG_FILES.getOrDefault(name, MAX_LINES);
  }

  @Test
  void methodsAreShort() {
    int count = 0;
    for (Path file : sources()) {
      List<Method> methods = methods(lines(file));
      count += methods.size();
      for (Method method : methods) {
        assertThat(method.lines())
            .as("%s, line %d", file.getFileName(), method.from())
            .isLessThanOrEqualTo(MAX_METHOD_LINES);
      }
    }
    assertThat(count).isGreaterThan(1000);
  }

  @Test
  void methodsHaveFewParameters() {
    for (Path file : sources()) {
      List<String> lines = lines(file);
      for (Method method : methods(lines)) {
        boolean isOverridden = lines.get(Math.max(0, method.from() - 2)).contains("@Override");
        assertThat(
                isOverridden || OF_MANY_PARTS.matcher(file.toString()).find()
                    ? 0
                    : parameters(lines, method.from() - 1))
            .as("%s, line %d: join those that travel together", file.getFileName(), method.from())
            .isLessThanOrEqualTo(MAX_PARAMETERS);
      }
    }
  }

  private static int parameters(List<String> lines, int from) {
    StringBuilder signature = new StringBuilder();
    for (int i = from; signature.indexOf("{") < 0; i++) {
      signature.append(lines.get(i));
    }
    String text = signature.substring(signature.indexOf("(") + 1, signature.indexOf("{"));
    String left = text;
    do {
      text = left;
      left = BETWEEN_ANGLES.matcher(text).replaceAll("");
    } while (!left.equals(text));
    String inside = text.substring(0, text.lastIndexOf(')')).strip();
    return inside.isEmpty() ? 0 : inside.split(",", -1).length;
  }

  @Test
  void aFileHasOneClassWithNamedImportsAndNothingLeftOpen() {
    for (Path file : Stream.concat(sources("main"), sources("test")).toList()) {
      List<String> lines = lines(file);
      assertThat(lines.stream().filter(line -> TOP_LEVEL.matcher(line).matches()))
          .as("%s: classes", file)
          .hasSizeLessThanOrEqualTo(1);
      assertThat(lines)
          .as("%s: name what is imported", file)
          .noneMatch(line -> line.startsWith("import ") && line.endsWith(".*;"));
      assertThat(lines)
          .as("%s: do it, or describe the state as it is", file)
          .noneMatch(line -> LEFT_OPEN.matcher(line).find());
    }
  }

  @Test
  void noClassIsKnownByItsName() {
    for (Path file : sources()) {
      for (String line : lines(file)) {
        assertThat(CLASS_NAME.matcher(line).find() && NAME_AS_TEXT.matcher(line).find())
            .as("%s: %s", file.getFileName(), line)
            .isFalse();
      }
    }
  }

  private record Method(int from, int lines) {}

  private static List<Method> methods(List<String> lines) {
    List<Method> methods = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      Matcher begin = SIGNATURE.matcher(lines.get(i));
      if (begin.matches() && !lines.get(i).contains("record ") && hasBlock(lines, i)) {
        int last = lines.subList(i, lines.size()).indexOf(begin.group(1) + "}");
        methods.add(new Method(i + 1, last + 1));
      }
    }
    return methods;
  }

  // A signature may take several lines; a statement ends otherwise.
  private static boolean hasBlock(List<String> lines, int from) {
    for (String line : lines.subList(from, lines.size())) {
      if (line.contains("->") || line.endsWith(";") || line.isBlank()) {
        return false;
      }
      if (line.endsWith("{")) {
        return true;
      }
    }
    return false;
  }

  private static List<Path> sources() {
    return sources("main").toList();
  }

  private static Stream<Path> sources(String of) {
    try {
      return Modules.folders().stream()
          .filter(module -> !module.startsWith(ROOT.resolve("examples")))
          .map(module -> module.resolve("src").resolve(of).resolve("java"))
          .filter(Files::isDirectory)
          .flatMap(SourcesTest::javaFiles)
          .toList()
          .stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Stream<Path> javaFiles(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> file.toString().endsWith(".java")).toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
