package io.weir.whole.examples;

import static org.awaitility.Awaitility.await;

import io.weir.testkit.FreePorts;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** An example application, started from its jar as its README says. Owned by one test. */
final class Application implements AutoCloseable {
  private static final Path EXAMPLES =
      Path.of("../../examples").toAbsolutePath().normalize();
  private static final Duration STARTS_WITHIN = Duration.ofMinutes(3);
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final Process process;
  private final int port;

  private Application(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  /** Starts one; it may not serve yet. */
  static Application start(String name, String redisUri, int upstreamPort, String... more) {
    int port = FreePorts.one();
    List<String> command =
        new ArrayList<>(List.of(java(), "-Xmx256m", "-XX:TieredStopAtLevel=1", "-jar"));
    command.add("target/" + name + ".jar");
    command.add("--server.port=" + port);
    command.addAll(List.of(more));
    ProcessBuilder builder = new ProcessBuilder(command)
        .directory(EXAMPLES.resolve(name).toFile())
        .redirectErrorStream(true)
        .redirectOutput(Path.of("target", name + "-" + port + ".log").toFile());
    builder
        .environment()
        .putAll(Map.of("REDIS_URI", redisUri, "UPSTREAM", "http://127.0.0.1:" + upstreamPort));
    return new Application(started(builder), port);
  }

  /** Runs a program to its end, and returns what it has printed. */
  static String run(String name, String... arguments) throws IOException, InterruptedException {
    return run(name, List.of("-jar", "target/" + name + ".jar"), arguments);
  }

  /** The same on the module path. */
  static String runAsModule(String name, String main, String... arguments)
      throws IOException, InterruptedException {
    String path = "target/" + name + ".jar" + File.pathSeparator + "target/lib";
    return run(
        name, List.of("-p", path, "--add-modules", "io.weir.library", "-m", main), arguments);
  }

  private static String run(String name, List<String> options, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(java()));
    command.addAll(options);
    command.addAll(List.of(arguments));
    Process run = started(new ProcessBuilder(command)
        .directory(EXAMPLES.resolve(name).toFile())
        .redirectErrorStream(true));
    String printed = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    run.waitFor(1, TimeUnit.MINUTES);
    return printed;
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  private static Process started(ProcessBuilder builder) {
    try {
      return builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until it answers. */
  Application serving() {
    await().atMost(STARTS_WITHIN).ignoreExceptions().until(() -> get("/none").statusCode() > 0);
    return this;
  }

  HttpResponse<String> get(String path, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
    return CLIENT.send(
        (headers.length == 0 ? request : request.headers(headers)).build(),
        BodyHandlers.ofString());
  }

  /** Waits for its end; returns what it has printed. */
  boolean hasEnded() {
    return !process.isAlive();
  }

  int port() {
    return port;
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
