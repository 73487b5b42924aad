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
        .containsText(Pattern.compile("\\d+ % denied, the usual not known yet"));
    JsonObject status = NodeFixture.json(send("GET", "/v1/status", ""));
    assertThat(page.locator(".verdict"))
        .containsText(status.getJsonObject("requests").getString("words"));
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
}
