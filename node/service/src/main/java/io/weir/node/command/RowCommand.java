package io.weir.node.command;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.contexts.KnownNodes;
import io.weir.node.json.JsonInput;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.http.HttpResponse;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

/** The command of a row. Mutable; picocli sets its arguments. */
@Command(sortOptions = false)
public final class RowCommand extends AdminCommand {
  private static final Executor LATER = CompletableFuture.delayedExecutor(2, TimeUnit.SECONDS);

  private final CommandRow row;
  private @Nullable PrintWriter screen;

  private RowCommand(CommandRow row, KnownNodes nodes) {
    super(nodes);
    this.row = row;
  }

  /**
   * The command of a row, for picocli.
   *
   * @param nodes the admin port that they ask
   */
  public static CommandLine of(CommandRow row, KnownNodes nodes) {
    CommandLine line = new CommandLine(new RowCommand(row, nodes));
    row.describe(line.getCommandSpec());
    return line;
  }

  /** A command that only has others. */
  public static CommandLine group(String name, String description, List<CommandLine> commands) {
    CommandSpec spec = CommandSpec.create().name(name).mixinStandardHelpOptions(true);
    spec.usageMessage().description(description).synopsisSubcommandLabel("COMMAND");
    CommandLine line = new CommandLine(spec);
    commands.forEach(one -> line.addSubcommand(one));
    return line;
  }

  @Override
  public Integer call() throws IOException {
    if (!row.isWatched() || !flag("--watch")) {
      return row.work().run(this);
    }
    int status = shown(false);
    while (status == 0) {
      CompletableFuture.runAsync(() -> {}, LATER).join();
      status = shown(true);
    }
    return status;
  }

  // The screen is cleared when the next one is ready.
  private int shown(boolean isAgain) throws IOException {
    StringWriter text = new StringWriter();
    screen = new PrintWriter(text);
    int status = row.work().run(this);
    screen.flush();
    screen = null;
    if (isAgain) {
      clear();
    }
    out().print(text);
    out().flush();
    return status;
  }

  @Override
  public PrintWriter out() {
    return screen == null ? super.out() : screen;
  }

  /** The value of an option or an argument; empty if it is not given. */
  public String text(String name) {
    return String.valueOf(value(name).orElse(""));
  }

  /**
   * The name of the key that an argument gives: by itself, or as {@code TENANT/KEY}, as lists show it. The name of a
   * subject may have a slash, too: it stays if the node knows no such key of the tenant.
   */
  public String key(String argument) throws IOException {
    String given = text(argument);
    int slash = given.indexOf('/');
    if (slash < 1 || slash == given.length() - 1) {
      return given;
    }
    String name = given.substring(slash + 1);
    HttpResponse<String> found = get("/v1/explain" + query(Map.of("key", name)));
    boolean isOfTenant = found.statusCode() == 200
        && given.substring(0, slash).equals(JsonInput.object(found.body()).getString("tenant"));
    return isOfTenant ? name : given;
  }

  public boolean flag(String option) {
    return value(option).map(Boolean.TRUE::equals).orElse(false);
  }

  public int number(String option) {
    return value(option).map(Integer.class::cast).orElse(0);
  }

  /** The values of an option that may be repeated. */
  public List<String> texts(String option) {
    return value(option)
        .map(all -> ((List<?>) all).stream().map(String::valueOf).toList())
        .orElse(List.of());
  }

  /** The pairs of an option that may be repeated. */
  public Map<String, String> pairs(String option) {
    Map<String, String> pairs = new LinkedHashMap<>();
    value(option)
        .ifPresent(
            all -> ((Map<?, ?>) all).forEach((name, text) -> pairs.put("" + name, "" + text)));
    return pairs;
  }

  private Optional<Object> value(String name) {
    CommandSpec spec = spec();
    ArgSpec arg = name.startsWith("--")
        ? spec.findOption(name)
        : spec.positionalParameters().stream()
            .filter(one -> one.paramLabel().equals(name))
            .findFirst()
            .orElse(null);
    if (arg == null) {
      throw new IllegalStateException("no argument " + name);
    }
    return Optional.ofNullable(arg.getValue()).filter(given -> !given.equals(false));
  }

  /**
   * The query of an address, of those arguments that are given.
   *
   * @param parameters each with its argument, such as {@code limit=--limit}; {@code key} is a {@link #key}
   */
  public String queryOf(String... parameters) throws IOException {
    Map<String, String> values = new LinkedHashMap<>();
    for (String one : parameters) {
      String[] parts = one.split("=", 2);
      values.put(parts[0], parts[0].equals("key") ? key(parts[1]) : text(parts[1]));
    }
    return query(values);
  }

  public HttpResponse<String> get(String path) throws IOException {
    return port().ask("GET", path, "");
  }

  public HttpResponse<String> send(String method, String path, JsonObject body) throws IOException {
    return port().ask(method, path, body.encode());
  }

  public HttpResponse<String> delete(String path) throws IOException {
    return port().ask("DELETE", path, "");
  }

  /**
   * Prints the objects of a list in an answer as a table, or {@code none} if there are none; as JSON if that is asked
   * for.
   */
  public int listed(
      HttpResponse<String> answer, String list, String none, Table<JsonObject> table) {
    return printed(answer, found -> {
      List<JsonObject> rows = objects(found, list);
      if (rows.isEmpty()) {
        out().println(none);
      }
      table.print(rows, out());
    });
  }

  /** The objects of a list. */
  public static List<JsonObject> objects(JsonObject json, String list) {
    return json.getJsonArray(list, new JsonArray()).stream()
        .map(JsonObject.class::cast)
        .toList();
  }

  /** Prints an answer: as JSON if that is asked for, or as {@code words} does. */
  public int printed(HttpResponse<String> answer, Consumer<JsonObject> words) {
    if (isJson() || answer.statusCode() != 200) {
      return printed(answer);
    }
    words.accept(JsonInput.object(answer.body()));
    out().flush();
    return 0;
  }
}
