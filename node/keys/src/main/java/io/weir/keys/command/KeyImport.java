package io.weir.keys.command;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.keys.command.KeyFiles.Format;
import io.weir.node.command.AdminCommand;
import io.weir.node.command.AdminPort;
import io.weir.node.command.CountWords;
import io.weir.node.contexts.KnownNodes;
import io.weir.node.json.JsonInput;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir keys import FILE}. */
@Command(
    name = "import",
    description =
        "Takes keys over: from CSV (columns id, tenant, plan, key or secretHash, state, expires, labels, note), JSON"
            + " lines, Kong (decK) or a policy. Keys in clear are hashed here. Existing keys that equal their row are"
            + " left alone: an import may be repeated. Each row is in force, or named with its line and a reason;"
            + " then the command fails.",
    sortOptions = false)
final class KeyImport extends AdminCommand {
  private static final int BATCH = 500;
  private static final int BATCH_CHARACTERS = 512 << 10;
  private static final int IN_FLIGHT = 4;
  private static final int MOST_SHOWN = 300;
  private static final int STEP = 10;

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
      description = "leaves out the rows of the lines before, as printed by a stopped import")
  private long fromLine;

  private final Deque<Sent> inFlight = new ArrayDeque<>();
  private final Map<String, Long> linesOfIds = new HashMap<>();
  private final long[] counts = new long[3];
  private List<KeyRow> batch = new ArrayList<>();
  private int characters;
  private long read;
  private long lastLine;
  private long refused;
  private long unconfirmed;
  private OptionalLong stoppedAt = OptionalLong.empty();
  private long shownAt;

  KeyImport(KnownNodes nodes) {
    super(nodes);
  }

  /** A request under way. */
  private record Sent(List<KeyRow> rows, CompletableFuture<HttpResponse<String>> answer) {
    long line() {
      return rows.get(0).line();
    }
  }

  /** Ends the reading of a file. */
  private static final class StoppedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    StoppedException() {
      super("stopped", null, false, false);
    }
  }

  @Override
  public Integer call() throws IOException {
    AdminPort port = port();
    Format chosen = format == null ? KeyFiles.formatOf(file) : format;
    KeyFiles files = new KeyFiles(Optional.ofNullable(tenant), Optional.ofNullable(plan));
    long size = Math.max(1, Files.size(file));
    try (InputStream in = Files.newInputStream(file);
        Counted counted = new Counted(in)) {
      files.read(file, chosen, counted, row -> {
        if (row.line() >= fromLine) {
          take(port, row);
          show(counted.bytes, size);
        }
      });
      send(port);
    } catch (StoppedException e) {
      // All rows that were read are in a request.
    } catch (IOException e) {
      if (read == 0) {
        throw e;
      }
      unread(e);
    }
    while (!inFlight.isEmpty()) {
      settle();
    }
    reportCounts();
    return refused == 0 && stoppedAt.isEmpty() ? 0 : 1;
  }

  private void reportCounts() {
    if (stoppedAt.isEmpty()) {
      show(1, 1);
    }
    out()
        .printf(
            "created %d, the same already %d, replaced %d, refused %d%s%n",
            counts[0],
            counts[1],
            counts[2],
            refused,
            unconfirmed == 0 ? "" : ", not confirmed %d".formatted(unconfirmed));
    out().flush();
    if (stoppedAt.isPresent()) {
      err()
          .printf(
              "stopped: no row from line %1$d on counts as taken over; to go on: --from-line %1$d%n",
              stoppedAt.getAsLong());
    }
  }

  private void take(AdminPort port, KeyRow row) {
    read++;
    lastLine = row.last();
    int length = row.json().encode().length();
    List<String> problems = new ArrayList<>(row.problems());
    if (length > RowReader.MOST_BYTES) {
      problems.add("%d characters (expected: at most %d)".formatted(length, RowReader.MOST_BYTES));
    }
    if (problems.isEmpty() && row.json().getValue("id") instanceof String id) {
      Long before = linesOfIds.putIfAbsent(id, row.line());
      if (before != null) {
        problems.add("id: the same as in line " + before);
      }
    }
    if (!problems.isEmpty()) {
      refuse(row, String.join("; ", problems));
      return;
    }
    batch.add(row);
    characters += length;
    if (batch.size() == BATCH || characters >= BATCH_CHARACTERS) {
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
    characters = 0;
    while (inFlight.size() >= IN_FLIGHT) {
      settle();
    }
    if (stoppedAt.isPresent()) {
      throw new StoppedException();
    }
  }

  private void unread(IOException error) {
    report("the rest of the file cannot be read: " + error);
    unconfirmed += batch.size();
    stoppedAt = OptionalLong.of(batch.isEmpty() ? lastLine + 1 : batch.get(0).line());
  }

  private void settle() {
    Sent sent = inFlight.remove();
    try {
      HttpResponse<String> answer = sent.answer().join();
      JsonObject json = JsonInput.object(answer.body());
      if (answer.statusCode() == 200) {
        count(sent, json);
      } else {
        stop(sent, reason(json));
      }
    } catch (CompletionException e) {
      stop(sent, String.valueOf(e.getCause()));
    } catch (DecodeException e) {
      stop(sent, "no answer of a node");
    }
  }

  private void count(Sent sent, JsonObject answer) {
    counts[0] += answer.getLong("created");
    counts[1] += answer.getLong("same");
    counts[2] += answer.getLong("replaced");
    answer.getJsonArray("failed").stream()
        .map(JsonObject.class::cast)
        .forEach(one -> refuse(sent.rows().get(one.getInteger("index")), reason(one)));
  }

  // Rows of requests that were sent later may be in force; to send them again changes nothing.
  private void stop(Sent sent, String reason) {
    unconfirmed += sent.rows().size();
    KeyRow last = sent.rows().get(sent.rows().size() - 1);
    report("lines %d to %d: not confirmed: %s".formatted(sent.line(), last.last(), reason));
    stoppedAt = OptionalLong.of(Math.min(sent.line(), stoppedAt.orElse(Long.MAX_VALUE)));
  }

  private static String reason(JsonObject problem) {
    String code = problem.getString("code", "failed");
    String errors = problem.getJsonArray("errors", new JsonArray()).stream()
        .map(String::valueOf)
        .collect(Collectors.joining("; "));
    return errors.isEmpty() ? code : code + ": " + errors;
  }

  private void refuse(KeyRow row, String reason) {
    refused++;
    report(row.place() + ": " + reason);
  }

  private void report(String line) {
    err().println(line.length() <= MOST_SHOWN ? line : line.substring(0, MOST_SHOWN) + "…");
  }

  private void show(long bytes, long size) {
    long percent = Math.min(100, bytes * 100 / size) / STEP * STEP;
    if (percent > shownAt) {
      shownAt = percent;
      err().printf("%3d %%  %s%n", percent, CountWords.of(read, "key"));
      err().flush();
    }
  }

  /** Counts what is read. Mutable; owned by one import. */
  private static final class Counted extends FilterInputStream {
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
