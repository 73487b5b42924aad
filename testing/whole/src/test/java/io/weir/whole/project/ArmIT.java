package io.weir.whole.project;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.testkit.FreePorts;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node and the Redis of the demo on ARM, by the emulator that {@code .ci/arm64} has brought. */
@Tag("containers")
final class ArmIT {
  private static final Duration WITHIN = Duration.ofMinutes(5);
  private static final String REDIS = "redis-server-6.2.7-linux-arm64";
  private static final Path RUN = Optional.ofNullable(System.getenv("XDG_CACHE_HOME"))
      .map(Path::of)
      .orElse(Path.of(System.getProperty("user.home"), ".cache"))
      .resolve("weir/arm64/run");

  @TempDir
  private Path folder;

  private final List<Process> started = new ArrayList<>();
  private final HttpClient client = HttpClient.newHttpClient();

  @AfterEach
  void end() throws InterruptedException {
    started.forEach(Process::destroy);
    for (Process process : started) {
      assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    }
  }

  @Test
  void aNodeLimitsOnArm() throws Exception {
    boolean isHere = Files.isExecutable(RUN);
    if (!isHere) {
      System.out.println("skipped: no emulator of ARM is here (.ci/arm64 brings it)");
    }
    assumeTrue(isHere, "skipped: no emulator of ARM is here");
    List<Integer> ports = FreePorts.some(3);
    start("redis.log", redis().toString(), "--port", ports.get(2).toString(), "--save", "");
    Process node = start(
        "node.log",
        "java",
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC",
        "-cp",
        System.getProperty("java.class.path"),
        "io.weir.node.Main",
        "node",
        "--host=127.0.0.1",
        "--port=" + ports.get(0),
        "--admin-port=" + ports.get(1),
        "--redis-uri=redis://127.0.0.1:" + ports.get(2),
        "--redis-timeout-ms=10000", // an emulator is slow
        "--policy=../../examples/mainnet.yaml",
        "--shutdown-delay-ms=0");
    await()
        .atMost(WITHIN)
        .ignoreExceptionsInstanceOf(IOException.class)
        .until(() -> isReady(ports.get(1)) || !node.isAlive());
    assertThat(node.isAlive()).as(Files.readString(folder.resolve("node.log"))).isTrue();
    String check = "{\"key\":\"mainnet-1.demo-secret-of-mainnet-1\","
        + "\"operation\":\"FileCreate\",\"cost\":20}";
    await().atMost(WITHIN).until(() -> {
      HttpResponse<String> answer = client.send(
          HttpRequest.newBuilder(at(ports.get(0), "/v1/check"))
              .POST(HttpRequest.BodyPublishers.ofString(check))
              .build(),
          BodyHandlers.ofString());
      return answer.body().contains("\"decision\":\"denied\"")
          && !answer.body().contains("degraded");
    });
    // The transport of Netty in C, not the one in Java.
    assertThat(Files.readString(Path.of("/proc", Long.toString(node.pid()), "maps")))
        .contains("native_epoll_aarch_64");
  }

  private Path redis() throws IOException {
    Path program = folder.resolve(REDIS);
    try (InputStream resource = ArmIT.class.getResourceAsStream("/" + REDIS)) {
      assertThat(resource).isNotNull();
      Files.copy(resource, program);
    }
    assertThat(program.toFile().setExecutable(true)).isTrue();
    return program;
  }

  private Process start(String log, String... command) throws IOException {
    Process process = new ProcessBuilder(
            Stream.concat(Stream.of(RUN.toString()), Stream.of(command)).toList())
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve(log).toFile())
        .start();
    started.add(process);
    return process;
  }

  private boolean isReady(int port) throws IOException, InterruptedException {
    HttpRequest ready = HttpRequest.newBuilder(at(port, "/health/ready")).build();
    return client.send(ready, BodyHandlers.discarding()).statusCode() == 200;
  }

  private static URI at(int port, String path) {
    return URI.create("http://127.0.0.1:" + port + path);
  }
}
