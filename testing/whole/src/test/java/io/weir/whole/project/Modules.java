package io.weir.whole.project;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The folders of all modules, as their build names them. */
final class Modules {
  private static final Path ROOT = Path.of("../..");
  private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");

  private Modules() {}

  /** Their paths from the top folder: {@code core}, {@code work/jobs}. */
  static List<String> all() throws IOException {
    return in("");
  }

  /** Their folders. */
  static List<Path> folders() throws IOException {
    return all().stream().map(ROOT::resolve).toList();
  }

  private static List<String> in(String folder) throws IOException {
    Matcher named = MODULE.matcher(Files.readString(ROOT.resolve(folder).resolve("pom.xml")));
    Stream<String> found = Stream.empty();
    while (named.find()) {
      String module = folder.isEmpty() ? named.group(1) : folder + "/" + named.group(1);
      found = Stream.concat(found, Stream.concat(Stream.of(module), in(module).stream()));
    }
    return found.toList();
  }
}
