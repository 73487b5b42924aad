package io.weir.whole.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.FilePayload;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The draft of a policy on the page, from the first letter until it is in force or gone. */
@Tag("page")
final class LimitsPageIT extends OperatorsPage {
  private static final String DRAFT = "/v1/session/draft";

  @BeforeEach
  void discardTheDraftOfAnotherTest() {
    send("DELETE", DRAFT, "");
  }

  private Locator draft(String expected) {
    show("limits");
    Locator text = page.locator("#policy-text");
    assertThat(text).hasValue(expected);
    return text;
  }

  @Test
  void aDraftAndASessionSurviveANodeThatDiesAndComesBack() {
    try (NodeFixture other = NodeFixture.at(redis.uri(), POLICY, FailureMode.LOCAL)) {
      aDraftAndASessionSurvive(other);
    }
  }

  @Test
  void whatIsNoDraftInTheStorageOfTheBrowserIsIgnored() {
    Locator text = draft(policy);
    page.evaluate("localStorage.setItem('weir.draft', '{')");

    page.reload();

    assertThat(text).hasValue(policy);
    assertThat(complaints).isEmpty();
  }

  private void aDraftAndASessionSurvive(NodeFixture other) {
    signIn(other, NodeFixture.ADMIN);
    assertThat(page.locator(".figures")).isVisible();
    page.navigate(other.uri("/page") + "#/limits");
    Locator text = page.locator("#policy-text");
    assertThat(text).hasValue(policy);
    text.fill(policy + "# mine\n");
    assertThat(page.locator(".stale")).hasCount(0);
    other.stop();

    assertThat(page.locator("[role=alert]").first()).containsText("has not answered for");
    assertThat(page.locator("main.stale")).isVisible();
    assertThat(text).hasValue(policy + "# mine\n");

    other.startAgain();

    assertThat(page.locator(".state")).hasText(Pattern.compile("live|needs? you"));
    assertThat(page.locator("[role=alert]")).hasCount(0);
    assertThat(page.locator(".stale")).hasCount(0);
    assertThat(text).hasValue(policy + "# mine\n");
    button("Dry run").click(); // with the second secret from before
    assertThat(page.locator(".notice")).hasText("It would be accepted.");
  }

  @Test
  void aDraftOfANodeThatDiesIsFoundOnThePageOfAnother() {
    String typed = policy + "# mine\n";
    try (NodeFixture dying = NodeFixture.at(redis.uri(), POLICY, FailureMode.LOCAL)) {
      signIn(dying, NodeFixture.ADMIN);
      page.navigate(dying.uri("/page") + "#/limits");
      Locator text = page.locator("#policy-text");
      assertThat(text).hasValue(policy);
      text.fill(typed);
      Awaitility.await()
          .until(() -> send("GET", DRAFT, "").body(), body -> body.contains("# mine"));
    }

    go("limits"); // another port is another origin, with a storage of its own, and the same session
    Locator text = page.locator("#policy-text");
    assertThat(text).hasValue(typed);
    assertThat(page.locator(".steps")).containsText("differs from revision");
    text.fill(typed + "# and more\n");
    page.reload();
    assertThat(text).hasValue(typed + "# and more\n");
    button("Discard…").click();
    confirm("Discard").click();
    assertThat(text).hasValue(policy);
    Awaitility.await().until(() -> send("GET", DRAFT, "").body(), "{}"::equals);
    assertThat(complaints).allMatch(it -> it.contains("ERR_CONNECTION_REFUSED")); // by the dead one
  }

  @Test
  void twoBrowsersWithOneTokenHaveADraftEach() {
    Locator text = draft(policy);
    text.fill(policy + "# mine\n");
    Awaitility.await().until(() -> send("GET", DRAFT, "").body(), body -> body.contains("# mine"));
    try (BrowserContext another = context.browser().newContext()) {
      Page mine = page;
      page = another.newPage();
      draft(policy).fill(policy + "# of another\n");
      Awaitility.await()
          .until(() -> send("GET", DRAFT, "").body(), body -> body.contains("# of another"));
      mine.reload();
      assertThat(text).hasValue(policy + "# mine\n");

      button("Discard…").click();
      confirm("Discard").click();
      assertThat(page.locator("#policy-text")).hasValue(policy);
      Awaitility.await()
          .until(() -> send("GET", DRAFT, "").body(), body -> !body.contains("# of another"));
      page.reload();
      button("Continue the draft of").click();
      assertThat(page.locator("#policy-text")).hasValue(policy + "# mine\n");
      assertThat(page.locator(".steps")).containsText("differs from revision");
      page = mine;
    }
    page.reload();
    assertThat(text).hasValue(policy + "# mine\n");
    assertThat(complaints).isEmpty();
  }

  @Test
  void aMistakeIsNamedBesideItsLineWhileItIsWritten() {
    Locator text = draft(policy);
    int line = (int) policy.lines().takeWhile(it -> !it.contains("name: team")).count();
    String wrong = policy.replace("opsPerSec: 100", "opsPerSec: -1");
    text.fill(wrong);

    Locator note = page.locator(".notes text").first();
    assertThat(note).containsText("-1 (expected: a whole number");
    // Behind the end of the line, and as high as its number.
    double top = page.locator(".lines span").nth(line).boundingBox().y;
    double middle = note.boundingBox().y + note.boundingBox().height / 2;
    assertThat(middle).isBetween(top, top + 20);
    int column = wrong.lines().skip(line).findFirst().orElseThrow().indexOf("-1") + 1;
    assertThat(page.locator(".problems li").first())
        .containsText("line %d, column %d".formatted(line + 1, column));
    assertThat(page.locator(".steps")).containsText("errors: ");

    text.fill(policy.replace("opsPerSec: 100", "opsPerSec: 101"));
    assertThat(page.locator(".steps")).containsText("accepted");
    assertThat(page.locator(".notes text")).hasCount(0);
    assertThat(complaints.stream().filter(it -> !it.contains("422"))).isEmpty();
  }

  @Test
  void aDraftSurvivesAReloadAndEndsWithASignOut() {
    Locator text = draft(policy);
    text.fill(policy + "# mine\n");
    page.reload();
    assertThat(text).hasValue(policy + "# mine\n");
    assertThat(page.locator(".steps")).containsText("differs from revision");
    button("Sign out").click();
    assertThat(page.getByLabel("Admin token")).isVisible();
    show("limits");
    assertThat(text).hasValue(policy);
  }

  @Test
  void aDraftIsTriedPutInForceAndUndone() {
    Locator text = draft(policy);
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
    page.getByText("Difference", new Page.GetByTextOptions().setExact(true))
        .first()
        .click();
    assertThat(page.locator(".diff")).containsText("+");
    assertThat(page.locator(".diff")).containsText("opsPerSec: 150");
    assertThat(page).hasURL(Pattern.compile("difference=\\d+"));
    page.reload();
    assertThat(page.locator(".diff")).containsText("opsPerSec: 150");
    assertThat(page.evaluate("window.stolen")).isNull();
    assertThat(complaints.stream().filter(it -> !it.contains("422"))).isEmpty();
  }

  @Test
  void aPolicyByWhichStoredKeysLoseLimitsNeedsASecondConfirmation() {
    String withSpare =
        policy.replace("requests, team] }", "requests, team] }, spare: { buckets: [team] }");
    send("PUT", "/v1/policy?force=true", withSpare);
    send("POST", "/v1/keys", "{\"tenant\": \"spare\", \"id\": \"spared\", \"plan\": \"spare\"}");
    Locator text = draft(withSpare);
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

  @Test
  void aDraftIsComparedOnLiveTraffic() {
    Locator text = draft(policy);
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
    Locator text = draft(policy);
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
  void aLogIsReplayedUnderTheDraft() {
    Locator text = draft(policy);
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
}
