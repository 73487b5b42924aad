package io.weir.benchmarks.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** A server in its own process, with the same Java and the same classes. Ended by {@link #close}. */
final class ServerProcess implements AutoCloseable {
  private static final int PROBES = 2400;
  private static final long PROBE_EVERY_MILLIS = 50;

  private final Process process;
  private final int port;

  private ServerProcess(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  /** The class path of this process. */
  static String classPath() {
    return System.getProperty("java.class.path");
  }

  /** The same without a module. */
  static String classPathWithout(String module) {
    return Arrays.stream(classPath().split(File.pathSeparator, -1))
        .filter(entry ->
            !entry.contains("/weir-" + module + "-") && !entry.contains("/" + module + "/target/"))
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** Starts it and waits until it listens. */
  static ServerProcess start(
      int port, Path log, Map<String, String> environment, String main, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> program = new ArrayList<>(List.of(main));
    program.addAll(arguments);
    return startOf(classPath(), port, log, environment, program);
  }

  /**
   * The same of another class path.
   *
   * @param program the main class, and its arguments
   */
  static ServerProcess startOf(
      String classPath, int port, Path log, Map<String, String> environment, List<String> program)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("-cp", classPath));
    command.addAll(program);
    return start(port, log, environment, command);
  }

  /** The same from an executable jar. */
  static ServerProcess startJar(int port, Path log, Map<String, String> environment, Path jar)
      throws IOException, InterruptedException {
    return start(port, log, environment, List.of("-jar", jar.toString()));
  }

  private static ServerProcess start(
      int port, Path log, Map<String, String> environment, List<String> program)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx1g");
    if (Runtime.version().feature() >= 24) {
      command.add("--enable-native-access=ALL-UNNAMED");
      command.add("--sun-misc-unsafe-memory-access=allow");
    }
    command.addAll(program);
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.environment().putAll(environment);
    ServerProcess server = new ServerProcess(builder.start(), port);
    server.awaitListening(log);
    return server;
  }

  /** A port that is free now. */
  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  int port() {
    return port;
  }

  /** The CPU time of all its threads. */
  Duration cpu() {
    return process
        .info()
        .totalCpuDuration()
        .orElseThrow(() -> new IllegalStateException("a server of the benchmark has ended"));
  }

  /** The memory of the process according to {@code ps}; 0 if {@code ps} is missing. */
  long residentBytes() throws IOException {
    Process ps;
    try {
      ps = new ProcessBuilder("ps", "-o", "rss=", "-p", Long.toString(process.pid())).start();
    } catch (IOException e) {
      return 0;
    }
    String kilobytes = new String(ps.getInputStream().readAllBytes(), US_ASCII).strip();
    return kilobytes.isEmpty() ? 0 : Long.parseLong(kilobytes) << 10;
  }

  private void awaitListening(Path log) throws IOException, InterruptedException {
    for (int i = 0; i < PROBES && process.isAlive(); i++) {
      try {
        new Socket(InetAddress.getLoopbackAddress(), port).close();
        return;
      } catch (IOException e) {
        process.waitFor(PROBE_EVERY_MILLIS, TimeUnit.MILLISECONDS);
      }
    }
    close();
    throw new IOException(
        "a server of the benchmark did not start:%n%s".formatted(Files.readString(log)));
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(20, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
