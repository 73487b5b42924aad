package io.weir.node.command;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.Plan;
import io.weir.node.contexts.KnownNodes;
import io.weir.node.json.JsonInput;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir policy compare FILE --for TIME}: decides live traffic by another policy, too, and shows the difference. */
@Command(
    name = "compare",
    description =
        "Decides all requests of the cluster by a candidate, too, for some time, and shows who would be denied beside "
            + "today. Nothing is enforced by it. Without FILE: the present comparison, and the denials that limits "
            + "with mode audit would make.")
final class PolicyCompare extends AdminCommand {
  private static final String PATH = "/v1/rehearsal";
  // The columns of the page.
  private static final Table<JsonObject> OUTCOMES = Table.<JsonObject>of()
      .text("plan", row -> row.getString("plan"))
      .text("operation", PolicyCompare::operation)
      .number("passed", row -> row.getLong("pass") + row.getLong("wouldDeny"))
      .number("would be denied", row -> row.getLong("wouldDeny"))
      .number("denied", row -> row.getLong("deny") + row.getLong("wouldPass"))
      .number("would pass", row -> row.getLong("wouldPass"))
      .number("not compared", row -> row.getLong("unknown"));
  private static final Table<JsonObject> KEYS = Table.<JsonObject>of()
      .text("would be denied", row -> row.getString("tenant") + "/" + row.getString("key"))
      .number("at least", row -> row.getLong("atLeast"))
      .number("at most", row -> row.getLong("atMost"));
  private static final Executor LATER = CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS);

  @Parameters(
      paramLabel = "FILE",
      arity = "0..1",
      description = "the candidate, YAML or JSON; - for the standard input")
  private Optional<Path> file = Optional.empty();

  @Option(
      names = "--for",
      paramLabel = "TIME",
      defaultValue = "10m",
      description = "how long: 90s, 10m, 1h; default: ${DEFAULT-VALUE}")
  private String lasts = "10m";

  @Option(names = "--no-wait", description = "returns at once; see the result later without FILE")
  private boolean isDetached;

  @Option(names = "--end", description = "ends what is rehearsed")
  private boolean ends;

  private static String operation(JsonObject row) {
    return row.getString("operation").equals(Plan.UNLISTED) ? "others" : row.getString("operation");
  }

  PolicyCompare(KnownNodes nodes) {
    super(nodes);
  }

  @Override
  public Integer call() throws IOException {
    if (ends) {
      return printed(port().ask("DELETE", PATH, ""));
    }
    if (file.isEmpty()) {
      return shown();
    }
    long seconds = seconds();
    HttpResponse<String> begun =
        port().ask("PUT", PATH + "?seconds=" + seconds, PolicyInput.text(file.get()));
    if (begun.statusCode() == 422) {
      problems(JsonInput.object(begun.body()));
      return 1;
    }
    if (failed(begun)) {
      return 1;
    }
    String id = JsonInput.object(begun.body()).getString("id");
    return isDetached ? printed(begun) : waited(id, seconds);
  }

  private long seconds() {
    if (!lasts.matches("[1-9]\\d{0,4}[smh]")) {
      throw wrong("--for: '%s' (expected: 90s, 10m or 1h)".formatted(lasts));
    }
    long number = Long.parseLong(lasts.substring(0, lasts.length() - 1));
    return switch (lasts.charAt(lasts.length() - 1)) {
      case 's' -> number;
      case 'm' -> TimeUnit.MINUTES.toSeconds(number);
      default -> TimeUnit.HOURS.toSeconds(number);
    };
  }

  private void problems(JsonObject refusal) {
    err().println(refusal.getString("title"));
    refusal.getJsonArray("problems", new JsonArray()).stream()
        .map(JsonObject.class::cast)
        .forEach(problem -> err()
            .printf(
                "line %d, column %d: %s: %s: %s%n",
                problem.getInteger("line"),
                problem.getInteger("column", 1),
                problem.getString("path"),
                problem.getString("code"),
                problem.getString("message")));
  }

  // The last look before the end is the result: the nodes forget a candidate that is over.
  private int waited(String id, long seconds) throws IOException {
    JsonObject last = new JsonObject();
    for (long second = 0; second < seconds; second++) {
      CompletableFuture.runAsync(() -> {}, LATER).join();
      JsonObject now = looked();
      JsonObject candidate = now.getJsonObject("candidate");
      if (candidate != null && id.equals(candidate.getString("id"))) {
        last = now;
        progress(candidate, seconds - second - 1);
      } else if (!last.isEmpty()) {
        break; // it is over, or another one took its place
      }
    }
    err().println();
    return print(last);
  }

  private void progress(JsonObject candidate, long left) {
    rewrite();
    err().printf("%5d s left, %s compared", left, CountWords.of(total(candidate), "request"));
    err().flush();
  }

  private static long total(JsonObject account) {
    return account.getJsonArray("outcomes").stream()
        .map(JsonObject.class::cast)
        .mapToLong(row -> List.of("pass", "wouldDeny", "wouldPass", "deny", "unknown").stream()
            .mapToLong(row::getLong)
            .sum())
        .sum();
  }

  private JsonObject looked() throws IOException {
    HttpResponse<String> answer = port().ask("GET", PATH, "");
    return answer.statusCode() == 200 ? JsonInput.object(answer.body()) : new JsonObject();
  }

  private int shown() throws IOException {
    HttpResponse<String> answer = port().ask("GET", PATH, "");
    return failed(answer) ? 1 : print(JsonInput.object(answer.body()));
  }

  private int print(JsonObject comparison) {
    if (isJson()) {
      out().println(comparison.encode());
      return 0;
    }
    account(
        "Candidate", ", from empty buckets and quotas on", comparison.getJsonObject("candidate"));
    account("Limits with mode audit", "", comparison.getJsonObject("audit"));
    return 0;
  }

  private void account(String title, String began, JsonObject account) {
    if (account == null || account.getJsonArray("outcomes").isEmpty()) {
      out().printf("%s: nothing was compared.%n", title);
      return;
    }
    out().printf("%s: %s%s%n", title, CountWords.of(total(account), "request"), began);
    OUTCOMES.print(RowCommand.objects(account, "outcomes"), out());
    keys(account.getJsonObject("wouldDeny"));
  }

  private void keys(JsonObject denied) {
    KEYS.print(RowCommand.objects(denied, "keys"), out());
  }
}
