package io.weir.whole.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.sun.net.httpserver.HttpServer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.config.Reports;
import io.weir.node.testing.NodeFixture;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs, windows and receivers of warnings on the page, at a node that has them. */
@Tag("page")
final class WorkPageIT extends OperatorsPage {
  private static final String WORK = """
      operations:
        - { name: Proof, match: { method: POST, path: /proof }, mode: job,
            job: { dispatchPerSecond: 10, readinessPath: /never, readinessConcurrency: 1, readinessInterval: 100ms } }
      buckets: [{ name: proofs, burstPeriod: 10, throttleGroups: [{ opsPerSec: 100, operations: [Proof] }] }]
      defaults: { plan: free }
      plans: { free: { buckets: [proofs] } }
      upstream: { url: "http://127.0.0.1:UPSTREAM" }
      windows: { blocks: { width: 40, attempts: 1, lease: 30s, results: true } }
      warnings:
        near: { to: ops, at: [80] }
        lost: { to: nobody, at: [80] }
      """;
  private static final int JOBS = 55;

  @TempDir
  private static Path folder;

  private static final AtomicInteger STATUS = new AtomicInteger(204);
  private static HttpServer receiver;
  private static NodeFixture worker;

  @BeforeAll
  static void startWorker() throws IOException {
    receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    receiver.createContext("/in", exchange -> {
      exchange.sendResponseHeaders(STATUS.get(), -1);
      exchange.close();
    });
    receiver.start();
    String secret = Base64.getEncoder().encodeToString(new byte[32]);
    Path file = Files.writeString(
        folder.resolve("webhooks.json"),
        "{\"receivers\": {\"ops\": {\"url\": \"http://127.0.0.1:%d/in\", \"secrets\": [\"whsec_%s\"]}}}"
            .formatted(receiver.getAddress().getPort(), secret));
    worker = NodeFixture.reporting(
        redis.uri() + "/1",
        WORK,
        new Reports(Optional.empty(), Optional.of(file), Optional.empty()));
    worker.upstreamAnswers(
        "/never",
        request -> request
            .body()
            .onSuccess(body -> request.response().setStatusCode(503).end()));
  }

  @AfterAll
  static void endWorker() {
    if (worker != null) {
      worker.close();
    }
    receiver.stop(0);
  }

  private void showWork() {
    signIn(worker, NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    goWork("");
  }

  private void goWork(String query) {
    page.navigate(worker.adminUri("/page") + "#/work" + query);
  }

  private static HttpResponse<String> operator(String method, String path, String body) {
    return worker.send(HttpRequest.newBuilder(worker.adminUri(path))
        .header("Authorization", "Bearer " + NodeFixture.ADMIN)
        .method(method, BodyPublishers.ofString(body)));
  }

  @Test
  void jobsAreListedInPagesAndCancelled() {
    String key = NodeFixture.json(operator(
            "POST",
            "/v1/keys",
            new JsonObject().put("tenant", "acme").put("id", "j1").encode()))
        .getString("key");
    for (int i = 0; i < JOBS; i++) {
      assertThat(worker.post("/proof", "job " + i, "X-Api-Key", key).statusCode())
          .isEqualTo(202);
    }
    openForTools();
    showWork();

    Locator queue = page.locator("[aria-label=jobs] tbody tr");
    assertThat(queue).containsText(Integer.toString(JOBS));
    page.keyboard().press("j");
    page.keyboard().press("Enter");
    Locator jobs = page.locator("[aria-label='jobs of Proof'] tbody tr");
    assertThat(jobs).hasCount(50);
    assertThat(jobs.first()).containsText("asked whether it is ready");
    assertThat(jobs.nth(2)).containsText("1 before it");
    assertThat(jobs.nth(2)).containsText("acme/j1");
    requireAccessible("jobs");
    page.getByText("Next", new Page.GetByTextOptions().setExact(true)).click();
    assertThat(page).hasURL(Pattern.compile("from=50"));
    assertThat(jobs).hasCount(JOBS - 50);

    jobs.last().locator("button").click();
    assertThat(page.locator("dialog")).containsText("Proof of acme/j1");
    confirm("Cancel the job").click();
    assertThat(page.locator(".notice")).hasText("The job is cancelled.");
    assertThat(jobs).hasCount(JOBS - 51);
    assertThat(page.locator("h3", new Page.LocatorOptions().setHasText("Proof:")))
        .containsText("51 to 54 of 54");
    page.keyboard().press("Escape");
    assertThat(jobs).hasCount(0);
    page.navigate(worker.adminUri("/page") + "#/now?list=changes");
    assertThat(page.locator("[aria-label=changes]")).containsText("queued → cancelled");
    assertThat(complaints).isEmpty();
  }

  @Test
  void longNamesAreReadOnAPhone() {
    String name = "n".repeat(60);
    JsonObject queue = new JsonObject().put("operation", name);
    for (String count :
        List.of("waiting", "checking", "dispatch", "running", "oldestMs", "etaSeconds")) {
      queue.put(count, 12_345);
    }
    JsonObject job = new JsonObject()
        .put("id", "0123456789abcdef")
        .put("tenant", name)
        .put("key", name)
        .put("state", "receipt_received")
        .put("position", 12_345)
        .put("ageMs", 12_345_678)
        .put("etaSeconds", 12_345)
        .put("attempts", 3);
    answered("**/v1/job-queues", new JsonObject().put("queues", JsonArray.of(queue)));
    answered("**/v1/job-queues/*", queue.copy().put("from", 0).put("jobs", JsonArray.of(job)));
    JsonObject receiver = new JsonObject()
        .put("name", name)
        .put("failingSince", "2026-01-02T03:04:05Z")
        .put("why", "no answer from https://" + name)
        .put("delivered", 12_345)
        .put("failed", 123);
    answered(
        "**/v1/warnings",
        new JsonObject().put("rules", new JsonArray()).put("receivers", JsonArray.of(receiver)));
    page.setViewportSize(390, 900);
    signIn(worker, NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    goWork("?jobs=" + name);
    assertThat(page.locator("[aria-label='jobs of " + name + "']")).isVisible();
    assertThat(isTooWide()).isEqualTo(false);
    for (Locator table : page.locator(".scroll").all()) {
      assertThat(table.evaluate("element => element.scrollWidth - element.clientWidth"))
          .as(table.getAttribute("aria-label"))
          .isEqualTo(0);
    }
    assertThat(complaints).isEmpty();
  }

  private void answered(String path, JsonObject answer) {
    page.route(
        path,
        route -> route.fulfill(new Route.FulfillOptions()
            .setContentType("application/json")
            .setBody(answer.encode())));
  }

  private static void window(String verb, String body) {
    HttpResponse<String> answer = worker.post(
        "/v1/windows/blocks/" + verb, body, "Authorization", "Bearer " + NodeFixture.SERVICE);
    assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 201);
  }

  @Test
  void aProviderWhoseRestIsOverIsLeftAloneUntilARequestTriesIt() {
    JsonObject breaker = new JsonObject()
        .put("name", "upstream.breaker")
        .put("tags", new JsonObject().put("upstream", "rpc").put("provider", "ours"))
        .put("value", 2);
    JsonObject state =
        new JsonObject().put("open:ours", "1600000000000000 (2020-09-13T12:26:40.000000Z)");
    JsonObject states = new JsonObject()
        .put(
            "nodes",
            JsonArray.of(new JsonObject().put("node", "n1").put("meters", JsonArray.of(breaker))))
        .put("upstream", JsonArray.of(new JsonObject().put("name", "rpc").put("state", state)))
        .put("job", new JsonArray())
        .put("window", new JsonArray());
    page.route(
        "**/v1/states",
        route -> route.fulfill(new Route.FulfillOptions()
            .setContentType("application/json")
            .setBody(states.encode())));
    showWork();

    assertThat(page.locator("[aria-label=rpc] tbody tr"))
        .containsText("left alone after failures, tried again now");
    assertThat(complaints).isEmpty();
  }

  // A bucket that counts as many times as the one before is left out by its node.
  @Test
  void whatAllNodesHaveCountedInTheLastMinuteIsTheFirstThingShown() {
    JsonObject states = new JsonObject()
        .put(
            "nodes",
            JsonArray.of(counted(60_000, "[10,100],[300,101]"), counted(30_000, "[20,900]")))
        .put(
            "upstream",
            JsonArray.of(new JsonObject().put("name", "rpc").put("state", new JsonObject())))
        .put("job", new JsonArray())
        .put("window", new JsonArray());
    page.route(
        "**/v1/states",
        route -> route.fulfill(new Route.FulfillOptions()
            .setContentType("application/json")
            .setBody(states.encode())));
    showWork();

    Locator row = page.locator("[aria-label=rpc] tbody tr");
    assertThat(row).containsText("20 ms");
    assertThat(row).containsText("3/s"); // 60 in a minute, and 60 in half of one
    assertThat(row).containsText("25 %");
    assertThat(page.locator("main")).containsText("the last minute");
    assertThat(complaints).isEmpty();
  }

  private static JsonObject counted(int millis, String buckets) {
    return new JsonObject()
        .put("node", "n" + millis)
        .put("latelyMs", millis)
        .put(
            "meters",
            JsonArray.of(
                meter("breaker", null, 0),
                meter("attempts", "good", 45),
                meter("attempts", "bad", 15),
                meter("latency", null, 60, new JsonArray("[" + buckets + "]"))));
  }

  private static JsonObject meter(String name, @Nullable String outcome, int lately) {
    return meter(name, outcome, lately, new JsonArray());
  }

  private static JsonObject meter(
      String name, @Nullable String outcome, int lately, JsonArray buckets) {
    JsonObject tags = new JsonObject().put("upstream", "rpc").put("provider", "ours");
    if (outcome != null) {
      tags.put("outcome", outcome);
    }
    return new JsonObject()
        .put("name", "upstream." + name)
        .put("tags", tags)
        .put("value", name.equals("breaker") ? 0 : 5000 + lately)
        .put("lately", new JsonObject().put("value", lately).put("buckets", buckets));
  }

  @Test
  void aWindowIsABarFromTheWatermarkToTheHead() {
    for (int from = 0; from < 400; from += 100) {
      window("open", "{\"from\": %d, \"to\": %d}".formatted(from, from + 99));
    }
    JsonObject claimed = NodeFixture.json(worker.post(
        "/v1/windows/blocks/claim", "{}", "Authorization", "Bearer " + NodeFixture.SERVICE));
    window(
        "fail",
        new JsonObject()
            .put("from", claimed.getLong("from"))
            .put("claim", claimed.getString("claim"))
            .put("error", "no block")
            .encode());
    openForTools();
    showWork();

    Locator row = page.locator("[aria-label=windows] tbody tr");
    assertThat(row).containsText("4 open, 1 failed, 3 to be claimed");
    assertThat(row).containsText("400");
    assertThat(row.locator(".bar .bad")).hasAttribute("width", "25%");
    requireAccessible("windows");
    assertThat(complaints).isEmpty();
  }

  @Test
  void aReceiverIsTriedAndItsFailureHasABeginning() {
    showWork();
    Locator row = page.locator("[aria-label=receivers] tbody tr");
    assertThat(row).containsText("nothing was sent yet");
    assertThat(row).containsText("near at 80 %");
    assertThat(page.locator("main")).containsText("Rule lost names nobody");

    row.locator("button").click();
    assertThat(page.locator(".notice")).hasText("ops has taken it: status 204.");
    assertThat(row).containsText("takes them");

    STATUS.set(500);
    row.locator("button").click();
    assertThat(page.locator(".notice")).hasText("ops has not taken it: status 500.");
    assertThat(row.locator(".bad")).containsText(Pattern.compile("fails for .*: status 500"));
    assertThat(complaints).isEmpty();
  }
}
