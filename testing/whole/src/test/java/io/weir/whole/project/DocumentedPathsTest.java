package io.weir.whole.project;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Files and folders that a document names exist. */
@Tag("once")
final class DocumentedPathsTest {
  private static final Path ROOT = Path.of("../..");
  private static final Pattern CODE = Pattern.compile("`([^`\n]+)`");
  private static final Pattern FILE =
      Pattern.compile("(?<![\\w/.~-])[.\\w-]+(?:/[\\w.-]+)+(?![\\w/*…<{$-])");
  private static final List<String> ENDINGS = List.of("", ".java", ".lua");
  private static final List<String> FOLDERS =
      List.of(".ci", "config", "deploy", "docs", "examples", "lua", "scripts");

  static List<Path> documents() throws IOException {
    return Sources.all().stream()
        .filter(file -> file.toString().endsWith(".md"))
        .filter(file -> !file.endsWith("CHANGELOG.md")) // it names what has gone
        .filter(file -> !file.toString().contains("docs/decisions")) // of their day
        .sorted()
        .toList();
  }

  @ParameterizedTest
  @MethodSource("documents")
  void everyPathExists(Path document) throws IOException {
    List<String> modules = Modules.all();
    List<String> missing = CODE.matcher(Files.readString(document))
        .results()
        .map(code -> code.group(1))
        .flatMap(code -> FILE.matcher(code).results().map(MatchResult::group))
        .filter(path -> isOurs(path, modules))
        .filter(path -> candidates(document, path, modules).noneMatch(Files::exists))
        .toList();
    assertThat(missing).isEmpty();
  }

  @Test
  void contributorsFindEveryModule() throws IOException {
    String document = Files.readString(ROOT.resolve("CONTRIBUTING.md"));
    for (String module : Modules.all()) {
      String folder = module.startsWith("examples/") ? "examples" : module;
      assertThat(document).contains("`" + folder + "`");
    }
  }

  private static boolean isOurs(String path, List<String> modules) {
    String first = path.substring(0, path.indexOf('/'));
    return !path.contains("/target/")
        && !path.contains("node_modules")
        && (FOLDERS.contains(first) || modules.contains(first));
  }

  /** The file itself, or a class or a module of Lua without the folders of every project. */
  private static Stream<Path> candidates(Path document, String path, List<String> modules) {
    Stream<Path> plain = Stream.of(ROOT.resolve(path), document.resolveSibling(path));
    Stream<Path> inModules = modules.stream()
        .filter(module -> path.startsWith(module + "/"))
        .flatMap(module -> Stream.of("java", "lua")
            .map(kind -> ROOT.resolve(module).resolve("src/main").resolve(kind))
            .flatMap(sources ->
                packages(sources).map(root -> root.resolve(path.substring(module.length() + 1)))));
    // "those of the extensions": a document names them without their folder
    Stream<Path> inExtensions =
        modules.stream().map(module -> ROOT.resolve(module).resolve("src/main").resolve(path));
    return Stream.of(plain, inModules, inExtensions)
        .flatMap(files -> files)
        .flatMap(file ->
            ENDINGS.stream().map(ending -> file.resolveSibling(file.getFileName() + ending)));
  }

  /** The folder of the sources, and those of its packages that lie directly in {@code io.weir}. */
  private static Stream<Path> packages(Path sources) {
    Path ours = sources.resolve("io/weir");
    if (!Files.isDirectory(ours)) {
      return Stream.of(sources);
    }
    try (Stream<Path> roots = Files.list(ours)) {
      return Stream.concat(Stream.of(sources), roots.toList().stream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
