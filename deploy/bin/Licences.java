import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Copies the licences and notices of jars: {@code Licences JARS FOLDER ROOT}. Those that a jar carries go into a folder of
 * its name; for the others, {@code ROOT/deploy/licences/jars.txt} names texts, which go into the folder {@code texts}, and
 * {@code jars.txt} there lists the jars of each. A jar without a text is an error.
 */
final class Licences {
  private static final Pattern TEXT =
      Pattern.compile("(META-INF/)?([^/]*(LICEN[CS]E|NOTICE)[^/]*)", Pattern.CASE_INSENSITIVE);

  private final Path folder;
  private final Path root;
  private final List<String> rows;
  private final StringBuilder listed = new StringBuilder();

  private Licences(Path folder, Path root) throws IOException {
    this.folder = folder;
    this.root = root;
    this.rows = Files.readAllLines(root.resolve("deploy/licences/jars.txt"));
  }

  public static void main(String[] arguments) throws IOException {
    Licences licences = new Licences(Path.of(arguments[1]), Path.of(arguments[2]));
    try (Stream<Path> files = Files.list(Path.of(arguments[0]))) {
      List<Path> jars =
          files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
      for (Path jar : jars) {
        licences.copy(jar);
      }
    }
    Files.writeString(licences.folder.resolve("jars.txt"), licences.listed);
  }

  private void copy(Path jar) throws IOException {
    String name = jar.getFileName().toString();
    if (!copyOwn(jar, folder.resolve(name.replaceFirst("\\.jar$", "")))) {
      List<String> texts = new ArrayList<>();
      for (Path text : texts(name)) {
        Path copied = Files.createDirectories(folder.resolve("texts")).resolve(text.getFileName());
        Files.copy(root.resolve(text), copied, StandardCopyOption.REPLACE_EXISTING);
        texts.add("texts/" + text.getFileName());
      }
      listed.append(name).append(": ").append(String.join(", ", texts)).append('\n');
    }
  }

  private List<Path> texts(String jar) {
    return rows.stream()
        .filter(row -> !row.startsWith("#") && jar.startsWith(row.split(" ")[0]))
        .findFirst()
        .map(row -> Stream.of(row.split(" ")).skip(1).map(Path::of).toList())
        .orElseThrow(() -> new IllegalStateException(
            jar + " carries no licence: add its text to deploy/licences/jars.txt"));
  }

  private static boolean copyOwn(Path jar, Path folder) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      List<JarEntry> texts = file.stream().filter(Licences::isText).toList();
      for (JarEntry entry : texts) {
        Files.createDirectories(folder);
        String name = Path.of(entry.getName()).getFileName().toString();
        try (InputStream text = file.getInputStream(entry)) {
          Files.copy(text, folder.resolve(name), StandardCopyOption.REPLACE_EXISTING);
        }
      }
      return !texts.isEmpty();
    }
  }

  private static boolean isText(JarEntry entry) {
    return !entry.isDirectory() && TEXT.matcher(entry.getName()).matches();
  }
}
