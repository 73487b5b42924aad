package io.weir.whole.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Browser.NewContextOptions;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.testkit.RealTime;
import io.weir.testkit.RedisProcess;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Makes the pictures of the documents, in the folder that {@code weir.pictures} names: quiet, busy, and without Redis. It
 * takes four minutes, as the page shows the last five.
 */
@Tag("page")
@EnabledIfSystemProperty(named = "weir.pictures", matches = ".+", disabledReason = "for documents")
final class PicturesIT {
  private static final String POLICY = """
      operations:
        - { name: Search, match: { path: /search } }
        - { name: Embed, match: { path: /embed } }
        - { name: Ask, match: { path: /ask } }
        - { name: Call, match: { path: /call } }
        - { name: Export, match: { path: /export } }
      buckets:
        - { name: requests, burstPeriod: 10, throttleGroups: [{ opsPerSec: 5, operations: [Search] }] }
        - { name: team, scope: tenant, burstPeriod: 5, throttleGroups: [{ opsPerSec: 60, operations: [Search, Embed, Ask] }] }
        - { name: asks, burstPeriod: 10, throttleGroups: [{ opsPerSec: 2, operations: [Ask] }] }
        - { name: calls, burstPeriod: 1, throttleGroups: [{ opsPerSec: 100, operations: [Call, Export] }] }
      quotas:
        - { name: daily-embeds, limit: 200, period: day, operations: [Embed] }
      defaults: { plan: free }
      plans:
        free: { buckets: [requests, team, asks, calls], limits: [daily-embeds] }
      subjects:
        - { match: "user:*", tenant: app, plan: free }
      """;

  private static final Map<String, String> KEYS = Map.of(
      "initech-web2", "initech",
      "globex-batch1", "globex",
      "globex-batch2", "globex",
      "acme-bot1", "acme",
      "hooli-app7", "hooli",
      "acme-svc1", "acme");

  private final ScheduledExecutorService callers = Executors.newScheduledThreadPool(8);
  private final AtomicInteger turn = new AtomicInteger();

  @Test
  void theDocumentsHavePictures() {
    PlaywrightAssertions.setDefaultAssertionTimeout(60_000);
    try (Chromium chromium = Chromium.start();
        RedisProcess redis = RedisProcess.start();
        NodeFixture node = NodeFixture.losing(redis.uri(), POLICY, FailureMode.LOCAL);
        NodeFixture another = NodeFixture.losing(redis.uri(), POLICY, FailureMode.LOCAL);
        BrowserContext context = chromium
            .browser()
            .newContext(new NewContextOptions().setViewportSize(1440, 900).setTimezoneId("UTC"))) {
      KEYS.forEach((key, tenant) ->
          send(node, "POST", "/v1/keys", new JsonObject().put("id", key).put("tenant", tenant)));
      Page page = context.newPage();
      page.navigate(node.adminUri("/page").toString());
      page.getByLabel("Admin token").fill(NodeFixture.ADMIN);
      page.getByText("Sign in").last().click();

      KEYS.keySet().forEach(key -> calls(key, "Call", 2, node, another));
      RealTime.pass(Duration.ofSeconds(75));
      assertThat(page.locator("main")).containsText("Nothing needs you");
      shot(page, "page-now-quiet.png");

      send(node, "PATCH", "/v1/keys/user%3A4711", new JsonObject().put("state", "frozen"));
      calls("initech-web2", "Search", 24, node, another);
      calls("globex-batch1", "Search", 23, node, another);
      calls("globex-batch2", "Embed", 14, node, another);
      calls("acme-bot1", "Ask", 12, node, another);
      calls("user:4711", "Search", 8, node, another);
      calls("hooli-app7", "Ask", 8, node, another);
      RealTime.pass(Duration.ofSeconds(90));
      row(page, "globex/globex-batch2").click();
      assertThat(page.locator(".decisions")).containsText("daily-embeds full");
      shot(page, "page-now-busy.png");

      page.locator(".detail .close").click();
      redis.pause();
      assertThat(page.locator("main")).containsText("Redis");
      RealTime.pass(Duration.ofSeconds(20));
      shot(page, "page-now-broken.png");
      redis.resume();
    } finally {
      callers.shutdownNow();
    }
  }

  private static Locator row(Page page, String name) {
    return page.locator("[data-row]", new Page.LocatorOptions().setHasText(name))
        .first();
  }

  private static void shot(Page page, String name) {
    page.screenshot(
        new Page.ScreenshotOptions().setPath(Path.of(System.getProperty("weir.pictures"), name)));
  }

  // Calls each of the nodes in turn, so many times a second.
  @SuppressWarnings("FutureReturnValueIgnored") // it ends with its pool
  private void calls(String key, String operation, int perSecond, NodeFixture... nodes) {
    JsonObject check = new JsonObject().put("subject", key).put("operation", operation);
    callers.scheduleAtFixedRate(
        () -> {
          NodeFixture node = nodes[Math.floorMod(turn.incrementAndGet(), nodes.length)];
          node.send(request(node, "/v1/check", NodeFixture.SERVICE)
              .POST(BodyPublishers.ofString(check.encode())));
        },
        0,
        1_000_000 / perSecond,
        TimeUnit.MICROSECONDS);
  }

  private static HttpRequest.Builder request(NodeFixture node, String path, String token) {
    return HttpRequest.newBuilder(node.adminUri(path)).header("Authorization", "Bearer " + token);
  }

  private static void send(NodeFixture node, String method, String path, JsonObject body) {
    node.send(request(node, path, NodeFixture.ADMIN)
        .method(method, BodyPublishers.ofString(body.encode())));
  }
}
