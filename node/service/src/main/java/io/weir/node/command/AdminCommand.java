package io.weir.node.command;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.contexts.KnownNodes;
import io.weir.node.json.JsonInput;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A command that asks the admin port of a node. Mutable; picocli sets its fields. */
public abstract class AdminCommand extends PrintingCommand {
  private static final int LEAST_ERROR = 400;

  private final KnownNodes nodes;

  @Mixin
  private AdminOption admin = new AdminOption();

  @Option(names = "--json", description = "prints JSON")
  private boolean isJson;

  private @Nullable AdminPort port;

  protected AdminCommand(KnownNodes nodes) {
    this.nodes = nodes;
  }

  /** The admin port; the same at each call. */
  public AdminPort port() throws IOException {
    if (port == null) {
      port = admin.port(nodes);
    }
    return port;
  }

  /** Begins an empty screen, or a new line where there is no terminal. */
  public void clear() {
    if (out() instanceof ShownPrinter printer) {
      printer.clear();
    }
  }

  /** Begins the line of errors again, or a new one where there is no terminal. */
  void rewrite() {
    if (err() instanceof ShownPrinter printer) {
      printer.rewrite();
    }
  }

  /** This machine's time, for ages that people read. */
  public Instant now() {
    return Clock.systemUTC().instant();
  }

  public boolean isJson() {
    return isJson;
  }

  /** Tells the problem of an answer, if it is one. */
  public boolean failed(HttpResponse<String> answer) {
    if (answer.statusCode() < LEAST_ERROR) {
      return false;
    }
    problem(JsonInput.object(answer.body()));
    return true;
  }

  /** Prints a problem. */
  void problem(JsonObject problem) {
    err().printf("%s (%s)%n", problem.getString("title", ""), problem.getString("code", ""));
    problem.getJsonArray("errors", new JsonArray()).forEach(error -> err().println("  " + error));
  }

  /** Prints an answer: as JSON, or one of its members in a line each. */
  public int printed(HttpResponse<String> answer) {
    if (failed(answer)) {
      return 1;
    }
    if (isJson) {
      out().println(answer.body());
      return 0;
    }
    if (!answer.body().isEmpty()) {
      Members.print(JsonInput.object(answer.body()), out(), now());
    }
    return 0;
  }

  /** Prints the text at a path as it is. */
  public int printText(String path) throws IOException {
    return printText(path, headers -> {});
  }

  /**
   * The same.
   *
   * @param seen sees the headers of the answer
   */
  public int printText(String path, Consumer<HttpHeaders> seen) throws IOException {
    HttpResponse<String> answer = port().ask("GET", path, "");
    if (failed(answer)) {
      return 1;
    }
    seen.accept(answer.headers());
    out().print(answer.body());
    out().flush();
    return 0;
  }

  /** A moment as the node reads it, which has Redis's clock: an instant, or so long from now. */
  public static String moment(String text) {
    return text.matches("\\d+[smhd]") ? "+" + text : text;
  }

  /** A name as a segment of a path. */
  public static String segment(String name) {
    return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
  }

  public static String query(Map<String, String> parameters) {
    String joined = parameters.entrySet().stream()
        .filter(one -> !one.getValue().isEmpty())
        .map(one -> one.getKey() + "=" + URLEncoder.encode(one.getValue(), StandardCharsets.UTF_8))
        .collect(Collectors.joining("&"));
    return joined.isEmpty() ? "" : "?" + joined;
  }
}
