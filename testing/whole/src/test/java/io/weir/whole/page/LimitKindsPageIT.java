package io.weir.whole.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.whole.page.LimitKinds.Frozen;
import io.weir.whole.page.LimitKinds.Kind;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each kind of limit, of subjects of each origin, is named on the page as it is by the API. */
@Tag("page")
final class LimitKindsPageIT extends OperatorsPage {
  @Test
  void theLimitThatDeniesIsNamedWithItsKeyAndInTheList() {
    try (NodeFixture other = new NodeFixture(LimitKinds.POLICY, FailureMode.LOCAL)) {
      LimitKinds.makeRecords(other);
      LimitKinds.boost(other);
      Kind.ALL.forEach(kind -> LimitKinds.denied(other, "listed", kind));
      signIn(other, NodeFixture.ADMIN);
      for (Kind kind : Kind.ALL) {
        assertThat(page.locator("tbody tr", having(kind.limit())).first()).isVisible();
      }
      Locator limits = page.locator("[aria-label$=limits] tbody tr");
      Map<String, String> ids = new HashMap<>();
      for (String subject : LimitKinds.SUBJECTS) {
        if (!subject.equals("listed")) {
          Kind.ALL.forEach(kind ->
              ids.put(subject + " " + kind.limit(), LimitKinds.denied(other, subject, kind)));
        }
        open(other, subject);
        for (Kind kind : Kind.ALL) {
          assertThat(page.locator(".decisions"))
              .containsText(kind.operation() + " is denied: " + kind.limit() + " full");
          if (kind.hasLevel()) {
            assertThat(limits
                    .filter(new Locator.FilterOptions().setHasText(kind.limit()))
                    .first())
                .containsText(kind.inWords());
          }
        }
      }
      for (Kind kind : Kind.ALL) {
        openDenial(other, "boosted:1", ids.getOrDefault("boosted:1 " + kind.limit(), ""));
        assertThat(page.locator(".detail dd", having(kind.limit() + " " + kind.inWords()))
                .first())
            .isVisible();
      }
      for (Frozen frozen : Frozen.ALL) {
        LimitKinds.denied(other, frozen.subject(), Kind.ALL.get(0));
        open(other, frozen.subject());
        assertThat(page.locator(".decisions")).containsText("are blocked: " + frozen.words());
      }
      open(other, "boosted:1");
      assertThat(limits.filter(new Locator.FilterOptions().setHasText("own")).first())
          .containsText("6 per h, burst 6 override");
      for (Kind kind : Kind.ALL) {
        if (kind.isBoosted()) {
          assertThat(limits
                  .filter(new Locator.FilterOptions().setHasText(kind.limit()))
                  .first())
              .containsText("override");
        }
      }
      assertThat(complaints).isEmpty();
    }
  }

  private void openDenial(NodeFixture other, String subject, String id) {
    page.navigate(other.adminUri("/page") + "#/now?id=" + id);
    assertThat(page.locator(".detail h2")).containsText(subject);
  }

  private void open(NodeFixture other, String subject) {
    page.navigate(other.adminUri("/page") + "#/now?key="
        + URLEncoder.encode(subject, StandardCharsets.UTF_8));
    assertThat(page.locator(".detail h2")).containsText(subject);
  }

  private static Page.LocatorOptions having(String text) {
    return new Page.LocatorOptions().setHasText(text);
  }
}
