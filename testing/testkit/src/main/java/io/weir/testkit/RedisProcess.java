package io.weir.testkit;

import io.weir.embedded.ChildCommand;
import io.weir.embedded.EmbeddedRedis;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A Redis that a test can kill, pause and restart, as a child process on the loopback address. Mutable; owned by the
 * test that started it, and ended by {@link #close}, or with this process.
 */
public final class RedisProcess implements AutoCloseable {
  /** The address that it listens on. */
  public static final String HOST = "127.0.0.1";

  private static final Duration STARTS_WITHIN = Duration.ofMinutes(1);
  private static final int START_ATTEMPTS = 10;
  private static final int SOCKET_MILLIS = 2000;

  private final Path directory;
  private final int port;
  private final List<String> command;
  private final Map<String, String> environment;
  private final boolean hasOptions;
  private Process process;

  private RedisProcess(
      Path directory,
      int port,
      List<String> command,
      Map<String, String> environment,
      boolean hasOptions) {
    this.hasOptions = hasOptions;
    this.directory = directory;
    this.port = port;
    this.command = command;
    this.environment = environment;
    this.process = started();
  }

  /**
   * Starts a Redis without options, or takes one that an earlier test of this JVM has closed: empty, without clients
   * and users, with the settings of a new one.
   */
  public static RedisProcess start() {
    RedisDatabase.lend();
    return IdleServers.take().orElseGet(RedisProcess::startFresh);
  }

  private static RedisProcess startFresh() {
    RedisProcess fresh = start(
        FreePorts.one(), Map.of(), false, "--databases", Integer.toString(RedisDatabase.MOST));
    IdleServers.see(fresh);
    return fresh;
  }

  /** Starts a Redis with these options; it keeps nothing on disk unless they say so. */
  public static RedisProcess start(String... options) {
    return start(FreePorts.one(), Map.of(), options);
  }

  /** Starts a Redis on a given port, with additional environment variables. */
  public static RedisProcess start(int port, Map<String, String> environment, String... options) {
    return start(port, environment, options.length > 0 || !environment.isEmpty(), options);
  }

  /** Starts Valkey 9 with these options, or skips the test where it is missing. */
  public static RedisProcess valkey9(String... options) {
    Path executable = Valkey9.executable();
    return start(directory -> executable, FreePorts.one(), Map.of(), true, options);
  }

  private static RedisProcess start(
      int port, Map<String, String> environment, boolean hasOptions, String... options) {
    Executable installed =
        directory -> EmbeddedRedis.executable(EmbeddedRedis.Binary.ANY, directory);
    return start(installed, port, environment, hasOptions, options);
  }

  /** The program to run; a bundled one is unpacked into the directory. */
  @FunctionalInterface
  private interface Executable {
    Path in(Path directory) throws IOException;
  }

  private static RedisProcess start(
      Executable executable,
      int port,
      Map<String, String> environment,
      boolean hasOptions,
      String... options) {
    try {
      Path directory = Files.createTempDirectory("weir-redis");
      List<String> command = new ArrayList<>(List.of(
          executable.in(directory).toString(),
          "--port",
          Integer.toString(port),
          "--bind",
          HOST,
          "--dir",
          directory.toString(),
          "--save",
          ""));
      command.addAll(List.of(options));
      return new RedisProcess(directory, port, command, environment, hasOptions);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts a Redis with a TLS port, where it presents this certificate and requires it from clients. */
  public static RedisProcess withTls(int tlsPort, TestCertificate certificate) {
    return start(
        "--tls-port",
        Integer.toString(tlsPort),
        "--tls-cert-file",
        certificate.certificate().toString(),
        "--tls-key-file",
        certificate.key().toString(),
        "--tls-ca-cert-file",
        certificate.certificate().toString());
  }

  /** Starts a Sentinel with this configuration file, whose port is {@code port}. */
  static RedisProcess sentinel(int port, String configuration) {
    try {
      Path directory = Files.createTempDirectory("weir-sentinel");
      Path file = Files.writeString(directory.resolve("sentinel.conf"), configuration);
      String executable =
          EmbeddedRedis.executable(EmbeddedRedis.Binary.ANY, directory).toString();
      return new RedisProcess(
          directory, port, List.of(executable, file.toString(), "--sentinel"), Map.of(), true);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Its port. */
  public int port() {
    return port;
  }

  /** Its directory, which is deleted with this object. */
  public Path directory() {
    return directory;
  }

  /** The address for clients. */
  public String uri() {
    return "redis://" + HOST + ":" + port;
  }

  /** Sends one command, words separated by spaces; returns the answer, an array as one line for each item. */
  public String ask(String words) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(SOCKET_MILLIS);
      socket.getOutputStream().write((words + "\r\n").getBytes(StandardCharsets.US_ASCII));
      return answer(new BufferedInputStream(socket.getInputStream()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Kills it with SIGKILL. */
  public void kill() {
    process.destroyForcibly().onExit().join();
  }

  /** Starts it again, with the data that it kept on disk. */
  public void restart() {
    kill();
    process = started();
  }

  /** Suspends it: it neither answers nor closes its connections until {@link #resume}. */
  public void pause() {
    signal("-STOP");
  }

  /** Resumes it after {@link #pause}. */
  public void resume() {
    signal("-CONT");
  }

  /** Ends it and deletes its files, unless a later test can take it over. */
  @Override
  public void close() {
    if (!hasOptions && process.isAlive() && IdleServers.give(this)) {
      return;
    }
    end();
  }

  void end() {
    kill();
    try (Stream<Path> files = Files.walk(directory)) {
      files.sorted((a, b) -> b.compareTo(a)).map(Path::toFile).forEach(file -> {
        if (!file.delete()) {
          file.deleteOnExit();
        }
      });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void signal(String signal) {
    CommandRun sent =
        CommandRun.of(Duration.ofMinutes(1), "kill", signal, Long.toString(process.pid()));
    if (!sent.succeeded()) {
      throw new IllegalStateException(sent.output());
    }
  }

  // For a moment another process may use the port for an outgoing connection.
  private Process started() {
    for (int attempt = 1; ; attempt++) {
      try {
        return startedOnce();
      } catch (UncheckedIOException e) {
        if (attempt == START_ATTEMPTS) {
          throw e;
        }
        RealTime.pass(Duration.ofMillis(100));
      }
    }
  }

  private Process startedOnce() {
    try {
      ProcessBuilder builder = new ProcessBuilder(ChildCommand.endingWithParent(directory, command))
          .redirectErrorStream(true)
          .redirectOutput(directory.resolve("redis.log").toFile());
      builder.environment().putAll(environment);
      Process begun = builder.start();
      ServerCount.note();
      awaitAnswer(begun);
      return begun;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void awaitAnswer(Process begun) throws IOException {
    long end = System.nanoTime() + STARTS_WITHIN.toNanos();
    while (System.nanoTime() < end && begun.isAlive()) {
      try {
        if (ask("PING").matches("(?!-LOADING).+")) {
          return;
        }
      } catch (UncheckedIOException e) {
        RealTime.pass(Duration.ofMillis(20));
      }
    }
    String log = "Redis did not start: " + Files.readString(directory.resolve("redis.log"));
    if (begun.isAlive()) {
      begun.destroyForcibly();
      throw new IllegalStateException(log);
    }
    throw new IOException(log);
  }

  private static String answer(InputStream in) throws IOException {
    String first = line(in);
    if (first.startsWith("$") && !first.equals("$-1")) {
      byte[] text = in.readNBytes(Integer.parseInt(first.substring(1)));
      line(in); // the line end after it
      return new String(text, StandardCharsets.UTF_8);
    }
    if (first.startsWith("*")) {
      StringBuilder lines = new StringBuilder();
      for (int left = Integer.parseInt(first.substring(1)); left > 0; left--) {
        lines.append(answer(in)).append('\n');
      }
      return lines.toString();
    }
    return first;
  }

  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
      line.write(next);
    }
    return line.toString(StandardCharsets.UTF_8).strip();
  }
}
