package io.weir.node.local;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A node in a process of its own. Mutable; owned by whoever started it, and ended by {@link #close}. */
public final class NodeProcess implements AutoCloseable {
  private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(2);
  private static final long PROBE_EVERY_MILLIS = 50;
  private static final long STOP_TIMEOUT_SECONDS = 20;

  private final Process process;
  private final String url;
  private final Path log;

  private NodeProcess(Process process, String url, Path log) {
    this.process = process;
    this.url = url;
    this.log = log;
  }

  /**
   * Starts {@code weir node} on the loopback address, by the same Java and with the same classes.
   *
   * @param environment settings, such as {@code WEIR_ADMIN_TOKEN}
   * @param log where its output goes
   */
  public static NodeProcess start(int port, Map<String, String> environment, Path log)
      throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    List<String> command = new ArrayList<>(List.of(java));
    command.addAll(quickStart());
    if (Runtime.version().feature() >= 24) {
      command.add("--enable-native-access=ALL-UNNAMED");
      command.add("--sun-misc-unsafe-memory-access=allow");
    }
    command.addAll(
        List.of("-cp", System.getProperty("java.class.path"), "io.weir.node.Main", "node"));
    command.addAll(List.of("--host", "127.0.0.1", "--port", Integer.toString(port)));
    ProcessBuilder builder = new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(log.toFile())
        .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
    builder.environment().putAll(environment);
    return new NodeProcess(builder.start(), "http://127.0.0.1:" + port, log);
  }

  /** The base URL. */
  public String url() {
    return url;
  }

  /** The process's id. */
  public long pid() {
    return process.pid();
  }

  /**
   * Waits until the node is ready.
   *
   * @throws IOException with the end of its log, where it stops before or is not ready in time
   */
  public void awaitReady(Duration timeout) throws IOException, InterruptedException {
    HttpClient client = HttpClient.newBuilder().connectTimeout(PROBE_TIMEOUT).build();
    long tries = timeout.toMillis() / PROBE_EVERY_MILLIS;
    for (long i = 0; i < tries && process.isAlive(); i++) {
      if (isReady(client)) {
        return;
      }
      process.waitFor(PROBE_EVERY_MILLIS, TimeUnit.MILLISECONDS);
    }
    throw new IOException("the node %s did not start:%n%s".formatted(url, endOfLog()));
  }

  /** Ends the process at once, without any goodbye. */
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Asks the process to end, so that {@link #close} has less to wait for. */
  public void stop() {
    process.destroy();
  }

  @Override
  public void close() {
    stop();
    try {
      if (!process.waitFor(STOP_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        kill();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  // Several nodes share a small machine, for a short time: what counts is to be there, and warm,
  // soon. The first nodes that end leave an archive of their classes (JEP 350) to the starts
  // after them.
  private static List<String> quickStart() {
    List<String> options = new ArrayList<>(
        List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xlog:disable"));
    String archive = System.getProperty("weir.archive");
    if (archive != null) {
      boolean isThere = Files.exists(Path.of(archive));
      options.add((isThere ? "-XX:SharedArchiveFile=" : "-XX:ArchiveClassesAtExit=") + archive);
    }
    return options;
  }

  private boolean isReady(HttpClient client) throws InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create(url + "/health/ready"))
        .timeout(PROBE_TIMEOUT)
        .build();
    try {
      return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
    } catch (IOException e) {
      return false; // nobody listens yet
    }
  }

  private String endOfLog() throws IOException {
    List<String> lines = Files.readAllLines(log);
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 15), lines.size()));
  }
}
