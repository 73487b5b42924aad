package io.weir.whole.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.deque.html.axecore.results.Rule;
import com.microsoft.playwright.Browser.NewContextOptions;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Download;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.FilePayload;
import com.microsoft.playwright.options.LoadState;
import com.sun.net.httpserver.HttpServer;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.testkit.RedisProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
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
      subjects:
        - { match: "svc-*", tenant: robots, plan: free }
      """;

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

  private void open(NewContextOptions options) {
    if (context != null) {
      context.close();
    }
    context = chromium.browser().newContext(options);
    context.setDefaultTimeout(20_000);
    page = context.newPage();
    page.onConsoleMessage(message -> {
      // The first look finds no session yet, and not every key has a record.
      if (message.type().equals("error") && !message.text().matches(".*(401|404).*")) {
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
    signIn(node, token);
  }

  private void signIn(NodeFixture at, String token) {
    page.navigate(at.uri("/page").toString());
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
    assertThat(page.locator(".verdict")).containsText(Pattern.compile("needs? you"));

    button("Sign out").click();
    assertThat(page.getByLabel("Admin token")).isVisible();
    page.reload();
    assertThat(page.getByLabel("Admin token")).isVisible();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "now",
        "now?key=quiet",
        "now?tenant=acme",
        "now?list=nearly",
        "now?list=denials",
        "now?list=changes",
        "limits",
        "keys",
        "keys?key=quiet",
        "keys?list=tenants",
        "keys?list=tokens",
        "work"
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
        "now",
        "now?key=quiet",
        "now?tenant=acme",
        "now?list=nearly",
        "now?list=denials",
        "now?list=changes",
        "limits",
        "keys",
        "keys?key=quiet",
        "keys?list=tenants",
        "keys?list=tokens",
        "work"
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
    ask("spent", 6);
    ask("spent", 6);
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator("[data-row]").first()).isVisible();

    page.keyboard().press("Tab");
    assertThat(page.locator(":focus")).hasText("Skip to the content");
    page.keyboard().press("Enter");
    assertThat(page.locator("main")).isFocused();

    page.keyboard().press("j");
    assertThat(page.locator("[data-row]").first()).isFocused();
    page.keyboard().press("Enter");
    assertThat(page.locator(".detail .decisions")).isVisible();
    assertThat(page).hasURL(Pattern.compile("key=|tenant="));
    page.keyboard().press("r");
    assertThat(page.locator("dialog")).containsText("Reset ");
    page.keyboard().press("Escape");
    page.keyboard().press("Escape");
    assertThat(page.locator(".detail")).hasCount(0);

    page.keyboard().press("?");
    assertThat(page.locator("dialog")).containsText("the next row");
    page.keyboard().press("Escape");
    page.keyboard().press("/");
    page.keyboard().type("limits");
    assertThat(page.locator(".results a").first()).containsText("Limits");
    page.keyboard().press("Enter");
    assertThat(page.locator("#policy-text")).isVisible();
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
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();

    find("uie", "key", "acme/quiet");
    assertThat(page.locator(".detail h2")).containsText("acme/quiet");
    find("svc-1", "key", "robots/svc-1");
    assertThat(page.locator(".detail h2")).containsText("robots/svc-1");
    find("acme", "tenant", "acme");
    assertThat(page.locator(".detail h2")).containsText("acme/");
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

  private static String denialOf(String key) {
    return NodeFixture.json(send("GET", "/v1/denials?key=" + key + "&limit=1", ""))
        .getJsonArray("denials")
        .getJsonObject(0)
        .getString("id");
  }

  @Test
  void aCaseOpensWithAllLimitsOfTheKeyAndIsReset() {
    ask("busy", 6);
    ask("busy", 6);
    signIn(NodeFixture.ADMIN);
    page.locator("[data-row]", new Page.LocatorOptions().setHasText("acme/busy"))
        .first()
        .click();

    assertThat(page.locator(".decisions")).containsText("Ask is denied: requests full");
    assertThat(page.locator(".decisions")).containsText("Tell passes now");
    Locator limits = page.locator("[aria-label=limits] tbody tr");
    assertThat(limits).hasCount(3);
    assertThat(limits.first()).containsText("requests");
    assertThat(limits.first()).containsText("denied");
    assertThat(limits.first()).containsText("0.6 per min, burst 6");
    assertThat(limits.filter(new Locator.FilterOptions().setHasText("team")))
        .containsText("Ask, Tell");

    button("Reset…").click();
    assertThat(page.locator("dialog")).containsText("requests");
    confirm("Reset").click();
    assertThat(page.locator(".decisions")).containsText("Ask, Tell pass now");
    assertThat(page.locator(".notice")).containsText("busy was reset");
    assertThat(complaints).isEmpty();
  }

  @Test
  void anAddressLeadsBackToAnOpenCase() {
    ask("listed", 6);
    ask("listed", 6);
    signIn(NodeFixture.ADMIN);
    page.locator("[data-row]", new Page.LocatorOptions().setHasText("acme/listed"))
        .first()
        .click();
    assertThat(page.locator("tr.chosen")).containsText("acme/listed");
    page.reload();
    assertThat(page.locator(".detail h2")).containsText("acme/listed");
    assertThat(page.locator("tr.chosen").first()).containsText("requests");
    page.locator(".detail .close").click();
    assertThat(page.locator(".detail")).hasCount(0);
  }

  @Test
  void aDenialShowsAllThatIsKnownOfIt() {
    ask("quiet", 7);
    String id = denialOf("quiet");
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    go("now?id=" + id);

    Locator facts = page.locator(".detail .fields").first();
    for (String fact : List.of(
        id,
        "acme/quiet",
        "free",
        "cost 7",
        "blocked",
        "requests",
        "rate of the key",
        "revision ",
        "trace")) {
      assertThat(facts).containsText(fact);
    }
    assertThat(page.locator(".decisions")).containsText("Tell");
  }

  @Test
  void denialsAreGroupedPausedFilteredAndExported() {
    for (int i = 0; i < 4; i++) {
      ask("spent", 6);
    }
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    go("now?list=denials");
    page.getByLabel("filter").fill("spent");
    Locator group = page.locator("[aria-label=denials] tbody tr");
    assertThat(group).hasCount(1);
    int before = Integer.parseInt(group.locator("summary").innerText());
    assertThat(before).isGreaterThanOrEqualTo(3);

    button("Pause").click();
    ask("spent", 6);
    Locator until = page.locator("figcaption > span").last();
    for (int i = 0; i < 2; i++) {
      assertThat(until).not().hasText(until.innerText()); // the node has told more
    }
    assertThat(group.locator("summary")).hasText(Integer.toString(before));
    button("Go on").click();
    assertThat(group.locator("summary")).hasText(Integer.toString(before + 1));

    group.locator("summary").click();
    assertThat(group.locator("li").first()).containsText("retry after");
    assertThat(button("Go on")).isVisible(); // what is read stands still
    String csv = text(page.waitForDownload(() -> button("CSV").click()));
    assertThat(csv.lines().findFirst())
        .hasValueSatisfying(line -> assertThat(line).startsWith("id,at,node"));
    assertThat(csv.lines())
        .hasSize(before + 2)
        .allMatch(line -> line.startsWith("id,") || line.contains("spent"));
    assertThat(text(page.waitForDownload(() -> button("JSON").click())))
        .contains("\"key\": \"spent\"");
  }

  private static String text(Download download) {
    try {
      return Files.readString(download.path());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aKeyIsFrozenAndActivatedAgain() {
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    go("now?key=frozen");
    button("Freeze…").click();
    assertThat(page.locator("dialog")).containsText("active → frozen");
    confirm("Freeze").click();
    assertThat(page.locator(".decisions"))
        .containsText("Ask is blocked: the key, its tenant or the operation is frozen");
    button("Activate…").click();
    confirm("Activate").click();
    assertThat(page.locator(".decisions")).containsText("Ask, Tell pass now");
    assertThat(complaints).isEmpty();
  }

  @Test
  void aBoostBeginsWithTheFullestBucketAndNeverLowersALimit() {
    ask("raised", 6);
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    go("now?key=raised");
    button("Boost…").click();
    assertThat(page.getByLabel("bucket")).hasValue("requests");
    assertThat(page.locator("dialog .present"))
        .containsText("requests: 0.6 per min → 1.2 per min, from now until");
    assertThat(page.locator("dialog .source")).hasText("The present rate is by plan.");
    page.getByLabel("bucket").selectOption("asks");
    assertThat(page.locator("dialog .present")).containsText("asks: 20 per s → 40 per s");
    page.locator("dialog button", new Page.LocatorOptions().setHasText("× 5")).click();
    assertThat(page.getByLabel("operations per second")).hasValue("100");
    page.getByLabel("operations per second").fill("20");
    confirm("Boost").click();
    assertThat(page.locator("dialog")).hasCount(1); // no more than now
    page.getByLabel("operations per second").fill("50");
    confirm("Boost").click();
    assertThat(page.locator(".detail")).containsText("50 per s, burst 3,000 override until");
    button("Boost…").click();
    page.getByLabel("bucket").selectOption("asks");
    assertThat(page.locator("dialog .source")).containsText("an override until");
    confirm("Cancel").click();

    button("Lower…").click();
    page.getByLabel("bucket").selectOption("asks");
    assertThat(page.getByLabel("operations per second")).hasValue("25");
    page.getByLabel("operations per second").fill("60");
    confirm("Lower").click();
    assertThat(page.locator("dialog")).hasCount(1); // no less than now
    page.getByLabel("operations per second").fill("5");
    confirm("Lower").click();
    assertThat(page.locator(".detail")).containsText("5 per s, burst 300");
    assertThat(complaints).isEmpty();
  }

  @Test
  void aSubjectOfARuleIsBoostedByARecordOfItsOwn() {
    ask("svc-7", 6);
    ask("svc-7", 6);
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    go("now?key=svc-7");
    assertThat(page.locator(".decisions")).containsText("Ask is denied");
    button("Boost…").click();
    assertThat(page.locator("dialog")).containsText("A record with the plan free is made for it.");
    assertThat(page.getByLabel("bucket")).hasValue("requests");
    page.getByLabel("operations per second").fill("10");
    confirm("Boost").click();
    assertThat(page.locator(".decisions")).containsText("Ask, Tell pass now");
    JsonObject record = NodeFixture.json(send("GET", "/v1/keys/svc-7", ""));
    assertThat(record.getString("tenant")).isEqualTo("robots");
    assertThat(record.getString("planInForce")).isEqualTo("free");
    assertThat(complaints).isEmpty();
  }

  @Test
  void changesAreOneTimelineInWordsAndAreUndone() {
    send("PATCH", "/v1/keys/undone", "{\"state\": \"frozen\", \"note\": \"abuse\"}");
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    go("now?list=changes");
    Locator line = page.locator(
            "[aria-label=changes] tbody tr", new Page.LocatorOptions().setHasText("undone"))
        .first();
    assertThat(line).containsText("undone: state: active → frozen, note: " + EVIL + " → abuse");
    assertThat(line).containsText("admin");
    line.locator("button").click();
    assertThat(page.locator("dialog")).containsText("state: frozen → active");
    confirm("Undo").click();
    assertThat(line).containsText("state: frozen → active, note: abuse → " + EVIL);
    JsonObject record = NodeFixture.json(send("GET", "/v1/keys/undone", ""));
    assertThat(record.getString("state")).isEqualTo("active");
    assertThat(record.getString("note")).isEqualTo(EVIL);
    assertThat(complaints).isEmpty();
  }

  @Test
  void aKeyIsMadeRotatedChangedAndDeleted() {
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    go("keys");
    button("Create a key…").click();
    page.getByLabel("tenant").last().fill("acme");
    page.getByLabel("id", new Page.GetByLabelOptions().setExact(true)).fill("made");
    confirm("Create").click();
    String secret = page.locator(".secret").innerText();
    assertThat(secret).startsWith("weir_made.");
    confirm("I have it").click();
    assertThat(page.locator(".detail h2")).containsText("acme/made");

    button("Rotate…").click();
    confirm("Rotate").click();
    assertThat(page.locator(".secret")).not().hasText(secret);
    confirm("I have it").click();
    button("Change…").click();
    page.getByLabel("note").last().fill("of the mobile app");
    confirm("Change").click();
    assertThat(page.locator(".detail")).containsText("of the mobile app");
    page.getByLabel("find").fill("mobile");
    button("Find").last().click();
    assertThat(page.locator("[aria-label=keys] tbody tr")).hasCount(1);
    page.locator("[data-row]").click();
    button("Delete…").click();
    confirm("Delete").click();
    assertThat(page.locator("main")).containsText("No such key has a record");
    assertThat(send("GET", "/v1/keys/made", "").statusCode()).isEqualTo(404);
    assertThat(complaints).isEmpty();
  }

  @Test
  void aTokenIsShownOnceAndDeleted() {
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    go("keys?list=tokens");
    button("Create a token…").click();
    page.getByLabel("name").fill("watcher");
    confirm("Create").click();
    String token = page.locator(".secret").innerText();
    confirm("I have it").click();
    Locator row = page.locator("tbody tr", new Page.LocatorOptions().setHasText("watcher"));
    assertThat(row).containsText("read");
    assertThat(page.locator("body")).not().containsText(token);
    row.locator("button").click();
    confirm("Delete").click();
    assertThat(row).hasCount(0);
    assertThat(complaints).isEmpty();
  }

  @Test
  void aDialogIsAboutOneKeyWhateverIsShownByThen() {
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    go("now?key=quiet");
    assertThat(page.locator(".detail h2")).containsText("acme/quiet");
    go("now?key=evil");
    assertThat(page.locator(".detail h2")).containsText("acme/evil");
    button("Freeze…").click();
    assertThat(page.locator("dialog")).containsText("Freeze evil?");
    page.goBack();
    assertThat(page.locator("dialog")).hasCount(0);
    assertThat(page.locator(".detail h2")).containsText("acme/quiet");

    button("Boost…").click();
    page.getByLabel("operations per second").fill("");
    confirm("Boost").click();
    assertThat(page.locator("dialog")).hasCount(1); // a number is missing
    for (String key : List.of("evil", "quiet")) {
      JsonObject record = NodeFixture.json(send("GET", "/v1/keys/" + key, ""));
      assertThat(record.getString("state")).isEqualTo("active");
      assertThat(record.containsKey("overrides")).isFalse();
    }
  }

  @Test
  void aLateAnswerDoesNotReplaceANewerOne() {
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    List<Route> late = new ArrayList<>();
    page.route("**/v1/explain?key=quiet", late::add);
    go("now?key=quiet");
    page.waitForCondition(() -> !late.isEmpty());
    go("now?key=evil");
    assertThat(page.locator(".detail h2")).containsText("acme/evil");
    assertThat(page.locator(".decisions")).isVisible();
    page.waitForResponse("**/v1/explain?key=quiet", () -> late.get(0).resume());
    assertThat(page.locator(".detail h2")).containsText("acme/evil");
  }

  @Test
  void nothingLooksEmptyBeforeTheNodeHasAnswered() {
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
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
  void aDeadNodeIsToldAndADraftStays() {
    NodeFixture other = NodeFixture.at(redis.uri(), POLICY, FailureMode.LOCAL);
    signIn(other, NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    page.navigate(other.uri("/page") + "#/limits");
    Locator text = page.locator("#policy-text");
    assertThat(text).hasValue(policy);
    text.fill(policy + "# mine\n");
    assertThat(page.locator(".stale")).hasCount(0);
    other.close();

    assertThat(page.locator("[role=alert]").first()).containsText("does not answer since");
    assertThat(page.locator("main.stale")).isVisible();
    assertThat(text).hasValue(policy + "# mine\n");
  }

  @Test
  void aDraftSurvivesAReloadAndEndsWithASignOut() {
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    go("limits");
    Locator text = page.locator("#policy-text");
    assertThat(text).hasValue(policy);
    text.fill(policy + "# mine\n");
    page.reload();
    assertThat(text).hasValue(policy + "# mine\n");
    assertThat(page.locator(".steps")).containsText("differs from revision");
    button("Sign out").click();
    assertThat(page.getByLabel("Admin token")).isVisible();
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    go("limits");
    assertThat(text).hasValue(policy);
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
    assertThat(page.locator("tbody")).containsText("acme/quiet");
    send("DELETE", "/v1/tokens/of-acme", "");
    assertThat(page.getByLabel("Admin token")).isVisible();
  }

  @Test
  void aDraftIsTriedPutInForceAndUndone() {
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    go("limits");
    Locator text = page.locator("#policy-text");
    assertThat(text).hasValue(policy);
    long revision = revision();

    long line = policy.lines().takeWhile(it -> !it.contains("name: team")).count() + 1;
    text.fill(policy.replace("opsPerSec: 100", "opsPerSec: -1"));
    button("Dry run").click();
    assertThat(page.locator(".problems li").first()).containsText("line " + line);
    Locator mark = page.locator(".lines .marked").first();
    assertThat(mark).hasText(Long.toString(line));
    // The number stands beside its line: all lines have one height.
    Object isInLine = page.evaluate(
        "n => { const marks = [...document.querySelectorAll('.lines span')];"
            + " return marks[n].offsetTop - marks[0].offsetTop === 20 * n; }",
        (int) line);
    assertThat(isInLine).isEqualTo(true);
    assertThat(revision()).isEqualTo(revision);

    text.fill(policy.replace("opsPerSec: 100", "opsPerSec: 150"));
    button("Dry run").click();
    assertThat(page.locator(".steps")).containsText("accepted");
    button("Put in force…").click();
    assertThat(page.locator("dialog .diff")).containsText("opsPerSec: 150");
    page.getByLabel("why").fill(EVIL);
    confirm("Put in force").click();
    assertThat(page.locator("[aria-label=revisions]")).containsText(EVIL); // as text
    assertThat(revision()).isGreaterThan(revision);

    button("Undo…").click();
    assertThat(page.locator("dialog .diff")).containsText("opsPerSec: 150");
    confirm("Restore").click();
    assertThat(text).hasValue(policy);
    assertThat(page.evaluate("window.stolen")).isNull();
    assertThat(complaints.stream().filter(it -> !it.contains("422"))).isEmpty();
  }

  @Test
  void aPolicyByWhichStoredKeysLoseLimitsNeedsASecondConfirmation() {
    String withSpare =
        policy.replace("requests, team] }", "requests, team] }, spare: { buckets: [team] }");
    send("PUT", "/v1/policy?force=true", withSpare);
    send("POST", "/v1/keys", "{\"tenant\": \"spare\", \"id\": \"spared\", \"plan\": \"spare\"}");
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    go("limits");
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
  void aDraftIsComparedOnLiveTraffic() {
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    go("limits");
    Locator text = page.locator("#policy-text");
    assertThat(text).hasValue(policy);
    text.fill(policy.replace("600000", "100000"));
    button("Compare on live traffic…").click();
    confirm("Compare").click();
    assertThat(page.locator("main")).containsText("by admin, until");
    assertThat(page.locator(".steps")).containsText("this draft");
    ask("compared", 1);
    for (int i = 0; i < 3; i++) {
      ask("tried", 1); // the draft has room for one
    }

    assertThat(page.locator("[aria-label=outcomes]")).containsText("Ask");
    assertThat(page.locator("main")).containsText("acme/tried");
    page.getByText("Who would be limited, since when").click();
    assertThat(page.locator("[aria-label=cases]")).containsText("acme/tried");
    go("limits");
    button("End").click();
    assertThat(page.locator("main")).not().containsText("by admin, until");
    button("Discard…").click();
    confirm("Discard").click();
    assertThat(text).hasValue(policy);
    assertThat(complaints).isEmpty();
  }

  @Test
  void whatAnotherOperatorHasChangedMeanwhileIsShown() {
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    go("limits");
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
      assertThat(page.locator(".steps")).containsText("is in force by now");
      assertThat(text).hasValue(policy.replace("burstPeriodMs: 1000", "burstPeriodMs: 2000"));
    } finally {
      send("PUT", "/v1/policy", policy);
    }
  }

  @Test
  void providersJobsAndWindowsAreShownInWordsAndFigures() {
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
      finding.locator("a").click();
      assertThat(ours).containsText("ours");
      service(other, "/v1/windows/blocks/open", "{\"from\": 0, \"to\": 99}");
      assertThat(page.locator("[aria-label=windows]")).containsText("1 open");
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
  void aLogIsReplayedUnderTheDraft() {
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    go("limits");
    Locator text = page.locator("#policy-text");
    assertThat(text).hasValue(policy);
    text.fill(policy.replace("600000", "100000"));
    String log =
        "10.0.0.1 - alice [01/Jan/2030:00:00:00 +0000] \"GET /ask HTTP/1.1\" 200 1\n".repeat(5);
    page.locator("input[type=file]")
        .setInputFiles(
            new FilePayload("access.log", "text/plain", log.getBytes(StandardCharsets.UTF_8)));
    assertThat(page.locator("main")).containsText("access.log: 5 lines");
    Locator rows = page.locator("[aria-label=replay] tbody tr");
    assertThat(rows.first()).containsText("in force");
    assertThat(rows.last()).containsText("80 %");
    assertThat(page.locator("main")).containsText("Only the draft denies: 4");
    assertThat(page.locator("main")).containsText("alice");
  }

  @Test
  void namesAndNotesAreTextWhateverTheyAre() {
    signIn(NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    for (String view :
        List.of("keys", "now?key=evil", "now?list=changes", "now?find=" + "%3Cimg%3E")) {
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
