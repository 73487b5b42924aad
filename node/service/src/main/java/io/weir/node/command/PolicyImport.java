package io.weir.node.command;

import io.weir.core.policy.InvalidPolicyException;
import io.weir.node.envoy.rule.ImportedFiles;
import io.weir.state.document.PolicyDocuments;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code weir policy import envoy DIR}: the files of another limiter as a section of a policy. */
@Command(
    name = "import",
    description =
        "Prints the configuration of another limiter as a section of a policy, and lists what has no counterpart. "
            + "FORMAT is envoy: the YAML files of envoyproxy/ratelimit.",
    versionProvider = WeirCommand.Version.class)
final class PolicyImport extends PrintingCommand {
  private static final String ENVOY = "envoy";

  @Parameters(index = "0", paramLabel = "FORMAT", description = "envoy")
  private String format = ENVOY;

  @Parameters(index = "1", paramLabel = "DIR", description = "a folder of files, or one file")
  private Path folder = Path.of("");

  @Override
  public Integer call() throws IOException {
    if (!format.equals(ENVOY)) {
      throw wrong("FORMAT: '%s' (expected: envoy)".formatted(format));
    }
    PrintWriter err = err();
    ImportedFiles imported = new ImportedFiles();
    boolean isSound = true;
    for (Path file : files()) {
      String name = file.getFileName().toString();
      try {
        imported.add(name, PolicyDocuments.document(name, PolicyDocuments.text(file)));
      } catch (InvalidPolicyException e) {
        e.problems().forEach(err::println);
        isSound = false;
      }
    }
    imported.errors().forEach(err::println);
    imported.notes().forEach(err::println);
    err.flush();
    return isSound && imported.errors().isEmpty() && isPolicy(imported.section(), err) ? 0 : 1;
  }

  private boolean isPolicy(String section, PrintWriter err) {
    String policy = "buckets: []\n" + section;
    try {
      PolicyDocuments.parse("the imported policy", policy);
    } catch (InvalidPolicyException e) {
      e.problems().forEach(err::println);
      return false;
    }
    out().print(policy);
    out().flush();
    return true;
  }

  private List<Path> files() throws IOException {
    if (Files.isRegularFile(folder)) {
      return List.of(folder);
    }
    if (!Files.isDirectory(folder)) {
      throw wrong("DIR: %s is no folder".formatted(folder));
    }
    try (Stream<Path> found = Files.list(folder)) {
      return found
          .filter(file -> file.toString().matches(".*\\.ya?ml"))
          .sorted()
          .toList();
    }
  }
}
