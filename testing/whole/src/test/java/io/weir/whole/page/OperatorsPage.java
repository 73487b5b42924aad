package io.weir.whole.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.deque.html.axecore.results.Rule;
import com.microsoft.playwright.Browser.NewContextOptions;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ReducedMotion;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.testkit.RedisProcess;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** The page of operators in a browser, at a node of its own for each class of tests. */
abstract class OperatorsPage {
  static final String EVIL = "<img src=x onerror='window.stolen=1'>";
  static final String POLICY = """
      operations:
        - { name: Ask, match: { path: /ask } }
        - { name: Tell, match: { path: /tell } }
      buckets:
        - { name: requests, burstPeriodMs: 600000, throttleGroups: [{ milliOpsPerSec: 10, operations: [Ask] }] }
        - { name: asks, burstPeriodMs: 60000, throttleGroups: [{ opsPerSec: 20, operations: [Ask] }] }
        - { name: team, scope: tenant, burstPeriodMs: 1000, throttleGroups: [{ opsPerSec: 100, operations: [Ask, Tell] }] }
      defaults: { plan: free }
      plans: { free: { buckets: [asks, requests, team] } }
      subjects:
        - { match: "svc-*", tenant: robots, plan: free }
        - { match: "user:*", tenant: app, plan: free }
        - { id: lodger, tenant: lodge, plan: free }
      """;

  /** A large screen, a small one, and a phone. */
  static final int[] WIDTHS = {1440, 1024, 390};

  private static Chromium chromium;
  static RedisProcess redis;
  static NodeFixture node;
  static String policy;

  final List<String> complaints = new ArrayList<>();
  BrowserContext context;
  Page page;

  @BeforeAll
  static void start() {
    PlaywrightAssertions.setDefaultAssertionTimeout(20_000);
    chromium = Chromium.start();
    redis = RedisProcess.start();
    node = NodeFixture.at(redis.uri(), POLICY, FailureMode.LOCAL);
    policy = send("GET", "/v1/policy", "").body();
    for (String key : List.of(
        "quiet", "busy", "listed", "frozen", "boosted", "raised", "evil", "tried", "spent",
        "undone")) {
      send(
          "POST",
          "/v1/keys",
          new JsonObject()
              .put("tenant", "acme")
              .put("id", key)
              .put("note", EVIL)
              .encode());
    }
  }

  @AfterAll
  static void end() {
    if (chromium != null) {
      chromium.close();
      node.close();
      redis.close();
    }
  }

  @BeforeEach
  void open() {
    open(new NewContextOptions().setViewportSize(1280, 900));
  }

  void open(NewContextOptions options) {
    if (context != null) {
      context.close();
    }
    context = chromium.browser().newContext(options);
    context.setDefaultTimeout(20_000);
    page = context.newPage();
    page.onConsoleMessage(message -> {
      // The first look finds no session yet, and not every key has a record.
      if (message.type().equals("error") && !message.text().matches(".*(401|404).*")) {
        complaints.add(message.text() + " " + message.location());
      }
    });
    page.onPageError(complaints::add);
  }

  /** The same for a tool that looks at the page: it is a script of another origin. */
  void openForTools() {
    open(new NewContextOptions().setBypassCSP(true));
  }

  @AfterEach
  void close() {
    context.close();
  }

  static HttpResponse<String> send(String method, String path, String body) {
    return node.send(HttpRequest.newBuilder(node.adminUri(path))
        .header("Authorization", "Bearer " + NodeFixture.ADMIN)
        .method(method, BodyPublishers.ofString(body)));
  }

  static void ask(String key, int cost) {
    node.send(HttpRequest.newBuilder(node.uri("/v1/check"))
        .header("Authorization", "Bearer " + NodeFixture.SERVICE)
        .POST(BodyPublishers.ofString(new JsonObject()
            .put("subject", key)
            .put("operation", "Ask")
            .put("cost", cost)
            .encode())));
  }

  void signIn(String token) {
    signIn(node, token);
  }

  void signIn(NodeFixture at, String token) {
    page.navigate(at.adminUri("/page").toString());
    page.getByLabel("Admin token").fill(token);
    page.getByText("Sign in").last().click();
  }

  void go(String view) {
    page.navigate(node.adminUri("/page") + "#/" + view);
  }

  Locator button(String name) {
    return page.locator("button", new Page.LocatorOptions().setHasText(name));
  }

  Locator confirm(String name) {
    return page.locator("dialog button", new Page.LocatorOptions().setHasText(name))
        .last();
  }

  /** Signs in as the operator of the node, and waits until the page has figures. */
  void signIn() {
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
  }

  /** Signs in and opens a view. */
  void show(String view) {
    signIn();
    go(view);
  }

  /** Requires that what is shown has no barrier that axe finds, on each screen, in light and dark. */
  void requireAccessible(String what) {
    for (ColorScheme scheme : new ColorScheme[] {ColorScheme.LIGHT, ColorScheme.DARK}) {
      page.emulateMedia(new Page.EmulateMediaOptions()
          .setColorScheme(scheme)
          .setReducedMotion(ReducedMotion.REDUCE));
      for (int width : WIDTHS) {
        page.setViewportSize(width, 900);
        List<Rule> violations = new AxeBuilder(page).analyze().getViolations();
        assertThat(violations).as("%s in %s at %d", what, scheme, width).isEmpty();
      }
    }
  }

  /** Whether the page scrolls sideways. */
  Object isTooWide() {
    return page.evaluate("document.documentElement.scrollWidth > innerWidth");
  }

  static String denialOf(String key) {
    return NodeFixture.json(send("GET", "/v1/denials?key=" + key + "&limit=1", ""))
        .getJsonArray("denials")
        .getJsonObject(0)
        .getString("id");
  }

  static long revision() {
    return Long.parseLong(send("GET", "/v1/policy", "")
        .headers()
        .firstValue("Weir-Policy-Revision")
        .orElseThrow());
  }
}
