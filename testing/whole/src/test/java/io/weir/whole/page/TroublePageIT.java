package io.weir.whole.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.operators.nodes.RedisNodes;
import io.weir.state.connection.RedisConnections;
import io.weir.testkit.FaultProxy;
import io.weir.testkit.Histories;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page while a node hangs, while Redis is away, and while it is watched for long. */
@Tag("page")
final class TroublePageIT extends OperatorsPage {
  private static final String SHIFTS = """
      new PerformanceObserver(list => list.getEntries().forEach(entry => {
        window.shifted = (window.shifted || 0) + (entry.hadRecentInput ? 0 : entry.value);
      })).observe({ type: 'layout-shift', buffered: true })""";

  /** A browser without windows shows all its tabs. */
  private static final String LOOKED_AT =
      "Object.defineProperty(document, 'hidden', { get: () => window.isLookedAt === false })";

  private static final Pattern LIVE = Pattern.compile("live|needs? you");

  /** A rebuilt page may move once what stands on it by this much. */
  private static final double MOST_SHIFTED = 0.05;

  private static final double MOST_SHIFTED_AT_LOAD = 0.1;

  @Test
  void aNodeThatHangsIsShownAsSilentUntilItAnswers() {
    try (FaultProxy proxy = FaultProxy.before(node.adminUri("/").getPort())) {
      page.navigate("http://127.0.0.1:%d/page".formatted(proxy.port()));
      page.getByLabel("Admin token").fill(NodeFixture.ADMIN);
      page.getByText("Sign in").last().click();
      assertThat(page.locator(".figures")).isVisible();

      proxy.stall(true);
      assertThat(page.locator(".problem")).containsText("This node has not answered for");
      assertThat(page.locator(".state")).hasText("node not heard");
      assertThat(page.locator("main.stale")).isVisible();

      proxy.stall(false);
      assertThat(page.locator(".problem")).hasCount(0);
      assertThat(page.locator(".state")).hasText(LIVE);
    }
  }

  @Test
  void withoutRedisTheListSaysThatItIsOfOneNode() {
    ask("quiet", 7);
    ask("busy", 7);
    signIn();
    Locator cases = page.locator("[aria-label=cases]");
    assertThat(cases).containsText("acme/busy");
    redis.pause();
    try {
      assertThat(page.locator(".verdict")).containsText("Redis is away");
      assertThat(page.locator(".verdict"))
          .containsText("Until then each node gives out its share of the limits");
      assertThat(page.locator(".gap.some")).hasText("a part of the nodes");
      assertThat(page.locator("main")).containsText("Redis is away: only this node was asked");
      assertThat(cases).containsText("acme/busy");
      assertThat(page.locator(".marks .bad")).containsText("Redis is away");
    } finally {
      redis.resume();
    }
    assertThat(page.locator(".verdict")).not().containsText("Redis is away");
    assertThat(page.locator(".gap.some")).hasCount(0); // the nodes have told it since
    assertThat(page.locator("main")).not().containsText("only this node was asked");
    assertThat(page.locator(".marks .bad")).containsText("Redis is away"); // it was, then
    assertThat(page.locator(".rates .mark.bad")).not().hasCount(0);
    assertThat(page.locator(".rates")).not().containsText(": made"); // of ten keys
  }

  @Test
  void withoutRedisAKeyIsExplainedAndSaysWhatIsNotKnown() {
    ask("busy", 7);
    signIn();
    redis.pause();
    try {
      assertThat(page.locator(".verdict")).containsText("Redis is away");
      go("now?key=busy");
      assertThat(page.locator(".decisions")).containsText("undecided: Redis is away");
      assertThat(page.locator(".detail")).containsText("Not known while Redis is away.");
      go("now?tenant=acme");
      assertThat(page.locator(".detail h3").first()).hasText("Shared limits");
      assertThat(page.locator(".detail")).containsText("Not known while Redis is away.");
    } finally {
      redis.resume();
    }
    go("now?key=busy");
    assertThat(page.locator(".detail")).containsText("made");
    assertThat(page.locator(".detail")).not().containsText("Not known while");
  }

  @Test
  void aNodeThatEndedWithoutNoticeIsGreyedWithItsAge() {
    signIn();
    JsonObject facts =
        NodeFixture.json(send("GET", "/v1/nodes", "")).getJsonArray("nodes").getJsonObject(0);
    try (RedisConnections connections = RedisConnections.open(redis.uri(), Duration.ofMinutes(1))) {
      RedisNodes nodes = new RedisNodes(connections);
      nodes.put("killed", facts.put("listens", "10.0.0.9:8080")).join();
      try {
        Locator summary = page.locator(".nodes summary");
        assertThat(summary).hasText("1 node, 1 not seen");
        assertThat(page.locator(".verdict")).containsText("1 node, 1 not seen");
        summary.click();
        Locator row = page.locator("[aria-label=nodes] tbody tr")
            .filter(new Locator.FilterOptions().setHasText("10.0.0.9:8080"));
        assertThat(row).containsText("not seen for");
        assertThat(row).containsText("MB");
        String grey = color(row);
        assertThat(grey)
            .isNotEqualTo(color(page.locator("[aria-label=nodes] tbody tr").first()));
      } finally {
        nodes.end("killed").join();
      }
    }
    assertThat(page.locator(".nodes summary")).hasText("1 node");
    assertThat(complaints).isEmpty();
  }

  // The counts of a node are gone when it ends, so that the sums of the time before are too low.
  @Test
  void theTimeBeforeANodeIsStoppedIsShadedAndThatBeforeOneIsAddedIsNot() {
    redis.ask("HDEL weir:nodes:seen ended"); // of other tests
    signIn();
    JsonObject facts = NodeFixture.json(send("GET", "/v1/nodes", ""));
    long since = Instant.parse(facts.getJsonArray("nodes").getJsonObject(0).getString("upSince"))
        .getEpochSecond();
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .until(() ->
            Instant.parse(NodeFixture.json(send("GET", "/v1/cases", "")).getString("at"))
                    .getEpochSecond()
                > since + 10);
    try (NodeFixture other = NodeFixture.at(redis.uri(), POLICY, FailureMode.LOCAL)) {
      // Another page: what was told to this one stays known. The session is one of all nodes.
      page.navigate(other.adminUri("/page").toString());
      assertThat(page.locator(".nodes summary")).containsText("2 nodes");
      assertThat(page.locator(".chart .gap.none")).hasCount(1);
      assertThat(page.locator(".chart .gap.some")).hasCount(0);
    }
    page.navigate(node.adminUri("/page").toString());
    assertThat(page.locator(".nodes summary")).hasText("1 node");
    assertThat(page.locator(".chart .gap.some")).hasText("a part of the nodes");
    assertThat(complaints).isEmpty();
  }

  private static String color(Locator element) {
    return String.valueOf(element.evaluate("element => getComputedStyle(element).color"));
  }

  @Test
  void aQuotaIsBoosted() {
    String withQuota = policy + """
        quotas:
          - { name: day, limit: 100, period: day, operations: [Ask, Tell] }
          - { name: once, limit: 1, period: day, operations: [Ask] }
        """;
    assertThat(send("PUT", "/v1/policy?force=true", withQuota).statusCode()).isEqualTo(200);
    send("POST", "/v1/keys", "{\"tenant\": \"acme\", \"id\": \"daily\"}");
    try {
      for (int i = 0; i < 10; i++) {
        node.post(
            "/v1/check",
            "{\"subject\": \"daily\", \"operation\": \"Tell\", \"cost\": 10}",
            "Authorization",
            "Bearer " + NodeFixture.SERVICE);
      }
      show("now?key=daily");
      assertThat(page.locator(".decisions")).containsText("day full");
      Locator unused = page.locator(
          "[aria-label$=limits] tbody tr", new Page.LocatorOptions().setHasText("once"));
      assertThat(unused.locator("td").last()).hasText("now"); // not at the end of the day
      button("Boost…").click();
      assertThat(page.getByLabel("which limit")).hasValue("day");
      assertThat(page.locator("dialog .present")).containsText("day: 100 → 200, from now until");
      page.getByLabel("operations", new Page.GetByLabelOptions().setExact(true)).fill("150");
      confirm("Boost").click();
      assertThat(page.locator(".notice")).hasText("day of daily: 100 → 150.");
      assertThat(page.locator(".decisions")).containsText("Ask, Tell pass now");
      button("Lower…").click();
      assertThat(page.getByLabel("which limit")).not().containsText("once"); // nothing is less
      page.getByLabel("which limit").selectOption("day");
      page.getByLabel("operations", new Page.GetByLabelOptions().setExact(true)).fill("120");
      confirm("Lower").click();
      assertThat(page.locator(".detail")).containsText("100 of 120");
      assertThat(complaints).isEmpty();
    } finally {
      send("DELETE", "/v1/keys/daily", "");
      send("PUT", "/v1/policy?force=true", policy);
    }
  }

  // The stream and the answers are late, so that each placeholder is seen.
  @ParameterizedTest
  @ValueSource(strings = {"now", "limits", "keys", "work"})
  void whatIsLoadedHasItsPlaceBefore(String view) {
    signIn();
    page.addInitScript(SHIFTS);
    page.route(Pattern.compile("/v1/(live|policy|states|keys|job-queues)"), route -> {
      page.waitForTimeout(200);
      route.resume();
    });
    for (int width : WIDTHS) {
      page.setViewportSize(width, 900);
      go(view);
      page.reload();
      assertThat(page.locator("main .panel").first()).isVisible();
      assertThat(page.locator(".loading")).hasCount(0);
      page.waitForTimeout(500);
      assertThat(shifted()).as("%s at %d", view, width).isLessThan(MOST_SHIFTED_AT_LOAD);
    }
  }

  @Test
  void aFindingThatBeginsAndEndsMovesNothing() {
    ask("busy", 7);
    signIn();
    page.evaluate(SHIFTS);
    for (int width : WIDTHS) {
      page.setViewportSize(width, 900);
      assertThat(page.locator("p.verdict")).containsText("Nothing needs you");
      page.waitForTimeout(1000);
      page.evaluate("window.shifted = 0");
      redis.pause();
      try {
        assertThat(page.locator(".verdict")).containsText("Redis is away");
        page.waitForTimeout(3000);
      } finally {
        redis.resume();
      }
      assertThat(page.locator(".verdict")).not().containsText("Redis is away");
      page.waitForTimeout(1000);
      assertThat(shifted()).as("at %d", width).isLessThan(MOST_SHIFTED);
    }
  }

  // A browser has six connections to a node for all its tabs.
  @Test
  void aTabThatNobodyLooksAtLeavesItsConnectionToOthers() {
    signIn();
    List<Page> tabs = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      tabs.forEach(tab -> look(tab, false));
      Page tab = context.newPage();
      tab.addInitScript(LOOKED_AT);
      tab.navigate(node.adminUri("/page").toString());
      assertThat(tab.locator(".state")).hasText(LIVE);
      tabs.add(tab);
    }
    for (Page tab : tabs) {
      String until = tab.locator("figcaption > span").last().innerText();
      tabs.stream().filter(other -> other != tab).forEach(other -> look(other, false));
      look(tab, true);
      assertThat(tab.locator("main.stale")).hasCount(0);
      assertThat(tab.locator(".problem")).hasCount(0);
      assertThat(tab.locator("figcaption > span").last()).not().hasText(until);
      assertThat(tab.locator(".state")).hasText(LIVE);
      assertThat(tab.locator(".gap.some")).hasCount(0);
    }
    assertThat(complaints).isEmpty();
  }

  private static void look(Page tab, boolean isLookedAt) {
    tab.evaluate("""
        isLookedAt => {
          window.isLookedAt = isLookedAt;
          document.dispatchEvent(new Event('visibilitychange'));
        }""", isLookedAt);
  }

  private double shifted() {
    return Double.parseDouble(String.valueOf(page.evaluate("window.shifted || 0")));
  }

  @Test
  void whatIsWatchedStaysInItsPlace() {
    ask("spent", 6);
    ask("spent", 1);
    show("now?key=spent");
    assertThat(page.locator(".detail .decisions")).containsText("Ask is denied");
    page.waitForTimeout(3000);
    page.evaluate(SHIFTS);
    page.evaluate("window.shifted = 0");
    for (int i = 0; i < Histories.count(10, 60); i++) {
      ask("spent", 1);
      ask("busy", 7);
      ask("user:" + i, 7);
      page.waitForTimeout(1000);
    }
    assertThat(shifted()).isLessThan(MOST_SHIFTED);
    assertThat(complaints).isEmpty();
  }
}
