package io.weir.whole.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import io.vertx.core.json.JsonObject;
import io.weir.node.testing.NodeFixture;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the first lines of the page say is true beside what stands below. */
@Tag("page")
final class VerdictPageIT extends OperatorsPage {
  /** The lines of the longest effect that an action has, with a button that is too narrow for it as two. */
  private static final String TALLEST = """
      Math.max(...[...document.querySelectorAll('.actions button')].map(button => {
        const effect = button.querySelector('small');
        const range = document.createRange();
        range.selectNodeContents(effect);
        return button.scrollWidth > button.clientWidth ? 2 : range.getClientRects().length;
      }))""";

  private static final String ROWS = """
      new Set([...document.querySelectorAll('.actions button')].map(button => button.offsetTop)).size""";

  @Test
  void theQuietLineSaysSinceWhenAndHowManyAreDenied() {
    signIn();
    assertThat(page.locator(".verdict"))
        .containsText(
            Pattern.compile("Nothing needs you, since \\d\\d:\\d\\d:\\d\\d \\(.* s\\) · "));
    for (int i = 0; i < 8; i++) {
      ask("busy", 7); // more than its limit ever has
    }
    assertThat(page.locator(".verdict"))
        .containsText(Pattern.compile("\\d+ % denied, nothing yet to compare it with"));
    JsonObject status = NodeFixture.json(send("GET", "/v1/status", ""));
    assertThat(page.locator(".verdict"))
        .containsText(status.getJsonObject("requests").getString("words"));
    assertThat(complaints).isEmpty();
  }

  @Test
  void theQuietLineIsOneLineOnALargeScreenWithAnAuthor() {
    page.setViewportSize(1440, 900);
    send("PUT", "/v1/policy?comment=again", policy + "# again\n");
    ask("busy", 7);
    signIn();
    assertThat(page.locator("nav.tabs")).containsText(Pattern.compile("Limited now [1-9]"));
    Locator line = page.locator(".verdict");
    assertThat(line).containsText("by admin");
    assertThat(line.evaluate("""
            it => new Set([...it.querySelector('.quiet').getClientRects()].map(one => one.y)).size""")).isEqualTo(1);
  }

  // A column of times had all the room, and one of words a word a line.
  @Test
  void changesHaveTheirActionsInSightOnAPhone() {
    send("PATCH", "/v1/keys/quiet", "{\"note\": \"a note of several words\"}");
    page.setViewportSize(390, 900);
    double now = ((Number) page.evaluate("Date.now()")).doubleValue();
    page.clock().setFixedTime((long) now + 359_000); // with an age of two numbers
    show("now?list=changes");
    assertThat(button("Undo…").first()).isVisible();
    assertThat(page.evaluate("""
            (() => {
              const table = document.querySelector('[aria-label=changes]');
              return table.scrollWidth - table.clientWidth;
            })()""")).isEqualTo(0);
    assertThat(complaints).isEmpty();
  }

  @Test
  void rememberedDenialsSayOfWhichTimeTheyAre() {
    ask("spent", 6);
    ask("spent", 1);
    show("now?key=spent");
    Locator heading = page.locator(".detail h3", new Page.LocatorOptions().setHasText("emembered"));
    assertThat(heading).hasText(Pattern.compile("Remembered denial of \\d+ s ago\\s*"));
    ask("spent", 1);
    assertThat(heading)
        .hasText(Pattern.compile("2 remembered denials, all of the last (\\d+ min )?\\d+ s\\s*"));
    assertThat(page.locator(".detail [aria-label=denials] thead")).containsText("oldest");
    assertThat(complaints).isEmpty();
  }

  @Test
  void pausedDenialsDoNotMove() {
    page.clock().install();
    ask("spent", 6);
    ask("spent", 1);
    ask("tried", 7);
    show("now?list=denials");
    Locator rows = page.locator("[aria-label=denials] tbody tr");
    assertThat(rows.first()).containsText("acme/tried");
    ask("spent", 1); // the newest, but not yet the first
    assertThat(rows.first().locator("summary")).isVisible();
    List<Route> running = new ArrayList<>();
    page.route("**/v1/denials?**", running::add);
    page.waitForCondition(() -> !running.isEmpty());
    button("Pause").click();
    assertThat(button("Go on")).isVisible();
    List<String> before = rows.locator(".row").allInnerTexts();
    ask("listed", 7);
    page.waitForResponse("**/v1/denials?**", () -> running.get(0).resume());
    page.clock().fastForward(11_000);
    Locator until = page.locator("figcaption > span").last();
    for (int i = 0; i < 2; i++) {
      assertThat(until).not().hasText(until.innerText()); // drawn again
    }
    assertThat(rows.locator(".row").allInnerTexts()).isEqualTo(before);
    page.unroute("**/v1/denials?**");
    button("Go on").click();
    assertThat(rows.locator(".row").first()).hasText("acme/listed");
    assertThat(complaints).isEmpty();
  }

  @Test
  void theMeaningOfTheFiguresHasALineOfItsOwnOnAPhone() {
    page.setViewportSize(390, 900);
    signIn();
    assertThat(page.evaluate("""
            (() => {
              const words = document.querySelector('.figures > small').getBoundingClientRect();
              const above = [...document.querySelectorAll('.figures > span')].map(one => one.getBoundingClientRect());
              return above.every(one => one.bottom <= words.top + 1);
            })()""")).isEqualTo(true);
  }

  @Test
  void theChartShadesTheTimeBeforeTheNodesStarted() {
    signIn();
    Locator gaps = page.locator(".chart .gap");
    assertThat(gaps).hasCount(1);
    assertThat(gaps).hasText("no figures");
    assertThat(page.locator(".rates"))
        .hasAttribute("aria-label", Pattern.compile(".*; no figures from .* to .*"));
    assertThat(complaints).isEmpty();
  }

  @Test
  void marksWithoutWordsLeadToTheListOfChanges() {
    for (String state : List.of("frozen", "active", "frozen", "active")) {
      send("PATCH", "/v1/keys/frozen", "{\"state\": \"" + state + "\"}");
    }
    signIn();
    assertThat(page.locator(".marks li")).hasCount(3);
    Locator earlier = page.locator("figcaption a");
    assertThat(earlier).hasText(Pattern.compile("and \\d+ earlier"));
    earlier.click();
    assertThat(page.locator("[aria-label=changes]")).containsText("frozen");
    assertThat(complaints).isEmpty();
  }

  @Test
  void anActionSaysWhatItDoesInOneLineOnAnyScreen() {
    ask("spent", 6);
    ask("spent", 1);
    page.setViewportSize(1440, 900);
    show("now?key=spent");
    assertThat(button("Reset…")).containsText("empties all its limits");
    assertThat(button("Freeze…")).containsText("refuses all requests");
    assertThat(page.evaluate(ROWS)).isEqualTo(1); // beside the list
    for (int width : WIDTHS) {
      page.setViewportSize(width, 900);
      assertThat(page.evaluate(TALLEST)).as("lines at %d", width).isEqualTo(1);
      assertThat(isTooWide()).isEqualTo(false);
    }
    assertThat(complaints).isEmpty();
  }

  @Test
  void aLimitOfTheClusterIsNamedWithItsTenant() {
    String withCluster = policy
        .replace("- { name: team,", """
            - { name: everybody, scope: cluster, burstPeriodMs: 1000, throttleGroups: [{ opsPerSec: 10, operations: [Tell] }] }
              - { name: team,""")
        .replace("[asks, requests, team]", "[asks, requests, everybody, team]");
    assertThat(send("PUT", "/v1/policy?force=true", withCluster).statusCode()).isEqualTo(200);
    try {
      ask("quiet", 1);
      show("now?tenant=acme&limit=everybody");
      Locator limits = page.locator("[aria-label='shared limits']");
      assertThat(limits).containsText("rate of the cluster, changed under Limits");
      assertThat(limits.locator(".chosen")).containsText("everybody");
      assertThat(page.locator(".actions .primary")).hasCount(0);
      assertThat(complaints).isEmpty();
    } finally {
      send("PUT", "/v1/policy?force=true", policy);
    }
  }

  @Test
  void aTenantWithoutARecordGetsOneByItsBoost() {
    assertThat(send("GET", "/v1/tenants/acme", "").statusCode()).isEqualTo(404);
    try {
      show("now?tenant=acme&limit=team");
      button("Boost…").click();
      assertThat(page.getByLabel("which limit")).hasValue("team");
      assertThat(page.locator("dialog"))
          .containsText("tenant acme has no record yet: one is made.");
      confirm("Boost").click();
      assertThat(page.locator(".notice"))
          .containsText("team of tenant acme: 100 per s → 200 per s");
      assertThat(page.locator("[aria-label='shared limits']")).containsText("override until");
      assertThat(page.locator("[aria-label='shared limits']")).containsText("200 per s");
      go("now?list=changes");
      page.locator("[aria-label=changes] tr", new Page.LocatorOptions().setHasText("tenant:acme"))
          .first()
          .getByText("Undo…")
          .click();
      confirm("Delete").click();
      assertThat(page.locator(".notice")).containsText("the record of acme was deleted");
      assertThat(send("GET", "/v1/tenants/acme", "").statusCode()).isEqualTo(404);
      assertThat(complaints).isEmpty();
    } finally {
      send("DELETE", "/v1/tenants/acme", "");
    }
  }

  @Test
  void aBoostBeginsWithTheLimitThatIsLookedAt() {
    ask("undone", 1);
    signIn();
    for (String limit : List.of("asks", "requests")) {
      go("now?key=undone&limit=" + limit);
      button("Boost…").click();
      assertThat(page.getByLabel("which limit")).hasValue(limit);
      page.keyboard().press("Escape");
    }
    assertThat(complaints).isEmpty();
  }

  @Test
  void theDecisionsAreThoseOfTheChangedRecordAtOnce() {
    ask("tried", 1);
    show("now?key=tried");
    try {
      button("Freeze…").click();
      confirm("Freeze").click();
      assertThat(page.locator(".detail .tag.warn").first()).hasText("frozen");
      assertThat(page.locator(".decisions").textContent()).contains("key is frozen");
      ask("tried", 1);
      assertThat(page.locator(".detail p.line"))
          .containsText(Pattern.compile("Limited since .*: key is frozen, denied"));
      assertThat(complaints).isEmpty();
    } finally {
      send("PATCH", "/v1/keys/tried", "{\"state\": \"active\"}");
    }
  }
}
