package io.weir.whole.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import io.vertx.core.json.JsonObject;
import io.weir.node.testing.NodeFixture;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The records of keys and tenants, and the tokens of operators, on the page. */
@Tag("page")
final class RecordsPageIT extends OperatorsPage {
  @Test
  void aTenantIsChangedAndDeleted() {
    send("POST", "/v1/tenants", new JsonObject().put("id", "guild").encode());
    show("now?tenant=guild");
    button("Change…").click();
    page.getByLabel("plan").fill("free");
    page.getByLabel("keys at most").fill("3");
    page.getByLabel("note").fill(EVIL);
    confirm("Change").click();
    assertThat(page.locator(".notice")).hasText("tenant guild was changed.");
    assertThat(page.locator(".detail .fields")).containsText(EVIL);
    JsonObject record = NodeFixture.json(send("GET", "/v1/tenants/guild", ""));
    assertThat(record.getInteger("maxKeys")).isEqualTo(3);
    assertThat(record.getString("plan")).isEqualTo("free");

    button("Change…").click();
    page.getByLabel("keys at most").fill("");
    confirm("Change").click();
    assertThat(page.locator(".detail .fields")).containsText("not bounded");
    button("Delete…").click();
    assertThat(page.locator("dialog")).containsText("Its keys stay");
    confirm("Delete").click();
    assertThat(page.locator(".detail")).containsText("The tenant has no record");
    assertThat(button("Change…")).hasCount(0);
    assertThat(send("GET", "/v1/tenants/guild", "").statusCode()).isEqualTo(404);
    assertThat(complaints).isEmpty();
  }

  @Test
  void aFreezeOfATenantSaysForWhichKeysItIsNot() {
    show("now?tenant=lodge");
    button("Freeze…").click();
    confirm("Freeze").click();
    assertThat(page.locator(".notice"))
        .hasText("tenant lodge: active → frozen. Not for lodger: the policy lists them.");
    assertThat(page.locator(".detail .fields")).containsText("not for");
    button("Activate…").click();
    confirm("Activate").click();
    assertThat(complaints).isEmpty();
  }

  @Test
  void aKeyIsMadeRotatedChangedAndDeleted() {
    show("keys");
    beginKey("made");
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
    show("keys?list=tokens");
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
    show("now?key=quiet");
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
  void whatWasTypedStaysIfItIsRefused() {
    show("keys");
    beginKey("quiet");
    page.getByLabel("note").last().fill("of the web shop");
    confirm("Create").click();
    assertThat(page.locator("dialog")).containsText("There is a key with this id already");
    assertThat(page.getByLabel("note").last()).hasValue("of the web shop");
    id().fill("shop");
    confirm("Create").click();
    confirm("I have it").click();
    JsonObject made = NodeFixture.json(send("GET", "/v1/keys/shop", ""));
    assertThat(made.getString("note")).isEqualTo("of the web shop");
    send("DELETE", "/v1/keys/shop", "");
  }

  @Test
  void whatSomebodyElseHasChangedMeanwhileStaysAsItIs() {
    send("POST", "/v1/tenants", new JsonObject().put("id", "shared").encode());
    show("now?tenant=shared");
    button("Change…").click();
    page.getByLabel("note").fill("mine");
    send("PATCH", "/v1/tenants/shared", new JsonObject().put("maxKeys", 5).encode());
    confirm("Change").click();
    assertThat(page.locator("dialog")).containsText("tenant shared was changed by somebody else");
    assertThat(page.getByLabel("note")).hasValue("mine");
    confirm("Change").click();
    assertThat(page.locator(".notice")).hasText("tenant shared was changed.");
    JsonObject record = NodeFixture.json(send("GET", "/v1/tenants/shared", ""));
    assertThat(record.getString("note")).isEqualTo("mine");
    assertThat(record.getInteger("maxKeys")).isEqualTo(5);
    send("DELETE", "/v1/tenants/shared", "");
  }

  @Test
  void aRotationSaysUntilWhenTheSecretsCount() {
    send(
        "POST",
        "/v1/keys",
        new JsonObject().put("tenant", "acme").put("id", "turned").encode());
    show("keys?key=turned");
    button("Rotate…").click();
    assertThat(page.locator("dialog")).containsText("Its secret counts without an end");
    confirm("Rotate").click();
    confirm("I have it").click();
    button("Rotate…").click();
    assertThat(page.locator("dialog")).containsText("Of its 2 secrets one counts until ");
    assertThat(page.locator("dialog")).containsText(", one without an end. None counts longer");
    page.getByLabel("count for").selectOption("no longer");
    confirm("Rotate").click();
    confirm("I have it").click();
    JsonObject record = NodeFixture.json(send("GET", "/v1/keys/turned", ""));
    assertThat(record.getJsonArray("secrets")).hasSize(1);
    send("DELETE", "/v1/keys/turned", "");
    assertThat(complaints).isEmpty();
  }

  private void beginKey(String id) {
    button("Create a key…").click();
    page.getByLabel("tenant").last().fill("acme");
    id().fill(id);
  }

  private Locator id() {
    return page.getByLabel("id", new Page.GetByLabelOptions().setExact(true));
  }
}
