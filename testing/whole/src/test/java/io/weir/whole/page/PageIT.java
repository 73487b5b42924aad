package io.weir.whole.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.deque.html.axecore.results.Rule;
import com.microsoft.playwright.Browser.NewContextOptions;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.LoadState;
import com.sun.net.httpserver.HttpServer;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.testkit.RedisProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The page as a whole: who may see it, for all who look, whatever the node does. */
@Tag("page")
final class PageIT extends OperatorsPage {
  private static final String PROVIDERS = """
      operations:
        - { name: Call, match: { method: POST, path: /rpc }, upstream: rpc }
        - { name: Proof, match: { method: POST, path: /proof }, mode: job, job: { dispatchPerSecond: 10, processingTime: 2s } }
      buckets:
        - { name: calls, burstPeriod: 1, throttleGroups: [{ opsPerSec: 100, operations: [Call, Proof] }] }
      upstream: { url: "http://127.0.0.1:1" }
      upstreams:
        rpc: { maxInflight: 5, maxQueue: 20, providers: [{ name: ours, url: "http://127.0.0.1:1", keyInterval: 1ms }] }
      windows:
        blocks: { width: 40, attempts: 4, lease: 30s, results: true }
      subjects:
        k1: { tenant: acme }
      """;

  private static Stream<String> views() {
    return Stream.of(
        "now",
        "now?key=quiet",
        "now?tenant=acme",
        "now?list=nearly",
        "now?list=wouldbe",
        "now?list=closed",
        "now?list=denials",
        "now?list=changes",
        "limits",
        "keys",
        "keys?key=quiet",
        "keys?list=tenants",
        "keys?list=tokens",
        "work");
  }

  private static final String PLACEHOLDERS = """
      new MutationObserver(() => {
        window.hadPlaceholder ||= Boolean(document.querySelector('.traffic .loading'));
      }).observe(document, { childList: true, subtree: true })""";

  @Test
  void theFirstPaintHasItsFigures() {
    signIn();
    page.addInitScript(PLACEHOLDERS);
    // A busy machine may be late: then the page does not wait.
    Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> {
      page.reload();
      assertThat(page.locator(".figures")).isVisible();
      return !Boolean.TRUE.equals(page.evaluate("window.hadPlaceholder"));
    });
    assertThat(complaints).isEmpty();
  }

  @Test
  void onlyATokenOpensThePage() {
    signIn("a guess");
    assertThat(page.getByRole(com.microsoft.playwright.options.AriaRole.ALERT)).isVisible();

    signIn();
    page.reload();
    assertThat(page.locator(".figures")).isVisible();
    assertThat(page.locator(".verdict")).containsText(Pattern.compile("needs? you"));

    button("Sign out").click();
    assertThat(page.getByLabel("Admin token")).isVisible();
    page.reload();
    assertThat(page.getByLabel("Admin token")).isVisible();
  }

  @ParameterizedTest
  @MethodSource("views")
  void eachViewIsSoundForAllWhoLook(String view) {
    ask("busy", 7);
    ask("spent", 6);
    ask("spent", 1);
    openForTools();
    show(view);
    assertThat(page.locator("section.panel").first()).isVisible();
    requireAccessible(view);
  }

  /** The dialogs of a view, by the buttons that open them. */
  private static final Map<String, List<String>> DIALOGS = Map.of(
      "now?key=quiet", List.of("Boost…", "Lower…", "Freeze…", "Reset…"),
      "keys?key=quiet", List.of("Create a key…", "Rotate…", "Change…", "Delete…"),
      "keys?list=tokens", List.of("Create a token…"),
      "now", List.of("Find anything"));

  @Test
  void eachDialogIsSoundForAllWhoLookAndFitsAPhone() {
    for (ColorScheme scheme : new ColorScheme[] {ColorScheme.LIGHT, ColorScheme.DARK}) {
      open(new NewContextOptions()
          .setViewportSize(scheme == ColorScheme.LIGHT ? 1440 : 390, 800)
          .setColorScheme(scheme)
          .setReducedMotion(com.microsoft.playwright.options.ReducedMotion.REDUCE)
          .setBypassCSP(true));
      signIn();
      DIALOGS.forEach((view, buttons) -> {
        go(view);
        for (String button : buttons) {
          button(button).last().click();
          assertThat(page.locator("dialog")).isVisible();
          List<Rule> violations =
              new AxeBuilder(page).include("dialog").analyze().getViolations();
          assertThat(violations).as("%s in %s", button, scheme).isEmpty();
          assertThat(isTooWide())
              .as("%s in %s scrolls sideways", button, scheme)
              .isEqualTo(false);
          page.keyboard().press("Escape");
          assertThat(page.locator("dialog")).hasCount(0);
        }
      });
    }
  }

  @ParameterizedTest
  @MethodSource("views")
  void eachViewFitsAPhoneAndASmallScreenAndBreaksNoPolicyOfContent(String view) {
    open(new NewContextOptions().setViewportSize(375, 800));
    show(view);
    for (int width : new int[] {375, 390, 1024, 1440}) {
      page.setViewportSize(width, 800);
      assertThat(page.locator("section.panel").first()).isVisible();
      assertThat(isTooWide()).as("scrolls sideways at %d", width).isEqualTo(false);
    }
    assertThat(complaints).isEmpty();
  }

  @Test
  void theKeyboardIsEnough() {
    ask("busy", 7);
    ask("spent", 6);
    ask("spent", 6);
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator("[data-row]").nth(1)).isVisible();

    page.keyboard().press("Tab");
    assertThat(page.locator(":focus")).hasText("Skip to the content");
    page.keyboard().press("Enter");
    assertThat(page.locator("main")).isFocused();

    page.keyboard().press("j");
    assertThat(page.locator("[data-row]").first()).isFocused();
    page.keyboard().press("j");
    assertThat(page.locator("[data-row]").nth(1)).isFocused();
    page.keyboard().press("k");
    assertThat(page.locator("[data-row]").first()).isFocused();
    page.keyboard().press("k"); // there is none before the first
    assertThat(page.locator("[data-row]").first()).isFocused();
    page.keyboard().press("Enter");
    assertThat(page.locator(".detail .decisions")).isVisible();
    assertThat(page).hasURL(Pattern.compile("key=|tenant="));
    Map.of("r", "Reset ", "b", "Boost ", "f", "Freeze ").forEach((key, action) -> {
      page.keyboard().press(key);
      assertThat(page.locator("dialog")).containsText(action);
      page.keyboard().press("Escape");
      assertThat(page.locator("dialog")).hasCount(0);
    });
    page.keyboard().press("Escape");
    assertThat(page.locator(".detail")).hasCount(0);

    page.keyboard().press("?");
    assertThat(page.locator("dialog")).containsText("the next row");
    page.keyboard().press("Escape");
    page.keyboard().press("/");
    page.keyboard().type("limits");
    page.keyboard().press("Escape");
    assertThat(page.locator("dialog")).hasCount(0);
    page.keyboard().press("/");
    page.keyboard().type("limits");
    assertThat(page.locator(".results a").first()).containsText("Limits");
    page.keyboard().press("Enter");
    assertThat(page.locator("#policy-text")).isVisible();
    assertThat(complaints).isEmpty();
  }

  @Test
  void aKeyRightAfterADialogIsHeard() {
    signIn();
    page.keyboard().press("?");
    assertThat(page.locator("dialog")).containsText("the next row");
    // Before the browser has told the page that the dialog is closed.
    page.evaluate("document.querySelector('dialog').close();"
        + " dispatchEvent(new KeyboardEvent('keydown', {key: '/'}))");
    page.locator("dialog input").fill("limits");
    assertThat(page.locator(".results a").first()).containsText("Limits");
    page.keyboard().press("Enter");
    assertThat(page.locator("dialog")).hasCount(0);
    assertThat(complaints).isEmpty();
  }

  @Test
  void aClickAnywhereInARowOpensIt() {
    ask("busy", 7);
    ask("quiet", 7);
    signIn();
    Locator row = page.locator(
        "[aria-label=cases] tbody tr", new Page.LocatorOptions().setHasText("acme/busy"));
    Locator limit = row.locator("td").nth(1).locator("b");
    limit.selectText();
    limit.dispatchEvent("click");
    assertThat(page).not().hasURL(Pattern.compile("key="));
    page.evaluate("getSelection().empty()");
    row.locator("td").last().click();
    assertThat(page).hasURL(Pattern.compile("key=busy"));
    assertThat(page.locator(".detail h2")).containsText("acme/busy");
    assertThat(complaints).isEmpty();
  }

  private void find(String text, String kind, String title) {
    page.locator("button.search").click();
    page.locator("dialog input").fill(text);
    page.locator(".results a", new Page.LocatorOptions().setHasText(kind))
        .filter(new Locator.FilterOptions().setHasText(title))
        .first()
        .click();
    assertThat(page.locator("dialog")).hasCount(0);
  }

  @Test
  void anythingIsFoundFromEverywhere() {
    ask("quiet", 7);
    send("POST", "/v1/tenants", "{\"id\": \"acme\"}");
    signIn();

    find("uie", "key", "acme/quiet");
    assertThat(page.locator(".detail h2")).containsText("acme/quiet");
    ask("user:found", 7);
    find("app", "tenant", "app"); // without a record
    assertThat(page.locator(".detail h2")).containsText("app tenant");
    find("svc-1", "key", "robots/svc-1");
    assertThat(page.locator(".detail h2")).containsText("robots/svc-1");
    find("cme", "tenant", "acme");
    assertThat(page.locator(".detail h2")).containsText("acme tenant");
    find(denialOf("quiet"), "denial", "acme/quiet");
    assertThat(page.locator(".detail")).containsText("The denial");
    find("name: team", "policy", "name: team");
    assertThat(page.locator("#policy-text")).isFocused();
    page.waitForCondition(() -> selected().contains("name: team"));
    find("Tell", "policy", "operations: [Ask, Tell]");
    page.waitForCondition(() -> selected().contains("Tell]"));
    assertThat(complaints).isEmpty();
  }

  private String selected() {
    return String.valueOf(page.evaluate("getSelection().toString()"));
  }

  @Test
  void nothingLooksEmptyBeforeTheNodeHasAnswered() {
    signIn();
    List<Route> asked = new ArrayList<>();
    page.route("**/v1/keys?**", asked::add);
    go("keys?state=disabled");
    page.waitForCondition(() -> !asked.isEmpty());
    assertThat(page.locator(".loading")).isVisible();
    assertThat(page.locator(".empty")).hasCount(0);
    asked.get(0).resume();
    assertThat(page.locator(".empty")).hasText("No such key has a record.");
    assertThat(page.locator(".loading")).hasCount(0);
  }

  @Test
  void afterARefusalThePageListensAgain() {
    List<String> refused = new ArrayList<>();
    page.route("**/v1/live", route -> {
      if (refused.size() < 2) {
        refused.add(route.request().url());
        route.fulfill(new Route.FulfillOptions().setStatus(503));
      } else {
        route.resume();
      }
    });
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".state")).hasText("node not heard");
    assertThat(page.locator(".state")).hasText(Pattern.compile("live|needs? you"));
    org.assertj.core.api.Assertions.assertThat(refused).hasSize(2);
  }

  @Test
  void aSignOutThatFailsIsToldAndASecondOneEndsTheSession() {
    signIn();
    page.route("**/v1/session", route -> {
      if (route.request().method().equals("DELETE")) {
        route.abort();
      } else {
        route.resume();
      }
    });
    button("Sign out").click();
    assertThat(page.locator(".problem")).containsText("does not answer");
    page.unroute("**/v1/session");
    button("Sign out").click();
    assertThat(page.getByLabel("Admin token")).isVisible();
    page.reload();
    assertThat(page.getByLabel("Admin token")).isVisible();
  }

  @Test
  void anOperatorOfATenantIsShownWhatItMaySee() {
    String token = NodeFixture.json(send(
            "POST",
            "/v1/tokens",
            new JsonObject()
                .put("name", "of-acme")
                .put("scope", "read")
                .put("tenant", "acme")
                .encode()))
        .getString("token");
    signIn(token);
    assertThat(page.locator("nav.views a")).hasText(new String[] {"Now", "Keys"});
    assertThat(page.locator(".tabs")).containsText("Limited now");
    assertThat(page.locator(".tabs")).not().containsText("Changes");
    go("constructor");
    assertThat(page.locator(".tabs")).containsText("Limited now");
    go("now?key=quiet");
    assertThat(page.locator(".decisions")).containsText("Tell");
    assertThat(button("Reset…")).isDisabled();
    go("keys");
    assertThat(page.locator("tbody").first()).containsText("acme/quiet");
    find("cme", "tenant", "acme");
    assertThat(page.locator(".detail h2")).containsText("acme tenant");
    send("DELETE", "/v1/tokens/of-acme", "");
    assertThat(page.getByLabel("Admin token")).isVisible();
  }

  @Test
  void providersJobsAndWindowsAreShownInWordsAndFigures() {
    openForTools();
    try (RedisProcess own = RedisProcess.start();
        NodeFixture other = NodeFixture.at(own.uri(), PROVIDERS, FailureMode.LOCAL)) {
      signIn(other, NodeFixture.ADMIN);
      assertThat(page.locator(".figures")).isVisible();
      page.navigate(other.uri("/page") + "#/work");
      assertThat(page.locator("main")).containsText("Proof");
      failAtProvider(other);
      Locator ours = page.locator("[aria-label=rpc] tbody tr");
      assertThat(ours).containsText("ours");
      assertThat(ours).containsText("100 %");
      assertThat(ours).containsText("left alone after failures, tried again in");
      page.navigate(other.uri("/page") + "#/now");
      Locator finding =
          page.locator(".verdict.bad li", new Page.LocatorOptions().setHasText("left alone"));
      assertThat(finding).containsText(", since ");
      assertThat(page.locator(".marks .bad")).containsText("left alone");
      finding.locator("a").click();
      assertThat(ours).containsText("ours");
      service(other, "/v1/windows/blocks/open", "{\"from\": 0, \"to\": 99}");
      assertThat(page.locator("[aria-label=windows]")).containsText("1 open");
      requireAccessible("providers");
      assertThat(complaints).isEmpty();
    }
  }

  // Until its breaker opens, so that it gets no more.
  private static void failAtProvider(NodeFixture other) {
    for (int i = 0; i < 50; i++) {
      HttpResponse<String> permit = service(other, "/v1/permits", "{\"upstream\": \"rpc\"}");
      if (permit.statusCode() != 201) {
        return;
      }
      String name = NodeFixture.json(permit).getString("permit");
      service(other, "/v1/permits/" + name + "/release", "{\"status\": 500, \"latencyMs\": 20}");
    }
    throw new AssertionError("the breaker has not opened");
  }

  private static HttpResponse<String> service(NodeFixture other, String path, String body) {
    return other.post(path, body, "Authorization", "Bearer " + NodeFixture.SERVICE);
  }

  @Test
  void namesAndNotesAreTextWhateverTheyAre() {
    signIn();
    for (String view :
        List.of("keys", "now?key=evil", "now?list=changes", "now?find=" + "%3Cimg%3E")) {
      go(view);
      page.waitForLoadState(LoadState.NETWORKIDLE);
    }
    go("keys");
    assertThat(page.locator("tbody").first()).containsText(EVIL);
    assertThat(page.locator("main img")).hasCount(0);
    assertThat(page.evaluate("window.stolen")).isNull();
  }

  @Test
  void aPageOfAnotherSiteCanNeitherFrameItNorActInItsName() throws IOException {
    signIn();
    long before = revision();
    String target = node.uri("").toString();
    HttpServer other =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    byte[] attack = """
        <iframe src="%1$s/page"></iframe>
        <form id="f" method="post" action="%1$s/v1/policy/rollback" enctype="text/plain" target="t">
        <input name='{"revision":1,"x":"' value='"}'></form><iframe name="t"></iframe>
        <script>
        document.getElementById('f').submit();
        Promise.allSettled([
          fetch('%1$s/v1/policy', {credentials: 'include'}).then(a => a.text()),
          fetch('%1$s/v1/policy/rollback', {method: 'POST', credentials: 'include', mode: 'no-cors', body: '{"revision":1}'})
        ]).then(all => { window.read = all[0].value || 'nothing'; });
        </script>
        """.formatted(target).getBytes(StandardCharsets.UTF_8);
    other.createContext("/", exchange -> {
      exchange.getResponseHeaders().add("Content-Type", "text/html");
      exchange.sendResponseHeaders(200, attack.length);
      try (var body = exchange.getResponseBody()) {
        body.write(attack);
      }
    });
    other.start();
    try {
      Page evil = context.newPage();
      // Another host than the node's, so another site.
      evil.navigate("http://localhost:" + other.getAddress().getPort() + "/");
      evil.waitForFunction("window.read");

      assertThat(evil.evaluate("window.read")).isEqualTo("nothing");
      assertThat(evil.frames().stream()
              .filter(frame -> frame.url().endsWith("/page"))
              .map(frame -> frame.locator("#app").count()))
          .allMatch(found -> found == 0);
      assertThat(revision()).isEqualTo(before);
    } finally {
      other.stop(0);
    }
  }
}
