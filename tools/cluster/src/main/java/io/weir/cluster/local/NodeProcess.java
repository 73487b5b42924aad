package io.weir.cluster.local;

import io.weir.embedded.ChildCommand;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node in its own process. Mutable; owned by the code that started it, and ended by {@link #close}, or with this
 * process.
 */
public final class NodeProcess implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NodeProcess.class);
  private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(2);
  private static final long PROBE_EVERY_MILLIS = 50;
  // A node waits a minute for Redis and then ends with the reason, which is in its log by then.
  private static final Duration READY_WITHIN = Duration.ofMinutes(2);
  private static final Duration REPORT_EVERY = Duration.ofSeconds(5);
  private static final long STOP_TIMEOUT_SECONDS = 20;
  private static final int LINES_SHOWN = 15;
  // Nodes, Redis and callers share a few cores here: a node that waits for a core has not lost
  // Redis.
  private static final String REDIS_TIMEOUT_MILLIS = "1000";

  private final Process process;
  private final String url;
  private final String adminUrl;
  private final Path log;
  private final Optional<Path> archive;

  /** Whether a node that ends leaves an archive of its classes. */
  public enum Archiving {
    ON,
    OFF
  }

  private NodeProcess(
      Process process, String url, String adminUrl, Path log, Optional<Path> archive) {
    this.archive = archive;
    this.process = process;
    this.url = url;
    this.adminUrl = adminUrl;
    this.log = log;
  }

  /**
   * Starts {@code weir node} with the same Java and the same classes.
   *
   * @param environment settings, such as {@code WEIR_ADMIN_TOKEN}; without {@code WEIR_HOST} it listens on the loopback
   *     address
   * @param log the file for its output
   * @param archiving whether to archive its classes for later starts, if there is no archive yet
   */
  public static NodeProcess start(
      int port, int adminPort, Map<String, String> environment, Path log, Archiving archiving)
      throws IOException {
    return start(
        System.getProperty("java.class.path"), port, adminPort, environment, log, archiving);
  }

  /** The same with other classes, such as those of another release. */
  public static NodeProcess start(
      String classPath,
      int port,
      int adminPort,
      Map<String, String> environment,
      Path log,
      Archiving archiving)
      throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    List<String> command = new ArrayList<>(List.of(java));
    Optional<Path> archive =
        Optional.ofNullable(System.getProperty("weir.archive")).map(Path::of);
    command.addAll(quickStart(archive, archiving));
    if (Runtime.version().feature() >= 24) {
      command.add("--enable-native-access=ALL-UNNAMED");
      command.add("--sun-misc-unsafe-memory-access=allow");
    }
    command.addAll(List.of("-cp", classPath, "io.weir.node.Main", "node"));
    command.addAll(List.of("--port", Integer.toString(port)));
    command.addAll(List.of("--admin-port", Integer.toString(adminPort)));
    command.addAll(List.of("--shutdown-delay-ms", "0")); // no load balancer
    ProcessBuilder builder = new ProcessBuilder(ChildCommand.endingWithParent(command))
        .redirectErrorStream(true)
        .redirectOutput(log.toFile());
    builder.environment().put("WEIR_HOST", "127.0.0.1");
    builder.environment().put("WEIR_REDIS_TIMEOUT_MS", REDIS_TIMEOUT_MILLIS);
    builder.environment().putAll(environment);
    return new NodeProcess(
        builder.start(), "http://127.0.0.1:" + port, "http://127.0.0.1:" + adminPort, log, archive);
  }

  /** The base URL for operators. */
  public String adminUrl() {
    return adminUrl;
  }

  /** The base URL for callers. */
  public String url() {
    return url;
  }

  /** The process's id. */
  public long pid() {
    return process.pid();
  }

  /**
   * Waits until the node is ready, and logs every five seconds what the node itself logged last.
   *
   * @throws IOException with the end of its log, if it stops before or is not ready after two minutes
   */
  public void awaitReady() throws IOException, InterruptedException {
    HttpClient client = HttpClient.newBuilder().connectTimeout(PROBE_TIMEOUT).build();
    long begun = System.nanoTime();
    long reported = begun;
    while (process.isAlive() && System.nanoTime() - begun < READY_WITHIN.toNanos()) {
      if (isReady(client)) {
        return;
      }
      if (System.nanoTime() - reported >= REPORT_EVERY.toNanos()) {
        reported = System.nanoTime();
        String last = endOfLog(1);
        LOG.info(
            "waiting for the node {}: {}", url, last.isEmpty() ? "no line in its log yet" : last);
      }
      process.waitFor(PROBE_EVERY_MILLIS, TimeUnit.MILLISECONDS);
    }
    throw new IOException("the node %s did not start:%n%s".formatted(url, endOfLog(LINES_SHOWN)));
  }

  /** Kills the process. */
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Stops the process, so that {@link #close} has less to wait for. */
  public void stop() {
    process.destroy();
  }

  @Override
  public void close() {
    stop();
    try {
      if (process.waitFor(STOP_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        keepArchive();
      } else {
        kill();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  // Several nodes share a small machine for a short time: they must start and warm up fast. The
  // first one that ends leaves an archive of its classes (JEP 350) for later starts.
  private static List<String> quickStart(Optional<Path> archive, Archiving archiving) {
    List<String> options = new ArrayList<>(
        List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xlog:disable"));
    if (archive.filter(Files::exists).isPresent()) {
      options.add("-XX:SharedArchiveFile=" + archive.get());
    } else if (archive.isPresent() && archiving == Archiving.ON) {
      options.add("-XX:ArchiveClassesAtExit=" + unfinished(archive.get()));
    }
    return options;
  }

  private static Path unfinished(Path archive) {
    return archive.resolveSibling(archive.getFileName() + ".new");
  }

  // Only complete archives get the expected name.
  private void keepArchive() {
    try {
      if (archive.isPresent() && Files.exists(unfinished(archive.get()))) {
        Files.move(unfinished(archive.get()), archive.get(), StandardCopyOption.REPLACE_EXISTING);
      }
    } catch (IOException e) {
      LOG.warn("the next start will be slower: {}", e.getMessage());
    }
  }

  private boolean isReady(HttpClient client) throws InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create(adminUrl + "/health/ready"))
        .timeout(PROBE_TIMEOUT)
        .build();
    try {
      return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
    } catch (IOException e) {
      return false; // the node does not listen yet
    }
  }

  private String endOfLog(int most) throws IOException {
    List<String> lines = Files.readAllLines(log);
    return String.join("\n", lines.subList(Math.max(0, lines.size() - most), lines.size()));
  }
}
