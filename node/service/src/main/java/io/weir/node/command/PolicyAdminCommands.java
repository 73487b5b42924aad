package io.weir.node.command;

import static java.util.Objects.requireNonNull;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.weir.node.json.JsonInput;
import io.weir.state.document.PolicyDocuments;
import java.io.IOException;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands of {@code weir policy} that ask a node. */
final class PolicyAdminCommands {
  private static final String POLICY = "/v1/policy";

  private static final String FILE_HEADER = "Weir-Policy-File";

  private PolicyAdminCommands() {}

  /** Says that the policy file of the node, which it follows, is not what is in force. */
  private static void warnOfFile(String state, PrintWriter err) {
    if (state.equals("differs")) {
      err.println(
          "the node's policy file has another policy: this one stays until the file changes");
    } else if (state.equals("refused")) {
      err.println("the node's policy file is refused; its log says why");
    }
  }

  /** All of them; {@code localAdmin} is the admin port of a cluster that runs on this machine. */
  static List<AdminCommand> all(Supplier<Optional<String>> localAdmin) {
    return List.of(
        new Apply(localAdmin),
        new SetValue(localAdmin),
        new Rollback(localAdmin),
        new History(localAdmin),
        new Show(localAdmin),
        new Diff(localAdmin),
        new PolicyCompare(localAdmin));
  }

  /** A command that changes the policy. */
  private abstract static class Changing extends AdminCommand {
    @Option(
        names = "--dry-run",
        description = "tells problems and differences, and changes nothing")
    private boolean isDryRun;

    @Option(names = "--force", description = "also if stored keys lose limits by it")
    private boolean isForced;

    @Option(names = "--comment", defaultValue = "", description = "why, one line")
    private String comment = "";

    @Option(
        names = "--if-revision",
        paramLabel = "N",
        defaultValue = "",
        description = "only if this revision is in force")
    private String revision = "";

    Changing(Supplier<Optional<String>> localAdmin) {
      super(localAdmin);
    }

    int change(String method, String path, String body) throws IOException {
      String query = query(Map.of(
          "dryRun", isDryRun ? "true" : "", "force", isForced ? "true" : "", "comment", comment));
      HttpResponse<String> answer = revision.isEmpty()
          ? port().ask(method, path + query, body)
          : port().ask(method, path + query, body, "If-Match", "\"" + revision + "\"");
      if (isJson()) {
        out().println(answer.body());
      } else {
        print(JsonInput.object(answer.body()));
      }
      return answer.statusCode() == 200 ? 0 : 1;
    }

    private void print(JsonObject answer) {
      out().print(answer.getString("diff", ""));
      for (String list : List.of("problems", "warnings")) {
        if (answer.containsKey(list)) {
          answer.getJsonArray(list).stream()
              .map(JsonObject.class::cast)
              .forEach(problem -> out()
                  .printf(
                      "line %d: %s: %s %s: %s%n",
                      problem.getInteger("line"),
                      problem.getString("path"),
                      problem.getString("severity"),
                      problem.getString("code"),
                      problem.getString("message")));
        }
      }
      if (answer.containsKey("code")) {
        err().printf("%s (%s)%n", answer.getString("title"), answer.getString("code"));
        if (answer.containsKey("errors")) {
          answer.getJsonArray("errors").forEach(error -> err().println("  " + error));
        }
      } else {
        out()
            .printf(
                isDryRun ? "revision %d stays in force%n" : "revision %d is in force%n",
                answer.getLong("revision"));
        warnOfFile(answer.getString("policyFile", ""), err());
      }
    }
  }

  /** {@code weir policy apply FILE}: puts a policy in force for the whole cluster. */
  @Command(
      name = "apply",
      description =
          "Puts a policy in force for all nodes, through any one of them. The admin token is "
              + "read from the environment variable WEIR_ADMIN_TOKEN.",
      mixinStandardHelpOptions = true)
  static final class Apply extends Changing {
    @Parameters(paramLabel = "FILE", description = "policy, YAML or JSON")
    private Path file = Path.of("");

    Apply(Supplier<Optional<String>> localAdmin) {
      super(localAdmin);
    }

    @Override
    public Integer call() throws IOException {
      return change("PUT", POLICY, PolicyDocuments.text(file));
    }
  }

  /** {@code weir policy set PATH VALUE}: changes one value of the policy in force. */
  @Command(
      name = "set",
      description = "Sets one value of the policy in force, also one that its text leaves to its "
          + "default; the rest of the text stays.",
      mixinStandardHelpOptions = true)
  static final class SetValue extends Changing {
    @Parameters(
        paramLabel = "PATH",
        description = "fields that lead to it, as /buckets/requests/burstPeriod")
    private String path = "";

    @Parameters(
        paramLabel = "VALUE",
        description = "a number, true, false, a text, or a list or mapping as JSON")
    private String value = "";

    SetValue(Supplier<Optional<String>> localAdmin) {
      super(localAdmin);
    }

    @Override
    public Integer call() throws IOException {
      return change(
          "PATCH",
          POLICY,
          new JsonObject().put("path", path).put("value", json()).encode());
    }

    private Object json() {
      if (value.matches("-?\\d{1,18}(\\.\\d{1,18})?")) {
        return new BigDecimal(value);
      }
      if (value.matches("true|false")) {
        return Boolean.valueOf(value);
      }
      try {
        boolean isWhole = value.startsWith("[") || value.startsWith("{");
        return isWhole ? requireNonNull(JsonInput.value(Buffer.buffer(value))) : value;
      } catch (DecodeException e) {
        throw wrong("VALUE: no JSON (expected: a list or a mapping, as it begins like one)");
      }
    }
  }

  /** {@code weir policy rollback REVISION}: puts an earlier policy in force again. */
  @Command(
      name = "rollback",
      description = "Puts the policy of an earlier revision in force again, as a new revision.",
      mixinStandardHelpOptions = true)
  static final class Rollback extends Changing {
    @Parameters(paramLabel = "REVISION", description = "one of those that history lists")
    private int to;

    Rollback(Supplier<Optional<String>> localAdmin) {
      super(localAdmin);
    }

    @Override
    public Integer call() throws IOException {
      return change(
          "POST", "/v1/policy/rollback", new JsonObject().put("revision", to).encode());
    }
  }

  /** {@code weir policy history}: the revisions that are kept. */
  @Command(
      name = "history",
      description = "Lists the last fifty revisions: when, by whom, why.",
      mixinStandardHelpOptions = true)
  static final class History extends AdminCommand {
    History(Supplier<Optional<String>> localAdmin) {
      super(localAdmin);
    }

    @Override
    public Integer call() throws IOException {
      HttpResponse<String> answer = port().ask("GET", "/v1/policy/revisions", "");
      if (isJson() || answer.statusCode() != 200) {
        return printed(answer);
      }
      JsonInput.object(answer.body()).getJsonArray("revisions").stream()
          .map(JsonObject.class::cast)
          .forEach(one -> out()
              .printf(
                  "%6d  %-24s  %-16s  %s%n",
                  one.getLong("revision"),
                  one.getString("at", ""),
                  one.getString("by"),
                  one.getString("comment")));
      return 0;
    }
  }

  /** {@code weir policy show [REVISION]}: the text of a policy. */
  @Command(
      name = "show",
      description = "Prints the policy in force, or that of a revision.",
      mixinStandardHelpOptions = true)
  static final class Show extends AdminCommand {
    @Parameters(
        paramLabel = "REVISION",
        arity = "0..1",
        defaultValue = "",
        description = "a number")
    private String revision = "";

    Show(Supplier<Optional<String>> localAdmin) {
      super(localAdmin);
    }

    @Override
    public Integer call() throws IOException {
      return revision.isEmpty()
          ? text(POLICY, headers -> warnOfFile(headers.firstValue(FILE_HEADER).orElse(""), err()))
          : text("/v1/policy/revisions/" + revision);
    }
  }

  /** {@code weir policy diff [FROM [TO]]}: what differs between two revisions. */
  @Command(
      name = "diff",
      description =
          "Shows what differs between two revisions; without them, what the last one has changed.",
      mixinStandardHelpOptions = true)
  static final class Diff extends AdminCommand {
    @Parameters(paramLabel = "FROM", arity = "0..1", defaultValue = "", description = "a number")
    private String from = "";

    @Parameters(
        paramLabel = "TO",
        arity = "0..1",
        defaultValue = "",
        description = "a number (default: the one in force)")
    private String to = "";

    Diff(Supplier<Optional<String>> localAdmin) {
      super(localAdmin);
    }

    @Override
    public Integer call() throws IOException {
      return text("/v1/policy/diff" + query(Map.of("from", from, "to", to)));
    }
  }
}
