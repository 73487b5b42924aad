package io.weir.whole.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.APIResponse;
import com.microsoft.playwright.Browser.NewContextOptions;
import com.microsoft.playwright.Download;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import io.vertx.core.json.JsonObject;
import io.weir.node.testing.NodeFixture;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Who is limited, and what can be done about it, on the page. */
@Tag("page")
final class CasesPageIT extends OperatorsPage {
  @Test
  void aCaseOpensWithAllLimitsOfTheKeyAndIsReset() {
    ask("busy", 6);
    ask("busy", 6);
    signIn(NodeFixture.ADMIN);
    Locator row = page.locator("tbody tr", new Page.LocatorOptions().setHasText("acme/busy"))
        .first();
    assertThat(row.locator(".minutes path"))
        .hasAttribute("d", Pattern.compile("M5[89]\\.5 16v-16"));
    row.locator("[data-row]").click();

    assertThat(page.locator(".decisions")).containsText("Ask is denied: requests full");
    assertThat(page.locator(".decisions")).containsText("Tell passes now");
    assertThat(page.locator(".detail")).containsText("Limited by requests since");
    Locator limits = page.locator("[aria-label$=limits] tbody tr");
    assertThat(limits).hasCount(3);
    assertThat(limits.first()).containsText("requests");
    assertThat(limits.first()).containsText("denied");
    assertThat(limits.first()).containsText("36 per h, burst 6");
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
  void onAPhoneTheDenialsAMinuteAreInSightBesideALongTime() {
    open(new NewContextOptions().setViewportSize(390, 844));
    ask("user:globex-batch2", 6);
    ask("user:globex-batch2", 6);
    signIn();
    assertThat(page.locator("[aria-label=cases]")).containsText("globex-batch2");
    Object hidden = page.evaluate("""
        () => {
          const cases = document.querySelector('[aria-label=cases]');
          cases.querySelectorAll('time').forEach(time => { time.textContent = '59 min 59 s'; });
          return cases.scrollWidth - cases.clientWidth;
        }""");
    assertThat(hidden).isEqualTo(0);
  }

  // An operator of a tenant asks for its cases, which are not pushed.
  @Test
  void aCaseThatIsNotDeniedAnyMoreIsGrey() {
    ask("busy", 6);
    ask("busy", 6);
    page.route("**/v1/cases?*", route -> {
      APIResponse response = route.fetch();
      JsonObject found = new JsonObject(response.text());
      Instant rested = Instant.parse(found.getString("at")).minusSeconds(16);
      found.getJsonArray("cases").stream()
          .map(JsonObject.class::cast)
          .filter(one -> one.getString("key", "").equals("busy"))
          .forEach(one -> one.put("last", rested.toString()));
      route.fulfill(new Route.FulfillOptions().setResponse(response).setBody(found.encode()));
    });
    String token = NodeFixture.json(send(
            "POST",
            "/v1/tokens",
            new JsonObject()
                .put("name", "of-cases")
                .put("scope", "read")
                .put("tenant", "acme")
                .encode()))
        .getString("token");
    signIn(token);

    Locator row =
        page.locator("[aria-label=cases] tbody tr", new Page.LocatorOptions().setHasText("busy"));
    assertThat(row.locator(".gone")).hasText("16 s");
    String grey = (String) page.evaluate("""
        () => getComputedStyle(document.querySelector('.quiet')).color""");
    assertThat(row.locator("[data-row]")).hasCSS("color", grey);
    send("DELETE", "/v1/tokens/of-cases", "");
    assertThat(complaints).isEmpty();
  }

  // The column is made one pixel too narrow for both.
  @Test
  void theArrowAfterANameIsNeverAloneInItsLine() {
    ask("user:globex-batch2", 6);
    ask("user:globex-batch2", 6);
    signIn();
    assertThat(page.locator("[aria-label=cases]")).containsText("globex-batch2");
    Object least = page.evaluate("""
        () => Math.min(...[...document.querySelectorAll('[aria-label=cases] [data-row]')].map(link => {
          const box = document.createElement('td');
          box.style.cssText = 'display: inline-block; padding: 0; min-width: 0; max-width: none; white-space: nowrap';
          document.body.append(box);
          box.append(link.cloneNode(true));
          const width = box.getBoundingClientRect().width;
          box.style.whiteSpace = 'normal';
          box.style.width = `${width - 1}px`;
          const last = [...box.querySelector('a').getClientRects()].at(-1);
          return last.right - box.getBoundingClientRect().left;
        }))""");
    assertThat(((Number) least).doubleValue()).isGreaterThan(20);
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
  void aTenantWithoutARecordShowsWhatItsKeysShare() {
    ask("svc-6", 6);
    ask("svc-6", 6);
    signIn(NodeFixture.ADMIN);
    go("now?tenant=robots");
    assertThat(page.locator("[aria-label='shared limits'] tbody")).containsText("team");
    assertThat(page.locator(".detail")).containsText("The tenant has no record");
    button("Boost…").click();
    assertThat(page.locator("dialog")).containsText("tenant robots has no record yet");
    page.keyboard().press("Escape");
    assertThat(complaints).isEmpty();
  }

  @Test
  void aTenantIsBoostedFrozenAndActivated() {
    String tenant = new JsonObject().put("id", "crew").encode();
    assertThat(send("POST", "/v1/tenants", tenant).statusCode()).isEqualTo(201);
    String key = new JsonObject().put("tenant", "crew").put("id", "sailor").encode();
    assertThat(send("POST", "/v1/keys", key).statusCode()).isEqualTo(201);
    signIn(NodeFixture.ADMIN);
    go("now?tenant=crew");
    Locator limits = page.locator("[aria-label='shared limits'] tbody");
    assertThat(limits).containsText("100 per s");
    button("Boost…").click();
    assertThat(page.locator("dialog")).containsText("Boost tenant crew");
    assertThat(page.locator("dialog")).containsText("team: 100 per s → 200 per s");
    confirm("Boost").click();
    assertThat(page.locator(".notice")).containsText("team of tenant crew: 100 per s → 200 per s");
    assertThat(limits).containsText("200 per s");

    page.keyboard().press("f");
    assertThat(page.locator("dialog")).containsText("All of its requests are refused");
    confirm("Freeze").click();
    assertThat(page.locator(".notice")).containsText("tenant crew: active → frozen");
    button("Activate…").click();
    confirm("Activate").click();
    assertThat(page.locator(".notice")).containsText("tenant crew: frozen → active");
    JsonObject record = new JsonObject(send("GET", "/v1/tenants/crew", "").body());
    assertThat(record.getString("state")).isEqualTo("active");
    assertThat(record.getJsonArray("overrides")).hasSize(1);
    assertThat(complaints).isEmpty();
  }

  @Test
  void aDenialShowsAllThatIsKnownOfIt() {
    ask("quiet", 7);
    String id = denialOf("quiet");
    signIn();
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
    show("now?list=denials");
    page.getByLabel("filter").fill("spent");
    Locator group = page.locator("[aria-label=denials] tbody tr");
    assertThat(group).hasCount(1);
    assertThat(page).hasURL(Pattern.compile("list=denials&find=spent"));
    page.reload();
    assertThat(page.getByLabel("filter")).hasValue("spent");
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

  @Test
  void requestsThatNoRuleMatchesAreNamedInWords() {
    String check =
        new JsonObject().put("subject", "svc-9").put("operation", "Odd").encode();
    node.post("/v1/check", check, "Authorization", "Bearer " + NodeFixture.SERVICE);
    show("now?list=denials&find=svc-9");
    assertThat(page.locator("[aria-label=denials] tbody tr")).containsText("no limit covers it");
    assertThat(text(page.waitForDownload(() -> button("CSV").click())))
        .contains(",no operation of the policy,")
        .doesNotContain("unlisted");
    go("now?id=" + denialOf("svc-9"));
    assertThat(page.locator(".detail .fields").first()).containsText("no operation of the policy");
    assertThat(page.locator("main")).not().containsText("unlisted");
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
    show("now?key=frozen");
    button("Freeze…").click();
    assertThat(page.locator("dialog")).containsText("active → frozen");
    confirm("Freeze").click();
    assertThat(page.locator(".decisions")).containsText("Ask, Tell are blocked: key is frozen");
    button("Activate…").click();
    confirm("Activate").click();
    assertThat(page.locator(".decisions")).containsText("Ask, Tell pass now");
    assertThat(complaints).isEmpty();
  }

  @Test
  void aSlowLimitIsBoosted() {
    ask("svc-slow", 6);
    show("now?key=svc-slow");
    button("Boost…").click();
    assertThat(page.getByLabel("which limit")).hasValue("requests");
    confirm("Boost").click();
    assertThat(page.locator(".notice"))
        .containsText("requests of svc-slow: 36 per h → 1.2 per min");
    assertThat(page.locator(".detail")).containsText("1.2 per min, burst 12 override until");
    assertThat(complaints).isEmpty();
  }

  @Test
  void aBoostBeginsWithTheFullestBucketAndNeverLowersALimit() {
    ask("raised", 6);
    show("now?key=raised");
    button("Boost…").click();
    assertThat(page.getByLabel("which limit")).hasValue("requests");
    assertThat(page.locator("dialog .present"))
        .containsText("requests: 36 per h → 1.2 per min, from now until");
    assertThat(page.locator("dialog .source")).hasText("The present limit is by plan.");
    page.getByLabel("which limit").selectOption("asks");
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
    page.getByLabel("which limit").selectOption("asks");
    assertThat(page.locator("dialog .source")).containsText("an override until");
    confirm("Cancel").click();

    button("Lower…").click();
    page.getByLabel("which limit").selectOption("asks");
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
    show("now?key=svc-7");
    assertThat(page.locator(".decisions")).containsText("Ask is denied");
    button("Boost…").click();
    assertThat(page.locator("dialog"))
        .containsText("has no record yet: one with the plan free is made.");
    assertThat(page.getByLabel("which limit")).hasValue("requests");
    page.getByLabel("operations per second").fill("10");
    confirm("Boost").click();
    assertThat(page.locator(".decisions")).containsText("Ask, Tell pass now");
    JsonObject record = NodeFixture.json(send("GET", "/v1/keys/svc-7", ""));
    assertThat(record.getString("tenant")).isEqualTo("robots");
    assertThat(record.getString("planInForce")).isEqualTo("free");
    assertThat(complaints).isEmpty();
  }

  @Test
  void aSubjectWhoseNameIsNoIdIsSteeredLikeAKey() {
    String subject = "user:47/11?";
    ask(subject, 6);
    ask(subject, 6);
    signIn();
    page.locator("[data-row]", new Page.LocatorOptions().setHasText("app/" + subject))
        .first()
        .click();
    assertThat(page.locator(".decisions")).containsText("Ask is denied: requests full");
    button("Reset…").click();
    confirm("Reset").click();
    assertThat(page.locator(".decisions")).containsText("Ask, Tell pass now");

    button("Freeze…").click();
    assertThat(page.locator("dialog"))
        .containsText("has no record yet: one with the plan free is made.");
    confirm("Freeze").click();
    assertThat(page.locator(".decisions")).containsText("Ask, Tell are blocked: key is frozen");
    button("Activate…").click();
    confirm("Activate").click();
    assertThat(page.locator(".decisions")).containsText("Ask, Tell pass now");
    change("Boost", "20 per s → 40 per s");
    assertThat(page.locator(".detail")).containsText("40 per s"); // it is read again
    change("Lower", "40 per s → 20 per s");
    go("now?list=changes");
    assertThat(page.locator("[aria-label=changes]"))
        .containsText(subject + ": made, plan free, state frozen");
    go("keys?find=user");
    page.locator("[data-row]").first().click();
    assertThat(button("Change…")).isVisible();
    assertThat(button("Rotate…")).hasCount(0);
    button("Delete…").click();
    confirm("Delete").click();
    assertThat(page.locator("main")).containsText("No such key has a record");
    assertThat(complaints).isEmpty();
  }

  private void change(String side, String rates) {
    button(side + "…").click();
    page.getByLabel("which limit").selectOption("asks");
    confirm(side).click();
    assertThat(page.locator(".notice")).containsText(rates);
  }

  @Test
  void changesAreOneTimelineInWordsAndAreUndone() {
    send("PATCH", "/v1/keys/undone", "{\"state\": \"frozen\", \"note\": \"abuse\"}");
    show("now?list=changes");
    Locator line = page.locator(
            "[aria-label=changes] tbody tr", new Page.LocatorOptions().setHasText("undone"))
        .first();
    assertThat(line).containsText("undone: state: active → frozen, note: " + EVIL + " → abuse");
    assertThat(line).containsText("admin");
    page.getByLabel("filter").fill("UNDONE: state");
    page.reload();
    assertThat(page.getByLabel("filter")).hasValue("UNDONE: state");
    assertThat(page.locator("[aria-label=changes] tbody tr")).hasCount(1);
    line.locator("button").click();
    assertThat(page.locator("dialog")).containsText("state: frozen → active");
    confirm("Undo").click();
    assertThat(line).containsText("state: frozen → active, note: abuse → " + EVIL);
    assertThat(page.locator(".marks")).containsText("frozen → active");
    assertThat(page.evaluate("""
            () => {
              const all = [...document.querySelectorAll('.scale text.mark')].map(one => one.getBoundingClientRect());
              return all.every((one, index) => !index || all[index - 1].right < one.left);
            }""")).as("numbers of marks stand apart").isEqualTo(true);
    JsonObject record = NodeFixture.json(send("GET", "/v1/keys/undone", ""));
    assertThat(record.getString("state")).isEqualTo("active");
    assertThat(record.getString("note")).isEqualTo(EVIL);
    assertThat(complaints).isEmpty();
  }

  @Test
  void aLateAnswerDoesNotReplaceANewerOne() {
    signIn();
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
}
