package io.weir.embedded;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import redis.embedded.RedisServer;
import redis.embedded.core.ExecutableProvider;

/**
 * A private Redis: a child process on the loopback address that keeps nothing on disk. Mutable; owned by the code that
 * started it, and ended by {@link #close}, or with this process.
 */
public final class EmbeddedRedis implements AutoCloseable {
  private static final String HOST = "127.0.0.1";
  private static final int START_ATTEMPTS = 10;
  private static final long RETRY_MILLIS = 100;

  private final Path directory;
  private final List<String> command;
  private final int port;
  private RedisServer server;

  private EmbeddedRedis(Path directory, Path executable, int port) {
    this.directory = directory;
    this.port = port;
    // The single quotes of --save '' would be a shell's; an empty argument switches snapshots off.
    this.command = ChildCommand.endingWithParent(
        directory,
        List.of(
            executable.toString(),
            "--port",
            Integer.toString(port),
            "--bind",
            HOST,
            "--dir",
            directory.toString(),
            "--save",
            "",
            "--appendonly",
            "no"));
    this.server = started();
  }

  /** The program to run. */
  public enum Binary {
    /** {@code redis-server} of the PATH if present, otherwise the bundled one. */
    ANY,
    /** The program in the jar of embedded-redis: 6.2, the oldest version that Weir supports. */
    BUNDLED
  }

  /**
   * Starts a Redis and returns when it accepts connections.
   *
   * @param port the port to listen on, 0 for any free one
   * @throws UncheckedIOException if it does not start, for example on a busy port
   */
  public static EmbeddedRedis start(Binary binary, int port) {
    try {
      Path directory = Files.createTempDirectory("weir-redis");
      directory.toFile().deleteOnExit(); // of a program that ends without close
      Path executable = executable(binary, directory);
      if (executable.startsWith(directory)) {
        executable.toFile().deleteOnExit();
      }
      return new EmbeddedRedis(directory, executable, port == 0 ? freePort() : port);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns the program to run.
   *
   * @param directory the directory into which the bundled program is unpacked
   */
  public static Path executable(Binary binary, Path directory) throws IOException {
    Optional<Path> installed = binary == Binary.ANY ? onPath() : Optional.empty();
    return installed.isPresent() ? installed.get() : bundled(directory);
  }

  /** The address for clients, {@code redis://127.0.0.1:port}. */
  public String uri() {
    return "redis://" + HOST + ":" + port;
  }

  /** Ends the process; {@link #restart} uses the same address. All data is lost. */
  public synchronized void stop() {
    try {
      server.stop();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts a new, empty Redis at the same address. */
  public synchronized void restart() {
    stop();
    server = started();
  }

  @Override
  public synchronized void close() {
    stop();
    try (Stream<Path> files = Files.walk(directory)) {
      files.sorted((a, b) -> b.compareTo(a)).map(Path::toFile).forEach(File::delete);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // For a moment another process may use the port for an outgoing connection.
  private RedisServer started() {
    for (int attempt = 1; ; attempt++) {
      try {
        return startedOnce();
      } catch (UncheckedIOException e) {
        if (attempt == START_ATTEMPTS) {
          throw e;
        }
        new CompletableFuture<Void>()
            .completeOnTimeout(null, RETRY_MILLIS, TimeUnit.MILLISECONDS)
            .join();
      }
    }
  }

  private RedisServer startedOnce() {
    RedisServer started = new RedisServer(port, command, true, line -> {}, line -> {});
    try {
      started.start();
      return started;
    } catch (IOException e) {
      throw new UncheckedIOException("Redis did not start on port %d".formatted(port), e);
    }
  }

  private static Optional<Path> onPath() {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    return Stream.of(path.split(File.pathSeparator))
        .filter(entry -> !entry.isEmpty())
        .map(entry -> Path.of(entry, "redis-server"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private static Path bundled(Path directory) throws IOException {
    return ExecutableProvider.newJarResourceProvider(directory.toFile()).get().toPath();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
