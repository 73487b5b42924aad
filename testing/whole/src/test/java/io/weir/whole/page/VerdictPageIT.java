package io.weir.whole.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import io.vertx.core.json.JsonObject;
import io.weir.node.testing.NodeFixture;
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
}
