package io.weir.whole.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Long names, other scripts, and many of them, on the page. */
@Tag("page")
final class ManyNamesPageIT extends OperatorsPage {
  private static final String FAMILY = "\uD83D\uDC68\u200D\uD83D\uDC69\u200D\uD83D\uDC67";
  private static final String HEBREW = "\u05DE\u05E4\u05EA\u05D7";
  private static final String NOTE = (FAMILY + " " + HEBREW + " ").repeat(30).substring(0, 200);
  private static final int TENANTS = 1000;

  private static void made(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 201);
  }

  @Test
  void notesOfOtherScriptsAndLongNamesStayInTheirPlaces() {
    String id = "k".repeat(64);
    String tenant = "t".repeat(64);
    String subject = "svc-" + "/:~%<>".repeat(20) + "end!";
    made(send(
        "POST",
        "/v1/keys",
        new JsonObject().put("tenant", tenant).put("id", id).put("note", NOTE).encode()));
    ask(subject, 6);
    ask(subject, 6);
    ask(id, 6);
    ask(id, 6);
    signIn();

    for (int width : new int[] {1280, 1024, 375}) {
      page.setViewportSize(width, 900);
      go("now?list=changes");
      assertThat(page.locator("[aria-label=changes] tbody")).containsText(id);
      assertThat(isTooWide()).as("changes at %d", width).isEqualTo(false);
      go("keys?find=" + id);
      assertThat(page.locator("[aria-label=keys] tbody")).containsText(NOTE.strip());
      assertThat(isTooWide()).as("keys at %d", width).isEqualTo(false);
      go("now");
      Locator row = page.locator("[data-row]", new Page.LocatorOptions().setHasText(subject));
      assertThat(row.first()).isVisible();
      assertThat(isHidden("[aria-label=cases]")).as("cases at %d", width).isEqualTo(false);
      row.first().click();
      assertThat(page.locator(".detail h2")).containsText("robots/" + subject);
      assertThat(page.locator(".decisions")).containsText("Ask is denied");
      assertThat(isTooWide()).as("a key at %d", width).isEqualTo(false);
      assertThat(isHidden("[aria-label=cases]")).as("beside a key at %d", width).isEqualTo(false);
      double title = page.locator(".detail h2").boundingBox().y;
      assertThat(page.locator(".detail .close").boundingBox().y).isBetween(title - 10, title + 20);
    }
    assertThat(page.locator("[role=alert]")).hasCount(0);
    assertThat(complaints).isEmpty();
  }

  /** Whether a table has columns that are seen only if it is scrolled. */
  private Object isHidden(String table) {
    return page.locator(table)
        .first()
        .evaluate("element => element.scrollWidth > element.clientWidth");
  }

  // A node looks for the keys of a tenant in thousands of parts of the index.
  @Test
  void theKeysOfATenantAreNotAskedForEachTime() {
    signIn();
    List<String> asked = Collections.synchronizedList(new ArrayList<>());
    page.onRequest(request -> asked.add(request.url()));
    long opened = System.nanoTime();
    go("now?tenant=acme");
    assertThat(page.locator("[aria-label='keys of the tenant']")).containsText("quiet");
    page.waitForCondition(
        () -> count(asked, "/v1/tenants/acme") > 4,
        new Page.WaitForConditionOptions().setTimeout(120_000));
    // Opened, seen by the stream before the first answer, and once in half a minute.
    long halfMinutes = Duration.ofNanos(System.nanoTime() - opened).toSeconds() / 30;
    assertThat(count(asked, "/v1/keys?tenant=acme")).isLessThanOrEqualTo(2 + halfMinutes);
    assertThat(complaints).isEmpty();
  }

  private static long count(List<String> addresses, String part) {
    return List.copyOf(addresses).stream().filter(it -> it.contains(part)).count();
  }

  @Test
  void aThousandTenantsAreListedAndFound() {
    IntStream.range(0, TENANTS)
        .forEach(i -> made(send(
            "POST",
            "/v1/tenants",
            new JsonObject().put("id", "many-%04d".formatted(i)).encode())));
    page.setViewportSize(1024, 900);
    show("keys?list=tenants");

    assertThat(page.locator("[aria-label=tenants] tbody tr")).hasCount(500);
    button("More").click();
    assertThat(page.locator("[aria-label=tenants] tbody")).containsText("many-0999");
    assertThat(isTooWide()).isEqualTo(false);
    Locator field = page.locator("form.tools input[name=find]");
    field.fill("Y-099");
    field.press("Enter");
    assertThat(page.locator("[aria-label=tenants] tbody tr")).hasCount(10);
    page.reload();
    assertThat(page.locator("[aria-label=tenants] tbody tr")).hasCount(10);
    for (String tenant : List.of("many-0000", "many-0999")) {
      page.locator("button.search").click();
      page.locator("dialog input").fill(tenant);
      page.locator(".results a", new Page.LocatorOptions().setHasText("tenant"))
          .first()
          .click();
      assertThat(page.locator(".detail h2")).containsText(tenant);
    }
    assertThat(complaints).isEmpty();
  }
}
