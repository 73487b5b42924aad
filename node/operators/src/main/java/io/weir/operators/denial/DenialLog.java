package io.weir.operators.denial;

import io.vertx.core.json.JsonObject;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the remembered denials to a file, a JSON object on each line, on a thread of its own. A file that is full
 * replaces the one before it. What cannot be written in time is left out, and a line says how many. Safe for use by many
 * threads.
 */
public final class DenialLog {
  /** A file of this length is full. */
  static final long MAX_BYTES = 64 << 20;

  private static final Logger LOG = LoggerFactory.getLogger(DenialLog.class);
  private static final int MOST_WAITING = 10_000;

  private final Path file;
  private final String node;
  private final LongFunction<Instant> time;
  private final long maxBytes;
  private final BlockingQueue<Denial> waiting = new ArrayBlockingQueue<>(MOST_WAITING);
  private final AtomicLong leftOut = new AtomicLong();

  private DenialLog(Path file, String node, LongFunction<Instant> time, long maxBytes) {
    this.file = file;
    this.node = node;
    this.time = time;
    this.maxBytes = maxBytes;
  }

  /**
   * Opens a log, which appends to the file.
   *
   * @param node the name of the node
   * @param time tells Redis's time at an instant of this process
   * @throws UncheckedIOException if the file cannot be written
   */
  public static DenialLog open(Path file, String node, LongFunction<Instant> time) {
    return open(file, node, time, MAX_BYTES);
  }

  static DenialLog open(Path file, String node, LongFunction<Instant> time, long maxBytes) {
    DenialLog log = new DenialLog(file, node, time, maxBytes);
    try {
      log.writer().close();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the log of denials " + file, e);
    }
    Thread thread = new Thread(log::write, "weir-denial-log");
    thread.setDaemon(true);
    thread.start();
    return log;
  }

  /** Adds a denial; never waits. */
  public void add(Denial denial) {
    if (!waiting.offer(denial)) {
      leftOut.incrementAndGet();
    }
  }

  private BufferedWriter writer() throws IOException {
    return Files.newBufferedWriter(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  private void write() {
    try {
      while (true) {
        writeFile();
        Path before = file.resolveSibling(file.getFileName() + ".1");
        Files.move(file, before, StandardCopyOption.REPLACE_EXISTING);
      }
    } catch (IOException e) {
      LOG.warn("the log of denials ends: {}", e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  // Until the file is full.
  private void writeFile() throws IOException, InterruptedException {
    long length = Files.exists(file) ? Files.size(file) : 0;
    try (BufferedWriter lines = writer()) {
      while (length < maxBytes) {
        Denial denial = waiting.take();
        long missing = leftOut.getAndSet(0);
        String text = denial.toJson(time.apply(denial.event().atNanos()), node).encode()
            + "\n"
            + (missing == 0 ? "" : new JsonObject().put("leftOut", missing).encode() + "\n");
        lines.write(text);
        length += text.length();
        if (waiting.isEmpty()) {
          lines.flush();
        }
      }
    }
  }
}
