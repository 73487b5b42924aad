package io.weir.whole.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.testkit.CommandRun;
import io.weir.testkit.DockerImages;
import io.weir.whole.project.Distribution;
import io.weir.whole.project.Sbom;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code docker run weir}: Redis, an upstream, a node and its page in one container. */
@Tag("containers")
final class ImageIT {
  private static final Duration BUILT_WITHIN = Duration.ofMinutes(6);
  private static final Duration COMMAND_WITHIN = Duration.ofSeconds(90);
  private static final Duration READY_WITHIN = Duration.ofMinutes(3);
  private static final long MAX_BYTES = 120_000_000;
  private static final String TAG = "it-" + ProcessHandle.current().pid();
  private static final String IMAGE = "weir:" + TAG;
  private static final String NAME = "weir-image-" + TAG;

  private static boolean isBuilt;

  @BeforeAll
  static void start() throws IOException {
    Matcher jre = Pattern.compile("#WEIR_JRE_IMAGE=(\\S+)")
        .matcher(Files.readString(Path.of("../../.env.example")));
    assertThat(jre.find()).isTrue();
    DockerImages.assume(jre.group(1));
    Distribution.forImages();
    CommandRun built = CommandRun.of(
        BUILT_WITHIN,
        Map.of("WEIR_DIST", "context", "WEIR_TAG", TAG, "WEIR_JRE_IMAGE", jre.group(1)),
        List.of("docker", "compose", "--project-directory=../..", "build", "files"));
    assertThat(built.status()).describedAs(built.output()).isZero();
    isBuilt = true;
    docker(
        "run",
        "--detach",
        "--name=" + NAME,
        "--read-only",
        "--tmpfs=/tmp:exec",
        "--cap-drop=ALL",
        "--security-opt=no-new-privileges:true",
        "--publish=127.0.0.1::8080",
        "--publish=127.0.0.1::9080",
        IMAGE);
    await()
        .atMost(READY_WITHIN)
        .until(() -> docker("logs", NAME).contains("Ready (") || !isRunning());
    assertThat(isRunning()).describedAs(docker("logs", NAME)).isTrue();
  }

  private static boolean isRunning() {
    return docker("inspect", "--format={{.State.Running}}", NAME).strip().equals("true");
  }

  @AfterAll
  static void remove() {
    if (isBuilt) {
      CommandRun.of(COMMAND_WITHIN, "docker", "rm", "--force", NAME);
      docker("rmi", IMAGE);
    }
  }

  @Test
  void aKeyIsLimited() throws Exception {
    String key = group("-H 'X-Api-Key: (\\S+)'", docker("logs", NAME));
    assertThat(get(8080, "/ping", "X-Api-Key", key).statusCode()).isEqualTo(200);
    assertThat(get(8080, "/ping").statusCode()).isEqualTo(401);
    String all = "{\"key\":\"%s\",\"operation\":\"Ping\",\"cost\":100}".formatted(key);
    // A slow machine gives the bucket time to drain between two checks.
    await().atMost(READY_WITHIN).until(() -> {
      post(8080, "/v1/check", all);
      return post(8080, "/v1/check", all).contains("\"decision\":\"denied\"");
    });
  }

  @Test
  void thePageIsServed() throws Exception {
    HttpResponse<String> page = get(9080, "/page");
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.body()).contains("<title>Weir");
  }

  @Test
  void commandsInTheContainerReachTheNode() {
    String token = group("WEIR_ADMIN_TOKEN=(\\S+)", docker("logs", NAME));
    assertThat(docker("exec", "--env=WEIR_ADMIN_TOKEN=" + token, NAME, "weir", "policy", "show"))
        .contains("buckets:");
  }

  @Test
  void thePrintedCommandLooksIntoRedis() {
    String[] command =
        group("\\n  docker (exec .*inspect \\S+)\n", docker("logs", NAME)).split(" ");
    // What aKeyIsLimited used, if it ran before, drains in a second or two.
    assertThat(docker(command))
        .containsAnyOf("acme/plain: nothing is used", "Limits of the key acme/plain:");
  }

  @Test
  void itIsHealthyWithoutAnotherJavaAndRunsAsNobodyInParticular() {
    await()
        .atMost(READY_WITHIN)
        .until(() ->
            docker("inspect", "--format={{.State.Health.Status}}", NAME).strip().equals("healthy"));
    assertThat(docker("inspect", "--format={{.Config.User}}", NAME).strip())
        .isEqualTo("10001:10001");
    assertThat(docker("inspect", "--format={{json .Config.Labels}}", NAME))
        .contains("org.opencontainers.image.title", "org.opencontainers.image.licenses");
  }

  @Test
  void itIsSmall() {
    long bytes =
        Long.parseLong(docker("image", "inspect", "--format={{.Size}}", IMAGE).strip());
    System.out.printf("image: %.1f MB%n", bytes / 1e6);
    assertThat(bytes).isLessThan(MAX_BYTES);
  }

  @Test
  void itListsThePackagesOfItsSystem(@TempDir Path folder) throws IOException {
    Path list = folder.resolve("sbom.json");
    docker("cp", NAME + ":/opt/weir/share/sbom-system.json", list.toString());
    Sbom sbom = Sbom.of(list);
    assertThat(sbom.problems()).isEmpty();
    assertThat(sbom.others()).contains("bash", "coreutils", "libc6", "libstdc++6", "zlib1g");
  }

  private static HttpResponse<String> get(int port, String path, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request = HttpRequest.newBuilder(uri(port, path));
    return HttpClient.newHttpClient()
        .send(
            (headers.length == 0 ? request : request.headers(headers)).build(),
            BodyHandlers.ofString());
  }

  private static String post(int port, String path, String body)
      throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(uri(port, path))
        .POST(HttpRequest.BodyPublishers.ofString(body))
        .build();
    return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
  }

  private static URI uri(int port, String path) {
    String published =
        docker("port", NAME, Integer.toString(port)).lines().findFirst().orElseThrow();
    return URI.create("http://" + published.strip() + path);
  }

  private static String group(String pattern, String text) {
    Matcher found = Pattern.compile(pattern).matcher(text);
    assertThat(found.find()).describedAs("%s in %s", pattern, text).isTrue();
    return found.group(1);
  }

  private static String docker(String... arguments) {
    String[] command = new String[arguments.length + 1];
    command[0] = "docker";
    System.arraycopy(arguments, 0, command, 1, arguments.length);
    CommandRun run = CommandRun.of(COMMAND_WITHIN, command);
    assertThat(run.status()).describedAs(run.output()).isZero();
    return run.output();
  }
}
