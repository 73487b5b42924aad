package io.weir.keys.command;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.keys.command.KeyFiles.Format;
import io.weir.node.command.AdminCommand;
import io.weir.node.command.AdminPort;
import io.weir.node.json.JsonInput;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir keys import FILE}. */
@Command(
    name = "import",
    description =
        "Takes keys over: from CSV (columns id, tenant, plan, key or secretHash, state, expires, labels, note), JSON"
            + " lines, Kong (decK) or a policy. Keys in clear are hashed here. Keys that are there already as asked for"
            + " are left alone: an import may be repeated.",
    sortOptions = false,
    mixinStandardHelpOptions = true)
final class KeyImport extends AdminCommand {
  private static final int BATCH = 500;
  private static final int IN_FLIGHT = 4;
  private static final int SHOWN_FAILURES = 20;
  private static final int BAR = 40;

  @Parameters(paramLabel = "FILE", description = "the file")
  private Path file = Path.of("");

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "csv, jsonl, deck or policy (by the file's name and content)")
  private @Nullable Format format;

  @Option(names = "--tenant", paramLabel = "TENANT", description = "of keys that name none")
  private @Nullable String tenant;

  @Option(names = "--plan", paramLabel = "PLAN", description = "of keys that name none")
  private @Nullable String plan;

  @Option(names = "--replace", description = "changes keys that are there and differ")
  private boolean replaces;

  @Option(
      names = "--from-line",
      paramLabel = "N",
      defaultValue = "1",
      description = "leaves out the lines before, as a stopped import tells")
  private long fromLine;

  private final Deque<Sent> inFlight = new ArrayDeque<>();
  private List<KeyRow> batch = new ArrayList<>();
  private final long[] counts = new long[3];
  private long failures;
  private long read;
  private long shownAt;

  KeyImport(Supplier<Optional<String>> localAdmin) {
    super(localAdmin);
  }

  /** A request under way. */
  private record Sent(List<KeyRow> rows, CompletableFuture<HttpResponse<String>> answer) {}

  /** An import that cannot go on. */
  private static final class StoppedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    StoppedException(String message) {
      super(message, null, false, false);
    }
  }

  @Override
  public Integer call() throws IOException {
    AdminPort port = port();
    Format chosen = format == null ? KeyFiles.formatOf(file) : format;
    KeyFiles files = new KeyFiles(Optional.ofNullable(tenant), Optional.ofNullable(plan));
    long size = Math.max(1, Files.size(file));
    try (InputStream in = Files.newInputStream(file);
        Counted counted = new Counted(in);
        Reader reader =
            new BufferedReader(new InputStreamReader(counted, StandardCharsets.UTF_8))) {
      files.read(file, chosen, reader, row -> {
        if (row.line() >= fromLine) {
          take(port, row);
          show(counted.bytes, size);
        }
      });
      send(port);
      while (!inFlight.isEmpty()) {
        settle();
      }
    } catch (StoppedException e) {
      err().println();
      err().println(e.getMessage());
      return 1;
    }
    show(size, size);
    err().println();
    out()
        .printf(
            "created %d, the same already %d, replaced %d, refused %d%n",
            counts[0], counts[1], counts[2], failures);
    return failures == 0 ? 0 : 1;
  }

  private void take(AdminPort port, KeyRow row) {
    batch.add(row);
    read++;
    if (batch.size() == BATCH) {
      send(port);
    }
  }

  private void send(AdminPort port) {
    if (batch.isEmpty()) {
      return;
    }
    JsonArray keys = new JsonArray(batch.stream().map(KeyRow::json).toList());
    String body = new JsonObject().put("keys", keys).put("replace", replaces).encode();
    inFlight.add(new Sent(batch, port.send("POST", "/v1/key-imports", body)));
    batch = new ArrayList<>();
    while (inFlight.size() >= IN_FLIGHT) {
      settle();
    }
  }

  private void settle() {
    Sent sent = inFlight.remove();
    long line = sent.rows().get(0).line();
    try {
      HttpResponse<String> answer = sent.answer().join();
      if (answer.statusCode() != 200) {
        throw new StoppedException("stopped at line %d: %s; to go on: --from-line %d"
            .formatted(line, answer.body(), line));
      }
      JsonObject json = JsonInput.object(answer.body());
      counts[0] += json.getLong("created");
      counts[1] += json.getLong("same");
      counts[2] += json.getLong("replaced");
      json.getJsonArray("failed").forEach(one -> tell(sent, (JsonObject) one));
    } catch (CompletionException e) {
      throw new StoppedException(
          "stopped at line %d: %s; to go on: --from-line %d".formatted(line, e.getCause(), line));
    }
  }

  private void tell(Sent sent, JsonObject failure) {
    failures++;
    if (failures <= SHOWN_FAILURES) {
      KeyRow row = sent.rows().get(failure.getInteger("index"));
      err()
          .printf(
              "line %d, %s: %s %s%n",
              row.line(),
              row.json().getValue("id"),
              failure.getString("code"),
              failure.getJsonArray("errors", new JsonArray()).encode());
    }
  }

  private void show(long bytes, long size) {
    long percent = Math.min(100, bytes * 100 / size);
    if (percent == shownAt && bytes < size) {
      return;
    }
    shownAt = percent;
    int full = (int) (percent * BAR / 100);
    err()
        .printf(
            "\r[%s%s] %3d %%  %d keys", "#".repeat(full), ".".repeat(BAR - full), percent, read);
    err().flush();
  }

  /** Counts what is read. Mutable; owned by one import. */
  private static final class Counted extends java.io.FilterInputStream {
    private long bytes;

    Counted(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      int one = super.read();
      bytes += one < 0 ? 0 : 1;
      return one;
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
      int count = super.read(to, offset, length);
      bytes += Math.max(0, count);
      return count;
    }
  }
}
