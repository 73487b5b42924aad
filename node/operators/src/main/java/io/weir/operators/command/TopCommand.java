package io.weir.operators.command;

import io.vertx.core.json.JsonObject;
import io.weir.node.command.AdminCommand;
import io.weir.node.command.AdminPort;
import io.weir.node.json.JsonInput;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code weir top}: who is limited, by which limit, and since when. */
@Command(
    name = "top",
    description =
        "Shows who is limited, by which limit and since when, on all nodes: each key, or tenant (with a slash), and "
            + "limit from its first denial until a minute after its last, with its denials in the last minute and hour.",
    mixinStandardHelpOptions = true)
final class TopCommand extends AdminCommand {
  private static final Executor LATER = CompletableFuture.delayedExecutor(2, TimeUnit.SECONDS);
  private static final int WHO = 30;
  private static final int LIMIT = 18;
  /** 79 columns. */
  private static final String ROW = "%-" + WHO + "s %-" + LIMIT + "s %6s %6s %7s %7s%n";

  private static final Map<String, String> TITLES = Map.of(
      "now", "Limited now",
      "nearly", "Nearly limited (a limit is at least 80 % full)",
      "wouldbe", "Would be limited (by audit mode or a candidate)",
      "closed", "Closed in the last hour");

  @Option(
      names = "--state",
      paramLabel = "STATE",
      defaultValue = "now",
      description =
          "now: those who are denied; nearly: those whose limit is at least 80 %% full; wouldbe: those whom audit mode or "
              + "a candidate would deny; closed: those who were denied in the last hour (default: now)")
  private String state = "now";

  @Option(names = "--tenant", defaultValue = "", description = "only those of a tenant")
  private String tenant = "";

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "10",
      description = "how many at most, up to 32 (default: 10)")
  private int limit;

  @Option(names = "--watch", description = "shows it again every two seconds, until interrupted")
  private boolean isWatching;

  TopCommand(Supplier<Optional<String>> localAdmin) {
    super(localAdmin);
  }

  @Override
  public Integer call() throws IOException {
    AdminPort port = port();
    int status = print(asked(port));
    while (isWatching && status == 0) {
      CompletableFuture.runAsync(() -> {}, LATER).join();
      HttpResponse<String> answer = asked(port);
      clear();
      status = print(answer);
    }
    return status;
  }

  private HttpResponse<String> asked(AdminPort port) throws IOException {
    String query =
        query(Map.of("state", state, "tenant", tenant, "limit", Integer.toString(limit)));
    return port.ask("GET", "/v1/cases" + query, "");
  }

  private int print(HttpResponse<String> answer) {
    if (isJson() || answer.statusCode() != 200) {
      return printed(answer);
    }
    JsonObject found = JsonInput.object(answer.body());
    out().printf("%s: %d%n", TITLES.get(found.getString("state")), found.getInteger("total"));
    if (!found.getJsonArray("cases").isEmpty()) {
      out().printf(ROW, "who", "limit", "since", "last", "minute", "hour");
      Instant at = Instant.parse(found.getString("at"));
      found.getJsonArray("cases").stream()
          .map(JsonObject.class::cast)
          .forEach(one -> print(one, at));
    }
    NodesHeard.tell(found, err());
    out().flush();
    return 0;
  }

  private void print(JsonObject one, Instant at) {
    out()
        .printf(
            ROW,
            cut(one.getString("tenant") + "/" + one.getString("key", ""), WHO),
            cut(one.getString("limit"), LIMIT),
            age(one.getString("since"), at),
            age(one.getString("last"), at),
            one.getLong("lastMinute"),
            one.getLong("lastHour"));
  }

  private static String cut(String text, int width) {
    return text.length() <= width ? text : text.substring(0, width - 1) + "…";
  }

  // The nodes know Redis's time a little differently.
  private static String age(String since, Instant at) {
    Duration age = Duration.between(Instant.parse(since), at);
    long seconds = Math.max(0, age.toSeconds());
    if (seconds < 60) {
      return seconds + " s";
    }
    return seconds < 3600 ? age.toMinutes() + " min" : age.toHours() + " h";
  }
}
