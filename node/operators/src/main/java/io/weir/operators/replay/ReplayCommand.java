package io.weir.operators.replay;

import io.weir.core.policy.InvalidPolicyException;
import io.weir.core.policy.Policy;
import io.weir.node.command.PrintingCommand;
import io.weir.operators.replay.Replay.NamedPolicy;
import io.weir.state.document.PolicyDocuments;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir replay}: an access log under other limits. */
@Command(
    name = "replay",
    description =
        "Puts the requests of access logs through a policy, at their own times and by the same "
            + "arithmetic: who would have been limited, when, and by which limit. No node is called, and no Redis.")
public final class ReplayCommand extends PrintingCommand {
  /** Longer lines are cut. */
  private static final int MOST_CHARACTERS = 64 << 10;

  @Parameters(
      paramLabel = "LOG",
      arity = "1..*",
      description =
          "logs in the order of time, within a minute; maybe .gz; - for the standard input")
  private List<String> logs = List.of();

  @Option(
      names = "--policy",
      paramLabel = "FILE",
      required = true,
      description = "policy, YAML or JSON")
  private Path policy = Path.of("");

  @Option(names = "--and", paramLabel = "FILE", description = "another policy, to be compared")
  private @Nullable Path and;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "common",
      description =
          "common for the common and the combined log format, json for a JSON object on each line (common)")
  private String format = "common";

  @Option(
      names = "--field",
      paramLabel = "FIELD=MEMBER",
      description =
          "with json: the member for time, key, method, path, operation or cost, if it has another "
              + "name; may be repeated")
  private Map<String, String> fields = new LinkedHashMap<>();

  @Option(
      names = "--by-address",
      description = "with common: the address is limited, even if the log names a user")
  private boolean isByAddress;

  @Option(
      names = "--plan",
      paramLabel = "PLAN",
      defaultValue = "",
      description = "plan of callers that the policy does not know (default: the policy's)")
  private String plan = "";

  @Option(
      names = "--rows",
      paramLabel = "N",
      defaultValue = "20",
      description = "rows of each table, up to 300 (default: 20)")
  private int rows;

  @Option(names = "--json", description = "prints JSON")
  private boolean isJson;

  @Option(names = "--quiet", description = "shows no progress")
  private boolean isQuiet;

  @Override
  public Integer call() throws IOException {
    requireSound();
    List<NamedPolicy> policies = new ArrayList<>();
    try {
      policies.add(named(policy));
      if (and != null) {
        policies.add(named(and));
      }
    } catch (InvalidPolicyException e) {
      e.problems().forEach(err()::println);
      return 1;
    }
    Replay replay =
        new Replay(lineFormat(), Optional.of(plan).filter(name -> !name.isEmpty()), policies);
    for (String log : logs) {
      read(log, replay);
    }
    replay.end();
    ReplayReport report = new ReplayReport(replay, rows);
    if (isJson) {
      out().println(report.toJson().encode());
    } else {
      report.print(out());
    }
    return 0;
  }

  /** The form of lines that the options name. */
  LineFormat lineFormat() {
    return format.equals("json") ? new JsonLines(fields) : new CommonLines(isByAddress);
  }

  private void requireSound() {
    if (!format.equals("common") && !format.equals("json")) {
      throw wrong("--format: '%s' (expected: common or json)".formatted(format));
    }
    for (String field : fields.keySet()) {
      if (!JsonLines.FIELDS.containsKey(field)) {
        throw wrong("--field: '%s' (expected: %s)"
            .formatted(field, String.join(", ", JsonLines.FIELDS.keySet())));
      }
    }
    if (rows < 1 || rows > 300) {
      throw wrong("--rows: %d (expected: 1 to 300)".formatted(rows));
    }
  }

  private NamedPolicy named(Path file) throws IOException {
    Policy read = PolicyDocuments.read(file).policy();
    if (!plan.isEmpty() && !read.plans().containsKey(plan)) {
      throw wrong("--plan: '%s' is no plan of %s (expected: %s)"
          .formatted(plan, file, String.join(", ", read.plans().keySet())));
    }
    return new NamedPolicy(String.valueOf(file.getFileName()), read);
  }

  private void read(String log, Replay replay) throws IOException {
    boolean isInput = log.equals("-");
    long size = isInput || isQuiet ? 0 : Files.size(Path.of(log));
    try (Progress progress =
            new Progress(isInput ? System.in : Files.newInputStream(Path.of(log)), size, err());
        BufferedReader lines = new BufferedReader(new InputStreamReader(
            log.endsWith(".gz") ? unpacked(progress) : progress,
            StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPLACE)
                .onUnmappableCharacter(CodingErrorAction.REPLACE)))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        replay.add(line.length() > MOST_CHARACTERS ? line.substring(0, MOST_CHARACTERS) : line);
      }
    }
  }

  private static InputStream unpacked(InputStream packed) throws IOException {
    return new GZIPInputStream(new BufferedInputStream(packed));
  }
}
