package io.weir.operators.command;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.command.Ago;
import io.weir.node.command.CommandRow;
import io.weir.node.command.CountWords;
import io.weir.node.command.RowCommand;
import io.weir.node.command.Wrapped;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** {@code weir status}: whether the cluster needs an operator. */
final class Status {
  private static final int NEEDS_YOU = 1;

  private Status() {}

  static CommandRow row() {
    return CommandRow.of(
            "status",
            "Says whether the cluster needs you: problems, since when, and their remedies. Fails if it does.",
            Status::show)
        .watched();
  }

  private static int show(RowCommand call) throws IOException {
    HttpResponse<String> answer = call.get("/v1/status");
    int failed = call.printed(answer, found -> print(found, call.out()));
    boolean needsYou = failed == 0 && answer.body().contains("\"needsYou\":true");
    return needsYou && !call.flag("--watch") ? NEEDS_YOU : failed;
  }

  private static void print(JsonObject found, PrintWriter out) {
    Instant at = Instant.parse(found.getString("at"));
    JsonArray findings = found.getJsonArray("findings");
    if (findings.isEmpty()) {
      String since = found.containsKey("quietSince")
          ? ", for " + Ago.since(found.getString("quietSince"), at)
          : "";
      print("Nothing needs you%s · %s".formatted(since, sound(found, at)), "", out);
      return;
    }
    String needs = findings.size() == 1 ? "thing needs" : "things need";
    print("%d %s you · %s".formatted(findings.size(), needs, sound(found, at)), "", out);
    findings.stream().map(JsonObject.class::cast).forEach(one -> {
      String since = Ago.since(one.getString("since"), at);
      print("%s, for %s.".formatted(one.getString("what"), since), "• ", out);
      print(one.getString("doThis"), "  ", out);
    });
  }

  private static String sound(JsonObject found, Instant at) {
    List<String> parts = new ArrayList<>();
    if (found.containsKey("requests")) { // a node of an older version has none
      parts.add(found.getJsonObject("requests").getString("words"));
    }
    JsonObject nodes = found.getJsonObject("nodes");
    int answered = nodes.getInteger("answered");
    int asked = nodes.getInteger("asked");
    parts.add(
        answered < asked
            ? "%d of %d nodes".formatted(answered, asked)
            : CountWords.of(answered, "node"));
    nodes.getJsonArray("unseen", new JsonArray()).stream()
        .map(JsonObject.class::cast)
        .map(one -> "%s not seen for %s"
            .formatted(one.getString("listens"), Ago.since(one.getString("seen"), at)))
        .forEach(parts::add);
    JsonObject redis = found.getJsonObject("redis");
    String state = redis.getString("state").replace('_', ' ');
    parts.add(
        redis.containsKey("p99Ms") && state.equals("answers")
            ? "Redis p99 %.0f ms".formatted(Math.ceil(redis.getDouble("p99Ms")))
            : "Redis " + (state.equals("answers") ? "reachable" : state));
    JsonObject policy = found.getJsonObject("policy");
    parts.add("policy %d".formatted(policy.getLong("revision"))
        + (policy.containsKey("since")
            ? by(policy.getString("by")) + ", " + Ago.words(policy.getString("since"), at)
            : ""));
    return String.join(" · ", parts);
  }

  // A node has put the first one in force, from its file.
  private static String by(String author) {
    return author.equals("node") ? "" : " by " + author;
  }

  private static void print(String text, String begin, PrintWriter out) {
    out.println(Wrapped.named(begin, begin.length(), text));
  }
}
