package io.weir.whole.proxies;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.testkit.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** A proxy of others, with its files of {@code deploy/proxies} at the ports of a test. Owned by the test that started it. */
final class ProxyProcess implements AutoCloseable {
  /** The files that users copy. */
  static final Path FILES = Path.of("../../deploy/proxies");

  /** The proxies that Debian has. */
  enum Kind {
    NGINX("nginx", "127.0.0.1", "", "nginx.conf", "weir.conf"),
    CADDY("caddy", "", "{\n\tadmin off\n\tdefault_bind 127.0.0.1\n}\n", "Caddyfile", "weir.caddy"),
    HAPROXY("haproxy", "127.0.0.1", "", "haproxy.cfg", "weir.lua");

    private final String program;
    private final String host;
    private final String before;
    private final String config;
    private final String shipped;

    Kind(String program, String host, String before, String config, String shipped) {
      this.program = program;
      this.host = host;
      this.before = before;
      this.config = config;
      this.shipped = shipped;
    }

    private List<String> command(Path program, Path directory) {
      String main = directory.resolve(config).toString();
      return switch (this) {
        case NGINX ->
          List.of(program.toString(), "-p", directory.toString(), "-c", directory + "/whole.conf");
        case CADDY -> List.of(program.toString(), "run", "--config", main);
        case HAPROXY -> List.of(program.toString(), "-db", "-f", main);
      };
    }
  }

  private final Process process;
  private final int port;

  private ProxyProcess(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  /**
   * Starts a proxy before a service; skips the test if this machine has none.
   *
   * @param edit changes a file, for a test of what its comments say
   */
  static ProxyProcess start(
      Kind kind, Path directory, int weir, int service, UnaryOperator<String> edit) {
    Path program = Stream.of(System.getenv("PATH").split(":", -1))
        .map(folder -> Path.of(folder, kind.program))
        .filter(Files::isExecutable)
        .findFirst()
        .orElse(Path.of(""));
    assumeTrue(!program.toString().isEmpty(), kind.program + " is not installed");
    int port = FreePorts.one();
    String section = "127.0.0.1:" + FreePorts.one(); // through which HAProxy calls Weir
    try {
      for (String file : List.of(kind.config, kind.shipped)) {
        String text = edit.apply(Files.readString(FILES.resolve(file)))
            .replace("127.0.0.1:8080", "127.0.0.1:" + weir)
            .replace("127.0.0.1:9000", "127.0.0.1:" + service)
            .replace("127.0.0.1:8079", section)
            .replaceAll("(listen |bind |\\n):?80\\b", "$1" + kind.host + ":" + port)
            .replace("lua-load ", "lua-load " + directory + "/");
        String before = file.equals(kind.config) ? kind.before : "";
        Files.writeString(directory.resolve(file), before + text);
      }
      Files.writeString(directory.resolve("whole.conf"), """
          daemon off; pid nginx.pid; error_log error.log; worker_processes 2;
          events {}
          http {
            access_log off;
            client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
            uwsgi_temp_path uwsgi; scgi_temp_path scgi;
            include nginx.conf;
          }
          """);
      ProcessBuilder builder = new ProcessBuilder(kind.command(program, directory))
          .redirectErrorStream(true)
          .redirectOutput(directory.resolve("output.log").toFile());
      builder.environment().put("HOME", directory.toString());
      builder.environment().put("XDG_DATA_HOME", directory.toString());
      builder.environment().put("XDG_CONFIG_HOME", directory.toString());
      ProxyProcess started = new ProxyProcess(builder.start(), port);
      started.awaitListening(directory);
      return started;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void awaitListening(Path directory) {
    await().atMost(Duration.ofMinutes(1)).until(() -> {
      if (!process.isAlive()) {
        throw new IllegalStateException(Files.readString(directory.resolve("output.log")));
      }
      try (Socket socket = connect()) {
        return socket.isConnected();
      } catch (IOException e) {
        return false;
      }
    });
  }

  /** A connection to it; the test closes it. */
  Socket connect() throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), port);
  }

  URI uri(String path) {
    return URI.create("http://127.0.0.1:" + port + path);
  }

  @Override
  public void close() {
    Stream<ProcessHandle> children = process.descendants();
    process.destroy();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        children.forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
