package io.weir.whole.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.cluster.local.ClusterFile;
import io.weir.cluster.local.ClusterFile.DemoKey;
import io.weir.cluster.local.Crowd;
import io.weir.testkit.CommandRun;
import io.weir.testkit.DockerImages;
import io.weir.testkit.FreePorts;
import io.weir.testkit.RedisTime;
import io.weir.whole.project.Distribution;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** {@code docker compose up}, as in the README, and the effects of losing a part of it. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Tag("containers")
final class ComposeIT {
  // Long enough for the burst to make up for the moments that were kept at first, for callers who
  // were told a time.
  private static final int SECONDS = Integer.getInteger("weir.compose.seconds", 8);
  private static final int CALLERS = 64;
  private static final Duration UP_WITHIN = Duration.ofMinutes(6);
  private static final Duration COMMAND_WITHIN = Duration.ofSeconds(90);
  private static final String PROJECT = "weir-it-" + ProcessHandle.current().pid();

  private static Map<String, String> environment = Map.of();
  private static String balancer = "";
  private static ClusterFile cluster =
      new ClusterFile(List.of(), List.of(), List.of(), "", "", "", 0);

  @BeforeAll
  static void up(@TempDir Path folder) throws Exception {
    // By their tags: images of other sources than a registry have no digests.
    Map<String, String> images = Pattern.compile("(?m)^#(WEIR_[A-Z]+_IMAGE)=(.*)$")
        .matcher(Files.readString(Path.of("../../.env.example")))
        .results()
        .filter(image -> !image.group(1).contains("GRAFANA"))
        .collect(Collectors.toMap(image -> image.group(1), image -> image.group(2)));
    DockerImages.assume(images.values().toArray(String[]::new));
    int port = FreePorts.one();
    balancer = "http://127.0.0.1:" + port;
    // The jars that were just built, and an image of its own.
    Distribution.forImages();
    environment = new HashMap<>(images);
    environment.putAll(Map.of(
        "WEIR_DIST",
        "context",
        "WEIR_TAG",
        PROJECT,
        "WEIR_REDIS_TIMEOUT_MS", // a busy machine is no outage
        "10000",
        "WEIR_PORT",
        Integer.toString(port),
        "WEIR_ADMIN_PORT",
        Integer.toString(FreePorts.one()),
        "WEIR_PROMETHEUS_PORT",
        Integer.toString(FreePorts.one())));
    compose(UP_WITHIN, "up", "--detach", "--build", "--wait");
    Path copy = folder.resolve("cluster.json");
    compose(COMMAND_WITHIN, "cp", "node1:/var/lib/weir/cluster.json", copy.toString());
    cluster = ClusterFile.read(copy);
    crowd(cluster.key("shared-1"), () -> {}); // the first requests of a node load classes
  }

  @AfterAll
  static void down() {
    if (!environment.isEmpty()) {
      compose(COMMAND_WITHIN, "down", "--volumes", "--rmi", "local", "--timeout", "15");
      String left = CommandRun.of(
              COMMAND_WITHIN, "docker", "ps", "--all", "--quiet", "--filter", "name=" + PROJECT)
          .output();
      assertThat(left).isEmpty();
    }
  }

  @Test
  @Order(1)
  void oneLimitHoldsThroughTheLoadBalancer() {
    DemoKey key = cluster.key("plain");
    Crowds seen = crowd(key, () -> {});
    seen.judge(key);
    assertThat(seen.lost()).isZero();
    assertThat(compose(COMMAND_WITHIN, "logs", "lb"))
        .describedAs("the access log names keys and no secrets")
        .contains(" key=plain ")
        .doesNotContain(key.key());
  }

  @Test
  @Order(2)
  void aStateIsShownInWordsInTheContainerOfRedis() {
    assertThat(compose(COMMAND_WITHIN, "logs", "files"))
        .contains("docker compose exec redis weir-show 'weir:{72nw}:acme:key:plain'");
    AtomicReference<String> shown = new AtomicReference<>("");
    // A bucket is in Redis only as long as something is in it.
    crowd(
        cluster.key("plain"),
        () -> shown.set(compose(
            COMMAND_WITHIN, "exec", "-T", "redis", "weir-show", "weir:{72nw}:acme:key:plain")));
    assertThat(shown.get()).contains("requests@1/10000", " of 100 operations, ", "empty at 20");
  }

  @Test
  @Order(3)
  void prometheusReachesEveryNode() {
    await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
      String up = get("http://127.0.0.1:%s/api/v1/query?query=sum(up)"
          .formatted(environment.get("WEIR_PROMETHEUS_PORT")));
      assertThat(up).contains("\"3\"]");
    });
  }

  @Test
  @Order(4)
  void aKilledNodeTakesNoMoreThanItsRequestsInFlightWithIt() {
    DemoKey key = cluster.key("herd");
    Crowds seen = crowd(key, () -> compose(COMMAND_WITHIN, "kill", "node2"));
    seen.judge(key);
    assertThat(seen.lost()).isLessThanOrEqualTo(CALLERS);
    compose(COMMAND_WITHIN, "up", "--detach", "--wait", "node2");
  }

  @Test
  @Order(5)
  void afterARestartOfRedisTheLimitHoldsAgain() {
    compose(COMMAND_WITHIN, "restart", "redis");
    DemoKey key = cluster.key("hello");
    await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
      for (int i = 0; i < 6; i++) { // each node twice
        assertThat(isOfRedis(balancer + "/ping", key.key())).isTrue();
      }
    });
    Crowds seen = crowd(key, () -> {});
    assertThat(seen.lost()).isZero();
    seen.judge(key);
  }

  @Test
  @Order(6)
  void aNodeThatIsStoppedEndsByItself() {
    compose(COMMAND_WITHIN, "stop", "node3");
    String state = compose(
        COMMAND_WITHIN,
        "ps",
        "--all",
        "--format",
        "{{.Service}} {{.State}} {{.ExitCode}}",
        "node3");
    assertThat(state.strip()).isEqualTo("node3 exited 143"); // by SIGTERM, not by SIGKILL (137)
  }

  /** The answers to the callers of one key. */
  private record Crowds(Map<Integer, Long> answers, double seconds) {
    long admitted() {
      return answers.getOrDefault(200, 0L);
    }

    long asked() {
      return answers.values().stream().mapToLong(Long::longValue).sum();
    }

    long lost() {
      return asked() - admitted() - answers.getOrDefault(429, 0L);
    }

    void judge(DemoKey key) {
      double most = key.opsPerSec() * (seconds + key.burstMs() / 1000.0);
      System.out.printf(
          "compose: %d of at most %.0f admitted (%.1f %%) in %.1f s; answers %s%n",
          admitted(), most, 100 * admitted() / most, seconds, answers);
      assertThat((double) admitted()).isLessThanOrEqualTo(most + 1);
      // A machine that is too slow to exceed the limit shows nothing.
      if (asked() > 3 * most && lost() == 0) {
        assertThat((double) admitted()).isGreaterThan(0.9 * most);
      }
    }
  }

  private static Crowds crowd(DemoKey key, Runnable atHalfTime) {
    Map<Integer, Long> answers = new ConcurrentHashMap<>();
    long begin = RedisTime.nanos();
    CompletableFuture<Void> changed = CompletableFuture.runAsync(
        atHalfTime, CompletableFuture.delayedExecutor(SECONDS * 500L, TimeUnit.MILLISECONDS));
    try (Crowd crowd = new Crowd(List.of(balancer), key, CALLERS)) {
      crowd.run(
          CALLERS,
          Duration.ofSeconds(SECONDS),
          (answer, node) -> answers.merge(answer.status(), 1L, Long::sum));
    }
    double seconds = (RedisTime.nanos() - begin) / 1e9;
    changed.join();
    return new Crowds(new TreeMap<>(answers), seconds);
  }

  private static String compose(Duration timeout, String... arguments) {
    List<String> command = new ArrayList<>(
        List.of("docker", "compose", "--project-directory", "../..", "--project-name", PROJECT));
    command.addAll(List.of(arguments));
    CommandRun run = CommandRun.of(timeout, environment, command);
    assertThat(run.status()).describedAs("%s: %s", command, run.output()).isZero();
    return run.output();
  }

  private static String get(String url) throws IOException, InterruptedException {
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString())
        .body();
  }

  // Whether a request is admitted, with the shared state and not by a node alone.
  private static boolean isOfRedis(String url, String key)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url)).header("X-Api-Key", key).build();
    HttpResponse<Void> answer =
        HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.discarding());
    return answer.statusCode() == 200
        && answer.headers().firstValue("Weir-Degraded").isEmpty();
  }
}
