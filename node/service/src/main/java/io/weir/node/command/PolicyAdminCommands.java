package io.weir.node.command;

import static java.util.Objects.requireNonNull;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.json.JsonInput;
import java.io.IOException;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;

/** The commands of {@code weir policy} that ask a node: each is a row. */
final class PolicyAdminCommands {
  private static final String POLICY = "/v1/policy";
  private static final String REVISIONS = "/v1/policy/revisions";
  private static final String FILE_HEADER = "Weir-Policy-File";

  private PolicyAdminCommands() {}

  static List<CommandRow> rows() {
    return List.of(
        change(
                "apply",
                "Puts a policy in force for all nodes, through any one of them. The admin token is "
                    + "read from the environment variable WEIR_ADMIN_TOKEN.",
                call -> changed(call, "PUT", POLICY, PolicyInput.text(Path.of(call.text("FILE")))))
            .argument("FILE", PolicyInput.DESCRIPTION),
        change(
                "set",
                "Sets one value of the policy in force, also one that its text leaves to its "
                    + "default; the rest of the text stays.",
                call -> changed(call, "PATCH", POLICY, value(call)))
            .argument("PATH", "fields that lead to it, as /buckets/requests/burstPeriod")
            .argument("VALUE", "a number, true, false, a text, or a list or mapping as JSON"),
        change(
                "rollback",
                "Puts the policy of an earlier revision in force again, as a new revision.",
                call -> changed(call, "POST", "/v1/policy/rollback", revision(call)))
            .argument("REVISION", "one of those that history lists"),
        CommandRow.of(
            "history",
            "Lists the last fifty revisions: when, by whom, why.",
            call -> call.listed(
                call.get(REVISIONS), "revisions", "No revision is kept.", history(call))),
        CommandRow.of(
                "show",
                "Prints the policy in force, or that of a revision.",
                call -> show(call, call.text("REVISION")))
            .optionalArgument("REVISION", "a number"),
        CommandRow.of(
                "diff",
                "Shows the differences between two revisions; without them, the changes of the last one.",
                call -> call.printText("/v1/policy/diff" + call.queryOf("from=FROM", "to=TO")))
            .optionalArgument("FROM", "a number")
            .optionalArgument("TO", "a number (default: the one in force)"));
  }

  private static CommandRow change(String name, String description, CommandRow.Work work) {
    return CommandRow.of(name, description, work)
        .flag("--dry-run", "prints problems and differences, and changes nothing")
        .flag("--force", "also if stored keys lose limits by it")
        .option("--comment", "TEXT", "why, one line")
        .option("--if-revision", "N", "only if this revision is in force");
  }

  private static int changed(RowCommand call, String method, String path, String body)
      throws IOException {
    String query = call.queryOf("dryRun=--dry-run", "force=--force", "comment=--comment");
    String revision = call.text("--if-revision");
    HttpResponse<String> answer = revision.isEmpty()
        ? call.port().ask(method, path + query, body)
        : call.port().ask(method, path + query, body, "If-Match", "\"" + revision + "\"");
    if (call.isJson()) {
      call.out().println(answer.body());
    } else {
      print(call, JsonInput.object(answer.body()));
    }
    return answer.statusCode() == 200 ? 0 : 1;
  }

  private static void print(RowCommand call, JsonObject answer) {
    PrintWriter out = call.out();
    out.print(answer.getString("diff", ""));
    for (String list : List.of("problems", "warnings")) {
      answer.getJsonArray(list, new JsonArray()).stream()
          .map(JsonObject.class::cast)
          .map(problem -> "line %d, column %d: %s: %s %s: %s"
              .formatted(
                  problem.getInteger("line"),
                  problem.getInteger("column", 1),
                  problem.getString("path"),
                  problem.getString("severity"),
                  problem.getString("code"),
                  problem.getString("message")))
          .map(Wrapped::lines)
          .forEach(out::println);
    }
    if (answer.containsKey("code")) {
      call.problem(answer);
    } else {
      out.printf(state(call, answer), answer.getLong("revision"));
      warnOfFile(answer.getString("policyFile", ""), call.err());
    }
  }

  private static String state(RowCommand call, JsonObject answer) {
    if (call.flag("--dry-run")) {
      return "revision %d stays in force%n";
    }
    return answer.getBoolean("unchanged", false)
        ? "revision %d has this text and is in force already: nothing has changed%n"
        : "revision %d is in force%n";
  }

  /** Warns that the policy file of the node, which it follows, is not what is in force. */
  private static void warnOfFile(String state, PrintWriter err) {
    if (state.equals("differs")) {
      err.println(
          "the node's policy file has another policy: this one stays until the file changes");
    } else if (state.equals("refused")) {
      err.println("the node's policy file is refused; its log says why");
    }
  }

  private static String value(RowCommand call) {
    JsonObject body = new JsonObject().put("path", call.text("PATH"));
    return body.put("value", json(call, call.text("VALUE"))).encode();
  }

  private static Object json(RowCommand call, String value) {
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
      throw call.wrong("VALUE: no JSON (expected: a list or a mapping, as it begins like one)");
    }
  }

  private static String revision(RowCommand call) {
    String text = call.text("REVISION");
    if (!text.matches("\\d{1,9}")) {
      throw call.wrong("REVISION: '%s' (expected: a number)".formatted(text));
    }
    return new JsonObject().put("revision", Integer.valueOf(text)).encode();
  }

  private static Table<JsonObject> history(RowCommand call) {
    return Table.<JsonObject>of()
        .number("revision", one -> one.getLong("revision"))
        .whole("published", one -> Ago.words(one.getString("at", ""), call.now()))
        .text("by", one -> one.getString("by"))
        .sentence("comment", one -> one.getString("comment"));
  }

  private static int show(RowCommand call, String revision) throws IOException {
    return revision.isEmpty()
        ? call.printText(
            POLICY, headers -> warnOfFile(headers.firstValue(FILE_HEADER).orElse(""), call.err()))
        : call.printText(REVISIONS + "/" + revision);
  }
}
