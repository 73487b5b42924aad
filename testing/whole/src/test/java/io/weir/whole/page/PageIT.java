package io.weir.whole.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.deque.html.axecore.results.Rule;
import com.microsoft.playwright.Browser.NewContextOptions;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
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
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page of operators as they use it, in a browser. */
@Tag("page")
final class PageIT {
  private static final String EVIL = "<img src=x onerror='window.stolen=1'>";
  private static final String POLICY = """
      operations:
        - { name: Ask, match: { path: /ask } }
        - { name: Tell, match: { path: /tell } }
      buckets:
        - { name: requests, burstPeriodMs: 600000, throttleGroups: [{ milliOpsPerSec: 10, operations: [Ask] }] }
        - { name: asks, burstPeriodMs: 60000, throttleGroups: [{ opsPerSec: 20, operations: [Ask] }] }
        - { name: team, scope: tenant, burstPeriodMs: 1000, throttleGroups: [{ opsPerSec: 100, operations: [Ask, Tell] }] }
      defaults: { plan: free }
      plans: { free: { buckets: [asks, requests, team] } }
      """;

  private static Chromium chromium;
  private static RedisProcess redis;
  private static NodeFixture node;
  private static String policy;

  private final List<String> complaints = new ArrayList<>();
  private BrowserContext context;
  private Page page;

  @BeforeAll
  static void start() {
    PlaywrightAssertions.setDefaultAssertionTimeout(20_000);
    chromium = Chromium.start();
    redis = RedisProcess.start();
    node = NodeFixture.at(redis.uri(), POLICY, FailureMode.LOCAL);
    policy = send("GET", "/v1/policy", "").body();
    for (String key :
        List.of("quiet", "busy", "listed", "frozen", "boosted", "raised", "evil", "tried")) {
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

  private void open(NewContextOptions options) {
    if (context != null) {
      context.close();
    }
    context = chromium.browser().newContext(options);
    context.setDefaultTimeout(20_000);
    page = context.newPage();
    page.onConsoleMessage(message -> {
      // The first look finds no session yet.
      if (message.type().equals("error") && !message.text().contains("401")) {
        complaints.add(message.text());
      }
    });
    page.onPageError(complaints::add);
  }

  @AfterEach
  void close() {
    context.close();
  }

  private static HttpResponse<String> send(String method, String path, String body) {
    return node.send(HttpRequest.newBuilder(node.uri(path))
        .header("Authorization", "Bearer " + NodeFixture.ADMIN)
        .method(method, BodyPublishers.ofString(body)));
  }

  private static void ask(String key, int cost) {
    node.send(HttpRequest.newBuilder(node.uri("/v1/check"))
        .header("Authorization", "Bearer " + NodeFixture.SERVICE)
        .POST(BodyPublishers.ofString(new JsonObject()
            .put("subject", key)
            .put("operation", "Ask")
            .put("cost", cost)
            .encode())));
  }

  private void signIn(String token) {
    page.navigate(node.uri("/page").toString());
    page.getByLabel("Admin token").fill(token);
    page.getByText("Sign in").last().click();
  }

  private void go(String view) {
    page.navigate(node.uri("/page") + "#/" + view);
  }

  private Locator button(String name) {
    return page.locator("button", new Page.LocatorOptions().setHasText(name));
  }

  private Locator confirm(String name) {
    return page.locator("dialog button", new Page.LocatorOptions().setHasText(name))
        .last();
  }

  @Test
  void onlyATokenOpensThePage() {
    signIn("a guess");
    assertThat(page.getByRole(com.microsoft.playwright.options.AriaRole.ALERT)).isVisible();

    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    page.reload();
    assertThat(page.locator(".figures")).isVisible();

    button("Sign out").click();
    assertThat(page.getByLabel("Admin token")).isVisible();
    page.reload();
    assertThat(page.getByLabel("Admin token")).isVisible();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "overview",
        "subject?key=quiet",
        "denials",
        "keys",
        "work",
        "policy",
        "rehearsal",
        "changes"
      })
  void eachViewIsSoundForAllWhoLook(String view) {
    for (ColorScheme scheme : new ColorScheme[] {ColorScheme.LIGHT, ColorScheme.DARK}) {
      // The tool that looks is a script of another origin.
      open(new NewContextOptions()
          .setViewportSize(1280, 900)
          .setColorScheme(scheme)
          .setReducedMotion(com.microsoft.playwright.options.ReducedMotion.REDUCE)
          .setBypassCSP(true));
      signIn(NodeFixture.ADMIN);
      assertThat(page.locator(".figures")).isVisible();
      go(view);
      assertThat(page.locator("section.panel").first()).isVisible();
      List<Rule> violations = new AxeBuilder(page)
          .analyze().getViolations().stream()
              .filter(rule -> Set.of("serious", "critical").contains(rule.getImpact()))
              .toList();
      assertThat(violations).as("%s in %s", view, scheme).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "overview",
        "subject?key=quiet",
        "denials",
        "keys",
        "work",
        "policy",
        "rehearsal",
        "changes"
      })
  void eachViewFitsAPhoneAndBreaksNoPolicyOfContent(String view) {
    open(new NewContextOptions().setViewportSize(375, 800));
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    go(view);
    assertThat(page.locator("section.panel").first()).isVisible();

    Object isWide = page.evaluate("document.documentElement.scrollWidth > innerWidth");
    assertThat(isWide).as("scrolls sideways").isEqualTo(false);
    assertThat(complaints).isEmpty();
  }

  @Test
  void theKeyboardIsEnough() {
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();

    page.keyboard().press("Tab");
    assertThat(page.locator(":focus")).hasText("Skip to the content");
    page.keyboard().press("Enter");
    assertThat(page.locator("main")).isFocused();

    page.getByText("Policy", new Page.GetByTextOptions().setExact(true)).first().focus();
    page.keyboard().press("Enter");
    assertThat(page.getByLabel("policy", new Page.GetByLabelOptions().setExact(true)))
        .isVisible();
  }

  @Test
  void aDeniedKeyIsExplainedAndLetThrough() {
    ask("busy", 6);
    ask("busy", 6);
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    // Who is denied most leads to why.
    page.getByText("acme/busy").first().click();
    assertThat(page.locator(".verdict")).containsText("would be denied");
    assertThat(page.locator(".verdict")).containsText("no room in requests");
    assertThat(page.getByRole(com.microsoft.playwright.options.AriaRole.REGION).first())
        .isVisible();

    button("Reset…").click();
    assertThat(page.locator("dialog")).containsText("requests");
    confirm("Reset").click();

    assertThat(page.locator(".verdict")).containsText("would pass now");
    assertThat(page.locator(".notice")).containsText("busy was reset");
    assertThat(complaints).isEmpty();
  }

  @Test
  void aCaseOpensWithTheLimitThatDeniedIt() {
    ask("listed", 6);
    ask("listed", 6);
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator("p.verdict")).containsText("limited now");
    Locator row = page.locator(
        "[aria-label=cases] tbody tr", new Page.LocatorOptions().setHasText("acme/listed"));
    assertThat(row).containsText("requests");
    row.locator("a").click();

    assertThat(page.locator(".verdict")).containsText("would be denied");
    Locator first = page.locator("[aria-label=limits] tbody tr").first();
    assertThat(first).containsText("requests");
    assertThat(first).containsText("denied it");
    assertThat(complaints).isEmpty();
  }

  @Test
  void aDenialIsFoundByItsId() {
    ask("quiet", 7);
    String id = NodeFixture.json(send("GET", "/v1/denials?key=quiet&limit=1", ""))
        .getJsonArray("denials")
        .getJsonObject(0)
        .getString("id");
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    go("denials?id=" + id);

    assertThat(page.locator("tbody tr")).hasCount(1);
    assertThat(page.locator("tbody")).containsText("never allowed");
    assertThat(page.locator("tbody")).containsText(id);
  }

  @Test
  void aKeyIsFrozenThawedAndBoosted() {
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    go("subject?key=frozen&operation=Ask");
    button("Freeze…").click();
    confirm("Freeze").click();
    assertThat(page.locator(".verdict")).containsText("can never pass");
    button("Thaw…").click();
    confirm("Thaw").click();
    assertThat(page.locator(".verdict")).containsText("would pass now");

    go("subject?key=boosted&operation=Ask");
    button("Boost…").click();
    page.getByLabel("bucket").selectOption("requests");
    page.getByLabel("operations a second").fill("7");
    confirm("Boost").click();
    assertThat(page.locator("main")).containsText("override until");
    assertThat(page.locator("main")).containsText("7/s");
    assertThat(complaints).isEmpty();
  }

  @Test
  void aBoostBeginsWithTheFullestBucketAndNeverLowersALimit() {
    ask("raised", 6);
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    go("subject?key=raised&operation=Ask");
    button("Boost…").click();
    assertThat(page.getByLabel("bucket")).hasValue("requests");
    assertThat(page.locator("dialog .present")).hasText("now 0.01/s, by plan");
    page.getByLabel("bucket").selectOption("asks");
    assertThat(page.locator("dialog .present")).hasText("now 20/s, by plan");
    assertThat(page.getByLabel("operations a second")).hasValue("40");
    page.getByLabel("operations a second").fill("20");
    confirm("Boost").click();
    assertThat(page.locator("dialog")).hasCount(1); // no more than now
    page.getByLabel("operations a second").fill("50");
    confirm("Boost").click();
    assertThat(page.locator("main")).containsText("50/s");
    button("Boost…").click();
    page.getByLabel("bucket").selectOption("asks");
    assertThat(page.locator("dialog .present")).containsText("now 50/s, boosted until");
    assertThat(page.getByLabel("operations a second")).hasValue("100");
    assertThat(complaints).isEmpty();
  }

  @Test
  void whatADialogIsAboutIsDoneToItOrToNothing() {
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    go("subject?key=quiet&operation=Ask");
    assertThat(page.locator(".verdict")).containsText("acme/quiet");
    go("subject?key=evil&operation=Ask");
    assertThat(page.locator(".verdict")).containsText("acme/evil");
    button("Freeze…").click();
    assertThat(page.locator("dialog")).containsText("Freeze evil?");
    page.goBack();
    assertThat(page.locator("dialog")).hasCount(0);
    assertThat(page.locator(".verdict")).containsText("acme/quiet");

    button("Boost…").click();
    page.getByLabel("operations a second").fill("");
    confirm("Boost").click();
    assertThat(page.locator("dialog")).hasCount(1); // a number is missing
    for (String key : List.of("evil", "quiet")) {
      JsonObject record = NodeFixture.json(send("GET", "/v1/keys/" + key, ""));
      org.assertj.core.api.Assertions.assertThat(record.getString("state")).isEqualTo("active");
      org.assertj.core.api.Assertions.assertThat(record.containsKey("overrides"))
          .isFalse();
    }
  }

  @Test
  void aLateAnswerDoesNotReplaceANewerOne() {
    ask("quiet", 7);
    String id = NodeFixture.json(send("GET", "/v1/denials?key=quiet&limit=1", ""))
        .getJsonArray("denials")
        .getJsonObject(0)
        .getString("id");
    ask("quiet", 7);
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    List<Route> late = new ArrayList<>();
    page.route("**/v1/denials?*", late::add);
    go("denials");
    page.waitForCondition(() -> !late.isEmpty());
    go("denials?id=" + id);
    assertThat(page.locator("tbody tr")).hasCount(1);
    late.get(0).resume();
    page.waitForResponse("**/v1/denials?*", () -> {});
    page.waitForTimeout(300);
    assertThat(page.locator("tbody tr")).hasCount(1);
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
    assertThat(page.locator(".state")).hasText("live");
    org.assertj.core.api.Assertions.assertThat(refused).hasSize(2);
  }

  @Test
  void aSignOutThatFailsIsToldAndASecondOneEndsTheSession() {
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
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
  void aCandidateWithMistakesIsNotLost() {
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    go("rehearsal");
    button("Compare a candidate").click();
    String broken = policy.replace("600000", "-1");
    page.locator("dialog textarea").fill(broken);
    confirm("Compare").click();
    assertThat(page.locator(".problem")).containsText("line ");
    button("Compare a candidate").click();
    assertThat(page.locator("dialog textarea")).hasValue(broken);
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
    assertThat(page.locator("nav a")).hasText(new String[] {"Subject", "Denials", "Keys"});
    assertThat(page.locator("main")).containsText("Explain");
    go("constructor");
    assertThat(page.locator("main")).containsText("Explain");
    go("keys");
    assertThat(page.locator("tbody")).containsText("acme/quiet");
    send("DELETE", "/v1/tokens/of-acme", "");
    assertThat(page.getByLabel("Admin token")).isVisible();
  }

  @Test
  void aPolicyIsRehearsedPutInForceAndTakenBack() {
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    go("policy");
    Locator text = page.locator("#policy-text");
    assertThat(text).hasValue(policy);
    long revision = revision();

    String line =
        Long.toString(policy.lines().takeWhile(it -> !it.contains("name: team")).count() + 1);
    text.fill(policy.replace("opsPerSec: 100", "opsPerSec: -1"));
    button("Rehearse").click();
    assertThat(page.locator(".problems li").first()).containsText("line " + line);
    assertThat(page.locator(".lines .marked").first()).hasText(line);
    assertThat(revision()).isEqualTo(revision);

    text.fill(policy.replace("opsPerSec: 100", "opsPerSec: 150"));
    button("Put in force…").click();
    assertThat(page.locator("dialog .diff")).containsText("opsPerSec: 150");
    page.getByLabel("why").fill(EVIL);
    confirm("Put in force").click();
    assertThat(page.locator("main")).containsText(EVIL); // as text
    assertThat(revision()).isGreaterThan(revision);

    page.locator("tr", new Page.LocatorOptions().setHasText("Back to it…"))
        .nth(1)
        .locator("button", new Locator.LocatorOptions().setHasText("Back to it…"))
        .click();
    assertThat(page.locator("dialog .diff")).containsText("opsPerSec: 150");
    confirm("Roll back").click();
    assertThat(text).hasValue(policy);
    assertThat(page.evaluate("window.stolen")).isNull();
  }

  @Test
  void aPolicyByWhichStoredKeysLoseLimitsNeedsASecondConfirmation() {
    String withSpare =
        policy.replace("requests, team] }", "requests, team] }, spare: { buckets: [team] }");
    send("PUT", "/v1/policy?force=true", withSpare);
    send("POST", "/v1/keys", "{\"tenant\": \"spare\", \"id\": \"spared\", \"plan\": \"spare\"}");
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    go("policy");
    Locator text = page.locator("#policy-text");
    assertThat(text).hasValue(withSpare);
    long revision = revision();

    text.fill(policy);
    button("Put in force…").click();
    assertThat(page.locator("dialog")).containsText("the plan spare");
    confirm("Cancel").click();
    assertThat(page.locator("dialog")).hasCount(0);
    assertThat(revision()).isEqualTo(revision);

    button("Put in force…").click();
    confirm("Go on anyway").click();
    assertThat(page.locator("dialog .diff")).containsText("spare");
    confirm("Put in force").click();
    assertThat(page.locator(".notice")).containsText("is in force");
    assertThat(revision()).isGreaterThan(revision);
    send("DELETE", "/v1/keys/spared", "");
  }

  private static long revision() {
    return Long.parseLong(send("GET", "/v1/policy", "")
        .headers()
        .firstValue("Weir-Policy-Revision")
        .orElseThrow());
  }

  @Test
  void aCandidateIsComparedWithTheLivePolicy() {
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    go("rehearsal");
    button("Compare a candidate").click();
    page.locator("dialog textarea").fill(policy.replace("600000", "100000"));
    confirm("Compare").click();
    assertThat(page.locator("main")).containsText("by admin");
    ask("compared", 1);
    for (int i = 0; i < 3; i++) {
      ask("tried", 1); // the candidate has room for one
    }

    assertThat(page.locator("table").first()).containsText("Ask");
    assertThat(page.locator("main")).containsText("Would have been denied lately");
    assertThat(page.locator("table").last()).containsText("acme/tried");
    assertThat(page.locator("table").last()).containsText("would deny");
    button("End").click();
    assertThat(page.locator("main")).containsText("Nothing is compared");
    assertThat(complaints).isEmpty();
  }

  @Test
  void whatAnotherOperatorHasChangedMeanwhileIsShown() {
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    go("policy");
    Locator text = page.locator("#policy-text");
    assertThat(text).hasValue(policy);
    text.fill(policy.replace("burstPeriodMs: 1000", "burstPeriodMs: 2000"));
    send(
        "PATCH",
        "/v1/policy",
        "{\"path\":\"/buckets/team/throttleGroups/0/opsPerSec\",\"value\":120}");
    try {
      button("Put in force…").click();

      assertThat(page.locator(".problem")).containsText("Another revision");
      assertThat(page.locator(".diff")).containsText("opsPerSec: 120");
      assertThat(text).hasValue(policy.replace("burstPeriodMs: 1000", "burstPeriodMs: 2000"));
    } finally {
      send("PUT", "/v1/policy", policy);
    }
  }

  @Test
  void namesAndNotesAreTextWhateverTheyAre() {
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    for (String view :
        List.of("keys", "subject?key=evil", "changes", "denials?key=" + "%3Cimg%3E")) {
      go(view);
      page.waitForLoadState(LoadState.NETWORKIDLE);
    }
    go("keys");
    assertThat(page.locator("tbody")).containsText(EVIL);
    assertThat(page.locator("main img")).hasCount(0);
    assertThat(page.evaluate("window.stolen")).isNull();
  }

  @Test
  void aPageOfAnotherSiteCanNeitherFrameItNorActInItsName() throws IOException {
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
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
